//===- Folds.h - The operations that reducers usually are -------*- C++ -*-===//

#ifndef XLA_CODEGEN_CPU_LOWER_REDUCE_FOLDS_H
#define XLA_CODEGEN_CPU_LOWER_REDUCE_FOLDS_H

#include "xla/codegen/cpu/Emitter.h"

namespace xla::cpu {

/// The associative operations that reducers usually are. They have a neutral
/// element, so partial results may be formed in any number and order.
enum class Fold : uint8_t {
  Other,
  Add,
  Multiply,
  Minimum,
  Maximum,
  And,
  Or,
  Xor
};

/// The operation of `type` on the two arguments that a region consists of, or
/// null.
mlir::Operation *onlyOperation(mlir::Region &body, ElementType type);

/// The fold whose operation is `op`, of elements of `type`.
Fold foldOf(mlir::Operation *op, ElementType type);

/// What the region of a reduction over one real array computes, if that is
/// one operation on its two arguments.
Fold recognizeFold(mlir::Region &body, ElementType type);

/// The type in which partial results are kept: sums of 16-bit floats are
/// rounded once, at the end.
ElementType accumulatorOf(ElementType type);

llvm::Value *neutralOf(Emitter &e, Fold fold, ElementType accumulator);

/// The maximum or the minimum of some real numbers.
llvm::Value *extremeOf(Emitter &e, bool isMaximum, ElementType type,
                       llvm::ArrayRef<llvm::Value *> x);

/// `anyOrder` lets LLVM split the chain that the operation is part of.
llvm::Value *foldValues(Emitter &e, Fold fold, ElementType accumulator,
                        llvm::Value *x, llvm::Value *y, bool anyOrder);

/// The parts of elements one after the other, for loops that carry them.
llvm::SmallVector<llvm::Value *> flatten(llvm::ArrayRef<Element> elements);
llvm::SmallVector<Element> unflatten(llvm::ArrayRef<llvm::Value *> values,
                                     mlir::TypeRange types);

} // namespace xla::cpu

#endif // XLA_CODEGEN_CPU_LOWER_REDUCE_FOLDS_H
