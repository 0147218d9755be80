//===- MergeDimensions.cpp - What is split only to be joined again --------===//
//
// What is computed of an array's blocks, and then put together again, is
// computed of the array, if all is the same for each block:
//
//   reshape(f(reshape(x))) = f(x)
//
// for operations on elements, and for those along other dimensions. All that is
// computed in between changes its shape, or nothing does.
//
//===----------------------------------------------------------------------===//

#include "xla/optimize/Passes.h"

#include "xla/dialect/stablehlo/StablehloOps.h"
#include "xla/optimize/Patterns.h"

#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"

namespace xla {

using namespace stablehlo;
using mlir::Operation;
using mlir::RankedTensorType;
using mlir::Value;

namespace {

/// For each dimension of the joined shape, how many dimensions it is split
/// into, side by side.
using Groups = llvm::SmallVector<int64_t, 6>;

/// All that one reshape joins.
class Joined {
public:
  explicit Joined(ReshapeOp root) : root(root) {}

  /// Whether all that it joins can be computed under the joined shape.
  bool find();
  /// Computes it so.
  void rewrite();

private:
  bool visit(Value value, const Groups &groups);
  bool visitOperands(Operation *op, const Groups &groups);
  bool visitBroadcast(BroadcastInDimOp op, const Groups &groups);
  bool visitReduce(ReduceOp op, const Groups &groups);
  bool visitReshape(ReshapeOp op, const Groups &groups);
  bool isUsedInside();
  Operation *create(mlir::OpBuilder &b, Operation *op, const Groups &groups);

