//===- DropPass.cpp - dropTrivialShardings as a pass ----------------------===//

#include "xla/dialect/sdy/Sdy.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

using namespace mlir;

namespace xla::sdy {

namespace {
struct DropPass : PassWrapper<DropPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(DropPass)

  StringRef getArgument() const override { return "xla-drop-shardings"; }
  StringRef getDescription() const override {
    return "Takes shardings out of a program for one device";
  }

  void runOnOperation() override {
    if (!dropTrivialShardings(getOperation())) {
      signalPassFailure();
    }
  }
};
} // namespace

void registerDropPass() { PassRegistration<DropPass>(); }

} // namespace xla::sdy
