//===- Emitter.cpp - Writes what a device does with its pieces ------------===//

#include "xla/partition/Emitter.h"

#include "xla/dialect/stablehlo/StablehloOps.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace xla::partition {

using namespace stablehlo;

static RankedTensorType resized(Value value, int64_t dim, int64_t size) {
  RankedTensorType type = tensorType(value);
  Sizes shape(type.getShape());
  shape[dim] = size;
  return RankedTensorType::get(shape, type.getElementType());
}

static std::string keyOf(ArrayRef<int> axes) {
  std::string key;
  for (int axis : axes) {
    key += std::to_string(axis) + ",";
  }
  return key;
}

//===----------------------------------------------------------------------===//
// Scalars and constants
//===----------------------------------------------------------------------===//

Value Emitter::index(int64_t value) { return scalar(indexElement, value); }

Value Emitter::scalar(Type element, int64_t value) {
  auto type = RankedTensorType::get({}, element);
  if (auto complex = dyn_cast<ComplexType>(element)) {
    const auto &semantics =
        cast<FloatType>(complex.getElementType()).getFloatSemantics();
    APFloat real(semantics), zero(semantics);
    real.convertFromAPInt(APInt(64, value, true), true,
                          APFloat::rmNearestTiesToEven);
    return ConstantOp::create(
        builder, loc,
        DenseElementsAttr::get(type, std::complex<APFloat>(real, zero)));
  }
  if (auto real = dyn_cast<FloatType>(element)) {
    return ConstantOp::create(
        builder, loc,
        DenseElementsAttr::get(type, builder.getFloatAttr(real, value)));
  }
  auto integer = cast<IntegerType>(element);
  APInt bits(integer.getWidth(), value, /*isSigned=*/true,
             /*implicitTrunc=*/true);
  return ConstantOp::create(builder, loc, DenseElementsAttr::get(type, bits));
}

Value Emitter::identity(Type element, Combination combination) {
  auto type = RankedTensorType::get({}, element);
  auto make = [&](DenseElementsAttr value) -> Value {
    return ConstantOp::create(builder, loc, value);
  };
  bool isMin = combination == Combination::Min;
  if (auto complex = dyn_cast<ComplexType>(element)) {
    if (combination != Combination::Sum) {
      return scalar(element, combination == Combination::Product);
    }
    auto zero = APFloat::getZero(
        cast<FloatType>(complex.getElementType()).getFloatSemantics(), true);
    return make(DenseElementsAttr::get(type, std::complex(zero, zero)));
  }
  if (auto real = dyn_cast<FloatType>(element)) {
    const llvm::fltSemantics &semantics = real.getFloatSemantics();
    switch (combination) {
    case Combination::Sum: {
      auto zero = APFloat::getZero(semantics,
                                   APFloat::semanticsHasSignedRepr(semantics));
      return make(DenseElementsAttr::get(type, zero));
    }
    case Combination::Min:
    case Combination::Max: {
      // Formats without infinities end at their largest number.
      auto largest = APFloat::semanticsHasInf(semantics)
                         ? APFloat::getInf(semantics, !isMin)
                         : APFloat::getLargest(semantics, !isMin);
      return make(DenseElementsAttr::get(type, largest));
    }
    default:
      return scalar(element, 1);
    }
  }
  auto integer = cast<IntegerType>(element);
  unsigned width = integer.getWidth();
  bool isUnsigned = integer.isUnsigned() || width == 1;
  APInt bits(width, 0);
  switch (combination) {
  case Combination::Product:
    bits = APInt(width, 1);
    break;
  case Combination::Min:
    bits = isUnsigned ? APInt::getMaxValue(width)
                      : APInt::getSignedMaxValue(width);
    break;
  case Combination::Max:
    bits = isUnsigned ? APInt(width, 0) : APInt::getSignedMinValue(width);
    break;
  case Combination::And:
    bits = APInt::getAllOnes(width);
    break;
  case Combination::Sum:
  case Combination::Or:
  case Combination::Xor:
    break;
  }
  return make(DenseElementsAttr::get(type, bits));
}

Value Emitter::broadcast(Value value, RankedTensorType type) {
  if (value.getType() == type) {
    return value;
  }
  return BroadcastInDimOp::create(builder, loc, type, value,
                                  builder.getDenseI64ArrayAttr({}));
}

Value Emitter::partitionId() {
  Value &known = coordinates[{builder.getInsertionBlock(), "id"}];
  if (!known) {
    auto type =
        RankedTensorType::get({}, builder.getIntegerType(32, /*signed=*/false));
    Value id = PartitionIdOp::create(builder, loc, type);
    known = ConvertOp::create(builder, loc,
                              RankedTensorType::get({}, indexElement), id);
  }
  return known;
}

