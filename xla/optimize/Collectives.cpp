//===- Collectives.cpp - Collectives among one process --------------------===//

#include "xla/optimize/Decompositions.h"

#include "xla/dialect/stablehlo/StablehloOps.h"

#include "mlir/IR/Builders.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace xla {

using namespace stablehlo;

static Value zeroOf(Operation *op) {
  OpBuilder builder(op);
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  return ConstantOp::create(builder, op->getLoc(),
                            cast<ElementsAttr>(builder.getZeroAttr(type)));
}

/// Whether an attribute that lists processes names any but number 0. -1 fills
/// rows that are shorter than others.
static bool namesOthers(DenseIntElementsAttr processes) {
  auto isOther = [](const APInt &number) { return number.getSExtValue() > 0; };
  // Of one number throughout, a few bytes claim any length.
  if (processes.isSplat() && !processes.empty()) {
    return isOther(processes.getSplatValue<APInt>());
  }
  return llvm::any_of(processes.getValues<APInt>(), isOther);
}

/// The values of a collective among one process; nothing where there are more.
static std::optional<SmallVector<Value>> valuesOf(Operation *op) {
  if (isa<PartitionIdOp, ReplicaIdOp>(op)) {
    return SmallVector<Value>{zeroOf(op)};
  }
  if (auto permute = dyn_cast<CollectivePermuteOp>(op)) {
    DenseIntElementsAttr pairs = permute.getSourceTargetPairs();
    if (namesOthers(pairs)) {
      return std::nullopt;
    }
    // What nobody sends is zero.
    return SmallVector<Value>{pairs.empty() ? zeroOf(op) : op->getOperand(0)};
  }
  auto groups = op->getAttrOfType<DenseIntElementsAttr>("replica_groups");
  if (op->getResultTypes() != op->getOperandTypes() ||
      (groups && namesOthers(groups))) {
    return std::nullopt;
  }
  return SmallVector<Value>(op->getOperands());
}

Status decomposeCollectives(ModuleOp module) {
  Status status;
  module.walk([&](Operation *op) {
    if (!isa<AllGatherOp, AllReduceOp, AllToAllOp, CollectiveBroadcastOp,
             CollectivePermuteOp, PartitionIdOp, ReduceScatterOp, ReplicaIdOp>(
            op)) {
      return WalkResult::advance();
    }
    std::optional<SmallVector<Value>> values = valuesOf(op);
    if (!values) {
      std::string text;
      llvm::raw_string_ostream(text)
          << "'" << op->getName()
          << "' is among several processes, and this compiler makes programs "
             "for one\n  at       "
          << op->getLoc();
      status = unimplemented(std::move(text));
      return WalkResult::interrupt();
    }
    op->replaceAllUsesWith(*values);
    op->erase();
    return WalkResult::skip();
  });
  return status;
}

} // namespace xla
