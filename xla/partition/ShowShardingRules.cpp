//===- ShowShardingRules.cpp - Sharding rules beside operations -----------===//

#include "xla/partition/Passes.h"
#include "xla/partition/ShardingRules.h"

using namespace mlir;

namespace xla::partition {

void showShardingRules(ModuleOp module) {
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
}

} // namespace xla::partition
