//===- SinkTransposes.cpp - What has no order in memory yet ---------------===//
//
// A Jacobian by columns is computed from a unit matrix, which is nowhere in
// memory, and then transposed. What is computed from nothing but numbers, lines
// and counters can be computed in the order in which it is wanted: all of it is
// turned, back to these, and the transpose is gone.
//
//===----------------------------------------------------------------------===//

#include "xla/dialect/stablehlo/StablehloOps.h"
#include "xla/optimize/Patterns.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"

#include <optional>

using namespace mlir;

namespace xla {

using namespace stablehlo;

/// Which dimension of a value comes at each position once it is transposed.
using Order = Sizes;

static bool isIdentity(ArrayRef<int64_t> order) {
  for (auto [position, dimension] : llvm::enumerate(order)) {
    if (static_cast<int64_t>(position) != dimension) {
      return false;
    }
  }
  return true;
}

static bool isSplat(Value value) {
  return matchPattern(value, m_Constant()) &&
         isa<SplatElementsAttr>(value.getDefiningOp<ConstantOp>().getValue());
}

static Sizes permute(ArrayRef<int64_t> sizes, ArrayRef<int64_t> order) {
  Sizes found;
  for (int64_t dimension : order) {
    found.push_back(sizes[dimension]);
  }
  return found;
}

/// Where each dimension goes.
static Sizes positionsOf(ArrayRef<int64_t> order) {
  Sizes positions(order.size());
  for (auto [position, dimension] : llvm::enumerate(order)) {
    positions[dimension] = static_cast<int64_t>(position);
  }
  return positions;
}

/// Dimensions of more than one element.
static Sizes wideDimensions(ArrayRef<int64_t> shape) {
  Sizes found;
  for (auto [dimension, size] : llvm::enumerate(shape)) {
    if (size != 1) {
      found.push_back(static_cast<int64_t>(dimension));
    }
  }
  return found;
}

/// The order of a reshape's operand, if only dimensions of one element come or
/// go; these stand before the others.
static std::optional<Order> orderBefore(ReshapeOp op, ArrayRef<int64_t> order) {
  ArrayRef<int64_t> inner = shapeOf(op.getOperand());
  ArrayRef<int64_t> outer = shapeOf(op.getResult());
  Sizes innerWide = wideDimensions(inner), outerWide = wideDimensions(outer);
  if (permute(inner, innerWide) != permute(outer, outerWide)) {
    return std::nullopt;
  }
  Order found;
  for (int64_t dimension : order) {
    auto *wide = llvm::find(outerWide, dimension);
    if (wide != outerWide.end()) {
      found.push_back(innerWide[wide - outerWide.begin()]);
    }
  }
  // Lines that keep their order are not moved at all.
  if (llvm::is_sorted(found)) {
    return llvm::to_vector(
        llvm::seq<int64_t>(0, static_cast<int64_t>(inner.size())));
  }
  Order all;
  for (auto [dimension, size] : llvm::enumerate(inner)) {
    if (size == 1) {
      all.push_back(static_cast<int64_t>(dimension));
    }
  }
  llvm::append_range(all, found);
  return all;
}

/// The orders of what an operation reads, for its result to have `order`; none
/// if it cannot be turned.
static std::optional<SmallVector<Order>> ordersBefore(Operation *op,
                                                      ArrayRef<int64_t> order) {
  if (op->getNumResults() != 1 || op->getNumRegions() != 0) {
    return std::nullopt;
  }
  if (auto reshape = dyn_cast<ReshapeOp>(op)) {
    std::optional<Order> before = orderBefore(reshape, order);
    return before ? std::optional(SmallVector<Order>{*before}) : std::nullopt;
  }
  if (auto transpose = dyn_cast<TransposeOp>(op)) {
    return SmallVector<Order>{permute(transpose.getPermutation(), order)};
  }
  if (auto broadcast = dyn_cast<BroadcastInDimOp>(op)) {
    const Sizes positions = positionsOf(order);
    Order before = llvm::to_vector(llvm::seq<int64_t>(
        0, static_cast<int64_t>(shapeOf(broadcast.getOperand()).size())));
    llvm::sort(before, [&](int64_t a, int64_t b) {
      ArrayRef<int64_t> dimensions = broadcast.getBroadcastDimensions();
      return positions[dimensions[a]] < positions[dimensions[b]];
    });
    return SmallVector<Order>{before};
  }
  const bool isMovement = isa<PadOp, SliceOp, ReverseOp, ConcatenateOp>(op);
  const bool isElementwise =
      op->hasTrait<OpTrait::Elementwise>() || isa<SelectOp, ClampOp>(op);
  if (!isMovement && !isElementwise) {
    return std::nullopt;
  }
  SmallVector<Order> found;
  for (Value operand : op->getOperands()) {
    if (!shapeOf(operand).empty() && shapeOf(operand).size() != order.size()) {
      return std::nullopt;
    }
    found.push_back(shapeOf(operand).empty() ? Order() : Order(order));
  }
  return found;
}

/// Copies an operation in front of which its operands are turned.
static Value turn(OpBuilder &b, Operation *op, ArrayRef<Value> operands,
                  ArrayRef<int64_t> order) {
  if (isa<TransposeOp>(op)) {
    return operands[0];
  }
  if (auto constant = dyn_cast<ConstantOp>(op)) {
    auto number = cast<SplatElementsAttr>(constant.getValue());
    ShapedType type = number.getType();
    type = type.clone(permute(type.getShape(), order));
    return ConstantOp::create(b, op->getLoc(), number.resizeSplat(type));
  }
  Operation *copy = b.clone(*op);
  copy->setOperands(operands);
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  copy->getResult(0).setType(type.clone(permute(type.getShape(), order)));
  const Sizes positions = positionsOf(order);
  if (auto iota = dyn_cast<IotaOp>(copy)) {
    iota.setIotaDimension(positions[iota.getIotaDimension()]);
  } else if (auto concatenate = dyn_cast<ConcatenateOp>(copy)) {
    concatenate.setDimension(positions[concatenate.getDimension()]);
  } else if (auto reverse = dyn_cast<ReverseOp>(copy)) {
    reverse.setDimensions(permute(positions, reverse.getDimensions()));
  } else if (auto pad = dyn_cast<PadOp>(copy)) {
    pad.setEdgePaddingLow(permute(pad.getEdgePaddingLow(), order));
    pad.setEdgePaddingHigh(permute(pad.getEdgePaddingHigh(), order));
    pad.setInteriorPadding(permute(pad.getInteriorPadding(), order));
  } else if (auto slice = dyn_cast<SliceOp>(copy)) {
    slice.setStartIndices(permute(slice.getStartIndices(), order));
    slice.setLimitIndices(permute(slice.getLimitIndices(), order));
    slice.setStrides(permute(slice.getStrides(), order));
  } else if (auto broadcast = dyn_cast<BroadcastInDimOp>(copy)) {
    auto old = cast<BroadcastInDimOp>(op);
    std::optional<SmallVector<Order>> before = ordersBefore(op, order);
    Sizes dimensions;
    for (int64_t dimension : before->front()) {
      dimensions.push_back(positions[old.getBroadcastDimensions()[dimension]]);
    }
    broadcast.setBroadcastDimensions(dimensions);
  }
  return copy->getResult(0);
}

namespace {

/// What a transpose reads, back to where its order is free.
class Computation {
public:
  /// False where something in memory would have to be turned, or too much.
  bool collect(TransposeOp transpose) {
    users.insert(transpose);
    bool isFine =
        reach(transpose.getOperand(), Order(transpose.getPermutation()));
    while (isFine && !waiting.empty()) {
      // What somebody else reads as it is would be computed twice.
      auto *next = llvm::find_if(waiting, [&](Value value) {
        return llvm::all_of(value.getUsers(), [&](Operation *user) {
          return users.contains(user);
        });
      });
      if (next == waiting.end()) {
        return false;
      }
      Value value = *next;
      waiting.erase(next);
      isFine = expand(value);
    }
    return isFine;
  }

