//===- Conversion.h - From one dialect to another ---------------*- C++ -*-===//

#ifndef XLA_CONVERSION_CONVERSION_H
#define XLA_CONVERSION_CONVERSION_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Support/LLVM.h"

namespace xla {

/// Replaces each stablehlo.composite by a call of its decomposition.
mlir::LogicalResult callComposites(mlir::ModuleOp module);

/// Writes each CHLO operation out in StableHLO. Fails, with a diagnostic, where
/// an operation is not supported for its types.
mlir::LogicalResult lowerChlo(mlir::ModuleOp module);

/// The same as passes: --xla-call-composites, --xla-lower-chlo.
void registerConversionPasses();

} // namespace xla

#endif // XLA_CONVERSION_CONVERSION_H
