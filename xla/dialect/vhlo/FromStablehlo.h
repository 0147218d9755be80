//===- FromStablehlo.h - StableHLO operations as VHLO's ---------*- C++ -*-===//
//
// Inside this folder only.
//
//===----------------------------------------------------------------------===//

#ifndef XLA_DIALECT_VHLO_FROMSTABLEHLO_H
#define XLA_DIALECT_VHLO_FROMSTABLEHLO_H

#include "xla/dialect/vhlo/Vhlo.h"
#include "xla/dialect/vhlo/VhloDialect.h"
#include "xla/support/Status.h"

#include "mlir/IR/Operation.h"

namespace xla::vhlo {

/// An operation's versioned name, without the dialect, and its fields in the
/// order of the bytecode.
struct VhloOperation {
  std::string name;
  llvm::SmallVector<std::pair<llvm::StringRef, mlir::Attribute>> fields;
};

/// Unimplemented where the target does not know the operation or what it says.
StatusOr<VhloOperation> describe(mlir::Operation *op, Version target);

/// Compares without the patch.
bool isOlder(Version a, Version b);
std::string toText(Version version);

} // namespace xla::vhlo

#endif // XLA_DIALECT_VHLO_FROMSTABLEHLO_H
