//===- CombineCollectives.cpp - Several collectives as one ----------------===//
//
// Collectives of one kind among the same groups wait for each other until
// somebody reads one of them, and are then one collective of many arrays. So
// none is earlier than it was, and arrays live no longer than the pieces that
// they are made of.
//
// A sum is as large as its parts, and so may wait longer: who reads it and only
// moves or combines elements waits as well. The gradients of a step, each of
// which is turned and scaled as soon as it is there, are summed together.
//
//===----------------------------------------------------------------------===//

#include "xla/partition/CombineCollectives.h"

#include "mlir/IR/Iterators.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "xla/analysis/DeviceGroups.h"
#include "xla/dialect/stablehlo/StablehloOps.h"
#include "xla/partition/Localizer.h"
#include "llvm/ADT/SetVector.h"

#include <map>

using namespace mlir;

namespace xla::partition {

using namespace stablehlo;

/// Of the arrays that leave a collective: larger ones gain nothing by company.
static constexpr int64_t kMaxBytes = int64_t(16) << 20;
static constexpr size_t kMaxArrays = 256;
/// What waits for sums may be larger than they are up to this.
static constexpr int64_t kFewBytes = int64_t(64) << 10;

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

/// Replaces all by one collective before `insertionPoint`; one alone is not
/// moved.
static void join(const Waiting &waiting, Operation *insertionPoint) {
  if (waiting.members.size() < 2) {
    return;
  }
  OpBuilder builder(insertionPoint);
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
  using Groups = llvm::SmallSetVector<int, 2>;

  Groups readBy(Operation *op) const;
  bool mayWait(Operation *op, const Groups &groups) const;
  void add(Operation *op, Kind kind);
  void flush(int group, Operation *insertionPoint);

  /// By number, in the order of their first members.
  std::map<int, Waiting> waiting;
  int nextGroup = 0;
  /// For each collective that waits its group; for each reader that waits, the
  /// groups before which it cannot be.
  DenseMap<Operation *, Groups> groupsOf;
  /// In program order.
  std::vector<Operation *> readers;
};
} // namespace

Combiner::Groups Combiner::readBy(Operation *op) const {
  Groups read;
  if (groupsOf.empty()) {
    return read;
  }
  op->walk([&](Operation *inner) {
    for (Value operand : inner->getOperands()) {
      auto found = groupsOf.find(operand.getDefiningOp());
      if (found != groupsOf.end()) {
        read.insert_range(found->second);
      }
    }
  });
  return read;
}

/// Whether elements are moved or combined one by one; a reduction of dimensions
/// of size 1 is such a move.
static bool isElementByElement(Operation *op) {
  if (auto reduce = dyn_cast<ReduceOp>(op)) {
    return reduce.getInputs().size() == 1 &&
           bytesOf(reduce.getInputs()[0]) == bytesOf(op->getResult(0));
  }
  bool moves = isPassThrough(op) ||
               isa<BroadcastInDimOp, ConcatenateOp, PadOp, SliceOp>(op);
  return moves && op->getNumRegions() == 0 && !isCollective(op);
}

/// Whether a reader does so little, and makes so little, that it may be later.
bool Combiner::mayWait(Operation *op, const Groups &groups) const {
  bool areSums = llvm::all_of(groups, [&](int group) {
    return isa<AllReduceOp>(waiting.at(group).members.front());
  });
  if (!areSums || op->getNumResults() != 1 || !isElementByElement(op) ||
      !isMemoryEffectFree(op)) {
    return false;
  }
  int64_t most = kFewBytes;
  for (Value operand : op->getOperands()) {
    most = std::max(most, bytesOf(operand));
  }
  return bytesOf(op->getResult(0)) <= most;
}

/// One collective in place of the group, and behind it who waited for that.
void Combiner::flush(int group, Operation *insertionPoint) {
  for (Operation *member : waiting.at(group).members) {
    groupsOf.erase(member);
  }
  join(waiting.at(group), insertionPoint);
  waiting.erase(group);
  llvm::erase_if(readers, [&](Operation *reader) {
    Groups &groups = groupsOf[reader];
    groups.remove(group);
    if (!groups.empty()) {
      return false;
    }
    groupsOf.erase(reader);
    reader->moveBefore(insertionPoint);
    return true;
  });
}

void Combiner::add(Operation *op, Kind kind) {
  int64_t bytes = bytesOf(op->getResult(0));
  auto found = llvm::find_if(
      waiting, [&](const auto &other) { return other.second.kind == kind; });
  if (found != waiting.end() && (found->second.bytes + bytes > kMaxBytes ||
                                 found->second.members.size() == kMaxArrays)) {
    flush(found->first, op);
    found = waiting.end();
  }
  if (found == waiting.end()) {
    found = waiting.insert({nextGroup++, {kind, {}, 0}}).first;
  }
  found->second.members.push_back(op);
  found->second.bytes += bytes;
  groupsOf[op].insert(found->first);
}

void Combiner::run(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(block)) {
    Groups read = readBy(&op);
    if (!read.empty() && mayWait(&op, read)) {
      groupsOf[&op] = read;
      readers.push_back(&op);
      continue;
    }
    for (int group : read) {
      flush(group, &op);
    }
    if (std::optional<Kind> kind = kindOf(&op)) {
      add(&op, *kind);
    }
  }
  // A terminator that reads nothing, as of an empty region.
  while (!waiting.empty()) {
    flush(waiting.rbegin()->first, block.getTerminator());
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
