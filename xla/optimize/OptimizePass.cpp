//===- OptimizePass.cpp - The optimisations in xla-opt --------------------===//

#include "xla/optimize/Passes.h"

#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassRegistry.h"

namespace xla {

namespace {

struct Optimize
    : mlir::PassWrapper<Optimize, mlir::OperationPass<mlir::ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(Optimize)

  llvm::StringRef getArgument() const override { return "xla-optimize"; }
  llvm::StringRef getDescription() const override {
    return "Run the pipeline that stands before code generation";
  }
  void runOnOperation() override {
    if (Status status = optimizeProgram(getOperation()); !status.ok()) {
      getOperation().emitError(status.message());
      signalPassFailure();
    }
  }
};

} // namespace

void registerOptimizePass() { mlir::PassRegistration<Optimize>(); }

} // namespace xla
