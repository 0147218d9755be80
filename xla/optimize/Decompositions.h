//===- Decompositions.h - Operations written out in simpler ones *- C++ -*-===//
//
// What the code generator never sees. Each function rewrites all operations of
// its family in a module.
//
//===----------------------------------------------------------------------===//

#ifndef XLA_OPTIMIZE_DECOMPOSITIONS_H
#define XLA_OPTIMIZE_DECOMPOSITIONS_H

#include "xla/dialect/stablehlo/StablehloOps.h"
#include "xla/support/Status.h"

#include "mlir/IR/BuiltinOps.h"
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

/// batch_norm_inference, batch_norm_training, batch_norm_grad.
void decomposeBatchNormalization(mlir::ModuleOp module);

/// dot becomes dot_general.
void generalizeDots(mlir::ModuleOp module);

/// Products of arrays in different orders that keep no dimension of one alone
/// become multiplications, summed.
void reduceProducts(mlir::ModuleOp module);

/// Large products and convolutions of complex numbers become those of their
/// real and imaginary parts.
void splitComplex(mlir::ModuleOp module);

/// Whether it multiplies so much that it is worth several: each number of the
/// result is a sum over all of the kernel but its features.
bool isLarge(stablehlo::ConvolutionOp convolution);

/// Large convolutions of inputs with holes become such without, one for each
/// kind of window that differs in how many of its taps fall on an element.
void splitConvolutions(mlir::ModuleOp module);

/// Reductions of many arrays become those of the arrays that belong together.
void splitReductions(mlir::ModuleOp module);

/// Reductions of what is put together of a few parts become operations on the
/// parts.
void addReductionPatterns(mlir::RewritePatternSet &patterns);

/// Convolutions of large windows at few places, as kernels' gradients are, read
/// lines of elements.
void orderConvolutions(mlir::ModuleOp module);

/// Convolutions along lines of the input become such of an input with zeros
/// around it.
void padConvolutions(mlir::ModuleOp module);

/// Sorts by short integers become sorts by integers of 32 bits.
void widenSortKeys(mlir::ModuleOp module);

/// Windows of many elements along several dimensions become such along one
/// dimension after the other.
void splitWindows(mlir::ModuleOp module);

/// What is computed element by element is computed in the order in which it is
/// wanted: transposes move to its operands.
void moveTransposes(mlir::ModuleOp module);

/// Computes what a transpose reads in the order that it makes, where nothing in
/// memory has to be turned for that; false, and no change, elsewhere.
bool turnComputation(stablehlo::TransposeOp op);

/// Operations with shapes for operands become those with shapes for
/// attributes, where the operands are constants and the results static.
/// What is left is Unimplemented, with its place.
Status fixShapes(mlir::ModuleOp module);

/// Collectives among one process: what it sends, it gets. Unimplemented where
/// others take part.
Status decomposeCollectives(mlir::ModuleOp module);

} // namespace xla

#endif // XLA_OPTIMIZE_DECOMPOSITIONS_H
