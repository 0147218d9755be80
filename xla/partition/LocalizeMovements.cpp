//===- LocalizeMovements.cpp - What moves elements about, in pieces -------===//

#include "xla/partition/Localizer.h"

#include "xla/dialect/stablehlo/StablehloOps.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace xla::partition {

using namespace stablehlo;

using Values = SmallVectorImpl<Value>;

static int64_t sizeOf(Value value, int64_t dim) {
  return tensorType(value).getDimSize(dim);
}

static Sizes localSizes(Localizer &localizer, Value original,
                        const Placement &placement) {
  return localShape(localizer.emit.grid, tensorType(original).getShape(),
                    placement);
}

//===----------------------------------------------------------------------===//
// slice, pad, reverse
//===----------------------------------------------------------------------===//

static std::optional<RowWindow> sliceWindow(Operation *op, unsigned,
                                            int64_t dim, int64_t pieces) {
  auto slice = cast<SliceOp>(op);
  int64_t rows = ceilDiv(sizeOf(slice.getResult(), dim), pieces);
  int64_t stride = slice.getStrides()[dim];
  return RowWindow{slice.getStartIndices()[dim], rows * stride,
                   (rows - 1) * stride + 1};
}

static bool isDivided(const Division &division, unsigned operand, int64_t dim,
                      FactorKind kind) {
  const DimMapping &factors = division.rule.operands[operand][dim];
  return factors.size() == 1 && !division.axes[factors[0]].empty() &&
         division.rule.factors[factors[0]].kind == kind;
}

static Status emitSlice(Localizer &localizer, Operation *op, Division &division,
                        Values &operands, Values &results) {
  auto slice = cast<SliceOp>(op);
  Emitter &emit = localizer.emit;
  Value value = operands[0];
  Sizes sizes = localSizes(localizer, slice.getResult(), division.results[0]);
  for (int64_t dim = 0; dim < int64_t(sizes.size()); ++dim) {
    if (isDivided(division, 0, dim, FactorKind::Permutation)) {
      ArrayRef<int> axes = division.operandAxes(0, dim);
      RowWindow window = *sliceWindow(op, 0, dim, emit.grid.countOf(axes));
      value = emit.exchange(value, dim, sizeOf(slice.getOperand(), dim), axes,
                            window, {});
    }
  }
  Sizes starts, limits, strides(slice.getStrides());
  for (auto [dim, size] : llvm::enumerate(sizes)) {
    bool isMoved = !division.operandAxes(0, dim).empty();
    starts.push_back(isMoved ? 0 : slice.getStartIndices()[dim]);
    limits.push_back(isMoved ? (size - 1) * strides[dim] + 1
                             : slice.getLimitIndices()[dim]);
    if (isMoved && size == 0) {
      limits.back() = 0;
    }
  }
  results.push_back(
      SliceOp::create(emit.builder, emit.loc,
                      localizer.localType(slice.getType(), division.results[0]),
                      value, starts, limits, strides));
  return okStatus();
}

static std::optional<RowWindow> padWindow(Operation *op, unsigned, int64_t dim,
                                          int64_t pieces) {
  auto pad = cast<PadOp>(op);
  if (pad.getInteriorPadding()[dim] != 0) {
    return std::nullopt;
  }
  int64_t rows = ceilDiv(sizeOf(pad.getResult(), dim), pieces);
  return RowWindow{-pad.getEdgePaddingLow()[dim], rows, rows};
}

static Status emitPad(Localizer &localizer, Operation *op, Division &division,
                      Values &operands, Values &results) {
  auto pad = cast<PadOp>(op);
  Emitter &emit = localizer.emit;
  Value value = operands[0];
  Sizes low(pad.getEdgePaddingLow()), high(pad.getEdgePaddingHigh());
  for (int64_t dim = 0; dim < int64_t(low.size()); ++dim) {
    if (isDivided(division, 0, dim, FactorKind::Permutation)) {
      ArrayRef<int> axes = division.operandAxes(0, dim);
      value = emit.exchange(value, dim, sizeOf(pad.getOperand(), dim), axes,
                            *padWindow(op, 0, dim, emit.grid.countOf(axes)),
                            operands[1]);
      low[dim] = high[dim] = 0;
    }
  }
  results.push_back(
      PadOp::create(emit.builder, emit.loc,
                    localizer.localType(pad.getType(), division.results[0]),
                    value, operands[1], low, high, pad.getInteriorPadding()));
  return okStatus();
}

/// Once pieces are turned about and exchanged for those at the other end, the
/// padding of the last piece is in front.
static RowWindow turnedWindow(int64_t global, int64_t pieces) {
  int64_t rows = ceilDiv(global, pieces);
  return {rows * pieces - global, rows, rows};
}

static std::optional<RowWindow> reverseWindow(Operation *op, unsigned,
                                              int64_t dim, int64_t pieces) {
  int64_t global = sizeOf(op->getResult(0), dim);
  RowWindow window = turnedWindow(global, pieces);
  // Padding wider than a piece would be handed on from device to device.
  if (window.first > window.length) {
    return std::nullopt;
  }
  return window;
}

