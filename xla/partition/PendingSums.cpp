//===- PendingSums.cpp - Operations on what is yet to be summed -----------===//
//
// A sum of linear functions is the linear function of the sum: such operations
// leave their results pending where their operands are.
//
//===----------------------------------------------------------------------===//

#include "xla/partition/Localizer.h"

#include "mlir/IR/Matchers.h"
#include "xla/dialect/stablehlo/StablehloOps.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace xla::partition {

using namespace stablehlo;

/// Whether a conversion commutes with sums.
static bool isExactlyLinear(ConvertOp op) {
  auto isReal = [](Value value) {
    return isa<FloatType>(tensorType(value).getElementType());
  };
  return isReal(op.getOperand()) && isReal(op.getResult());
}

static bool isSumFromZero(ReduceOp op) {
  DenseElementsAttr initial;
  return op.getInputs().size() == 1 &&
         combinationOf(op.getBody()) == Combination::Sum &&
         matchPattern(op.getInitValues()[0], m_Constant(&initial)) &&
         initial.isSplat() && isa<FloatType>(initial.getElementType()) &&
         initial.getSplatValue<APFloat>().isZero();
}

/// Whether the operation is linear in the operands that are pending, which are
/// not those of an index or a condition.
static bool isLinear(Operation *op, ArrayRef<bool> isPending) {
  size_t count = llvm::count(isPending, true);
  if (isa<AddOp, SubtractOp, ConcatenateOp>(op)) {
    return count == isPending.size();
  }
  if (isa<NegOp, TransposeOp, ReshapeOp, BroadcastInDimOp, SliceOp, ReverseOp>(
          op)) {
    return true;
  }
  if (auto convert = dyn_cast<ConvertOp>(op)) {
    return isExactlyLinear(convert);
  }
  if (auto reduce = dyn_cast<ReduceOp>(op)) {
    return isPending[0] && count == 1 && isSumFromZero(reduce);
  }
  if (isa<MulOp, DotGeneralOp>(op)) {
    return count == 1;
  }
  if (isa<DivOp>(op)) {
    return isPending[0] && count == 1 &&
           isa<FloatType>(tensorType(op->getResult(0)).getElementType());
  }
  if (isa<SelectOp>(op)) {
    return !isPending[0] && count == 2;
  }
  return false;
}

PendingOperands pendingOperands(Localizer &localizer, Operation *op) {
  PendingOperands pending;
  for (Value operand : op->getOperands()) {
    const Placement &placement = localizer.localOf(operand).placement;
    pending.isPending.push_back(!placement.pending.empty());
    if (placement.pending.empty()) {
      continue;
    }
    bool isFirst = pending.axes.empty();
    if (placement.combination != Combination::Sum ||
        (!isFirst && placement.pending != pending.axes)) {
      return {};
    }
    pending.axes = placement.pending;
  }
  if (!pending.axes.empty() && !isLinear(op, pending.isPending)) {
    return {};
  }
  return pending;
}

} // namespace xla::partition
