//===- TripCount.cpp - How often a loop runs ------------------------------===//

#include "xla/analysis/Costs.h"
#include "xla/dialect/stablehlo/StablehloOps.h"

#include <cmath>

using namespace mlir;

namespace xla {

using namespace stablehlo;

/// The loop whose carry `value` is, in its condition or its body.
static WhileOp loopOf(BlockArgument value) {
  return value ? dyn_cast<WhileOp>(value.getOwner()->getParentOp()) : WhileOp();
}

/// What the body hands on as carry number `index`.
static Value nextOf(WhileOp loop, unsigned index) {
  return loop.getBody().front().getTerminator()->getOperand(index);
}

/// The integer that a scalar always is: a constant, or a carry that began as
/// one and that no iteration changes.
static std::optional<int64_t> constantOf(Value value) {
  for (auto carry = dyn_cast<BlockArgument>(value); carry;
       carry = dyn_cast<BlockArgument>(value)) {
    WhileOp loop = loopOf(carry);
    unsigned index = carry.getArgNumber();
    if (!loop || nextOf(loop, index) != loop.getBody().getArgument(index)) {
      return std::nullopt;
    }
    value = loop->getOperand(index);
  }
  auto constant = value.getDefiningOp<ConstantOp>();
  auto type = dyn_cast<RankedTensorType>(value.getType());
  auto elements =
      constant ? dyn_cast<DenseIntElementsAttr>(constant.getValue()) : nullptr;
  if (!elements || !elements.isSplat() || !type || type.getRank() != 0) {
    return std::nullopt;
  }
  APInt number = elements.getSplatValue<APInt>();
  if (type.getElementType().isUnsignedInteger()) {
    return number.getActiveBits() < 64
               ? std::optional<int64_t>(number.getZExtValue())
               : std::nullopt;
  }
  return number.getSExtValue();
}

/// What an iteration adds to carry number `index`.
static std::optional<int64_t> stepOf(WhileOp loop, unsigned index) {
  Operation *op = nextOf(loop, index).getDefiningOp();
  if (!op || !isa<AddOp, SubtractOp>(op)) {
    return std::nullopt;
  }
  Value carry = loop.getBody().getArgument(index);
  if (op->getOperand(0) == carry) {
    std::optional<int64_t> step = constantOf(op->getOperand(1));
    return step && isa<SubtractOp>(op) ? -*step : step;
  }
  return isa<AddOp>(op) && op->getOperand(1) == carry
             ? constantOf(op->getOperand(0))
             : std::nullopt;
}

static ComparisonDirection mirrored(ComparisonDirection direction) {
  switch (direction) {
  case ComparisonDirection::LT:
    return ComparisonDirection::GT;
  case ComparisonDirection::LE:
    return ComparisonDirection::GE;
  case ComparisonDirection::GT:
    return ComparisonDirection::LT;
  case ComparisonDirection::GE:
    return ComparisonDirection::LE;
  default:
    return direction;
  }
}

/// How many of first, first + step, ... come before the first one that does not
/// compare so with `limit`. Doubles: the difference of two integers may be
/// larger than any.
static std::optional<double> countSteps(double first, double step, double limit,
                                        ComparisonDirection direction) {
  double distance = limit - first;
  switch (direction) {
  case ComparisonDirection::GT:
    return countSteps(-first, -step, -limit, ComparisonDirection::LT);
  case ComparisonDirection::GE:
    return countSteps(-first, -step, -limit, ComparisonDirection::LE);
  case ComparisonDirection::LT:
    if (distance <= 0) {
      return 0;
    }
    return step > 0 ? std::optional<double>(std::ceil(distance / step))
                    : std::nullopt;
  case ComparisonDirection::LE:
    if (distance < 0) {
      return 0;
    }
    return step > 0 ? std::optional<double>(std::floor(distance / step) + 1)
                    : std::nullopt;
  case ComparisonDirection::NE:
    if (distance == 0) {
      return 0;
    }
    if (step != 0 && distance / step > 0 && std::fmod(distance, step) == 0) {
      return distance / step;
    }
    return std::nullopt;
  default:
    return std::nullopt;
  }
}

namespace {

/// A loop that a counter ends.
struct Counted {
  mlir::Type type; ///< of the counter
  double first, step, rounds;
};

} // namespace

static std::optional<Counted> countedBy(WhileOp loop) {
  Value condition = loop.getCond().front().getTerminator()->getOperand(0);
  auto compare = condition.getDefiningOp<CompareOp>();
  if (!compare) {
    return std::nullopt;
  }
  Value left = compare.getLhs();
  Value right = compare.getRhs();
  ComparisonDirection direction = compare.getComparisonDirection();
  if (constantOf(left)) {
    std::swap(left, right);
    direction = mirrored(direction);
  }
  auto counter = dyn_cast<BlockArgument>(left);
  std::optional<int64_t> limit = constantOf(right);
  if (!counter || loopOf(counter) != loop || !limit) {
    return std::nullopt;
  }
  unsigned index = counter.getArgNumber();
  std::optional<int64_t> first = constantOf(loop->getOperand(index));
  std::optional<int64_t> step = stepOf(loop, index);
  if (!first || !step) {
    return std::nullopt;
  }
  auto rounds =
      countSteps(double(*first), double(*step), double(*limit), direction);
  if (!rounds) {
    return std::nullopt;
  }
  return Counted{getElementTypeOrSelf(counter.getType()), double(*first),
                 double(*step), *rounds};
}

std::optional<double> tripCountOf(WhileOp loop) {
  auto counted = countedBy(loop);
  return counted ? std::optional(counted->rounds) : std::nullopt;
}

std::optional<int64_t> exactTripCountOf(WhileOp loop) {
  bool isPlain = llvm::all_of(
      loop.getCond().front().without_terminator(),
      [](Operation &op) { return isa<CompareOp, ConstantOp>(op); });
  auto counted = countedBy(loop);
  auto type = counted ? dyn_cast<IntegerType>(counted->type) : IntegerType();
  if (!isPlain || !type) {
    return std::nullopt;
  }
  // Doubles have these integers, and the counter has its last one.
  constexpr int widest = 53;
  int bits = static_cast<int>(type.getWidth()) - !type.isUnsignedInteger();
  double most = std::ldexp(1.0, std::min(bits, widest)) - 1;
  double least = type.isUnsignedInteger() ? 0 : -most;
  double last = counted->first + counted->rounds * counted->step;
  if (last < least || last > most || std::abs(counted->step) > most) {
    return std::nullopt;
  }
  return static_cast<int64_t>(counted->rounds);
}

} // namespace xla
