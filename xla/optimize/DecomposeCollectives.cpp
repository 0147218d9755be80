//===- DecomposeCollectives.cpp - Collectives that join nobody ------------===//

#include "xla/optimize/Patterns.h"

#include "xla/analysis/DeviceGroups.h"
#include "xla/dialect/stablehlo/StablehloOps.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

namespace xla {

using namespace stablehlo;

static Value zeroOf(Operation *op) {
  OpBuilder builder(op);
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  return ConstantOp::create(builder, op->getLoc(),
                            cast<ElementsAttr>(builder.getZeroAttr(type)));
}

/// The values of a collective whose groups have one member each; none for
/// others.
static StatusOr<SmallVector<Value>> valuesOf(Operation *op,
                                             int64_t partitions) {
  if (isa<ReplicaIdOp>(op) || (isa<PartitionIdOp>(op) && partitions == 1)) {
    return SmallVector<Value>{zeroOf(op)};
  }
  if (!isCollective(op)) {
    return SmallVector<Value>();
  }
  StatusOr<DeviceGroups> groups = deviceGroupsOf(op, partitions);
  if (!groups.ok()) {
    return groups.status();
  }
  bool isAlone = llvm::all_of(
      *groups, [](const auto &group) { return group.size() == 1; });
  if (!isAlone || isa<CustomCallOp>(op)) {
    return SmallVector<Value>();
  }
  if (auto permute = dyn_cast<CollectivePermuteOp>(op)) {
    // What nobody sends is zero.
    return SmallVector<Value>{permute.getSourceTargetPairs().empty()
                                  ? zeroOf(op)
                                  : op->getOperand(0)};
  }
  return SmallVector<Value>(op->getOperands());
}

Status decomposeCollectives(ModuleOp module) {
  int64_t partitions = partitionsOf(module);
  Status status;
  module.walk([&](Operation *op) {
    StatusOr<SmallVector<Value>> values = valuesOf(op, partitions);
    if (!values.ok()) {
      status = values.status();
      return WalkResult::interrupt();
    }
    if (values->empty()) {
      return WalkResult::advance();
    }
    op->replaceAllUsesWith(*values);
    op->erase();
    return WalkResult::skip();
  });
  return status;
}

} // namespace xla