Value Emitter::position(int refined) {
  if (grid.refinedMeshes.empty() ||
      grid.refinedMeshes[refined].positions.empty()) {
    return partitionId();
  }
  Value id = partitionId();
  Value &known = coordinates[{builder.getInsertionBlock(),
                              "position " + std::to_string(refined)}];
  if (!known) {
    // By a table.
    SmallVector<APInt, 0> positions;
    for (int64_t position : grid.refinedMeshes[refined].positions) {
      positions.push_back(
          APInt(indexElement.getIntOrFloatBitWidth(), position));
    }
    auto table = RankedTensorType::get({grid.count()}, indexElement);
    Value values = ConstantOp::create(builder, loc,
                                      DenseElementsAttr::get(table, positions));
    Value one = dynamicSlice(values, 0, id, 1);
    known = ReshapeOp::create(builder, loc, id.getType(), one);
  }
  return known;
}

Value Emitter::coordinate(ArrayRef<int> axes) {
  if (axes.empty()) {
    return index(0);
  }
  std::pair<Block *, std::string> key{builder.getInsertionBlock(), keyOf(axes)};
  if (auto found = coordinates.find(key); found != coordinates.end()) {
    return found->second;
  }
  Value sum;
  int64_t weight = grid.countOf(axes);
  for (size_t i = 0; i < axes.size();) {
    // Axes that follow each other in the grid are one.
    size_t end = i + 1;
    while (end < axes.size() && axes[end] == axes[end - 1] + 1) {
      ++end;
    }
    int64_t size = grid.countOf(axes.slice(i, end - i));
    int64_t stride = grid.strideOf(axes[end - 1]);
    weight /= size;
    Value part = position(grid.refinedMeshOf(axes[i]));
    if (stride > 1) {
      part = DivOp::create(builder, loc, part.getType(), part, index(stride));
    }
    if (stride * size < grid.count()) {
      part = RemOp::create(builder, loc, part.getType(), part, index(size));
    }
    part = multiply(part, weight);
    sum = sum ? add(sum, part) : part;
    i = end;
  }
  coordinates[key] = sum;
  return sum;
}

Value Emitter::add(Value a, Value b) {
  return AddOp::create(builder, loc, a.getType(), a, b);
}

Value Emitter::multiply(Value a, int64_t factor) {
  if (factor == 1) {
    return a;
  }
  return MulOp::create(builder, loc, a.getType(), a, index(factor));
}

Value Emitter::clamp(Value value, int64_t high) {
  return ClampOp::create(builder, loc, value.getType(), index(0), value,
                         index(high));
}

//===----------------------------------------------------------------------===//
// One dimension of an array
//===----------------------------------------------------------------------===//

Value Emitter::slice(Value value, int64_t dim, int64_t start, int64_t limit,
                     int64_t stride) {
  RankedTensorType type = tensorType(value);
  int64_t size = limit > start ? ceilDiv(limit - start, stride) : 0;
  if (size == type.getDimSize(dim) && stride == 1) {
    return value;
  }
  Sizes starts(type.getRank(), 0), limits(type.getShape()),
      strides(type.getRank(), 1);
  starts[dim] = start;
  limits[dim] = std::max(limit, start);
  strides[dim] = stride;
  return SliceOp::create(builder, loc, resized(value, dim, size), value, starts,
                         limits, strides);
}

Value Emitter::dynamicSlice(Value value, int64_t dim, Value start,
                            int64_t size) {
  RankedTensorType type = tensorType(value);
  if (size == type.getDimSize(dim)) {
    return value;
  }
  SmallVector<Value> starts(type.getRank(), index(0));
  starts[dim] = start;
  Sizes sizes(type.getShape());
  sizes[dim] = size;
  return DynamicSliceOp::create(builder, loc, resized(value, dim, size), value,
                                starts, sizes);
}

Value Emitter::pad(Value value, int64_t dim, int64_t low, int64_t high,
                   Value fill) {
  if (low == 0 && high == 0) {
    return value;
  }
  RankedTensorType type = tensorType(value);
  Sizes lows(type.getRank(), 0), highs(type.getRank(), 0),
      interior(type.getRank(), 0);
  lows[dim] = low;
  highs[dim] = high;
  if (!fill) {
    fill = scalar(type.getElementType(), 0);
  }
  return PadOp::create(builder, loc,
                       resized(value, dim, type.getDimSize(dim) + low + high),
                       value, fill, lows, highs, interior);
}

