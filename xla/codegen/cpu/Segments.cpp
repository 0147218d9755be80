//===- Segments.cpp - Where a loop nest's inner loop changes --------------===//
//
// An element of a concatenation comes from one of its pieces, an element of a
// pad from its operand or the padding. In a loop over all elements each would
// choose; so the inner loop is cut where the choice changes, and within a
// segment the choice is made by the compiler.
//
//===----------------------------------------------------------------------===//

#include "xla/codegen/cpu/Emitter.h"

#include "xla/dialect/stablehlo/StablehloOps.h"

#include "llvm/ADT/DenseSet.h"

namespace xla::cpu {

using namespace stablehlo;
using mlir::Operation;
using mlir::Value;

namespace {

/// A value read at `sign * i + offset` along dimension `dim`, i being the
/// nest's innermost index.
struct Read {
  Value value;
  int64_t dim, sign, offset;
};

class BreakFinder {
public:
  BreakFinder(const FusionPlan &fusion, int64_t size)
      : fusion(fusion), size(size) {}

  llvm::SmallVector<int64_t> find(llvm::ArrayRef<Value> outputs);

private:
  void visit(const Read &read, Operation *op);
  void push(const Read &from, Value value, int64_t dim, int64_t shift = 0) {
    work.push_back({value, dim, from.sign, from.offset + shift});
  }
  /// Notes that something changes between indices index - 1 and index of what
  /// is read.
  void note(const Read &read, int64_t slice) {
    int64_t i = read.sign > 0 ? slice - read.offset : read.offset - slice + 1;
    if (i > 0 && i < size) {
      breaks.push_back(i);
    }
  }

