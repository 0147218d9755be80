//===- SortOrder.cpp - Comparators that are an order of numbers -----------===//

#include "xla/codegen/cpu/lower/sort/SortOrder.h"

#include "xla/codegen/cpu/Types.h"
#include "xla/runtime/abi/Runtime.h"

namespace xla::cpu {

using namespace stablehlo;
using mlir::Value;

/// The one number that a constant consists of, if it is a float.
static std::optional<llvm::APFloat> floatOf(Value value) {
  auto constant = value.getDefiningOp<ConstantOp>();
  auto elements =
      constant ? llvm::dyn_cast<mlir::DenseFPElementsAttr>(constant.getValue())
               : nullptr;
  if (!elements || !elements.isSplat()) {
    return std::nullopt;
  }
  return elements.getSplatValue<llvm::APFloat>();
}

static CompareOp comparison(Value value, ComparisonDirection direction) {
  auto compare = value.getDefiningOp<CompareOp>();
  return compare && compare.getComparisonDirection() == direction ? compare
                                                                  : nullptr;
}

/// select(x == 0, 0, x) -> x, else the value itself.
static Value withoutZeroSign(Value value) {
  auto select = value.getDefiningOp<SelectOp>();
  auto isZero =
      select ? comparison(select.getPred(), ComparisonDirection::EQ) : nullptr;
  if (!isZero || isZero.getLhs() != select.getOnFalse()) {
    return value;
  }
  std::optional<llvm::APFloat> with = floatOf(isZero.getRhs());
  std::optional<llvm::APFloat> zero = floatOf(select.getOnTrue());
  bool isPattern = with && with->isZero() && zero && zero->isPosZero();
  return isPattern ? select.getOnFalse() : value;
}

/// select(x != x, NaN, select(x == 0, 0, x)) -> x: with this around both sides,
/// the total order has one zero, and one NaN after everything. Null where
/// `value` is something else.
static Value withoutSpecialSigns(Value value) {
  auto select = value.getDefiningOp<SelectOp>();
  auto isNan =
      select ? comparison(select.getPred(), ComparisonDirection::NE) : nullptr;
  if (!isNan || isNan.getLhs() != isNan.getRhs()) {
    return nullptr;
  }
  std::optional<llvm::APFloat> nan = floatOf(select.getOnTrue());
  Value inner = withoutZeroSign(select.getOnFalse());
  bool isPattern =
      nan && nan->isNaN() && !nan->isNegative() &&
      inner != select.getOnFalse() &&
      (isNan.getLhs() == inner || isNan.getLhs() == select.getOnFalse());
  return isPattern ? inner : nullptr;
}

SortOrder recognizeSortOrder(SortOp op) {
  mlir::Block &block = op.getComparator().front();
  auto compare =
      block.getTerminator()->getOperand(0).getDefiningOp<CompareOp>();
  if (!compare) {
    return {};
  }
  SortOrder order;
  ElementType type = elementTypeOf(compare.getLhs().getType());
  Value first = compare.getLhs();
  Value second = compare.getRhs();
  switch (type) {
  case ElementType::F32:
    order = {"xla_sort_f32", XLA_ORDER_F32};
    break;
  case ElementType::S32:
    order = {"xla_sort_s32", XLA_ORDER_S32};
    break;
  case ElementType::U32:
    order = {"xla_sort_u32", XLA_ORDER_U32};
    break;
  default:
    return {};
  }
  if (type == ElementType::F32 &&
      compare.getCompareType() == ComparisonType::TOTALORDER) {
    Value numbers[] = {withoutSpecialSigns(first), withoutSpecialSigns(second)};
    if (numbers[0] && numbers[1]) {
      first = numbers[0];
      second = numbers[1];
    } else {
      order = {"xla_sort_f32_total", XLA_ORDER_F32_TOTAL};
    }
  }
  bool isLess = compare.getComparisonDirection() == ComparisonDirection::LT;
  bool isGreater = compare.getComparisonDirection() == ComparisonDirection::GT;
  bool isForward =
      first == block.getArgument(0) && second == block.getArgument(1);
  bool isBackward =
      first == block.getArgument(1) && second == block.getArgument(0);
  if (!(isLess || isGreater) || !(isForward || isBackward)) {
    return {};
  }
  order.isDescending = isLess != isForward;
  return order;
}

} // namespace xla::cpu