Value Emitter::concatenate(ArrayRef<Value> values, int64_t dim) {
  if (values.size() == 1) {
    return values.front();
  }
  int64_t size = 0;
  for (Value value : values) {
    size += tensorType(value).getDimSize(dim);
  }
  return ConcatenateOp::create(builder, loc, resized(values.front(), dim, size),
                               values, dim);
}

Value Emitter::select(Value condition, Value yes, Value no) {
  return SelectOp::create(builder, loc, yes.getType(), condition, yes, no);
}

static Value compare(Emitter &emit, ComparisonDirection direction, Value a,
                     Value b) {
  auto type = tensorType(a).clone(emit.builder.getI1Type());
  return CompareOp::create(
      emit.builder, emit.loc, type, a, b,
      ComparisonDirectionAttr::get(emit.builder.getContext(), direction),
      nullptr);
}

Value Emitter::isFirst(ArrayRef<int> axes) {
  return compare(*this, ComparisonDirection::EQ, coordinate(axes), index(0));
}

Value Emitter::rowMask(RankedTensorType type, int64_t dim, Value start,
                       int64_t low, int64_t high) {
  auto rowType = RankedTensorType::get({type.getDimSize(dim)}, indexElement);
  Value rows = IotaOp::create(builder, loc, rowType, 0);
  rows = add(rows, broadcast(start, rowType));
  Value isIn = compare(*this, ComparisonDirection::LT, rows,
                       broadcast(index(high), rowType));
  if (low != INT64_MIN) {
    Value isAbove = compare(*this, ComparisonDirection::GE, rows,
                            broadcast(index(low), rowType));
    isIn = AndOp::create(builder, loc, isIn.getType(), isIn, isAbove);
  }
  auto maskType = RankedTensorType::get(type.getShape(), builder.getI1Type());
  return BroadcastInDimOp::create(builder, loc, maskType, isIn,
                                  builder.getDenseI64ArrayAttr({dim}));
}

Value Emitter::keepRows(Value value, int64_t dim, Value start, int64_t low,
                        int64_t high, Value fill) {
  RankedTensorType type = tensorType(value);
  return select(rowMask(type, dim, start, low, high), value,
                broadcast(fill, type));
}

Value Emitter::maskPadding(Value value, int64_t dim, int64_t global,
                           ArrayRef<int> axes, Value fill) {
  int64_t local = tensorType(value).getDimSize(dim);
  if (local * grid.countOf(axes) == global) {
    return value;
  }
  return keepRows(value, dim, multiply(coordinate(axes), local), INT64_MIN,
                  global, fill);
}

//===----------------------------------------------------------------------===//
// Collectives
//===----------------------------------------------------------------------===//

Attribute Emitter::replicaGroups(ArrayRef<int> axes) {
  Attribute &groups = groupsOfAxes[keyOf(axes)];
  if (!groups) {
    int64_t parties = grid.countOf(axes);
    auto type = RankedTensorType::get({grid.count() / parties, parties},
                                      builder.getI64Type());
    groups = DenseElementsAttr::get(type, ArrayRef<int64_t>(grid.groups(axes)));
  }
  return groups;
}

static ChannelHandleAttr channel(OpBuilder &builder) {
  return ChannelHandleAttr::get(builder.getContext(), 1, 1);
}

static void addCombiner(OpBuilder &builder, Location loc, Region &region,
                        Type element, Combination combination) {
  OpBuilder::InsertionGuard guard(builder);
  auto type = RankedTensorType::get({}, element);
  Block *block = builder.createBlock(&region, {}, {type, type}, {loc, loc});
  Value a = block->getArgument(0), b = block->getArgument(1), result;
  switch (combination) {
  case Combination::Sum:
    result = AddOp::create(builder, loc, type, a, b);
    break;
  case Combination::Product:
    result = MulOp::create(builder, loc, type, a, b);
    break;
  case Combination::Min:
    result = MinOp::create(builder, loc, type, a, b);
    break;
  case Combination::Max:
    result = MaxOp::create(builder, loc, type, a, b);
    break;
  case Combination::And:
    result = AndOp::create(builder, loc, type, a, b);
    break;
  case Combination::Or:
    result = OrOp::create(builder, loc, type, a, b);
    break;
  case Combination::Xor:
    result = XorOp::create(builder, loc, type, a, b);
    break;
  }
  stablehlo::ReturnOp::create(builder, loc, result);
}

