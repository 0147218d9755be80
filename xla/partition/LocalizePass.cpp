//===- LocalizePass.cpp - The program of one device, in xla-opt -----------===//

#include "xla/partition/Localize.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassRegistry.h"
#include "xla/dialect/stablehlo/StablehloOps.h"

using namespace mlir;

namespace xla::partition {

namespace {

struct Localize : PassWrapper<Localize, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(Localize)

  StringRef getArgument() const override { return "xla-localize"; }
  StringRef getDescription() const override {
    return "Turn a program with placements into that of one device";
  }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<stablehlo::StablehloDialect>();
  }
  void runOnOperation() override {
    auto count =
        getOperation()->getAttrOfType<IntegerAttr>("mhlo.num_partitions");
    PartitionOptions options;
    options.partitions = count ? count.getInt() : 1;
    PartitionReport report;
    Status status = localize(getOperation(), options, report);
    if (!status.ok()) {
      getOperation().emitError(status.message());
      signalPassFailure();
    }
    for (const report::Gather &gather : report.facts.gathers) {
      getOperation().emitRemark()
          << gather.operation << " needs operand " << gather.operand << ", "
          << gather.type << ", as " << gather.needed
          << ", and it is sharded as " << gather.current;
    }
  }
};

} // namespace

void registerLocalizePass() { PassRegistration<Localize>(); }

} // namespace xla::partition
