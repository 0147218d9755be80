//===- WidenSortKeys.cpp - Short integers are sorted as long ones ---------===//
//
// Numbers of 32 bits are sorted by their digits, all others by comparisons. A
// short integer is the same number in 32 bits.
//
//===----------------------------------------------------------------------===//

#include "xla/optimize/Patterns.h"

#include "mlir/IR/Builders.h"

namespace xla {

using namespace stablehlo;
using mlir::RankedTensorType;
using mlir::Value;

/// Whether the comparator compares the two elements of the first operand, and
/// nothing else.
static bool comparesFirst(mlir::Block &comparator) {
  auto compare = llvm::dyn_cast<CompareOp>(comparator.front());
  if (!compare || compare->getNextNode() != comparator.getTerminator()) {
    return false;
  }
  auto isKey = [&](Value value) {
    return value == comparator.getArgument(0) ||
           value == comparator.getArgument(1);
  };
  return isKey(compare.getLhs()) && isKey(compare.getRhs());
}

static void widenKeys(SortOp sort) {
  auto keys = llvm::cast<RankedTensorType>(sort.getInputs().front().getType());
  auto type = llvm::dyn_cast<mlir::IntegerType>(keys.getElementType());
  mlir::Block &comparator = sort.getComparator().front();
  if (!type || type.getWidth() >= 32 || !comparesFirst(comparator)) {
    return;
  }
  mlir::OpBuilder builder(sort);
  auto wide =
      mlir::IntegerType::get(builder.getContext(), 32,
                             type.getWidth() == 1 ? mlir::IntegerType::Unsigned
                                                  : type.getSignedness());
  sort->setOperand(0,
                   ConvertOp::create(builder, sort.getLoc(), keys.clone(wide),
                                     sort.getInputs().front()));
  for (unsigned i = 0; i < 2; ++i) {
    comparator.getArgument(i).setType(RankedTensorType::get({}, wide));
  }
  Value sorted = sort.getResult(0);
  sorted.setType(keys.clone(wide));
  builder.setInsertionPointAfter(sort);
  auto narrow = ConvertOp::create(builder, sort.getLoc(), keys, sorted);
  sorted.replaceAllUsesExcept(narrow.getResult(), narrow);
}

void widenSortKeys(mlir::ModuleOp module) { module.walk(widenKeys); }

} // namespace xla
