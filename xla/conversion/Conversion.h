//===- Conversion.h - From one dialect to another ---------------*- C++ -*-===//

#ifndef XLA_CONVERSION_CONVERSION_H
#define XLA_CONVERSION_CONVERSION_H

#include "xla/support/Status.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Support/LLVM.h"

namespace xla {

namespace stablehlo {
class CustomCallOp;
} // namespace stablehlo

/// Replaces each stablehlo.composite by a call of its decomposition.
mlir::LogicalResult callComposites(mlir::ModuleOp module);

/// Writes each CHLO operation out in StableHLO. Fails, with a diagnostic, where
/// an operation is not supported for its types.
mlir::LogicalResult lowerChlo(mlir::ModuleOp module);

/// Writes stablehlo.rng out: bits from a state of the process, which a call of
/// `xla.random_state` takes, and arithmetic.
void lowerRng(mlir::ModuleOp module);

/// Drops custom calls that mean nothing on one device (`Sharding` and its kin)
/// and gives calls with a tuple for a result several results instead.
void simplifyCustomCalls(mlir::ModuleOp module);

/// Replaces every call (and composite) reachable from `main` by the body of its
/// callee and drops the callees. A recursive program is InvalidArgument; one
/// that would grow beyond reason is ResourceExhausted.
Status inlineCalls(mlir::ModuleOp module);

/// Replaces a call of the target ApproxTopK by a sort and slices, and erases
/// it; false, and nothing done, for any other call or a malformed one.
bool expandApproximateTopK(stablehlo::CustomCallOp op);

/// Writes the calls `Qr` and `ProductOfElementaryHouseholderReflectors` out as
/// loops over reflections.
void expandReflections(mlir::ModuleOp module);

/// Makes calls of the composites that are products of the runtime's
/// (analysis/SparseProduct.h).
void matchSparseProducts(mlir::ModuleOp module);

/// For those who read the module: an all_to_all of several arrays, which our
/// partitioner makes of several, becomes one for each array. StableHLO allows
/// both; other readers take an all_to_all along dimensions to have one operand.
void splitAllToAlls(mlir::ModuleOp module);

} // namespace xla

#endif // XLA_CONVERSION_CONVERSION_H
