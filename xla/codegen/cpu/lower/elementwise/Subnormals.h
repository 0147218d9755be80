//===- Subnormals.h - Arithmetic among subnormal numbers --------*- C++ -*-===//
//
// Operations on f32 in the form that is being emitted: the processor's, or the
// one of `Emitter::inSubnormalRegion`. Other types have the processor's alone.
//
//===----------------------------------------------------------------------===//

#ifndef XLA_CODEGEN_CPU_LOWER_ELEMENTWISE_SUBNORMALS_H
#define XLA_CODEGEN_CPU_LOWER_ELEMENTWISE_SUBNORMALS_H

#include "xla/codegen/cpu/Emitter.h"

namespace xla::cpu {

llvm::Value *multiplyFloats(Emitter &e, llvm::Value *x, llvm::Value *y);
llvm::Value *divideFloats(Emitter &e, llvm::Value *x, llvm::Value *y);
llvm::Value *squareRoot(Emitter &e, llvm::Value *x);

/// Whether a nest in a loop of the program that computes `outputs`, with `code`
/// additions per element, is emitted in both forms.
bool isWorthTwoForms(const FusionPlan &fusion,
                     llvm::ArrayRef<mlir::Value> outputs, int code);

} // namespace xla::cpu

#endif // XLA_CODEGEN_CPU_LOWER_ELEMENTWISE_SUBNORMALS_H