  const FusionPlan &fusion;
  int64_t size;
  llvm::SmallVector<Read> work;
  llvm::SmallVector<int64_t> breaks;
};

} // namespace

void BreakFinder::visit(const Read &read, Operation *op) {
  if (isElementwise(op)) {
    for (Value operand : op->getOperands()) {
      if (shapeOf(operand) == shapeOf(read.value)) {
        push(read, operand, read.dim);
      }
    }
  } else if (auto broadcast = llvm::dyn_cast<BroadcastInDimOp>(op)) {
    for (auto [d, to] : llvm::enumerate(broadcast.getBroadcastDimensions())) {
      if (to == read.dim && shapeOf(broadcast.getOperand())[d] > 1) {
        push(read, broadcast.getOperand(), static_cast<int64_t>(d));
      }
    }
  } else if (auto transpose = llvm::dyn_cast<TransposeOp>(op)) {
    push(read, transpose.getOperand(), transpose.getPermutation()[read.dim]);
  } else if (auto slice = llvm::dyn_cast<SliceOp>(op)) {
    if (slice.getStrides()[read.dim] == 1) {
      push(read, slice.getOperand(), read.dim,
           slice.getStartIndices()[read.dim]);
    }
  } else if (auto reverse = llvm::dyn_cast<ReverseOp>(op)) {
    Read inner = {reverse.getOperand(), read.dim, read.sign, read.offset};
    if (llvm::is_contained(reverse.getDimensions(), read.dim)) {
      inner.sign = -read.sign;
      inner.offset = shapeOf(read.value)[read.dim] - 1 - read.offset;
    }
    work.push_back(inner);
  } else if (auto pad = llvm::dyn_cast<PadOp>(op)) {
    int64_t low = pad.getEdgePaddingLow()[read.dim];
    if (pad.getInteriorPadding()[read.dim] == 0) {
      note(read, low);
      note(read, low + shapeOf(pad.getOperand())[read.dim]);
      push(read, pad.getOperand(), read.dim, -low);
    }
  } else if (auto concatenate = llvm::dyn_cast<ConcatenateOp>(op)) {
    bool along = static_cast<int64_t>(concatenate.getDimension()) == read.dim;
    int64_t offset = 0;
    for (Value input : concatenate.getInputs()) {
      push(read, input, read.dim, along ? -offset : 0);
      if (along) {
        offset += shapeOf(input)[read.dim];
        note(read, offset);
      }
    }
  }
}

llvm::SmallVector<int64_t> BreakFinder::find(llvm::ArrayRef<Value> outputs) {
  constexpr size_t mostValues = 256, mostBreaks = 12;
  for (Value output : outputs) {
    int64_t last = static_cast<int64_t>(shapeOf(output).size()) - 1;
    visit({output, last, 1, 0}, output.getDefiningOp());
  }
  llvm::DenseSet<std::pair<Value, int64_t>> seen;
  while (!work.empty() && seen.size() < mostValues) {
    Read read = work.pop_back_val();
    Operation *op = read.value.getDefiningOp();
    if (op && fusion.formOf(read.value) == Form::Inline &&
        seen.insert({read.value, read.sign * 2 * read.offset + read.dim})
            .second) {
      visit(read, op);
    }
  }
  llvm::sort(breaks);
  breaks.erase(llvm::unique(breaks), breaks.end());
  if (breaks.size() > mostBreaks) {
    breaks.clear();
  }
  return breaks;
}

llvm::SmallVector<int64_t>
Emitter::findBreaks(llvm::ArrayRef<Value> outputs) const {
  llvm::ArrayRef<int64_t> shape = shapeOf(outputs.front());
  if (shape.empty()) {
    return {};
  }
  return BreakFinder(fusion, shape.back()).find(outputs);
}

/// for (i = begin; i < end; ++i), cut at `breaks` within [0, size): in each
/// part the compiler knows between which numbers i is.
void LoopBuilder::segmentedLoop(llvm::Value *begin, llvm::Value *end,
                                int64_t size, llvm::ArrayRef<int64_t> breaks,
                                Body body) {
  if (breaks.empty()) {
    loop(begin, end, body);
    return;
  }
  auto clamp = [&](llvm::Value *x, llvm::Intrinsic::ID id,
                   int64_t bound) -> llvm::Value * {
    if (auto *known = llvm::dyn_cast<llvm::ConstantInt>(x)) {
      int64_t value = known->getSExtValue();
      return constant(id == llvm::Intrinsic::smax ? std::max(value, bound)
                                                  : std::min(value, bound));
    }
    return builder().CreateBinaryIntrinsic(id, x, constant(bound));
  };
  int64_t start = 0;
  for (size_t n = 0; n <= breaks.size(); ++n) {
    int64_t stop = n < breaks.size() ? breaks[n] : size;
    loop(clamp(begin, llvm::Intrinsic::smax, start),
         clamp(end, llvm::Intrinsic::smin, stop), [&](llvm::Value *i) {
           bool isConstant = llvm::isa<llvm::Constant>(i);
           if (!isConstant) {
             extents[i] = {start, stop - 1};
           }
           body(i);
           if (!isConstant) {
             extents.erase(i);
           }
         });
    start = stop;
  }
}

std::optional<std::pair<int64_t, int64_t>>
LoopBuilder::extentOf(llvm::Value *index) const {
  if (auto *known = llvm::dyn_cast<llvm::ConstantInt>(index)) {
    return {{known->getSExtValue(), known->getSExtValue()}};
  }
  auto found = extents.find(index);
  if (found == extents.end()) {
    return std::nullopt;
  }
  return found->second;
}

llvm::Value *LoopBuilder::shiftIndex(llvm::Value *index, int64_t offset) {
  if (offset == 0) {
    return index;
  }
  llvm::Value *shifted = builder().CreateNSWAdd(index, constant(offset));
  auto extent = extentOf(index);
  if (extent && !llvm::isa<llvm::Constant>(shifted)) {
    extents[shifted] = {extent->first + offset, extent->second + offset};
  }
  return shifted;
}

llvm::Value *LoopBuilder::mirrorIndex(llvm::Value *index, int64_t size) {
  llvm::Value *mirrored = builder().CreateNSWSub(constant(size - 1), index);
  auto extent = extentOf(index);
  if (extent && !llvm::isa<llvm::Constant>(mirrored)) {
    extents[mirrored] = {size - 1 - extent->second, size - 1 - extent->first};
  }
  return mirrored;
}

} // namespace xla::cpu
