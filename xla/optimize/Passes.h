//===- Passes.h - Optimisations on StableHLO --------------------*- C++ -*-===//

#ifndef XLA_OPTIMIZE_PASSES_H
#define XLA_OPTIMIZE_PASSES_H

#include "xla/support/Status.h"

#include "mlir/IR/BuiltinOps.h"

namespace xla {

/// Products and convolutions of types of 8 bits and fewer (of floats: f8, f4;
/// of integers: those of 4 and 2 bits) become such of f32 and i32, between
/// conversions.
void widenContractions(mlir::ModuleOp module);

/// Writes the layouts of custom calls out as transposes around them, which
/// fuse with what produces and reads the arrays, and marks the calls.
void orderDimensions(mlir::ModuleOp module);

/// Computes once what is computed twice, and drops what nobody reads.
void mergeOperations(mlir::ModuleOp module);

/// Drops operations that do nothing and joins movements of elements. What is
/// computed with floats stays the same bit for bit.
void simplifyOperations(mlir::ModuleOp module);

/// Takes out of loops what they need not carry or repeat.
void simplifyLoops(mlir::ModuleOp module);

/// What stands before code generation, in order.
Status optimizeProgram(mlir::ModuleOp module);

/// The same as a pass for xla-opt: --xla-optimize.
void registerOptimizePass();

} // namespace xla

#endif // XLA_OPTIMIZE_PASSES_H
