//===- TiledDimensions.cpp - Which dimensions go together -----------------===//

#include "xla/optimize/TiledDimensions.h"
#include "xla/optimize/Patterns.h"

#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace xla {

using namespace stablehlo;

using Dimension = std::optional<int64_t>;

/// The number of the first `count` dimensions' elements.
static int64_t elementsOf(ArrayRef<int64_t> shape, size_t count) {
  int64_t elements = 1;
  for (int64_t size : shape.take_front(count)) {
    elements *= size;
  }
  return elements;
}

/// The dimension of `to` that a reshape makes of dimension `d` of `from`.
static Dimension reshapedDimension(ArrayRef<int64_t> from, ArrayRef<int64_t> to,
                                   int64_t d) {
  int64_t before = elementsOf(from, d);
  for (size_t e = 0; e < to.size(); ++e) {
    if (to[e] == from[d] && elementsOf(to, e) == before) {
      return static_cast<int64_t>(e);
    }
  }
  return std::nullopt;
}

static Dimension positionIn(ArrayRef<int64_t> list, int64_t d) {
  const auto *found = llvm::find(list, d);
  return found == list.end() ? Dimension() : found - list.begin();
}

namespace {

/// The dimensions of one factor of a product.
struct Factor {
  Factor(DotGeneralOp op, unsigned i) {
    auto numbers = op.getDotDimensionNumbers();
    batching = i == 0 ? numbers.getLhsBatchingDimensions()
                      : numbers.getRhsBatchingDimensions();
    contracting = i == 0 ? numbers.getLhsContractingDimensions()
                         : numbers.getRhsContractingDimensions();
    auto rank = static_cast<int64_t>(shapeOf(op->getOperand(i)).size());
    for (int64_t d = 0; d < rank; ++d) {
      if (!llvm::is_contained(batching, d) &&
          !llvm::is_contained(contracting, d)) {
        free.push_back(d);
      }
    }
  }
  ArrayRef<int64_t> batching, contracting;
  Sizes free;
};

} // namespace

/// The first dimension of the result that is free in factor `i`.
static int64_t firstFree(DotGeneralOp op, unsigned i) {
  Factor lhs(op, 0);
  return static_cast<int64_t>(lhs.batching.size() +
                              (i == 0 ? 0 : lhs.free.size()));
}

bool hasTiledDimensions(Operation *op) {
  auto isStatic = [](Type type) {
    auto array = dyn_cast<RankedTensorType>(type);
    return array && array.hasStaticShape();
  };
  if (op->getNumResults() != 1 ||
      !llvm::all_of(op->getResultTypes(), isStatic) ||
      !llvm::all_of(op->getOperandTypes(), isStatic)) {
    return false;
  }
  if (auto bitcast = dyn_cast<BitcastConvertOp>(op)) {
    return shapeOf(bitcast.getOperand()) == shapeOf(bitcast.getResult());
  }
  return isa<ElementwiseInterface, BroadcastInDimOp, TransposeOp, ReshapeOp,
             ReduceOp, DotGeneralOp>(op);
}

Dimension operandDimension(Operation *op, unsigned i, int64_t d) {
  Value operand = op->getOperand(i);
  if (auto broadcast = dyn_cast<BroadcastInDimOp>(op)) {
    Dimension found = positionIn(broadcast.getBroadcastDimensions(), d);
    bool isRead =
        found && shapeOf(operand)[*found] == shapeOf(broadcast.getResult())[d];
    return isRead ? *found : wholeOperand;
  }
  if (auto transpose = dyn_cast<TransposeOp>(op)) {
    return transpose.getPermutation()[d];
  }
  if (auto reshape = dyn_cast<ReshapeOp>(op)) {
    return reshapedDimension(shapeOf(reshape.getResult()), shapeOf(operand), d);
  }
  if (auto reduce = dyn_cast<ReduceOp>(op)) {
    if (i > 0) {
      return wholeOperand;
    }
    for (int64_t e = 0, kept = 0;; ++e) {
      if (!llvm::is_contained(reduce.getDimensions(), e) && kept++ == d) {
        return e;
      }
    }
  }
  if (auto dot = dyn_cast<DotGeneralOp>(op)) {
    Factor factor(dot, i);
    if (d < int64_t(factor.batching.size())) {
      return factor.batching[d];
    }
    int64_t number = d - firstFree(dot, i);
    bool isFree = number >= 0 && number < int64_t(factor.free.size());
    return isFree ? factor.free[number] : wholeOperand;
  }
  return shapeOf(operand).empty() ? wholeOperand : d;
}

/// Whether the reduction is a sum from zero, which is exact enough for parts.
static bool isWideSum(ReduceOp op) {
  Type element = getElementTypeOrSelf(op->getResult(0).getType());
  auto &body = op.getBody().front();
  return isa<Float32Type, Float64Type>(element) &&
         llvm::hasSingleElement(body.without_terminator()) &&
         isa<AddOp>(body.front()) &&
         matchPattern(op->getOperand(1), m_AnyZeroFloat());
}

std::optional<TiledResult> resultDimension(Operation *op, unsigned i,
                                           int64_t d) {
  auto at = [](Dimension found) -> std::optional<TiledResult> {
    return found ? TiledResult{false, *found} : std::optional<TiledResult>();
  };
  if (auto broadcast = dyn_cast<BroadcastInDimOp>(op)) {
    return at(broadcast.getBroadcastDimensions()[d]);
  }
  if (auto transpose = dyn_cast<TransposeOp>(op)) {
    return at(positionIn(transpose.getPermutation(), d));
  }
  if (auto reshape = dyn_cast<ReshapeOp>(op)) {
    return at(reshapedDimension(shapeOf(reshape.getOperand()),
                                shapeOf(reshape.getResult()), d));
  }
  if (auto reduce = dyn_cast<ReduceOp>(op)) {
    if (llvm::is_contained(reduce.getDimensions(), d)) {
      return isWideSum(reduce) ? TiledResult{true}
                               : std::optional<TiledResult>();
    }
    return at(d - llvm::count_if(reduce.getDimensions(),
                                 [&](int64_t e) { return e < d; }));
  }
  if (auto dot = dyn_cast<DotGeneralOp>(op)) {
    Factor factor(dot, i);
    if (llvm::is_contained(factor.contracting, d)) {
      return TiledResult{true};
    }
    if (Dimension batch = positionIn(factor.batching, d)) {
      return at(batch);
    }
    return at(firstFree(dot, i) + *positionIn(factor.free, d));
  }
  return at(d);
}

Dimension summedDimension(Operation *op, unsigned i, int64_t d, unsigned j) {
  if (i == j) {
    return d;
  }
  if (auto dot = dyn_cast<DotGeneralOp>(op)) {
    return Factor(dot, j)
        .contracting[*positionIn(Factor(dot, i).contracting, d)];
  }
  return wholeOperand; // where a reduction begins
}

} // namespace xla
