//===- XlaOpt.cpp - Runs passes over modules ------------------------------===//

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"
#include "xla/dialect/Registration.h"
#include "xla/dialect/vhlo/Vhlo.h"
#include "xla/pipeline/Pipeline.h"
#include "llvm/Support/raw_ostream.h"

/// xla-opt --emit-vhlo=VERSION FILE: the module as a portable artifact, on
/// standard output.
static int emitArtifact(mlir::DialectRegistry &registry, llvm::StringRef target,
                        llvm::StringRef file) {
  std::optional<xla::vhlo::Version> version = xla::vhlo::parseVersion(target);
  if (!version) {
    llvm::errs() << "xla-opt: '" << target << "' is no version like 1.13.7\n";
    return 1;
  }
  mlir::MLIRContext context(registry);
  auto module = mlir::parseSourceFile<mlir::ModuleOp>(file, &context);
  if (!module) {
    return 1;
  }
  xla::StatusOr<std::string> artifact =
      xla::vhlo::writeArtifact(*module, *version);
  if (!artifact.ok()) {
    llvm::errs() << "xla-opt: " << artifact.status().message() << "\n";
    return 1;
  }
  llvm::outs() << *artifact;
  return 0;
}

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  xla::registerDialects(registry);
  xla::vhlo::registerVhlo(registry);
  xla::registerPasses();
  mlir::registerTransformsPasses();
  llvm::StringRef first = argc == 3 ? argv[1] : "";
  if (first.consume_front("--emit-vhlo=")) {
    return emitArtifact(registry, first, argv[2]);
  }
  return mlir::asMainReturnCode(mlir::MlirOptMain(
      argc, argv, "Compiler passes over StableHLO\n", registry));
}
