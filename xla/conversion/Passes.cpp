//===- Passes.cpp - Conversions as passes ---------------------------------===//

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"
#include "xla/conversion/Conversion.h"
#include "xla/dialect/stablehlo/StablehloOps.h"

using namespace mlir;

namespace xla {

namespace {
#define GEN_PASS_DEF_CALLCOMPOSITES
#define GEN_PASS_DEF_LOWERCHLO
#define GEN_PASS_DEF_SIMPLIFYCUSTOMCALLS
#define GEN_PASS_REGISTRATION
#include "xla/conversion/Passes.h.inc"
} // namespace

namespace {
struct CallComposites : impl::CallCompositesBase<CallComposites> {
  void runOnOperation() override {
    if (failed(callComposites(getOperation()))) {
      signalPassFailure();
    }
  }
};

struct LowerChlo : impl::LowerChloBase<LowerChlo> {
  void runOnOperation() override {
    if (failed(lowerChlo(getOperation()))) {
      signalPassFailure();
    }
  }
};

struct SimplifyCustomCalls
    : impl::SimplifyCustomCallsBase<SimplifyCustomCalls> {
  void runOnOperation() override { simplifyCustomCalls(getOperation()); }
};
} // namespace

void registerConversionPasses() {
  PassRegistration<CallComposites>();
  PassRegistration<LowerChlo>();
  PassRegistration<SimplifyCustomCalls>();
}

} // namespace xla