  /// The transpose's operand in the order that is wanted.
  Value build(Value wanted) {
    for (Value value : llvm::concat<Value>(free, inside)) {
      Operation *op = value.getDefiningOp();
      ArrayRef<int64_t> order = orders.find(value)->second;
      OpBuilder b(op);
      SmallVector<Value> operands;
      if (op->getNumOperands() > 0) {
        std::optional<SmallVector<Order>> before = ordersBefore(op, order);
        for (auto [operand, each] :
             llvm::zip_equal(op->getOperands(), *before)) {
          operands.push_back(isIdentity(each) ? operand
                                              : turned.lookup(operand));
        }
      }
      turned[value] = turn(b, op, operands, order);
    }
    return turned.lookup(wanted);
  }

private:
  static constexpr size_t most = 256; ///< operations

  /// Notes that a value is wanted in an order; false if also in another one, or
  /// if there are too many.
  bool reach(Value value, const Order &order) {
    if (isIdentity(order)) {
      return true;
    }
    auto [entry, isNew] = orders.try_emplace(value, order);
    if (!isNew) {
      return entry->second == order;
    }
    Operation *op = value.getDefiningOp();
    if (isSplat(value) || (op && isa<IotaOp>(op))) {
      free.push_back(value);
    } else {
      waiting.push_back(value);
    }
    return orders.size() <= most;
  }

  bool expand(Value value) {
    Operation *op = value.getDefiningOp();
    std::optional<SmallVector<Order>> before;
    if (op) {
      before = ordersBefore(op, orders.find(value)->second);
    }
    if (!before) {
      return false;
    }
    users.insert(op);
    inside.insert(inside.begin(), value);
    for (auto [operand, order] : llvm::zip_equal(op->getOperands(), *before)) {
      if (!reach(operand, order)) {
        return false;
      }
    }
    return true;
  }

  llvm::DenseMap<Value, Order> orders;
  llvm::DenseMap<Value, Value> turned;
  llvm::SmallPtrSet<Operation *, 16> users;
  SmallVector<Value> waiting;
  SmallVector<Value> free;
  SmallVector<Value> inside; ///< each behind what it reads
};

} // namespace

bool sinkTranspose(TransposeOp op) {
  Computation computation;
  if (!computation.collect(op)) {
    return false;
  }
  op.getResult().replaceAllUsesWith(computation.build(op.getOperand()));
  op.erase();
  return true;
}

} // namespace xla