Value Emitter::allGather(Value value, int64_t dim, ArrayRef<int> axes) {
  int64_t size = tensorType(value).getDimSize(dim) * grid.countOf(axes);
  return AllGatherOp::create(builder, loc, TypeRange{resized(value, dim, size)},
                             ValueRange{value}, uint64_t(dim),
                             replicaGroups(axes), channel(builder), true)
      .getResult(0);
}

Value Emitter::allReduce(Value value, ArrayRef<int> axes,
                         Combination combination) {
  if (axes.empty()) {
    return value;
  }
  auto op = AllReduceOp::create(builder, loc, TypeRange{value.getType()},
                                ValueRange{value}, replicaGroups(axes),
                                channel(builder), true);
  addCombiner(builder, loc, op.getComputation(),
              tensorType(value).getElementType(), combination);
  return op.getResult(0);
}

Value Emitter::reduceScatter(Value value, int64_t dim, ArrayRef<int> axes,
                             Combination combination) {
  int64_t size = tensorType(value).getDimSize(dim) / grid.countOf(axes);
  auto op = ReduceScatterOp::create(builder, loc, resized(value, dim, size),
                                    value, uint64_t(dim), replicaGroups(axes),
                                    channel(builder), true);
  addCombiner(builder, loc, op.getComputation(),
              tensorType(value).getElementType(), combination);
  return op.getResult();
}

Value Emitter::allToAll(Value value, int64_t dim, int64_t target,
                        ArrayRef<int> axes) {
  int64_t parties = grid.countOf(axes);
  RankedTensorType type = tensorType(value);
  Sizes shape(type.getShape());
  shape[dim] *= parties;
  shape[target] /= parties;
  return AllToAllOp::create(
             builder, loc,
             TypeRange{RankedTensorType::get(shape, type.getElementType())},
             ValueRange{value}, uint64_t(target), uint64_t(dim),
             uint64_t(parties), replicaGroups(axes), channel(builder))
      .getResult(0);
}

static Value permuteByPairs(Emitter &emit, Value value,
                            ArrayRef<int64_t> pairs) {
  auto type = RankedTensorType::get({int64_t(pairs.size()) / 2, 2},
                                    emit.builder.getI64Type());
  return CollectivePermuteOp::create(
      emit.builder, emit.loc, value.getType(), value,
      DenseIntElementsAttr::get(type, pairs), channel(emit.builder));
}

Value Emitter::permute(Value value, ArrayRef<int64_t> sources) {
  SmallVector<int64_t, 0> pairs;
  for (auto [device, source] : llvm::enumerate(sources)) {
    if (source >= 0) {
      pairs.push_back(source);
      pairs.push_back(device);
    }
  }
  return permuteByPairs(*this, value, pairs);
}

Value Emitter::shift(Value value, ArrayRef<int> axes, int64_t distance) {
  SmallVector<int64_t, 0> groups = grid.groups(axes), pairs;
  int64_t parties = grid.countOf(axes);
  for (size_t i = 0; i < groups.size(); i += parties) {
    for (int64_t j = 0; j < parties; ++j) {
      if (j + distance >= 0 && j + distance < parties) {
        pairs.push_back(groups[i + j + distance]);
        pairs.push_back(groups[i + j]);
      }
    }
  }
  return permuteByPairs(*this, value, pairs);
}

//===----------------------------------------------------------------------===//
// Changes of placement
//===----------------------------------------------------------------------===//

const ReshardPlan &Emitter::plan(ArrayRef<int64_t> globalShape, Type element,
                                 const Placement &from, const Placement &to) {
  int64_t bytes = 8;
  if (element.isIntOrFloat()) {
    bytes = ceilDiv(element.getIntOrFloatBitWidth(), 8);
  }
  std::string key = std::to_string(bytes);
  for (int64_t size : globalShape) {
    key += "x" + std::to_string(size);
  }
  key += from.text() + to.text();
  auto [found, isNew] = plans.try_emplace(key);
  if (isNew) {
    found->second = planReshard(grid, globalShape, bytes, from, to);
  }
  return found->second;
}

