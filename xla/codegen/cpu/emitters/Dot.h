//===- Dot.h - Matrix products ----------------------------------*- C++ -*-===//

#ifndef XLA_CODEGEN_CPU_EMITTERS_DOT_H
#define XLA_CODEGEN_CPU_EMITTERS_DOT_H

#include "xla/codegen/cpu/Emitter.h"

namespace xla::cpu {

/// A dimension of the product as the three arrays see it; strides count
/// elements.
struct Axis {
  int64_t size, lhs, rhs, result;
};

/// A piece of an array in memory, its dimensions permuted.
struct View {
  mlir::Value buffer;
  int64_t offset = 0;
  llvm::SmallVector<int64_t> strides;
};

struct Product {
  llvm::SmallVector<Axis> batch, rows, columns, inner;
  View lhs, rhs;
  ElementType lhsType, rhsType, resultType;
};

/// A matrix of complex numbers times few lines of such, as a product of real
/// numbers that reads the matrix where it lies, once. Says whether it is one;
/// if not, nothing is emitted. `scratch` has `complexScratchBytes`.
bool emitComplexLines(Emitter &e, const Product &p, const Place &target,
                      const Place &scratch);
int64_t complexScratchBytes(mlir::Operation *dot);

} // namespace xla::cpu

#endif // XLA_CODEGEN_CPU_EMITTERS_DOT_H
