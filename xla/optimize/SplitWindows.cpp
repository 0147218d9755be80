//===- SplitWindows.cpp - Windows along one dimension at a time -----------===//
//
// The sum, product or extreme over a window of several dimensions is that along
// one dimension of those along another: of n + m elements instead of n * m.
//
//===----------------------------------------------------------------------===//

#include "xla/dialect/stablehlo/StablehloOps.h"
#include "xla/optimize/Patterns.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/Sequence.h"

using namespace mlir;

namespace xla {

using namespace stablehlo;

/// Windows of fewer elements are folded side by side, in one pass.
constexpr int64_t kFewElements = 17;

/// What all passes but the last start from, if the region is one operation on
/// its two arguments that may be done in any order: the start itself, where it
/// may be folded in again, or a neutral number. Null if it is not.
static Value startOfPasses(OpBuilder &b, Region &body, Value start) {
  Block &block = body.front();
  Operation &op = block.front();
  if (block.getNumArguments() != 2 ||
      op.getNextNode() != block.getTerminator() || op.getNumOperands() != 2 ||
      op.getNumResults() != 1 ||
      block.getTerminator()->getOperand(0) != op.getResult(0) ||
      op.getOperand(0) == op.getOperand(1) ||
      !llvm::is_contained(block.getArguments(), op.getOperand(0)) ||
      !llvm::is_contained(block.getArguments(), op.getOperand(1))) {
    return {};
  }
  auto type = cast<RankedTensorType>(start.getType());
  Type element = type.getElementType();
  if (isa<MaxOp, MinOp, AndOp, OrOp>(op)) {
    return isa<ComplexType>(element) ? Value() : start;
  }
  // Narrow sums would be rounded once more.
  bool isWide = element.isInteger() ||
                (element.isFloat() && element.getIntOrFloatBitWidth() >= 32);
  if (!isa<AddOp>(op) || !isWide) {
    return {};
  }
  // Nothing is added to: not even the sign of a zero.
  Attribute nothing = b.getZeroAttr(element);
  if (auto number = dyn_cast<FloatType>(element)) {
    nothing = FloatAttr::get(
        number, APFloat::getZero(number.getFloatSemantics(), true));
  }
  return ConstantOp::create(b, start.getLoc(),
                            DenseElementsAttr::get(type, nothing));
}

static Sizes valuesOf(std::optional<ArrayRef<int64_t>> values, size_t rank) {
  return values ? Sizes(*values) : Sizes(rank, 1);
}

static int64_t extentOf(int64_t size, int64_t dilation) {
  return size == 0 ? 0 : (size - 1) * dilation + 1;
}

static void split(ReduceWindowOp op) {
  auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  if (op.getInputs().size() != 1 || type.getNumElements() == 0) {
    return;
  }
  ArrayRef<int64_t> window = op.getWindowDimensions();
  size_t rank = window.size();
  int64_t elements = 1, dimensions = 0;
  for (int64_t size : window) {
    elements = std::min(elements * std::min(size, kFewElements), kFewElements);
    dimensions += size > 1;
  }
  auto input = cast<RankedTensorType>(op.getInputs().front().getType());
  if (elements < kFewElements || dimensions < 2 ||
      input.getNumElements() == 0) {
    return;
  }
  Sizes strides = valuesOf(op.getWindowStrides(), rank);
  Sizes holes = valuesOf(op.getBaseDilations(), rank);
  Sizes steps = valuesOf(op.getWindowDilations(), rank);
  Sizes padding(2 * rank, 0);
  if (auto given = op.getPadding()) {
    padding = Sizes(given->getValues<int64_t>());
  }
  auto isNothing = [&](size_t d) {
    return window[d] == 1 && strides[d] == 1 && holes[d] == 1 &&
           padding[2 * d] == 0 && padding[2 * d + 1] == 0;
  };
  OpBuilder b(op);
  Value value = op.getInputs().front(), start = op.getInitValues().front();
  Value others = startOfPasses(b, op.getBody(), start);
  if (!others) {
    return;
  }
  auto sizeAfter = [&](size_t d) {
    int64_t reach = extentOf(input.getDimSize(d), holes[d]) + padding[2 * d] +
                    padding[2 * d + 1] - extentOf(window[d], steps[d]);
    return reach / strides[d] + 1;
  };
  // The last dimension comes last: what is side by side stays so.
  llvm::SmallVector<size_t> order;
  llvm::copy_if(llvm::seq(rank), std::back_inserter(order),
                [&](size_t d) { return !isNothing(d); });
  // Passes that widen the array, by padding or holes, come after those that
  // narrow it where it would else be larger in between than at both ends.
  double most = double(input.getNumElements()) + double(type.getNumElements());
  double between = double(input.getNumElements());
  bool isTooLarge = llvm::any_of(order, [&](size_t d) {
    between = between / double(input.getDimSize(d)) * double(sizeAfter(d));
    return between > most;
  });
  if (isTooLarge) {
    llvm::sort(order, [&](size_t a, size_t b) {
      auto rank = [&](size_t d) {
        return std::pair(sizeAfter(d) > input.getDimSize(d), d);
      };
      return rank(a) < rank(b);
    });
  }
  for (size_t d : order) {
    auto alone = [&](ArrayRef<int64_t> values) {
      Sizes ones(rank, 1);
      ones[d] = values[d];
      return b.getDenseI64ArrayAttr(ones);
    };
    Sizes ends(2 * rank, 0),
        shape(cast<RankedTensorType>(value.getType()).getShape());
    ends[2 * d] = padding[2 * d];
    ends[2 * d + 1] = padding[2 * d + 1];
    shape[d] = sizeAfter(d);
    auto pairs =
        RankedTensorType::get({static_cast<int64_t>(rank), 2}, b.getI64Type());
    auto pass = cast<ReduceWindowOp>(b.clone(*op));
    pass->setOperand(0, value);
    pass->setOperand(1, d == order.back() ? start : others);
    pass.setWindowDimensionsAttr(alone(window));
    pass.setWindowStridesAttr(alone(strides));
    pass.setBaseDilationsAttr(alone(holes));
    pass.setWindowDilationsAttr(alone(steps));
    pass.setPaddingAttr(
        DenseIntElementsAttr::get(pairs, ArrayRef<int64_t>(ends)));
    pass->getResult(0).setType(type.clone(shape));
    value = pass->getResult(0);
  }
  op->getResult(0).replaceAllUsesWith(value);
  op->erase();
}

void splitWindows(ModuleOp module) {
  module.walk([](ReduceWindowOp op) { split(op); });
}

} // namespace xla
