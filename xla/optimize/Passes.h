//===- Passes.h - Optimisations on StableHLO --------------------*- C++ -*-===//
//
// Each is a pass, in a file of its name; xla/pipeline/Pipeline.cpp has their
// order.
//
//===----------------------------------------------------------------------===//

#ifndef XLA_OPTIMIZE_PASSES_H
#define XLA_OPTIMIZE_PASSES_H

#include "xla/support/Status.h"

#include "mlir/IR/BuiltinOps.h"

namespace xla {

/// dot becomes dot_general.
void generalizeDots(mlir::ModuleOp module);

/// Sums of floats, as reductions, products, convolutions and scatters are,
/// become sums that have the same bits in any order, in modules with the
/// attribute jax.reproducible. Unimplemented where sizes are not known.
Status makeSumsReproducible(mlir::ModuleOp module);

/// Products that keep no dimension of one factor alone become multiplications,
/// summed, where the factors are in different orders or the terms far apart.
void reduceProducts(mlir::ModuleOp module);

/// Products and convolutions of types of 8 bits and fewer (of floats: f8, f4;
/// of integers: those of 4 and 2 bits) become such of f32 and i32, between
/// conversions.
void widenContractions(mlir::ModuleOp module);

/// Sorts by short integers become sorts by integers of 32 bits.
void widenSortKeys(mlir::ModuleOp module);

/// Large products and convolutions of complex numbers become those of their
/// real and imaginary parts.
void splitComplex(mlir::ModuleOp module);

/// Reductions of many arrays become those of the arrays that belong together.
void splitReductions(mlir::ModuleOp module);

/// Operations with shapes for operands become those with shapes for
/// attributes, where the operands are constants and the results static.
/// What is left is Unimplemented, with its source location.
Status refineShapes(mlir::ModuleOp module);

/// Collectives among one process: what it sends, it gets. Unimplemented where
/// more take part.
Status decomposeCollectives(mlir::ModuleOp module);

/// batch_norm_inference, batch_norm_training, batch_norm_grad.
void decomposeBatchNormalization(mlir::ModuleOp module);

/// Large convolutions of inputs with holes become such without, one for each
/// kind of window that differs in how many of its taps fall on an element.
void splitConvolutions(mlir::ModuleOp module);

/// Convolutions of large windows at few positions, as kernels' gradients are,
/// read lines of elements.
void orderConvolutions(mlir::ModuleOp module);

/// Convolutions along lines of the input become such of an input with zeros
/// around it.
void padConvolutions(mlir::ModuleOp module);

/// Windows of many elements along several dimensions become such along one
/// dimension after the other.
void splitWindows(mlir::ModuleOp module);

/// Writes the layouts of custom calls out as transposes around them, which
/// fuse with what produces and reads the arrays, and marks the calls.
void normalizeLayouts(mlir::ModuleOp module);

/// Computes once what is computed twice, and drops what nobody reads.
void mergeOperations(mlir::ModuleOp module);

/// What is computed element by element is computed in the order in which it is
/// read: transposes move to its operands.
void moveTransposes(mlir::ModuleOp module);

/// Reductions of transposed arrays become reductions of the arrays in the order
/// that they have in memory.
void turnReductions(mlir::ModuleOp module);

/// Blocks of an array, put together with rows of their neighbours, become the
/// array, moved.
void joinBlocks(mlir::ModuleOp module);

/// What is computed of an array under a shape with more dimensions, and then
/// joined again, is computed of the array.
void mergeDimensions(mlir::ModuleOp module);

/// Drops operations that do nothing and joins movements of elements. What is
/// computed with floats stays the same bit for bit.
void simplifyOperations(mlir::ModuleOp module);

/// Products that are much larger than their factors, and what is computed from
/// them, become loops over tiles.
void tileIntermediates(mlir::ModuleOp module);

/// Takes out of loops what they need not carry or repeat.
void simplifyLoops(mlir::ModuleOp module);

} // namespace xla

#endif // XLA_OPTIMIZE_PASSES_H
