//===- Verification.h - What must hold of shardings -------------*- C++ -*-===//

#ifndef XLA_DIALECT_SDY_VERIFICATION_H
#define XLA_DIALECT_SDY_VERIFICATION_H

#include "xla/dialect/sdy/SdyOps.h"

#include <string>

namespace xla::sdy {

using EmitError = llvm::function_ref<mlir::InFlightDiagnostic()>;

/// An axis as messages show it: `"x"`, `"x":(1)2`.
std::string textOf(AxisRefAttr axis);

/// That axes are the mesh's, factors divide them, none is used twice, and
/// factors that could be one are one. Together over all lists.
llvm::LogicalResult
verifyAxes(llvm::ArrayRef<llvm::ArrayRef<AxisRefAttr>> lists, MeshAttr mesh,
           EmitError emitError);

/// That a sharding can be that of a value of a type, seen from `at`.
llvm::LogicalResult verifySharding(TensorShardingAttr sharding, mlir::Type type,
                                   mlir::Operation *at, EmitError emitError);

/// One such for each value.
llvm::LogicalResult verifyShardings(TensorShardingPerValueAttr shardings,
                                    mlir::TypeRange types, mlir::Operation *at,
                                    EmitError emitError);

} // namespace xla::sdy

#endif // XLA_DIALECT_SDY_VERIFICATION_H