static Status emitReverse(Localizer &localizer, Operation *op,
                          Division &division, Values &operands,
                          Values &results) {
  auto reverse = cast<ReverseOp>(op);
  Emitter &emit = localizer.emit;
  Value value = ReverseOp::create(emit.builder, emit.loc, operands[0].getType(),
                                  operands[0], reverse.getDimensions());
  for (int64_t dim : reverse.getDimensions()) {
    ArrayRef<int> axes = division.operandAxes(0, dim);
    if (axes.empty()) {
      continue;
    }
    int64_t pieces = emit.grid.countOf(axes);
    SmallVector<int64_t, 0> sources;
    // The device with the mirrored coordinate along the axes.
    int refined = emit.grid.refinedMeshOf(axes.front());
    for (int64_t i = 0; i < emit.grid.count(); ++i) {
      int64_t position = emit.grid.positionOf(refined, i), mirrored = position;
      for (int axis : axes) {
        int64_t stride = emit.grid.strideOf(axis);
        int64_t size = emit.grid.sizes[axis];
        int64_t at = position / stride % size;
        mirrored += (size - 1 - 2 * at) * stride;
      }
      sources.push_back(emit.grid.deviceAt(refined, mirrored));
    }
    value = emit.permute(value, sources);
    int64_t global = sizeOf(reverse.getResult(), dim);
    int64_t rows = sizeOf(value, dim);
    if (rows * pieces != global) {
      value = emit.exchange(value, dim, rows * pieces, axes,
                            turnedWindow(global, pieces), {});
    }
  }
  results.push_back(value);
  return okStatus();
}

//===----------------------------------------------------------------------===//
// concatenate
//===----------------------------------------------------------------------===//

static int64_t offsetOf(ConcatenateOp op, unsigned operand) {
  int64_t offset = 0;
  for (Value input : op.getInputs().take_front(operand)) {
    offset += sizeOf(input, op.getDimension());
  }
  return offset;
}

static void adjustConcatenate(Operation *op, ShardingRule &rule) {
  int64_t dim = cast<ConcatenateOp>(op).getDimension();
  for (int factor : rule.results[0][dim]) {
    rule.factors[factor].kind = FactorKind::Permutation;
  }
}

static std::optional<RowWindow> concatenateWindow(Operation *op,
                                                  unsigned operand, int64_t dim,
                                                  int64_t pieces) {
  auto concatenate = cast<ConcatenateOp>(op);
  int64_t rows = ceilDiv(sizeOf(concatenate.getResult(), dim), pieces);
  return RowWindow{-offsetOf(concatenate, operand), rows, rows};
}

static Status emitConcatenate(Localizer &localizer, Operation *op,
                              Division &division, Values &operands,
                              Values &results) {
  auto concatenate = cast<ConcatenateOp>(op);
  Emitter &emit = localizer.emit;
  int64_t dim = concatenate.getDimension();
  ArrayRef<int> axes = division.results[0].dims[dim];
  if (axes.empty()) {
    llvm::append_range(
        results, localizer.clone(op, operands, division.results)->getResults());
    return okStatus();
  }
  int64_t pieces = emit.grid.countOf(axes);
  Value joined;
  for (auto [i, operand] : llvm::enumerate(operands)) {
    RowWindow window = *concatenateWindow(op, i, dim, pieces);
    int64_t global = sizeOf(op->getOperand(i), dim);
    Value part = emit.exchange(operand, dim, global, axes, window, {});
    if (!joined) {
      joined = part;
      continue;
    }
    // Rows of this operand and of those behind it, which overwrite them.
    Value first = emit.multiply(emit.coordinate(axes), window.step);
    Value mask =
        emit.rowMask(tensorType(part), dim, first, -window.first, INT32_MAX);
    joined = emit.select(mask, part, joined);
  }
  results.push_back(joined);
  return okStatus();
}

//===----------------------------------------------------------------------===//
// dynamic_slice, dynamic_update_slice
//===----------------------------------------------------------------------===//

/// A start as XLA clamps it, as a number of rows.
static Value clampedStart(Emitter &emit, Value start, int64_t high) {
  auto type = tensorType(start);
  auto integer = cast<IntegerType>(type.getElementType());
  // Before it is made narrower, a start is clamped to what fits.
  int64_t most = high;
  if (integer.getWidth() < 32) {
    int64_t largest = integer.isUnsigned()
                          ? (int64_t(1) << integer.getWidth()) - 1
                          : (int64_t(1) << (integer.getWidth() - 1)) - 1;
    most = std::min(high, largest);
  }
  Value clamped =
      ClampOp::create(emit.builder, emit.loc, type, emit.scalar(integer, 0),
                      start, emit.scalar(integer, most));
  return ConvertOp::create(emit.builder, emit.loc,
                           RankedTensorType::get({}, emit.indexElement),
                           clamped);
}

