//===- LocalizeIndexing.cpp - gather and scatter, in pieces ---------------===//
//
// Where the indexed array is divided along a dimension, each device counts
// from where its piece begins. A gather then finds an element on one device
// only, and the others add nothing; a scatter drops what falls beside its
// piece, as it drops what falls beside an array.
//
//===----------------------------------------------------------------------===//

#include "xla/partition/Localizer.h"

#include "xla/dialect/stablehlo/StablehloOps.h"
#include "llvm/ADT/STLExtras.h"

#include <limits>

using namespace mlir;

namespace xla::partition {

using namespace stablehlo;

using Values = SmallVectorImpl<Value>;

static int64_t sizeOf(Value value, int64_t dim) {
  return tensorType(value).getDimSize(dim);
}

namespace {
/// The components of the vectors of indices.
class IndexVectors {
public:
  IndexVectors(Emitter &emit, Value indices, int64_t vectorDim)
      : emit(emit), vectorDim(vectorDim) {
    // A piece begins where a narrow type may not reach, and indices less than
    // that are negative.
    RankedTensorType type = tensorType(indices);
    Type element = emit.indexElement;
    if (type.getElementTypeBitWidth() > 32 ||
        type.getElementType().isUnsignedInteger(32)) {
      element = emit.builder.getI64Type();
    }
    // The upper half of the widest type is behind any array, not before it.
    if (type.getElementType().isUnsignedInteger(64)) {
      Value most = emit.scalar(type.getElementType(),
                               std::numeric_limits<int64_t>::max());
      indices = MinOp::create(emit.builder, emit.loc, type, indices,
                              emit.broadcast(most, type));
    }
    value = ConvertOp::create(emit.builder, emit.loc,
                              RankedTensorType::get(type.getShape(), element),
                              indices);
  }

  Value value;

  bool isScalar() const { return vectorDim == tensorType(value).getRank(); }

  /// Numbers for each component, as an array like the indices.
  Value spread(ArrayRef<Value> components) {
    RankedTensorType type = tensorType(value);
    SmallVector<Value> parts;
    for (Value component : components) {
      Value one = ConvertOp::create(
          emit.builder, emit.loc,
          RankedTensorType::get({}, type.getElementType()), component);
      if (isScalar()) {
        return emit.broadcast(one, type);
      }
      parts.push_back(ReshapeOp::create(
          emit.builder, emit.loc,
          RankedTensorType::get({1}, type.getElementType()), one));
    }
    Value vector = emit.concatenate(parts, 0);
    return BroadcastInDimOp::create(
        emit.builder, emit.loc, type, vector,
        emit.builder.getDenseI64ArrayAttr({vectorDim}));
  }

