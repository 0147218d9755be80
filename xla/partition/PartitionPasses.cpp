//===- PartitionPasses.cpp - The steps of partitioning for xla-opt --------===//

#include "xla/partition/Passes.h"

#include "xla/dialect/sdy/SdyOps.h"
#include "xla/partition/ShardingRules.h"

#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassRegistry.h"

using namespace mlir;

namespace xla::partition {

namespace {
/// One step, whose status becomes a diagnostic.
struct StepPass : PassWrapper<StepPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(StepPass)

  StepPass(StringRef name, StringRef text, Status (*step)(ModuleOp))
      : name(name), text(text), step(step) {}

  StringRef getArgument() const final { return name; }
  StringRef getDescription() const final { return text; }
  void getDependentDialects(DialectRegistry &registry) const final {
    registry.insert<sdy::SdyDialect>();
  }
  void runOnOperation() final {
    Status status = step(getOperation());
    if (!status.ok()) {
      getOperation().emitError() << status.message();
      signalPassFailure();
    }
  }

  StringRef name, text;
  Status (*step)(ModuleOp);
};
} // namespace

/// Writes beside each operation what the table says of it.
static Status showRules(ModuleOp module) {
  module.walk([](Operation *op) {
    Operation *parent = op->getParentOp();
    if (parent && roleOf(parent) == OpRole::Factors) {
      return; // the function of a reduction or a sort
    }
    auto set = [&](StringRef name, StringRef text) {
      op->setAttr(name, StringAttr::get(op->getContext(), text));
    };
    if (std::optional<ShardingRule> rule = ruleOf(op)) {
      set("xla.rule", rule->toString());
    } else if (!isInTable(op->getName().getStringRef())) {
      set("xla.rule", "missing");
    } else if (roleOf(op) == OpRole::Whole) {
      set("xla.rule", "whole");
    }
  });
  return okStatus();
}

static void add(StringRef name, StringRef text, Status (*step)(ModuleOp)) {
  registerPass([=] { return std::make_unique<StepPass>(name, text, step); });
}

static Status importTilesOf(ModuleOp module) {
  auto count = module->getAttrOfType<IntegerAttr>("mhlo.num_partitions");
  return importTiles(module, count ? count.getInt() : 1);
}

void registerPartitionPasses() {
  add("xla-show-sharding-rules", "Writes sharding rules beside operations",
      showRules);
  add("xla-list-replica-groups",
      "Writes groups by mesh axes as lists of devices", listReplicaGroups);
  add("xla-import-tiles", "Turns shardings by tiles into shardings by axes",
      importTilesOf);
  add("xla-import-shardings",
      "Brings shardings into the form in which they propagate",
      importShardings);
  add("xla-propagate-shardings", "Gives every array a sharding",
      propagateShardings);
  add("xla-make-shardings-consistent",
      "Inserts changes of shardings where operations need them",
      makeShardingsConsistent);
}

} // namespace xla::partition
