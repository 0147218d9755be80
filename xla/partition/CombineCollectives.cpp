//===- CombineCollectives.cpp - Several collectives as one ----------------===//
//
// Collectives of one kind among the same groups wait for each other until
// somebody reads one of them, and are then one collective of many arrays. So
// none is earlier than it was, and arrays live no longer than the pieces that
// they are made of.
//
//===----------------------------------------------------------------------===//

#include "xla/partition/CombineCollectives.h"

#include "mlir/IR/Iterators.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "xla/dialect/stablehlo/StablehloOps.h"
#include "xla/partition/Localizer.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace xla::partition {

using namespace stablehlo;

/// Of the arrays that leave a collective: larger ones gain nothing by company.
static constexpr int64_t kMaxBytes = int64_t(16) << 20;
static constexpr size_t kMaxArrays = 256;

namespace {
/// Collectives that are one may differ in their arrays alone.
struct Kind {
  OperationName name;
  Attribute groups;
  int64_t detail;
  Type element;

  bool operator==(const Kind &other) const {
    return name == other.name && groups == other.groups &&
           detail == other.detail && element == other.element;
  }
};

struct Waiting {
  Kind kind;
  SmallVector<Operation *> members;
  int64_t bytes = 0;
};
} // namespace

static int64_t bytesOf(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type || !type.hasStaticShape()) {
    return 0;
  }
  Type element = type.getElementType();
  return type.getNumElements() *
         (element.isIntOrFloat() ? ceilDiv(element.getIntOrFloatBitWidth(), 8)
                                 : 16);
}

static std::optional<Kind> kindOf(Operation *op) {
  // A permute has one operand, by the specification.
  if (op->getNumOperands() != 1 ||
      !isa<AllReduceOp, AllGatherOp, AllToAllOp>(op)) {
    return std::nullopt;
  }
  auto groups = op->getAttr("replica_groups");
  Type element = cast<ShapedType>(op->getOperand(0).getType()).getElementType();
  if (auto reduce = dyn_cast<AllReduceOp>(op)) {
    auto combination = combinationOf(reduce.getComputation());
    // Flags of collectives that the program itself has are kept.
    if (!combination || !reduce.getUseGlobalDeviceIds()) {
      return std::nullopt;
    }
    return Kind{op->getName(), groups, int64_t(*combination), element};
  }
  if (isa<AllToAllOp>(op)) {
    return Kind{op->getName(), op->getAttrDictionary(), 0, element};
  }
  if (auto gather = dyn_cast<AllGatherOp>(op)) {
    if (!gather.getUseGlobalDeviceIds()) {
      return std::nullopt;
    }
    return Kind{op->getName(), groups, int64_t(gather.getAllGatherDim()),
                element};
  }
  return std::nullopt;
}

/// One collective in place of all, before `place`.
static void join(const Waiting &waiting, Operation *place) {
  if (waiting.members.size() < 2) {
    return;
  }
  OpBuilder builder(place);
  SmallVector<Location> locations;
  SmallVector<Value> operands;
  SmallVector<Type> types;
  for (Operation *member : waiting.members) {
    locations.push_back(member->getLoc());
    operands.push_back(member->getOperand(0));
    types.push_back(member->getResult(0).getType());
  }
  Operation *first = waiting.members.front();
  OperationState state(builder.getFusedLoc(locations), first->getName(),
                       operands, types, first->getAttrs());
  for (Region &region : first->getRegions()) {
    state.addRegion()->takeBody(region);
  }
  Operation *joined = builder.create(state);
  for (auto [member, result] :
       llvm::zip_equal(waiting.members, joined->getResults())) {
    member->getResult(0).replaceAllUsesWith(result);
    member->erase();
  }
}

namespace {
class Combiner {
public:
  void run(Block &block);

private:
  void flushReadBy(Operation *op);
  void flush(size_t index, Operation *place);

  std::vector<Waiting> waiting;
  /// The collectives that wait, to find readers of them quickly.
  DenseMap<Operation *, int> isWaiting;
};
} // namespace

void Combiner::flush(size_t index, Operation *place) {
  for (Operation *member : waiting[index].members) {
    isWaiting.erase(member);
  }
  join(waiting[index], place);
  waiting.erase(waiting.begin() + index);
}

void Combiner::flushReadBy(Operation *op) {
  if (isWaiting.empty()) {
    return;
  }
  llvm::SmallSetVector<Operation *, 4> read;
  op->walk([&](Operation *inner) {
    for (Value operand : inner->getOperands()) {
      Operation *producer = operand.getDefiningOp();
      if (producer && isWaiting.contains(producer)) {
        read.insert(producer);
      }
    }
  });
  for (Operation *producer : read) {
    for (size_t i = 0; i < waiting.size(); ++i) {
      if (llvm::is_contained(waiting[i].members, producer)) {
        flush(i, op);
        break;
      }
    }
  }
}

void Combiner::run(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(block)) {
    flushReadBy(&op);
    std::optional<Kind> kind = kindOf(&op);
    if (!kind) {
      continue;
    }
    int64_t bytes = bytesOf(op.getResult(0));
    auto found = llvm::find_if(
        waiting, [&](const Waiting &other) { return other.kind == *kind; });
    if (found != waiting.end() && (found->bytes + bytes > kMaxBytes ||
                                   found->members.size() == kMaxArrays)) {
      flush(found - waiting.begin(), &op);
      found = waiting.end();
    }
    if (found == waiting.end()) {
      waiting.push_back({*kind, {}, 0});
      found = std::prev(waiting.end());
    }
    found->members.push_back(&op);
    found->bytes += bytes;
    isWaiting[&op] = 1;
  }
  // A terminator that reads nothing, as of an empty region.
  while (!waiting.empty()) {
    flush(waiting.size() - 1, block.getTerminator());
  }
}

/// Values that were moved to where the program names, and then read where they
/// came from.
static void dropUnused(ModuleOp module) {
  module.walk<WalkOrder::PostOrder, ReverseIterator>([](Operation *op) {
    bool isCollective = isa<AllGatherOp, AllReduceOp, AllToAllOp,
                            CollectivePermuteOp, ReduceScatterOp>(op);
    if (op->use_empty() && !op->hasTrait<OpTrait::IsTerminator>() &&
        op->getNumResults() > 0 && (isCollective || isMemoryEffectFree(op))) {
      op->erase();
    }
  });
}

void combineCollectives(ModuleOp module) {
  dropUnused(module);
  SmallVector<Block *> blocks;
  module.walk([&](Operation *op) {
    if (isa<func::FuncOp, WhileOp, IfOp, CaseOp>(op)) {
      for (Region &region : op->getRegions()) {
        for (Block &block : region) {
          blocks.push_back(&block);
        }
      }
    }
  });
  for (Block *block : blocks) {
    Combiner().run(*block);
  }
}

} // namespace xla::partition
