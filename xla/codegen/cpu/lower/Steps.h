//===- Steps.h - The code of each operation that is a step ------*- C++ -*-===//
//
// One function a family; README.md has the table of operations, strategies and
// kernels. Each emits the step at `op` where code is being emitted.
//
//===----------------------------------------------------------------------===//

#ifndef XLA_CODEGEN_CPU_LOWER_STEPS_H
#define XLA_CODEGEN_CPU_LOWER_STEPS_H

#include "xla/codegen/cpu/Emitter.h"

namespace xla {
struct SparseProduct;
} // namespace xla

namespace xla::cpu {

void emitBarrier(Emitter &e, mlir::Operation *op);
void emitBranches(Emitter &e, mlir::Operation *op);
void emitCholesky(Emitter &e, mlir::Operation *op);
void emitCollective(Emitter &e, mlir::Operation *op);
void emitConcatenate(Emitter &e, mlir::Operation *op);
void emitConvolution(Emitter &e, mlir::Operation *op);
void emitCustomCall(Emitter &e, mlir::Operation *op);
void emitDot(Emitter &e, mlir::Operation *op);
void emitDynamicUpdateSlice(Emitter &e, mlir::Operation *op);
void emitFft(Emitter &e, mlir::Operation *op);
void emitPartitionId(Emitter &e, mlir::Operation *op);
void emitReduce(Emitter &e, mlir::Operation *op);
void emitReduceWindow(Emitter &e, mlir::Operation *op);
void emitRngBitGenerator(Emitter &e, mlir::Operation *op);
void emitScatter(Emitter &e, mlir::Operation *op);
void emitSelectAndScatter(Emitter &e, mlir::Operation *op);
void emitSort(Emitter &e, mlir::Operation *op);
void emitTriangularSolve(Emitter &e, mlir::Operation *op);
void emitWhile(Emitter &e, mlir::Operation *op);
void emitSparseProduct(Emitter &e, mlir::Operation *op,
                       const SparseProduct &product);

/// Whether the pieces of a concatenation are functions in a short program too:
/// one function of all would take more than linear time to compile.
bool hasManyPieces(mlir::Operation *op);

} // namespace xla::cpu

#endif // XLA_CODEGEN_CPU_LOWER_STEPS_H
