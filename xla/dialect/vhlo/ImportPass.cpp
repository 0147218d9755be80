//===- ImportPass.cpp - Portable artifacts in xla-opt ---------------------===//

#include "xla/dialect/vhlo/Vhlo.h"

#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassRegistry.h"

namespace {

struct ImportVhlo : mlir::PassWrapper<ImportVhlo, mlir::OperationPass<>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ImportVhlo)

  llvm::StringRef getArgument() const override { return "xla-import-vhlo"; }
  llvm::StringRef getDescription() const override {
    return "Replace VHLO's operations, as portable artifacts hold them, by "
           "StableHLO's";
  }
  void runOnOperation() override {
    if (!xla::vhlo::convertToStablehlo(getOperation())) {
      signalPassFailure();
    }
  }
};

} // namespace

void xla::vhlo::registerImportPass() { mlir::PassRegistration<ImportVhlo>(); }
