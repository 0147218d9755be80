#include "xla/analysis/DeviceGroups.h"

#include "xla/dialect/stablehlo/StablehloOps.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace xla {

using namespace stablehlo;

int64_t partitionsOf(ModuleOp module) {
  auto count = module->getAttrOfType<IntegerAttr>("mhlo.num_partitions");
  return count ? count.getInt() : 1;
}

static bool isRagged(Operation *op) {
  auto call = dyn_cast<CustomCallOp>(op);
  return call && call.getCallTargetName() == "ragged_all_to_all";
}

bool isCollective(Operation *op) {
  return isa<AllGatherOp, AllReduceOp, AllToAllOp, CollectiveBroadcastOp,
             CollectivePermuteOp, ReduceScatterOp>(op) ||
         isRagged(op);
}

std::string nameOfCollective(Operation *op) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  if (isRagged(op)) {
    stream << "ragged_all_to_all";
  } else {
    stream << op->getName().stripDialect();
  }
  if (!isa<UnknownLoc>(op->getLoc())) {
    stream << " at " << op->getLoc();
  }
  return text;
}

static Status bad(Operation *op, const llvm::Twine &facts) {
  std::string text;
  llvm::raw_string_ostream(text) << "'" << op->getName() << "' " << facts
                                 << "\n  at       " << op->getLoc();
  return invalidArgument(std::move(text));
}

