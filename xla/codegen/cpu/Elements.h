//===- Elements.h - The element of a value at an index ----------*- C++ -*-===//
//
// The index half of fusion: an operation that only moves elements turns an
// index of its result into one of its operand. Written once for those who emit
// LLVM IR (`Emitter`) and for those who build the kernel form
// (`KernelBuilder`). What computes stands in lower/elementwise/Elementwise.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef XLA_CODEGEN_CPU_ELEMENTS_H
#define XLA_CODEGEN_CPU_ELEMENTS_H

#include "xla/codegen/cpu/BufferPlan.h"
#include "xla/codegen/cpu/IndexArithmetic.h"
#include "xla/codegen/cpu/Pieces.h"
#include "xla/dialect/stablehlo/StablehloOps.h"

namespace xla::cpu::elements {

using namespace stablehlo;
using mlir::Operation;
using mlir::Value;

template <typename B>
using ValueIn = typename B::IndexValue;
template <typename B>
using IndexIn = IndexOf<ValueIn<B>>;
template <typename B>
using ElementIn = typename B::ElementValue;

//===----------------------------------------------------------------------===//
// Movements
//===----------------------------------------------------------------------===//

template <typename B>
IndexIn<B> broadcastIndex(B &e, const IndexIn<B> &index, Value operand,
                          Value result, llvm::ArrayRef<int64_t> dimensions) {
  IndexIn<B> source;
  auto dims = e.dimsOf(index, shapeOf(result));
  for (auto [d, dimension] : llvm::enumerate(dimensions)) {
    source.dims.push_back(shapeOf(operand)[d] == 1 ? e.constant(0)
                                                   : dims[dimension]);
  }
  return source;
}

/// The operand's index for operations that move whole elements one to one; says
/// in `moved` whether `op` is one.
template <typename B>
IndexIn<B> movedIndex(B &e, Operation *op, const IndexIn<B> &index,
                      bool &moved) {
  moved = true;
  Value result = op->getResult(0);
  if (auto reshape = llvm::dyn_cast<ReshapeOp>(op)) {
    llvm::ArrayRef<int64_t> from = shapeOf(result),
                            to = shapeOf(reshape.getOperand());
    if (from.size() > 1 && to.size() > 1 && !llvm::is_contained(from, 0) &&
        groupsOf(from, to).size() == 1) {
      // What is in memory is read at the number, which is not taken apart.
      IndexIn<B> source;
      source.linear = e.linearOf(index, from);
      return source;
    }
    return e.reshapeIndex(index, from, to);
  }
  if (auto broadcast = llvm::dyn_cast<BroadcastInDimOp>(op)) {
    return broadcastIndex(e, index, broadcast.getOperand(), result,
                          broadcast.getBroadcastDimensions());
  }
  if (auto broadcast = llvm::dyn_cast<BroadcastOp>(op)) {
    IndexIn<B> source;
    auto dims = e.dimsOf(index, shapeOf(result));
    source.dims.append(dims.begin() + broadcast.getBroadcastSizes().size(),
                       dims.end());
    return source;
  }
  IndexIn<B> source;
  if (auto transpose = llvm::dyn_cast<TransposeOp>(op)) {
    auto dims = e.dimsOf(index, shapeOf(result));
    source.dims.assign(dims.size(), {});
    for (auto [d, from] : llvm::enumerate(transpose.getPermutation())) {
      source.dims[from] = dims[d];
    }
    return source;
  }
  if (auto slice = llvm::dyn_cast<SliceOp>(op)) {
    source.dims = e.dimsOf(index, shapeOf(result));
    for (auto [d, at] : llvm::enumerate(source.dims)) {
      if (slice.getStrides()[d] != 1) {
        at = e.multiply(at, e.constant(slice.getStrides()[d]));
      }
      at = e.shiftIndex(at, slice.getStartIndices()[d]);
    }
    return source;
  }
  if (auto reverse = llvm::dyn_cast<ReverseOp>(op)) {
    source.dims = e.dimsOf(index, shapeOf(result));
    for (int64_t d : reverse.getDimensions()) {
      source.dims[d] = e.mirrorIndex(source.dims[d], shapeOf(result)[d]);
    }
    return source;
  }
  moved = false;
  return source;
}

/// The index in `source` of what `piece`, computed from it in place, has at
/// `index`; nothing where something on the way is in memory.
template <typename B>
std::optional<IndexIn<B>> indexInSource(B &e, Value piece, Value source,
                                        IndexIn<B> index) {
  while (piece != source) {
    bool moved = false;
    if (e.fusion.formOf(piece) == Form::Inline) {
      index = movedIndex(e, piece.getDefiningOp(), index, moved);
    }
    if (!moved) {
      return std::nullopt;
    }
    piece = piece.getDefiningOp()->getOperand(0);
  }
  return index;
}

/// An element of a concatenation of pieces of one array: that at the index that
/// the index's piece says. Nothing if they are no such pieces.
template <typename B>
std::optional<ElementIn<B>> readJoined(B &e, ConcatenateOp op,
                                       llvm::ArrayRef<ValueIn<B>> dims) {
  Value source = sourceOfPieces(op);
  if (!source || isScalar(source)) {
    return std::nullopt;
  }
  uint64_t dimension = op.getDimension();
  ValueIn<B> along = dims[dimension];
  auto extent = e.extentOf(along);
  std::optional<IndexIn<B>> chosen;
  int64_t end = 0;
  for (Value piece : op.getInputs()) {
    int64_t start = end;
    end += shapeOf(piece)[dimension];
    if (start == end ||
        (extent && (extent->first >= end || extent->second < start))) {
      continue;
    }
    IndexIn<B> at;
    at.dims.assign(dims.begin(), dims.end());
    at.dims[dimension] = e.shiftIndex(along, -start);
    auto slice = indexInSource(e, piece, source, at);
    if (!slice) {
      return std::nullopt;
    }
    if (!chosen) {
      chosen = slice;
      continue;
    }
    ValueIn<B> inside = e.isAtLeast(along, start);
    for (auto [old, other] : llvm::zip_equal(chosen->dims, slice->dims)) {
      old = old == other ? old : e.chooseIndex(inside, other, old);
    }
  }
  if (!chosen) {
    return std::nullopt;
  }
  return e.emitElement(source, *chosen);
}

template <typename B>
ElementIn<B> choosePiece(B &e, ConcatenateOp op, const IndexIn<B> &index) {
  uint64_t dimension = op.getDimension();
  auto dims = e.dimsOf(index, shapeOf(op.getResult()));
  if (auto element = readJoined<B>(e, op, dims)) {
    return *element;
  }
  // Every piece is read, at an index forced into it, and one is chosen.
  std::optional<ElementIn<B>> result;
  int64_t offset = 0;
  auto extent = e.extentOf(dims[dimension]);
  for (Value input : op.getInputs()) {
    int64_t size = shapeOf(input)[dimension];
    if (size == 0) {
      continue;
    }
    if (extent && extent->second < offset + size && extent->first >= offset) {
      IndexIn<B> source;
      source.dims = dims;
      source.dims[dimension] = e.shiftIndex(dims[dimension], -offset);
      return e.emitElement(input, source);
    }
    if (extent && (extent->first >= offset + size || extent->second < offset)) {
      offset += size;
      continue;
    }
    ValueIn<B> at = e.subtract(dims[dimension], e.constant(offset));
    ValueIn<B> inside = e.isAtLeast(dims[dimension], offset);
    IndexIn<B> source;
    source.dims = dims;
    source.dims[dimension] = e.least(e.most(at, 0), size - 1);
    ElementIn<B> element = e.emitElement(input, source);
    result = result ? e.chooseElement(inside, element, *result) : element;
    offset += size;
  }
  return result ? *result : e.undefined(op.getType());
}

template <typename B>
ElementIn<B> emitPad(B &e, PadOp op, const IndexIn<B> &index) {
  Value operand = op.getOperand();
  ElementIn<B> padding = e.scalar(op.getPaddingValue());
  if (elementCountOf(operand) == 0) {
    return padding;
  }
  auto dims = e.dimsOf(index, shapeOf(op.getResult()));
  ValueIn<B> inside = e.truth();
  IndexIn<B> source;
  for (size_t d = 0; d < dims.size(); ++d) {
    int64_t low = op.getEdgePaddingLow()[d];
    int64_t high = op.getEdgePaddingHigh()[d];
    int64_t step = op.getInteriorPadding()[d] + 1;
    int64_t size = shapeOf(operand)[d];
    auto extent = e.extentOf(dims[d]);
    if (extent && step == 1) {
      if (extent->second < low || extent->first >= low + size) {
        return padding;
      }
      if (extent->first >= low && extent->second < low + size) {
        source.dims.push_back(e.shiftIndex(dims[d], -low));
        continue;
      }
    }
    ValueIn<B> at = e.subtract(dims[d], e.constant(low));
    if (low > 0) {
      inside = e.both(inside, e.isAtLeast(at, 0));
    }
    if (high > 0) {
      inside = e.both(inside, e.isAtMost(at, (size - 1) * step));
    }
    if (step > 1) {
      inside = e.both(inside, e.isEqual(e.signedRemainder(at, step), 0));
      at = e.signedDivide(at, step);
    }
    if (low > 0) {
      at = e.most(at, 0);
    }
    if (high > 0) {
      at = e.least(at, size - 1);
    }
    source.dims.push_back(at);
  }
  std::optional<bool> known = e.knownTruth(inside);
  if (known && !*known) {
    return padding;
  }
  ElementIn<B> element = e.emitElement(operand, source);
  return known ? element : e.chooseElement(inside, element, padding);
}

template <typename B>
ElementIn<B> emitDynamicSlice(B &e, DynamicSliceOp op,
                              const IndexIn<B> &index) {
  IndexIn<B> source;
  auto dims = e.dimsOf(index, shapeOf(op.getResult()));
  for (auto [d, start] : llvm::enumerate(op.getStartIndices())) {
    int64_t most = shapeOf(op.getOperand())[d] - op.getSliceSizes()[d];
    ValueIn<B> first = e.clampedStart(start, e.scalar(start), most);
    source.dims.push_back(e.sumOf(first, dims[d]));
  }
  return e.emitElement(op.getOperand(), source);
}

template <typename B>
ElementIn<B> emitGather(B &e, GatherOp op, const IndexIn<B> &index) {
  // A dimension that is left out may have slices of size 0.
  if (elementCountOf(op.getOperand()) == 0) {
    return e.zero(elementTypeOf(op.getType()));
  }
  auto numbers = op.getDimensionNumbers();
  Value indices = op.getStartIndices();
  llvm::ArrayRef<int64_t> shape = shapeOf(op.getOperand());
  int64_t vector = numbers.getIndexVectorDim();
  int64_t rank = static_cast<int64_t>(shapeOf(indices).size());
  auto dims = e.dimsOf(index, shapeOf(op.getResult()));
  // The dimensions of the result that are no window dimensions run over those
  // of the indices, the vector dimension left out.
  llvm::SmallVector<ValueIn<B>> batch, window;
  for (size_t d = 0; d < dims.size(); ++d) {
    bool inWindow =
        llvm::is_contained(numbers.getOffsetDims(), static_cast<int64_t>(d));
    (inWindow ? window : batch).push_back(dims[d]);
  }
  auto indexAt = [&](int64_t component) {
    IndexIn<B> at;
    size_t next = 0;
    for (int64_t d = 0; d < rank; ++d) {
      at.dims.push_back(d == vector ? e.constant(component) : batch[next++]);
    }
    return e.emitElement(indices, at);
  };
  IndexIn<B> source;
  size_t next = 0;
  for (int64_t d = 0; d < static_cast<int64_t>(shape.size()); ++d) {
    ValueIn<B> at = {};
    bool collapsed = llvm::is_contained(numbers.getCollapsedSliceDims(), d);
    auto *batching = llvm::find(numbers.getOperandBatchingDims(), d);
    if (batching != numbers.getOperandBatchingDims().end()) {
      int64_t from = numbers.getStartIndicesBatchingDims()
                         [batching - numbers.getOperandBatchingDims().begin()];
      source.dims.push_back(batch[from - (from > vector ? 1 : 0)]);
      continue;
    }
    auto *component = llvm::find(numbers.getStartIndexMap(), d);
    if (component != numbers.getStartIndexMap().end()) {
      at = e.clampedStart(
          indices, indexAt(component - numbers.getStartIndexMap().begin()),
          shape[d] - op.getSliceSizes()[d]);
    }
    if (!collapsed) {
      ValueIn<B> offset = window[next++];
      at = at != ValueIn<B>() ? e.add(at, offset) : offset;
    }
    source.dims.push_back(at != ValueIn<B>() ? at : e.constant(0));
  }
  return e.emitElement(op.getOperand(), source);
}

/// A bit cast that changes the number of dimensions: the last one counts the
/// narrow elements of a wide one, the least significant first.
template <typename B>
ElementIn<B> emitUnevenBitcast(B &e, BitcastConvertOp op,
                               const IndexIn<B> &index) {
  Value operand = op.getOperand(), result = op.getResult();
  ElementType from = elementTypeOf(operand.getType());
  ElementType to = elementTypeOf(result.getType());
  IndexIn<B> source;
  source.dims = e.dimsOf(index, shapeOf(result));
  if (bitWidth(from) > bitWidth(to)) {
    ValueIn<B> part = source.dims.pop_back_val();
    return e.partOfBits(e.emitElement(operand, source), from, part, to);
  }
  llvm::SmallVector<ElementIn<B>> parts;
  source.dims.push_back({});
  for (int64_t part = 0; part < bitWidth(to) / bitWidth(from); ++part) {
    source.dims.back() = e.constant(part);
    parts.push_back(e.emitElement(operand, source));
  }
  return e.joinBits(parts, from, to);
}

//===----------------------------------------------------------------------===//
// Dispatch
//===----------------------------------------------------------------------===//

template <typename B>
ElementIn<B> computeElementOf(B &e, Operation *op, const IndexIn<B> &index) {
  Value result = op->getResult(0);
  if (e.failed()) {
    return e.undefined(result.getType());
  }
  if (!isSupported(elementTypeOf(result.getType()))) {
    e.fail(op, "it has no support for this element type");
    return e.undefined(result.getType());
  }
  if (isElementwise(op)) {
    llvm::SmallVector<ElementIn<B>, 3> x;
    bool isArray = !isScalar(result);
    for (Value operand : op->getOperands()) {
      x.push_back(isArray && isScalar(operand) ? e.scalar(operand)
                                               : e.emitElement(operand, index));
    }
    return e.emitElementwise(op, x);
  }
  bool moved;
  IndexIn<B> source = movedIndex(e, op, index, moved);
  if (moved) {
    return e.emitElement(op->getOperand(0), source);
  }
  if (auto constant = llvm::dyn_cast<ConstantOp>(op)) {
    return e.constantElement(constant);
  }
  if (auto iota = llvm::dyn_cast<IotaOp>(op)) {
    uint64_t along = iota.getIotaDimension();
    return e.numberElement(e.dimsOf(index, shapeOf(result))[along],
                           shapeOf(result)[along],
                           elementTypeOf(result.getType()));
  }
  if (auto concatenate = llvm::dyn_cast<ConcatenateOp>(op)) {
    return choosePiece(e, concatenate, index);
  }
  if (auto pad = llvm::dyn_cast<PadOp>(op)) {
    return emitPad(e, pad, index);
  }
  if (auto slice = llvm::dyn_cast<DynamicSliceOp>(op)) {
    return emitDynamicSlice(e, slice, index);
  }
  if (auto gather = llvm::dyn_cast<GatherOp>(op)) {
    return emitGather(e, gather, index);
  }
  if (auto bitcast = llvm::dyn_cast<BitcastConvertOp>(op)) {
    return emitUnevenBitcast(e, bitcast, index);
  }
  if (auto size = llvm::dyn_cast<GetDimensionSizeOp>(op)) {
    int64_t extent = shapeOf(size.getOperand())[size.getDimension()];
    return e.numberElement(e.constant(extent), extent + 1, ElementType::S32);
  }
  e.fail(op, "it does not know this operation");
  return e.undefined(result.getType());
}

template <typename B>
ElementIn<B> emitElementOf(B &e, Value value, const IndexIn<B> &index) {
  Form form = e.fusion.formOf(value);
  if (form == Form::Register) {
    return e.scalar(value);
  }
  if (const ElementIn<B> *element = e.findKnown(value, index)) {
    return *element;
  }
  ElementIn<B> element =
      form == Form::Buffer
          ? e.loadElement(value, e.linearOf(index, shapeOf(value)))
          : computeElementOf(e, value.getDefiningOp(), index);
  e.setKnown(value, index, element);
  return element;
}

/// Computes the outputs of a loop nest at one index and stores them.
template <typename B>
void storeOutputs(B &e, llvm::ArrayRef<Value> outputs,
                  llvm::ArrayRef<BufferSlice> slices, const IndexIn<B> &index) {
  llvm::SmallVector<ElementIn<B>> elements;
  for (Value output : outputs) {
    const ElementIn<B> *found = e.findKnown(output, index);
    elements.push_back(
        found ? *found : computeElementOf(e, output.getDefiningOp(), index));
    if (!found) {
      e.setKnown(output, index, elements.back());
    }
  }
  ValueIn<B> linear = e.linearOf(index, shapeOf(outputs.front()));
  for (auto [i, output] : llvm::enumerate(outputs)) {
    e.store(elementTypeOf(output.getType()), slices[i], linear, elements[i]);
  }
}

} // namespace xla::cpu::elements

#endif // XLA_CODEGEN_CPU_ELEMENTS_H
