//===- Vhlo.h - Portable artifacts ------------------------------*- C++ -*-===//
//
// A portable artifact is MLIR bytecode in VHLO, the versioned image of
// StableHLO: what upstream's jaxlib and jax.export send to a plugin. VHLO's
// attributes and types are decoded straight into StableHLO's and MLIR's own;
// its operations exist only between the bytecode reader and the conversion.
//
//===----------------------------------------------------------------------===//

#ifndef XLA_DIALECT_VHLO_VHLO_H
#define XLA_DIALECT_VHLO_VHLO_H

#include "xla/support/Status.h"

#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>

namespace mlir {
class DialectRegistry;
class ModuleOp;
class Operation;
} // namespace mlir

namespace xla::vhlo {

/// A version of StableHLO; at first the newest that we know.
struct Version {
  int major = 1;
  int minor = 20;
  int patch = 0;
};

/// Reads "1.13.7"; nothing where that is no version.
std::optional<Version> parseVersion(llvm::StringRef text);

/// Writes a verified module of StableHLO and func operations as a portable
/// artifact for readers of version `target`, 1.0.0 to ours. Unimplemented, with
/// the source location, where that version has no form for something.
StatusOr<std::string> writeArtifact(mlir::ModuleOp module, Version target);

void registerVhlo(mlir::DialectRegistry &registry);

/// Why a file that begins as MLIR bytecode cannot be read here: its producer is
/// a StableHLO newer than ours. Nothing when there is no such reason.
std::optional<std::string> explainNewerProducer(llvm::StringRef bytecode);

/// Replaces all VHLO operations below `module` by StableHLO's and func's.
/// Returns false after a diagnostic; `module` is then half converted and of no
/// use.
bool convertToStablehlo(mlir::Operation *module);

} // namespace xla::vhlo

#endif // XLA_DIALECT_VHLO_VHLO_H