static StatusOr<DeviceGroups> withStatus(Status status, DeviceGroups groups) {
  if (!status.ok()) {
    return status;
  }
  return groups;
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

static DeviceGroups everyone(int64_t partitions) {
  return {llvm::to_vector(llvm::seq<int64_t>(0, partitions))};
}

static DeviceGroups eachAlone(int64_t partitions) {
  DeviceGroups groups;
  for (int64_t i = 0; i < partitions; ++i) {
    groups.push_back({i});
  }
  return groups;
}

/// The attribute that lists processes; null where there is none.
static DenseIntElementsAttr listOf(Operation *op) {
  if (auto permute = dyn_cast<CollectivePermuteOp>(op)) {
    return permute.getSourceTargetPairs();
  }
  if (isRagged(op)) {
    auto config = op->getAttrOfType<DictionaryAttr>("backend_config");
    return config ? config.getAs<DenseIntElementsAttr>("replica_groups")
                  : DenseIntElementsAttr();
  }
  return op->getAttrOfType<DenseIntElementsAttr>("replica_groups");
}

/// What the numbers in a list mean, for a program of one replica.
enum class Numbering { Replicas, ReplicasOfAll, Partitions };

static Numbering numberingOf(Operation *op) {
  if (isRagged(op)) {
    return Numbering::Partitions;
  }
  auto channel = op->getAttrOfType<ChannelHandleAttr>("channel_handle");
  if (op->hasAttr("use_global_device_ids")) {
    return Numbering::Partitions;
  }
  if (!channel || channel.getHandle() <= 0) {
    return Numbering::Replicas;
  }
  return isa<AllGatherOp, AllReduceOp, ReduceScatterOp>(op)
             ? Numbering::ReplicasOfAll
             : Numbering::Partitions;
}

/// The rows of a list, whose numbers are below `limit`; -1 fills rows.
static Status readRows(Operation *op, DenseIntElementsAttr list, int64_t limit,
                       DeviceGroups &groups) {
  ShapedType type = list.getType();
  if (type.getRank() != 2) {
    return bad(op, "lists its groups in an array that is no matrix");
  }
  // No more rows, and no longer ones, than devices: of one number throughout,
  // a few bytes claim any size.
  if (type.getDimSize(0) > limit || type.getDimSize(1) > limit) {
    return bad(op, "has more groups, or larger ones, than there are devices: " +
                       llvm::Twine(limit));
  }
  llvm::SmallVector<bool> seen(limit);
  auto value = list.value_begin<APInt>();
  for (int64_t row = 0; row < type.getDimSize(0); ++row) {
    llvm::SmallVector<int64_t> group;
    for (int64_t i = 0; i < type.getDimSize(1); ++i) {
      int64_t device = (*value++).getSExtValue();
      if (device == -1) {
        continue;
      }
      if (device < 0 || device >= limit || seen[device]) {
        return bad(op, "names device " + llvm::Twine(device) +
                           " in its groups, which are of devices 0 to " +
                           llvm::Twine(limit - 1) + ", each of them once");
      }
      seen[device] = true;
      group.push_back(device);
    }
    if (!group.empty()) {
      groups.push_back(std::move(group));
    }
  }
  bool isEmpty = type.getDimSize(0) == 0;
  auto absent = llvm::find(seen, false);
  if (!isEmpty && absent != seen.end()) {
    return bad(op, "leaves device " + llvm::Twine(absent - seen.begin()) +
                       " out of its groups");
  }
  return okStatus();
}

/// A permutation among all: its pairs name each source and each target once.
static Status checkPairs(Operation *op, DenseIntElementsAttr pairs,
                         int64_t limit) {
  ShapedType type = pairs.getType();
  if (type.getRank() != 2 || type.getDimSize(1) != 2 ||
      type.getDimSize(0) > limit) {
    return bad(op, "has source_target_pairs that are no list of at most " +
                       llvm::Twine(limit) + " pairs");
  }
  llvm::SmallVector<bool> seen[2] = {llvm::SmallVector<bool>(limit),
                                     llvm::SmallVector<bool>(limit)};
  for (auto [i, value] : llvm::enumerate(pairs.getValues<APInt>())) {
    int64_t device = value.getSExtValue();
    if (device < 0 || device >= limit || seen[i % 2][device]) {
      return bad(op, "names device " + llvm::Twine(device) +
                         " in its pairs, which are of devices 0 to " +
                         llvm::Twine(limit - 1) +
                         ", each of them source once and target once");
    }
    seen[i % 2][device] = true;
  }
  return okStatus();
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

static ShapedType shapedType(Value value) {
  return cast<ShapedType>(value.getType());
}

/// Whether the result is the operand with dimension `dim` times `factor`, or,
/// where `divides`, divided by it.
static bool isScaled(Value operand, Value result, int64_t dim, int64_t factor,
                     bool divides) {
  ShapedType from = shapedType(operand), to = shapedType(result);
  if (from.getElementType() != to.getElementType() ||
      from.getRank() != to.getRank() || dim < 0 || dim >= from.getRank()) {
    return false;
  }
  llvm::SmallVector<int64_t> shape(divides ? to.getShape() : from.getShape());
  shape[dim] *= factor;
  return ArrayRef(shape) == (divides ? from.getShape() : to.getShape());
}

static bool fits(Operation *op, int64_t size) {
  if (op->getNumResults() != (isRagged(op) ? 1 : op->getNumOperands())) {
    return false;
  }
  for (auto [i, result] : llvm::enumerate(op->getResults())) {
    Value operand = op->getOperand(i);
    if (auto gather = dyn_cast<AllGatherOp>(op)) {
      if (!isScaled(operand, result, gather.getAllGatherDim(), size, false)) {
        return false;
      }
    } else if (auto scatter = dyn_cast<ReduceScatterOp>(op)) {
      if (!isScaled(operand, result, scatter.getScatterDimension(), size,
                    true)) {
        return false;
      }
    } else if (auto exchange = dyn_cast<AllToAllOp>(op)) {
      // The rest follows from the operand, by the operation's own rules.
      if (static_cast<int64_t>(exchange.getSplitCount()) != size) {
        return false;
      }
    } else if (!isRagged(op) && operand.getType() != result.getType()) {
      return false;
    }
  }
  return true;
}

static bool fitsRagged(Operation *op, int64_t size) {
  if (op->getNumOperands() != 6 || op->getNumResults() != 1) {
    return false;
  }
  ShapedType rows = shapedType(op->getOperand(0));
  ShapedType rest = shapedType(op->getOperand(1));
  ShapedType numbers = shapedType(op->getOperand(2));
  for (unsigned i = 3; i < 6; ++i) {
    if (op->getOperand(i).getType() != numbers) {
      return false;
    }
  }
  return rest == op->getResult(0).getType() && rows.getRank() > 0 &&
         rows.getRank() == rest.getRank() &&
         rows.getElementType() == rest.getElementType() &&
         rows.getShape().drop_front() == rest.getShape().drop_front() &&
         numbers.getRank() == 1 && numbers.getDimSize(0) % size == 0 &&
         (numbers.getElementType().isInteger(32) ||
          numbers.getElementType().isInteger(64));
}

static Status checkTypes(Operation *op, const DeviceGroups &groups) {
  for (const auto &group : groups) {
    auto size = static_cast<int64_t>(group.size());
    if (isRagged(op) ? !fitsRagged(op, size) : !fits(op, size)) {
      std::string text;
      llvm::raw_string_ostream stream(text);
      stream << "takes (" << op->getOperandTypes() << ") and gives ("
             << op->getResultTypes() << "), which does not fit a group of "
             << size;
      return bad(op, text);
    }
  }
  return okStatus();
}

//===----------------------------------------------------------------------===//
// Interface
//===----------------------------------------------------------------------===//

StatusOr<DeviceGroups> deviceGroupsOf(Operation *op, int64_t partitions) {
  DenseIntElementsAttr list = listOf(op);
  if (!list) {
    return bad(op, "does not list its groups of devices");
  }
  Numbering numbering = numberingOf(op);
  // There is one replica, number 0.
  int64_t limit = numbering == Numbering::Partitions ? partitions : 1;
  DeviceGroups groups;
  if (isa<CollectivePermuteOp>(op)) {
    XLA_RETURN_IF_ERROR(checkPairs(op, list, limit));
    groups = numbering == Numbering::Partitions ? everyone(partitions)
                                                : eachAlone(partitions);
    return withStatus(checkTypes(op, groups), groups);
  }
  XLA_RETURN_IF_ERROR(readRows(op, list, limit, groups));
  if (numbering == Numbering::Replicas) {
    groups = eachAlone(partitions);
  } else if (numbering == Numbering::ReplicasOfAll || groups.empty()) {
    groups = everyone(partitions);
  }
  return withStatus(checkTypes(op, groups), groups);
}

llvm::SmallVector<int64_t> sourcesOf(Operation *op,
                                     const DeviceGroups &groups) {
  size_t size = groups.front().size();
  if (isa<CollectiveBroadcastOp>(op)) {
    return llvm::SmallVector<int64_t>(size, 0);
  }
  llvm::SmallVector<int64_t> sources(size, -1);
  int64_t source = 0;
  for (auto [i, value] : llvm::enumerate(cast<CollectivePermuteOp>(op)
                                             .getSourceTargetPairs()
                                             .getValues<APInt>())) {
    if (i % 2 == 0) {
      source = value.getSExtValue();
    } else {
      sources[value.getSExtValue()] = source;
    }
  }
  return sources;
}

} // namespace xla
