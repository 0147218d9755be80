//===- Elements.cpp - The element of a value at an index ------------------===//
//
// The index half of fusion: an operation that only moves elements turns an
// index of its result into one of its operand. What computes stands in
// lower/elementwise/Elementwise.cpp.
//
//===----------------------------------------------------------------------===//

#include "xla/codegen/cpu/Emitter.h"

#include "xla/codegen/cpu/Pieces.h"
#include "xla/codegen/cpu/lower/elementwise/Elementwise.h"
#include "xla/codegen/cpu/lower/reduce/Folds.h"
#include "xla/dialect/stablehlo/StablehloOps.h"

namespace xla::cpu {

using namespace stablehlo;
using mlir::Operation;
using mlir::Value;

const Element *Emitter::findKnown(Value value, const Index &index) {
  auto found = known.find(value);
  if (found == known.end()) {
    return nullptr;
  }
  for (auto &[at, element] : found->second) {
    if (at == index) {
      return &element;
    }
  }
  return nullptr;
}

Element Emitter::emitElement(Value value, const Index &index) {
  switch (fusion.formOf(value)) {
  case Form::Register:
    return scalar(value);
  case Form::Buffer: {
    ElementType type = elementTypeOf(value.getType());
    if (const Element *element = findKnown(value, index)) {
      return *element;
    }
    llvm::Value *linear = linearOf(index, shapeOf(value));
    Element element =
        sums && sums->value == value
            ? Element{narrow(*this, load(sums->type, sums->slice, linear).real,
                             type)}
            : load(type, buffers.sliceOf(value), linear);
    known[value].push_back({index, element});
    return element;
  }
  case Form::Inline:
    break;
  }
  if (const Element *element = findKnown(value, index)) {
    return *element;
  }
  Element element = computeElement(value.getDefiningOp(), index);
  known[value].push_back({index, element});
  return element;
}

//===----------------------------------------------------------------------===//
// Movements
//===----------------------------------------------------------------------===//

static Element emitConstant(Emitter &e, ConstantOp op, const Index &index) {
  ElementType type = elementTypeOf(op.getType());
  auto dense = llvm::dyn_cast<mlir::DenseElementsAttr>(op.getValue());
  if (!dense) {
    e.fail(op, "its value is not dense");
    return e.undefined(op.getType());
  }
  llvm::LLVMContext &context = e.context();
  if (isComplex(type)) {
    auto value = *dense.getValues<std::complex<llvm::APFloat>>().begin();
    return {llvm::ConstantFP::get(context, value.real()),
            llvm::ConstantFP::get(context, value.imag())};
  }
  if (isFloat(type)) {
    llvm::APFloat value = *dense.getValues<llvm::APFloat>().begin();
    return {isSmallFloat(type)
                ? llvm::ConstantInt::get(registerType(type, context),
                                         value.bitcastToAPInt().getZExtValue())
                : static_cast<llvm::Value *>(
                      llvm::ConstantFP::get(context, value))};
  }
  return {
      llvm::ConstantInt::get(context, *dense.getValues<llvm::APInt>().begin())};
}

static Element emitIota(Emitter &e, IotaOp op, const Index &index) {
  ElementType type = elementTypeOf(op.getType());
  llvm::ArrayRef<int64_t> shape = shapeOf(op.getResult());
  uint64_t dimension = op.getIotaDimension();
  llvm::Value *number = e.dimsOf(index, shape)[dimension];
  llvm::Value *value = numberOf(e, number, shape[dimension], type);
  return {value, isComplex(type)
                     ? llvm::Constant::getNullValue(value->getType())
                     : nullptr};
}

static Index broadcastIndex(Emitter &e, const Index &index, Value operand,
                            Value result, llvm::ArrayRef<int64_t> dimensions) {
  Index source;
  auto dims = e.dimsOf(index, shapeOf(result));
  for (auto [d, dimension] : llvm::enumerate(dimensions)) {
    source.dims.push_back(shapeOf(operand)[d] == 1 ? e.constant(0)
                                                   : dims[dimension]);
  }
  return source;
}

/// The operand's index for operations that move whole elements one to one; says
/// in `moved` whether `op` is one.
static Index movedIndex(Emitter &e, Operation *op, const Index &index,
                        bool &moved) {
  moved = true;
  Value result = op->getResult(0);
  if (auto reshape = llvm::dyn_cast<ReshapeOp>(op)) {
    return e.reshapeIndex(index, shapeOf(result),
                          shapeOf(reshape.getOperand()));
  }
  if (auto broadcast = llvm::dyn_cast<BroadcastInDimOp>(op)) {
    return broadcastIndex(e, index, broadcast.getOperand(), result,
                          broadcast.getBroadcastDimensions());
  }
  if (auto broadcast = llvm::dyn_cast<BroadcastOp>(op)) {
    Index source;
    auto dims = e.dimsOf(index, shapeOf(result));
    source.dims.append(dims.begin() + broadcast.getBroadcastSizes().size(),
                       dims.end());
    return source;
  }
  Index source;
  if (auto transpose = llvm::dyn_cast<TransposeOp>(op)) {
    auto dims = e.dimsOf(index, shapeOf(result));
    source.dims.assign(dims.size(), nullptr);
    for (auto [d, from] : llvm::enumerate(transpose.getPermutation())) {
      source.dims[from] = dims[d];
    }
    return source;
  }
  if (auto slice = llvm::dyn_cast<SliceOp>(op)) {
    source.dims = e.dimsOf(index, shapeOf(result));
    for (auto [d, at] : llvm::enumerate(source.dims)) {
      if (slice.getStrides()[d] != 1) {
        at = e.builder().CreateNSWMul(at, e.constant(slice.getStrides()[d]));
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
static std::optional<Index> indexInSource(Emitter &e, Value piece, Value source,
                                          Index index) {
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
static std::optional<Element> readJoined(Emitter &e, ConcatenateOp op,
                                         llvm::ArrayRef<llvm::Value *> dims) {
  Value source = sourceOfPieces(op);
  if (!source || isScalar(source)) {
    return std::nullopt;
  }
  uint64_t dimension = op.getDimension();
  llvm::Value *along = dims[dimension];
  auto extent = e.extentOf(along);
  llvm::IRBuilder<> &b = e.builder();
  std::optional<Index> chosen;
  int64_t end = 0;
  for (Value piece : op.getInputs()) {
    int64_t start = end;
    end += shapeOf(piece)[dimension];
    if (start == end ||
        (extent && (extent->first >= end || extent->second < start))) {
      continue;
    }
    Index at;
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
    llvm::Value *inside = b.CreateICmpSGE(along, e.constant(start));
    for (auto [old, other] : llvm::zip_equal(chosen->dims, slice->dims)) {
      old = old == other ? old : b.CreateSelect(inside, other, old);
    }
  }
  if (!chosen) {
    return std::nullopt;
  }
  return e.emitElement(source, *chosen);
}

static Element choosePiece(Emitter &e, ConcatenateOp op, const Index &index) {
  uint64_t dimension = op.getDimension();
  auto dims = e.dimsOf(index, shapeOf(op.getResult()));
  if (auto element = readJoined(e, op, dims)) {
    return *element;
  }
  // Every piece is read, at an index forced into it, and one is chosen.
  llvm::IRBuilder<> &b = e.builder();
  Element result;
  int64_t offset = 0;
  auto extent = e.extentOf(dims[dimension]);
  for (Value input : op.getInputs()) {
    int64_t size = shapeOf(input)[dimension];
    if (size == 0) {
      continue;
    }
    if (extent && extent->second < offset + size && extent->first >= offset) {
      Index source;
      source.dims = dims;
      source.dims[dimension] = e.shiftIndex(dims[dimension], -offset);
      return e.emitElement(input, source);
    }
    if (extent && (extent->first >= offset + size || extent->second < offset)) {
      offset += size;
      continue;
    }
    llvm::Value *at = b.CreateSub(dims[dimension], e.constant(offset));
    llvm::Value *inside = b.CreateICmpSGE(dims[dimension], e.constant(offset));
    llvm::Value *low =
        b.CreateBinaryIntrinsic(llvm::Intrinsic::smax, at, e.constant(0));
    Index source;
    source.dims = dims;
    source.dims[dimension] = b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, low,
                                                     e.constant(size - 1));
    Element element = e.emitElement(input, source);
    if (!result.real) {
      result = element;
    } else {
      result.real = b.CreateSelect(inside, element.real, result.real);
      if (element.imag) {
        result.imag = b.CreateSelect(inside, element.imag, result.imag);
      }
    }
    offset += size;
  }
  return result.real ? result : e.undefined(op.getType());
}

static Element emitPad(Emitter &e, PadOp op, const Index &index) {
  llvm::IRBuilder<> &b = e.builder();
  Value operand = op.getOperand();
  Element padding = e.scalar(op.getPaddingValue());
  if (elementCountOf(operand) == 0) {
    return padding;
  }
  auto dims = e.dimsOf(index, shapeOf(op.getResult()));
  llvm::Value *inside = b.getTrue();
  Index source;
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
    llvm::Value *at = b.CreateSub(dims[d], e.constant(low));
    if (low > 0) {
      inside = b.CreateAnd(inside, b.CreateICmpSGE(at, e.constant(0)));
    }
    if (high > 0) {
      inside = b.CreateAnd(inside,
                           b.CreateICmpSLE(at, e.constant((size - 1) * step)));
    }
    if (step > 1) {
      inside =
          b.CreateAnd(inside, b.CreateICmpEQ(b.CreateSRem(at, e.constant(step)),
                                             e.constant(0)));
      at = b.CreateSDiv(at, e.constant(step));
    }
    if (low > 0) {
      at = b.CreateBinaryIntrinsic(llvm::Intrinsic::smax, at, e.constant(0));
    }
    if (high > 0) {
      at = b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, at,
                                   e.constant(size - 1));
    }
    source.dims.push_back(at);
  }
  auto *known = llvm::dyn_cast<llvm::ConstantInt>(inside);
  if (known && known->isZero()) {
    return padding;
  }
  Element element = e.emitElement(operand, source);
  if (known) {
    return element;
  }
  element.real = b.CreateSelect(inside, element.real, padding.real);
  if (element.imag) {
    element.imag = b.CreateSelect(inside, element.imag, padding.imag);
  }
  return element;
}

static Element emitDynamicSlice(Emitter &e, DynamicSliceOp op,
                                const Index &index) {
  Index source;
  auto dims = e.dimsOf(index, shapeOf(op.getResult()));
  for (auto [d, start] : llvm::enumerate(op.getStartIndices())) {
    int64_t most = shapeOf(op.getOperand())[d] - op.getSliceSizes()[d];
    llvm::Value *first = e.clampedStart(start, e.scalar(start), most);
    source.dims.push_back(e.sumOf(first, dims[d]));
  }
  return e.emitElement(op.getOperand(), source);
}

static Element emitGather(Emitter &e, GatherOp op, const Index &index) {
  // A dimension that is left out may have slices of size 0.
  if (elementCountOf(op.getOperand()) == 0) {
    auto *zero = llvm::Constant::getNullValue(e.registerTypeOf(op.getResult()));
    return {zero, isComplex(elementTypeOf(op.getType())) ? zero : nullptr};
  }
  auto numbers = op.getDimensionNumbers();
  Value indices = op.getStartIndices();
  llvm::ArrayRef<int64_t> shape = shapeOf(op.getOperand());
  int64_t vector = numbers.getIndexVectorDim();
  int64_t rank = static_cast<int64_t>(shapeOf(indices).size());
  auto dims = e.dimsOf(index, shapeOf(op.getResult()));
  // The dimensions of the result that are no window dimensions run over those
  // of the indices, the vector dimension left out.
  llvm::SmallVector<llvm::Value *> batch, window;
  for (size_t d = 0; d < dims.size(); ++d) {
    bool inWindow =
        llvm::is_contained(numbers.getOffsetDims(), static_cast<int64_t>(d));
    (inWindow ? window : batch).push_back(dims[d]);
  }
  auto indexAt = [&](int64_t component) {
    Index at;
    size_t next = 0;
    for (int64_t d = 0; d < rank; ++d) {
      at.dims.push_back(d == vector ? e.constant(component) : batch[next++]);
    }
    return e.emitElement(indices, at);
  };
  Index source;
  size_t next = 0;
  for (int64_t d = 0; d < static_cast<int64_t>(shape.size()); ++d) {
    llvm::Value *at = nullptr;
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
      llvm::Value *offset = window[next++];
      at = at ? e.builder().CreateNSWAdd(at, offset) : offset;
    }
    source.dims.push_back(at ? at : e.constant(0));
  }
  return e.emitElement(op.getOperand(), source);
}

/// A bit cast that changes the number of dimensions: the last one counts the
/// narrow elements of a wide one, the least significant first.
static Element emitUnevenBitcast(Emitter &e, BitcastConvertOp op,
                                 const Index &index) {
  llvm::IRBuilder<> &b = e.builder();
  Value operand = op.getOperand(), result = op.getResult();
  ElementType from = elementTypeOf(operand.getType());
  ElementType to = elementTypeOf(result.getType());
  int64_t fromBits = bitWidth(from), toBits = bitWidth(to);
  auto dims = e.dimsOf(index, shapeOf(result));
  Index source;
  source.dims = dims;
  if (fromBits > toBits) {
    llvm::Value *part = source.dims.pop_back_val();
    llvm::Value *word = bitsOf(e, e.emitElement(operand, source).real, from);
    llvm::Value *shift =
        b.CreateMul(b.CreateIntCast(part, word->getType(), false),
                    llvm::ConstantInt::get(word->getType(), toBits));
    llvm::Value *bits = b.CreateTrunc(
        b.CreateLShr(word, shift), b.getIntNTy(static_cast<unsigned>(toBits)));
    return {fromBitsOf(e, bits, to)};
  }
  llvm::Type *wide = b.getIntNTy(static_cast<unsigned>(toBits));
  llvm::Value *word = llvm::ConstantInt::get(wide, 0);
  source.dims.push_back(nullptr);
  for (int64_t part = 0; part < toBits / fromBits; ++part) {
    source.dims.back() = e.constant(part);
    llvm::Value *bits = bitsOf(e, e.emitElement(operand, source).real, from);
    word = b.CreateOr(word,
                      b.CreateShl(b.CreateZExt(bits, wide), part * fromBits));
  }
  return {fromBitsOf(e, word, to)};
}

//===----------------------------------------------------------------------===//
// Dispatch
//===----------------------------------------------------------------------===//

Element Emitter::computeElement(Operation *op, const Index &index) {
  if (failed()) {
    return undefined(op->getResult(0).getType());
  }
  ElementType type = elementTypeOf(op->getResult(0).getType());
  if (!isSupported(type)) {
    fail(op, "it has no support for this element type");
    return undefined(op->getResult(0).getType());
  }
  if (isElementwise(op)) {
    llvm::SmallVector<Element, 3> x;
    bool isArray = !isScalar(op->getResult(0));
    for (Value operand : op->getOperands()) {
      x.push_back(isArray && isScalar(operand) ? scalar(operand)
                                               : emitElement(operand, index));
    }
    return emitElementwise(op, x);
  }
  bool moved;
  Index source = movedIndex(*this, op, index, moved);
  if (moved) {
    return emitElement(op->getOperand(0), source);
  }
  if (auto constantOp = llvm::dyn_cast<ConstantOp>(op)) {
    return emitConstant(*this, constantOp, index);
  }
  if (auto iota = llvm::dyn_cast<IotaOp>(op)) {
    return emitIota(*this, iota, index);
  }
  if (auto concatenate = llvm::dyn_cast<ConcatenateOp>(op)) {
    return choosePiece(*this, concatenate, index);
  }
  if (auto pad = llvm::dyn_cast<PadOp>(op)) {
    return emitPad(*this, pad, index);
  }
  if (auto slice = llvm::dyn_cast<DynamicSliceOp>(op)) {
    return emitDynamicSlice(*this, slice, index);
  }
  if (auto gather = llvm::dyn_cast<GatherOp>(op)) {
    return emitGather(*this, gather, index);
  }
  if (auto bitcast = llvm::dyn_cast<BitcastConvertOp>(op)) {
    return emitUnevenBitcast(*this, bitcast, index);
  }
  if (auto size = llvm::dyn_cast<GetDimensionSizeOp>(op)) {
    int64_t extent = shapeOf(size.getOperand())[size.getDimension()];
    return {builder().getInt32(static_cast<uint32_t>(extent))};
  }
  fail(op, "it does not know this operation");
  return undefined(op->getResult(0).getType());
}

} // namespace xla::cpu