  void clamp(ArrayRef<Value> high) {
    SmallVector<Value> low(high.size(), emit.index(0));
    value = ClampOp::create(emit.builder, emit.loc, value.getType(),
                            spread(low), value, spread(high));
  }
  void subtract(ArrayRef<Value> components) {
    value = SubtractOp::create(emit.builder, emit.loc, value.getType(), value,
                               spread(components));
  }
  /// Whether all components are in [0, size).
  Value isWithin(ArrayRef<Value> sizes) {
    auto compare = [&](ComparisonDirection direction, Value limit) -> Value {
      auto type = RankedTensorType::get(tensorType(value).getShape(),
                                        emit.builder.getI1Type());
      return CompareOp::create(
          emit.builder, emit.loc, type, value, limit,
          ComparisonDirectionAttr::get(emit.builder.getContext(), direction),
          nullptr);
    };
    SmallVector<Value> zeros(sizes.size(), emit.index(0));
    Value above = compare(ComparisonDirection::GE, spread(zeros));
    Value below = compare(ComparisonDirection::LT, spread(sizes));
    Value both =
        AndOp::create(emit.builder, emit.loc, above.getType(), above, below);
    if (isScalar()) {
      return both;
    }
    RankedTensorType type = tensorType(both);
    Sizes shape(type.getShape());
    shape.erase(shape.begin() + vectorDim);
    auto scalar = RankedTensorType::get({}, type.getElementType());
    Value yes = ConstantOp::create(emit.builder, emit.loc,
                                   DenseElementsAttr::get(scalar, true));
    auto reduce = ReduceOp::create(
        emit.builder, emit.loc,
        TypeRange{RankedTensorType::get(shape, type.getElementType())},
        ValueRange{both}, ValueRange{yes},
        emit.builder.getDenseI64ArrayAttr({vectorDim}));
    OpBuilder::InsertionGuard guard(emit.builder);
    Block *body = emit.builder.createBlock(
        &reduce.getBody(), {}, {scalar, scalar}, {emit.loc, emit.loc});
    Value all = AndOp::create(emit.builder, emit.loc, scalar,
                              body->getArgument(0), body->getArgument(1));
    stablehlo::ReturnOp::create(emit.builder, emit.loc, all);
    return reduce.getResult(0);
  }

private:
  Emitter &emit;
  int64_t vectorDim;
};
} // namespace

//===----------------------------------------------------------------------===//
// gather
//===----------------------------------------------------------------------===//

static std::optional<Combination> gatherCombination(Operation *op) {
  bool isBoolean = tensorType(op->getResult(0)).getElementType().isInteger(1);
  return isBoolean ? Combination::Or : Combination::Sum;
}

static bool isReduced(const Division &division, unsigned operand, int64_t dim) {
  return llvm::any_of(division.rule.operands[operand][dim], [&](int factor) {
    return division.rule.factors[factor].kind == FactorKind::Reduction &&
           !division.axes[factor].empty();
  });
}

static Status emitGather(Localizer &localizer, Operation *op,
                         Division &division, Values &operands,
                         Values &results) {
  auto gather = cast<GatherOp>(op);
  Emitter &emit = localizer.emit;
  GatherDimensionNumbersAttr numbers = gather.getDimensionNumbers();
  ArrayRef<int64_t> map = numbers.getStartIndexMap();
  Sizes sizes(gather.getSliceSizes());
  for (int64_t dim = 0; dim < int64_t(sizes.size()); ++dim) {
    // Whole slices become slices of the whole piece.
    if (sizes[dim] == sizeOf(gather.getOperand(), dim)) {
      sizes[dim] = sizeOf(operands[0], dim);
    }
  }
  Value isHere;
  if (!division.reduced.empty()) {
    IndexVectors indices(emit, operands[1], numbers.getIndexVectorDim());
    SmallVector<Value> high, starts, limits;
    for (int64_t dim : map) {
      int64_t size = sizeOf(gather.getOperand(), dim);
      bool isDivided = isReduced(division, 0, dim);
      int64_t local = sizeOf(operands[0], dim);
      high.push_back(emit.index(size - gather.getSliceSizes()[dim]));
      starts.push_back(
          isDivided ? emit.multiply(
                          emit.coordinate(division.operandAxes(0, dim)), local)
                    : emit.index(0));
      limits.push_back(emit.index(isDivided ? local : size));
    }
    indices.clamp(high);
    indices.subtract(starts);
    isHere = indices.isWithin(limits);
    operands[1] = indices.value;
  }
  Operation *copy = localizer.clone(op, operands, division.results);
  cast<GatherOp>(copy).setSliceSizes(sizes);
  Value result = copy->getResult(0);
  if (isHere) {
    RankedTensorType type = tensorType(result);
    SmallVector<int64_t> batchDims;
    for (int64_t dim = 0; dim < type.getRank(); ++dim) {
      if (!llvm::is_contained(numbers.getOffsetDims(), dim)) {
        batchDims.push_back(dim);
      }
    }
    Value mask = BroadcastInDimOp::create(
        emit.builder, emit.loc,
        RankedTensorType::get(type.getShape(), emit.builder.getI1Type()),
        isHere, emit.builder.getDenseI64ArrayAttr(batchDims));
    Value nothing = emit.identity(type.getElementType(), Combination::Sum);
    result = emit.select(mask, result, emit.broadcast(nothing, type));
  }
  results.push_back(result);
  return okStatus();
}

/// A dimension is looked up by an index, or it cannot be divided.
static void adjustGather(Operation *op, ShardingRule &rule) {
  ArrayRef<int64_t> map =
      cast<GatherOp>(op).getDimensionNumbers().getStartIndexMap();
  for (auto [dim, factors] : llvm::enumerate(rule.operands[0])) {
    for (int factor : factors) {
      if (rule.factors[factor].kind == FactorKind::Reduction &&
          !llvm::is_contained(map, int64_t(dim))) {
        rule.factors[factor].kind = FactorKind::NeedReplication;
      }
    }
  }
}

//===----------------------------------------------------------------------===//
// scatter
//===----------------------------------------------------------------------===//

static std::optional<Combination> scatterCombination(Operation *op) {
  auto scatter = cast<ScatterOp>(op);
  if (scatter.getInputs().size() != 1 || scatter.getScatterDimensionNumbers()
                                             .getScatterDimsToOperandDims()
                                             .empty()) {
    return std::nullopt;
  }
  return combinationOf(scatter.getUpdateComputation());
}

/// Dimensions that no index names are at their beginning, which is on one
/// device.
static void adjustScatter(Operation *op, ShardingRule &rule) {
  auto scatter = cast<ScatterOp>(op);
  ScatterDimensionNumbersAttr numbers = scatter.getScatterDimensionNumbers();
  for (int64_t dim : numbers.getInsertedWindowDims()) {
    if (!llvm::is_contained(numbers.getScatterDimsToOperandDims(), dim)) {
      for (int factor : rule.operands[0][dim]) {
        rule.factors[factor].kind = FactorKind::NeedReplication;
      }
    }
  }
}

static Status emitScatter(Localizer &localizer, Operation *op,
                          Division &division, Values &operands,
                          Values &results) {
  auto scatter = cast<ScatterOp>(op);
  Emitter &emit = localizer.emit;
  ScatterDimensionNumbersAttr numbers = scatter.getScatterDimensionNumbers();
  unsigned indexOperand = scatter.getInputs().size();
  auto isMoved = [&](int64_t dim) {
    return llvm::is_contained(numbers.getInsertedWindowDims(), dim) &&
           !division.operandAxes(0, dim).empty();
  };
  if (llvm::any_of(numbers.getScatterDimsToOperandDims(), isMoved)) {
    IndexVectors indices(emit, operands[indexOperand],
                         numbers.getIndexVectorDim());
    SmallVector<Value> starts;
    for (int64_t dim : numbers.getScatterDimsToOperandDims()) {
      Value start = emit.index(0);
      if (isMoved(dim)) {
        start = emit.multiply(emit.coordinate(division.operandAxes(0, dim)),
                              sizeOf(operands[0], dim));
      }
      starts.push_back(start);
    }
    indices.subtract(starts);
    operands[indexOperand] = indices.value;
  }
  if (!division.reduced.empty()) {
    Combination combination = division.results[0].combination;
    RankedTensorType type = tensorType(operands[0]);
    Value nothing =
        emit.broadcast(emit.identity(type.getElementType(), combination), type);
    operands[0] =
        emit.select(emit.isFirst(division.reduced), operands[0], nothing);
    // Updates that are padding go nowhere.
    for (int64_t dim = 0; dim < tensorType(operands[indexOperand]).getRank();
         ++dim) {
      ArrayRef<int> axes = division.operandAxes(indexOperand, dim);
      int64_t global = sizeOf(op->getOperand(indexOperand), dim);
      if (axes.empty() || !isReduced(division, indexOperand, dim) ||
          global % emit.grid.countOf(axes) == 0) {
        continue;
      }
      IndexVectors indices(emit, operands[indexOperand],
                           numbers.getIndexVectorDim());
      operands[indexOperand] = emit.maskPadding(
          indices.value, dim, global, axes,
          emit.scalar(tensorType(indices.value).getElementType(), -1));
    }
  }
  Operation *copy = localizer.clone(op, operands, division.results);
  // Padding is in no order.
  if (!division.reduced.empty()) {
    cast<ScatterOp>(copy).setIndicesAreSorted(false);
  }
  llvm::append_range(results, copy->getResults());
  return okStatus();
}

void addIndexing(Families &families) {
  Family &gather = families["stablehlo.gather"];
  gather.adjust = adjustGather;
  gather.combination = gatherCombination;
  gather.emit = emitGather;
  Family &scatter = families["stablehlo.scatter"];
  scatter.adjust = adjustScatter;
  scatter.combination = scatterCombination;
  scatter.emit = emitScatter;
}

} // namespace xla::partition
