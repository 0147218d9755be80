//===- Patterns.h - What several optimisations share ------------*- C++ -*-===//

#ifndef XLA_OPTIMIZE_PATTERNS_H
#define XLA_OPTIMIZE_PATTERNS_H

#include "xla/dialect/stablehlo/StablehloOps.h"
#include "xla/optimize/Passes.h"

#include "mlir/IR/PatternMatch.h"

namespace xla {

using Sizes = llvm::SmallVector<int64_t>;

/// Null where a value is no array, or of a rank that is not known.
inline mlir::RankedTensorType typeOf(mlir::Value value) {
  return llvm::dyn_cast<mlir::RankedTensorType>(value.getType());
}

inline llvm::ArrayRef<int64_t> shapeOf(mlir::Value value) {
  return llvm::cast<mlir::RankedTensorType>(value.getType()).getShape();
}

/// Whether it multiplies so much that it is worth several: each number of the
/// result is a sum over all of the kernel but its features.
bool isLarge(stablehlo::ConvolutionOp convolution);

/// The operation by which a region folds two elements, in whatever order, if it
/// is one alone. Null if not.
mlir::Operation *foldOf(mlir::Region &region);

/// That of a reduction of one array.
mlir::Operation *foldOf(stablehlo::ReduceOp reduction);

/// Reductions of what is put together of a few parts become operations on the
/// parts.
void addReductionUnrolling(mlir::RewritePatternSet &patterns);

/// Logarithms of the exponential of one number alone.
void addLogarithms(mlir::RewritePatternSet &patterns);

/// Products of arrays that were cut into blocks are products of the arrays.
void addProductJoining(mlir::RewritePatternSet &patterns);

/// Drops what nobody reads, and what only that read.
void dropDead(mlir::Block &block);

/// Computes what a transpose reads in the order that it makes, where nothing in
/// memory has to be transposed for that; false, and no change, where something
/// has.
bool sinkTranspose(stablehlo::TransposeOp op);

} // namespace xla

#endif // XLA_OPTIMIZE_PATTERNS_H