Value Emitter::carryOut(const ReshardStep &step, Value value,
                        ArrayRef<int64_t> globalShape) {
  Sizes after = localShape(grid, globalShape, step.after);
  int64_t parties = grid.countOf(step.axes);
  // Pieces that are to be divided evenly.
  auto padded = [&](int64_t dim) {
    return pad(value, dim, 0,
               after[dim] * parties - tensorType(value).getDimSize(dim));
  };
  switch (step.kind) {
  case ReshardStep::Slice:
    value = padded(step.dim);
    return dynamicSlice(value, step.dim,
                        multiply(coordinate(step.axes), after[step.dim]),
                        after[step.dim]);
  case ReshardStep::Gather:
    value = allGather(value, step.dim, step.axes);
    return slice(value, step.dim, 0, after[step.dim]);
  case ReshardStep::AllToAll:
    value = padded(step.target);
    value = allToAll(value, step.dim, step.target, step.axes);
    return slice(value, step.dim, 0, after[step.dim]);
  case ReshardStep::Permute:
    return permute(value, permutationOf(grid, step.before, step.after));
  case ReshardStep::AllReduce:
    return allReduce(value, step.axes, step.before.combination);
  case ReshardStep::ReduceScatter:
    value = padded(step.dim);
    return reduceScatter(value, step.dim, step.axes, step.before.combination);
  case ReshardStep::Suspend: {
    RankedTensorType type = tensorType(value);
    Value nothing = identity(type.getElementType(), step.after.combination);
    return select(isFirst(step.axes), value, broadcast(nothing, type));
  }
  }
  return value;
}

Value Emitter::reshard(Value value, ArrayRef<int64_t> globalShape,
                       const Placement &from, const Placement &to) {
  if (from == to) {
    return value;
  }
  const ReshardPlan &steps =
      plan(globalShape, tensorType(value).getElementType(), from, to);
  for (const ReshardStep &step : steps.steps) {
    value = carryOut(step, value, globalShape);
  }
  return value;
}

//===----------------------------------------------------------------------===//
// Rows of neighbours
//===----------------------------------------------------------------------===//

Halo haloOf(int64_t global, int64_t pieces, RowWindow window) {
  int64_t rows = ceilDiv(global, pieces);
  Halo halo{0, 0};
  for (int64_t i = 0; i < pieces; ++i) {
    int64_t begin = window.first + i * window.step;
    // Rows outside of the array come from nobody.
    int64_t from = std::max<int64_t>(begin, 0);
    int64_t to = std::min(begin + window.length, global);
    if (from >= to) {
      continue;
    }
    halo.left = std::max(halo.left, i * rows - from);
    halo.right = std::max(halo.right, to - (i + 1) * rows);
  }
  return halo;
}

bool Emitter::canExchange(int64_t global, int64_t pieces,
                          RowWindow window) const {
  if (global == 0 || window.length <= 0) {
    return false;
  }
  int64_t rows = ceilDiv(global, pieces);
  Halo halo = haloOf(global, pieces, window);
  return halo.left + halo.right <= rows * std::max<int64_t>(1, pieces / 2);
}

Value Emitter::exchange(Value value, int64_t dim, int64_t global,
                        ArrayRef<int> axes, RowWindow window, Value fill) {
  int64_t pieces = grid.countOf(axes);
  int64_t rows = tensorType(value).getDimSize(dim);
  Halo halo = haloOf(global, pieces, window);
  SmallVector<Value> parts;
  // The farthest neighbour on the left first; of it the last rows are needed.
  for (int64_t hop = ceilDiv(halo.left, rows); hop > 0; --hop) {
    int64_t taken = std::min(rows, halo.left - (hop - 1) * rows);
    parts.push_back(shift(slice(value, dim, rows - taken, rows), axes, -hop));
  }
  parts.push_back(value);
  for (int64_t hop = 1; hop <= ceilDiv(halo.right, rows); ++hop) {
    int64_t taken = std::min(rows, halo.right - (hop - 1) * rows);
    parts.push_back(shift(slice(value, dim, 0, taken), axes, hop));
  }
  Value joined = concatenate(parts, dim);
  // Row `offset(i)` of device i's joined rows is the window's first.
  int64_t base = window.first + halo.left, slope = window.step - rows;
  int64_t least = std::min(base, base + slope * (pieces - 1));
  int64_t most = std::max(base, base + slope * (pieces - 1));
  int64_t low = std::max<int64_t>(0, -least);
  int64_t length = tensorType(joined).getDimSize(dim);
  int64_t high = std::max<int64_t>(0, most + window.length - length);
  joined = pad(joined, dim, low, high);
  Value start;
  if (slope == 0) {
    joined = slice(joined, dim, base + low, base + low + window.length);
  } else {
    start = add(multiply(coordinate(axes), slope), index(base + low));
    joined = dynamicSlice(joined, dim, start, window.length);
  }
  bool isInside =
      window.first >= 0 && window.step >= 0 &&
      window.first + (pieces - 1) * window.step + window.length <= global;
  if (isInside || !fill) {
    return joined;
  }
  Value first =
      add(multiply(coordinate(axes), window.step), index(window.first));
  return keepRows(joined, dim, first, 0, global, fill);
}

} // namespace xla::partition