static Status emitDynamicSlice(Localizer &localizer, Operation *op,
                               Division &division, Values &operands,
                               Values &results) {
  auto slice = cast<DynamicSliceOp>(op);
  Emitter &emit = localizer.emit;
  results.push_back(DynamicSliceOp::create(
      emit.builder, emit.loc,
      localizer.localType(slice.getType(), division.results[0]), operands[0],
      ArrayRef<Value>(operands).drop_front(),
      localSizes(localizer, slice.getResult(), division.results[0])));
  return okStatus();
}

static Status emitDynamicUpdateSlice(Localizer &localizer, Operation *op,
                                     Division &division, Values &operands,
                                     Values &results) {
  auto update = cast<DynamicUpdateSliceOp>(op);
  Emitter &emit = localizer.emit;
  Value value = operands[0];
  SmallVector<Value> starts(operands.begin() + 2, operands.end());
  bool isShifted =
      llvm::any_of(llvm::seq<int64_t>(0, starts.size()), [&](int64_t dim) {
        return !division.operandAxes(0, dim).empty() &&
               division.operandAxes(1, dim).empty();
      });
  // All starts must have one type.
  for (int64_t dim = 0; isShifted && dim < int64_t(starts.size()); ++dim) {
    int64_t global = sizeOf(update.getOperand(), dim);
    int64_t rows = sizeOf(update.getUpdate(), dim);
    starts[dim] = clampedStart(emit, starts[dim], global - rows);
    ArrayRef<int> axes = division.operandAxes(0, dim);
    if (axes.empty() || !division.operandAxes(1, dim).empty()) {
      continue;
    }
    // With as many rows around the piece as the update has, it falls either
    // into the piece, or beside it.
    int64_t local = sizeOf(value, dim);
    value = emit.pad(value, dim, rows, rows);
    Value offset = emit.multiply(emit.coordinate(axes), -local);
    starts[dim] = emit.add(emit.add(starts[dim], offset), emit.index(rows));
  }
  value = DynamicUpdateSliceOp::create(emit.builder, emit.loc, value.getType(),
                                       value, operands[1], starts);
  for (int64_t dim = 0; isShifted && dim < int64_t(starts.size()); ++dim) {
    int64_t rows = sizeOf(update.getUpdate(), dim);
    int64_t local = sizeOf(operands[0], dim);
    if (sizeOf(value, dim) != local) {
      value = emit.slice(value, dim, rows, rows + local);
    }
  }
  results.push_back(value);
  return okStatus();
}

//===----------------------------------------------------------------------===//
// What has sizes among its attributes
//===----------------------------------------------------------------------===//

static Status emitBroadcast(Localizer &localizer, Operation *op,
                            Division &division, Values &operands,
                            Values &results) {
  Emitter &emit = localizer.emit;
  auto type = cast<RankedTensorType>(
      localizer.localType(op->getResult(0).getType(), division.results[0]));
  int64_t rank = tensorType(operands[0]).getRank();
  Sizes dims;
  for (int64_t dim = 0; dim < rank; ++dim) {
    dims.push_back(type.getRank() - rank + dim);
  }
  results.push_back(
      BroadcastInDimOp::create(emit.builder, emit.loc, type, operands[0],
                               emit.builder.getDenseI64ArrayAttr(dims)));
  return okStatus();
}

/// Each device makes all bits and keeps its own, so that they do not depend on
/// how they are divided.
static Status emitRandomBits(Localizer &localizer, Operation *op,
                             Division &division, Values &operands,
                             Values &results) {
  SmallVector<Placement> whole;
  for (Value result : op->getResults()) {
    whole.push_back(Placement::whole(tensorType(result).getRank()));
  }
  llvm::append_range(results,
                     localizer.clone(op, operands, whole)->getResults());
  for (auto [result, original, from, to] :
       llvm::zip_equal(results, op->getResults(), whole, division.results)) {
    result = localizer.emit.reshard(result, tensorType(original).getShape(),
                                    from, to);
  }
  return okStatus();
}

void addMovements(Families &families) {
  auto add = [&](StringRef name) -> Family & {
    return families[("stablehlo." + name).str()];
  };
  add("slice").window = sliceWindow;
  add("slice").emit = emitSlice;
  add("pad").window = padWindow;
  add("pad").emit = emitPad;
  add("reverse").window = reverseWindow;
  add("reverse").emit = emitReverse;
  add("concatenate").adjust = adjustConcatenate;
  add("concatenate").window = concatenateWindow;
  add("concatenate").emit = emitConcatenate;
  add("dynamic_slice").emit = emitDynamicSlice;
  add("dynamic_update_slice").emit = emitDynamicUpdateSlice;
  add("broadcast").emit = emitBroadcast;
  add("rng_bit_generator").emit = emitRandomBits;
}

} // namespace xla::partition