  ReshapeOp root;
  /// What is computed, operands first.
  llvm::MapVector<Value, Groups> found;
  llvm::DenseMap<Value, Value> joined;
  bool isOfSplit = false;
};

} // namespace

static constexpr size_t mostOperations = 256;

static bool isStatic(Value value) {
  RankedTensorType type = typeOf(value);
  return type && type.hasStaticShape();
}

/// The groups of a reshape that joins dimensions; empty where it does anything
/// else.
static Groups groupsOf(llvm::ArrayRef<int64_t> split,
                       llvm::ArrayRef<int64_t> joined) {
  Groups groups;
  size_t next = 0;
  for (int64_t size : joined) {
    int64_t product = 1, count = 0;
    while (next < split.size() && (count == 0 || product < size)) {
      product *= split[next++];
      ++count;
    }
    if (product != size || count == 0) {
      return {};
    }
    groups.push_back(count);
  }
  return next == split.size() && split.size() > joined.size() ? groups
                                                              : Groups();
}

/// The shape after the dimensions of each group were joined.
static Sizes joinedShape(llvm::ArrayRef<int64_t> shape, const Groups &groups) {
  Sizes sizes;
  for (int64_t count : groups) {
    sizes.push_back(1);
    for (int64_t size : shape.take_front(count)) {
      sizes.back() *= size;
    }
    shape = shape.drop_front(count);
  }
  return sizes;
}

/// Whether a value is an array whose dimensions were split into the groups.
static bool isSplit(Value value, const Groups &groups) {
  auto reshape = value.getDefiningOp<ReshapeOp>();
  return reshape && isStatic(reshape.getOperand()) &&
         shapeOf(reshape.getOperand()) ==
             llvm::ArrayRef(joinedShape(shapeOf(value), groups));
}

/// The number of the group that is dimension `d` alone; -1: it is joined with
/// others.
static int64_t groupAt(const Groups &groups, int64_t d) {
  int64_t first = 0;
  for (auto [number, count] : llvm::enumerate(groups)) {
    if (d < first + count) {
      return count == 1 ? static_cast<int64_t>(number) : -1;
    }
    first += count;
  }
  return -1;
}

static bool areAlone(const Groups &groups, llvm::ArrayRef<int64_t> dims) {
  return llvm::all_of(dims, [&](int64_t d) { return groupAt(groups, d) >= 0; });
}

static Sizes groupsAt(const Groups &groups, llvm::ArrayRef<int64_t> dims) {
  return llvm::map_to_vector(dims,
                             [&](int64_t d) { return groupAt(groups, d); });
}

/// Calls `f` with the number of each group, its first dimension, and whether
/// that is alone.
static void forEachGroup(const Groups &groups,
                         llvm::function_ref<void(size_t, int64_t, bool)> f) {
  int64_t first = 0;
  for (auto [number, count] : llvm::enumerate(groups)) {
    f(number, first, count == 1);
    first += count;
  }
}

static bool isElementwise(Operation *op) {
  return (op->hasTrait<mlir::OpTrait::Elementwise>() ||
          llvm::isa<SelectOp>(op)) &&
         !llvm::isa<BitcastConvertOp>(op) && op->getNumResults() == 1 &&
         op->getNumRegions() == 0;
}

/// A constant of one number.
static mlir::SplatElementsAttr splatOf(Value value) {
  auto constant = value.getDefiningOp<ConstantOp>();
  return constant ? llvm::dyn_cast<mlir::SplatElementsAttr>(constant.getValue())
                  : nullptr;
}

/// The dimensions along which an operation moves, adds or takes elements.
static Sizes movedDimensions(Operation *op) {
  llvm::ArrayRef<int64_t> from = shapeOf(op->getOperand(0));
  Sizes moved;
  auto add = [&](size_t d, bool isMoved) {
    if (isMoved) {
      moved.push_back(static_cast<int64_t>(d));
    }
  };
  if (auto slice = llvm::dyn_cast<SliceOp>(op)) {
    for (auto [d, start, limit] :
         llvm::enumerate(slice.getStartIndices(), slice.getLimitIndices())) {
      add(d, start != 0 || limit != from[d] || slice.getStrides()[d] != 1);
    }
  } else if (auto pad = llvm::dyn_cast<PadOp>(op)) {
    for (auto [d, low, high, inner] :
         llvm::enumerate(pad.getEdgePaddingLow(), pad.getEdgePaddingHigh(),
                         pad.getInteriorPadding())) {
      add(d, low != 0 || high != 0 || inner != 0);
    }
  } else if (auto reverse = llvm::dyn_cast<ReverseOp>(op)) {
    llvm::append_range(moved, reverse.getDimensions());
  } else {
    moved.push_back(
        static_cast<int64_t>(llvm::cast<ConcatenateOp>(op).getDimension()));
  }
  return moved;
}

//===----------------------------------------------------------------------===//
// Finding
//===----------------------------------------------------------------------===//

bool Joined::visitOperands(Operation *op, const Groups &groups) {
  llvm::ArrayRef<int64_t> shape = shapeOf(op->getResult(0));
  for (Value operand : op->getOperands()) {
    // Predicates, bounds and padding may be scalars.
    bool isScalar = isStatic(operand) && typeOf(operand).getRank() == 0;
    if (isScalar && !shape.empty()) {
      continue;
    }
    if (!visit(operand, groups)) {
      return false;
    }
  }
  return true;
}

bool Joined::visitBroadcast(BroadcastInDimOp op, const Groups &groups) {
  // Each group is made of a group of the operand's dimensions, or of none.
  Groups inner;
  llvm::ArrayRef<int64_t> to = op.getBroadcastDimensions();
  bool isWhole = llvm::is_sorted(to);
  forEachGroup(groups, [&](size_t number, int64_t first, bool) {
    int64_t count = 0;
    bool isStretched = false;
    for (int64_t d = first; d < first + groups[number]; ++d) {
      const auto *at = llvm::find(to, d);
      if (at == to.end()) {
        continue;
      }
      ++count;
      isStretched |= shapeOf(op.getOperand())[at - to.begin()] !=
                     shapeOf(op.getResult())[d];
    }
    isWhole &= count == 0 || groups[number] == 1 ||
               (count == groups[number] && !isStretched);
    if (count > 0) {
      inner.push_back(count);
    }
  });
  return isWhole && (inner.empty() || visit(op.getOperand(), inner));
}

bool Joined::visitReduce(ReduceOp op, const Groups &groups) {
  if (op.getInputs().size() != 1) {
    return false;
  }
  // Those summed over are alone, between the groups that are left.
  Groups inner;
  int64_t rank = typeOf(op.getInputs().front()).getRank();
  size_t group = 0;
  int64_t left = 0;
  for (int64_t d = 0; d < rank; ++d) {
    if (llvm::is_contained(op.getDimensions(), d)) {
      if (left > 0) {
        return false; // in the middle of a group
      }
      inner.push_back(1);
      continue;
    }
    if (left == 0) {
      left = groups[group++];
      inner.push_back(left);
    }
    --left;
  }
  return visit(op.getInputs().front(), inner);
}

/// A reshape that adds or drops dimensions of size 1, of no group.
bool Joined::visitReshape(ReshapeOp op, const Groups &groups) {
  Value operand = op.getOperand();
  if (!isStatic(operand)) {
    return false;
  }
  // The sizes of the groups that the operand has too, one after the other.
  llvm::ArrayRef<int64_t> shape = shapeOf(op.getResult());
  Groups inner;
  llvm::SmallVector<Sizes> kept;
  forEachGroup(groups, [&](size_t number, int64_t first, bool isAlone) {
    Sizes sizes(shape.slice(first, groups[number]));
    if (!isAlone || sizes.front() != 1) {
      kept.push_back(sizes);
    }
  });
  llvm::ArrayRef<int64_t> rest = shapeOf(operand);
  for (const Sizes &sizes : kept) {
    while (!rest.empty() && rest.front() == 1 && sizes.front() != 1) {
      inner.push_back(1);
      rest = rest.drop_front();
    }
    if (rest.take_front(std::min(rest.size(), sizes.size())) !=
        llvm::ArrayRef(sizes)) {
      return false;
    }
    inner.push_back(static_cast<int64_t>(sizes.size()));
    rest = rest.drop_front(sizes.size());
  }
  if (llvm::any_of(rest, [](int64_t size) { return size != 1; })) {
    return false;
  }
  inner.append(rest.size(), 1);
  return visit(operand, inner);
}

bool Joined::visit(Value value, const Groups &groups) {
  if (llvm::all_of(groups, [](int64_t count) { return count == 1; })) {
    return true; // it has the joined shape
  }
  if (auto known = found.find(value); known != found.end()) {
    return known->second == groups;
  }
  Operation *op = value.getDefiningOp();
  if (!op || !isStatic(value) || found.size() >= mostOperations ||
      op->getBlock() != root->getBlock()) {
    return false;
  }
  auto reshape = llvm::dyn_cast<ReshapeOp>(op);
  bool isFit = false;
  if (isSplit(value, groups) || splatOf(value)) {
    isOfSplit |= isSplit(value, groups);
    isFit = true;
  } else if (reshape) {
    isFit = visitReshape(reshape, groups);
  } else if (isElementwise(op)) {
    isFit = visitOperands(op, groups);
  } else if (auto broadcast = llvm::dyn_cast<BroadcastInDimOp>(op)) {
    isFit = visitBroadcast(broadcast, groups);
  } else if (auto reduce = llvm::dyn_cast<ReduceOp>(op)) {
    isFit = visitReduce(reduce, groups);
  } else if (auto iota = llvm::dyn_cast<IotaOp>(op)) {
    isFit = groupAt(groups, static_cast<int64_t>(iota.getIotaDimension())) >= 0;
  } else if (llvm::isa<ConcatenateOp, PadOp, ReverseOp, SliceOp>(op)) {
    isFit = areAlone(groups, movedDimensions(op)) && visitOperands(op, groups);
  }
  if (isFit) {
    found.insert({value, groups});
  }
  return isFit;
}

/// Whether nothing else needs what is computed: it would be computed twice.
bool Joined::isUsedInside() {
  for (const auto &[value, groups] : found) {
    if (isSplit(value, groups) || splatOf(value)) {
      continue;
    }
    for (Operation *user : value.getUsers()) {
      bool isInside =
          user == root.getOperation() ||
          (user->getNumResults() == 1 && found.contains(user->getResult(0)));
      if (!isInside) {
        return false;
      }
    }
  }
  return true;
}

bool Joined::find() {
  Value operand = root.getOperand();
  if (!isStatic(operand) || !isStatic(root.getResult()) ||
      operand.getDefiningOp<ReshapeOp>()) {
    return false;
  }
  Groups groups = groupsOf(shapeOf(operand), shapeOf(root.getResult()));
  return !groups.empty() && visit(operand, groups) && isOfSplit &&
         isUsedInside();
}

//===----------------------------------------------------------------------===//
// Rewriting
//===----------------------------------------------------------------------===//

/// The numbers of the dimensions that are alone; `whole` for joined ones.
static Sizes chosen(llvm::ArrayRef<int64_t> numbers, const Groups &groups,
                    llvm::ArrayRef<int64_t> whole) {
  Sizes sizes(whole);
  forEachGroup(groups, [&](size_t number, int64_t first, bool isAlone) {
    sizes[number] = isAlone ? numbers[first] : sizes[number];
  });
  return sizes;
}

Operation *Joined::create(mlir::OpBuilder &b, Operation *op,
                          const Groups &groups) {
  mlir::Location loc = op->getLoc();
  RankedTensorType type = typeOf(op->getResult(0));
  Sizes shape = joinedShape(type.getShape(), groups);
  type = type.clone(shape);
  Sizes zeros(shape.size(), 0), ones(shape.size(), 1);
  auto array = [&](llvm::ArrayRef<int64_t> numbers) {
    return b.getDenseI64ArrayAttr(numbers);
  };
  if (auto splat = splatOf(op->getResult(0))) {
    return ConstantOp::create(b, loc, type, splat.resizeSplat(type));
  }
  if (auto iota = llvm::dyn_cast<IotaOp>(op)) {
    int64_t at = groupAt(groups, static_cast<int64_t>(iota.getIotaDimension()));
    return IotaOp::create(b, loc, type, static_cast<uint64_t>(at));
  }
  mlir::IRMapping operands;
  for (Value operand : op->getOperands()) {
    Value other = joined.lookup(operand);
    operands.map(operand, other ? other : operand);
  }
  Operation *made = b.clone(*op, operands);
  made->getResult(0).setType(type);
  if (auto slice = llvm::dyn_cast<SliceOp>(made)) {
    slice.setStartIndices(chosen(slice.getStartIndices(), groups, zeros));
    slice.setLimitIndices(chosen(slice.getLimitIndices(), groups, shape));
    slice.setStrides(chosen(slice.getStrides(), groups, ones));
  } else if (auto pad = llvm::dyn_cast<PadOp>(made)) {
    pad.setEdgePaddingLow(chosen(pad.getEdgePaddingLow(), groups, zeros));
    pad.setEdgePaddingHigh(chosen(pad.getEdgePaddingHigh(), groups, zeros));
    pad.setInteriorPadding(chosen(pad.getInteriorPadding(), groups, zeros));
  } else if (auto reverse = llvm::dyn_cast<ReverseOp>(made)) {
    reverse.setDimensions(groupsAt(groups, reverse.getDimensions()));
  } else if (auto concatenate = llvm::dyn_cast<ConcatenateOp>(made)) {
    int64_t at =
        groupAt(groups, static_cast<int64_t>(concatenate.getDimension()));
    concatenate.setDimension(static_cast<uint64_t>(at));
  } else if (auto reduce = llvm::dyn_cast<ReduceOp>(op)) {
    const Groups &inner = found.find(reduce.getInputs().front())->second;
    llvm::cast<ReduceOp>(made).setDimensions(
        groupsAt(inner, reduce.getDimensions()));
  } else if (auto broadcast = llvm::dyn_cast<BroadcastInDimOp>(made)) {
    Sizes dims;
    forEachGroup(groups, [&](size_t number, int64_t first, bool) {
      if (llvm::is_contained(broadcast.getBroadcastDimensions(), first)) {
        dims.push_back(static_cast<int64_t>(number));
      }
    });
    broadcast.setBroadcastDimensionsAttr(array(dims));
  }
  return made;
}

void Joined::rewrite() {
  for (const auto &[value, groups] : found) {
    if (isSplit(value, groups)) {
      joined[value] = value.getDefiningOp<ReshapeOp>().getOperand();
      continue;
    }
    Operation *op = value.getDefiningOp();
    mlir::OpBuilder builder(op);
    joined[value] = create(builder, op, groups)->getResult(0);
  }
  root.getResult().replaceAllUsesWith(joined[root.getOperand()]);
}

void mergeDimensions(mlir::ModuleOp module) {
  llvm::SmallVector<ReshapeOp> roots;
  module.walk([&](ReshapeOp op) { roots.push_back(op); });
  bool isChanged = false;
  // The last ones join most.
  for (ReshapeOp root : llvm::reverse(roots)) {
    Joined joined(root);
    if (!root.getResult().use_empty() && joined.find()) {
      joined.rewrite();
      isChanged = true;
    }
  }
  if (isChanged) {
    dropDead(*module.getBody());
  }
}

} // namespace xla
