//===- ApproximateTopK.cpp - The custom call ApproxTopK -------------------===//
//
// Programs written for accelerators ask for most of the greatest elements by a
// custom call that compilers expand themselves. Here the answer is exact: sort
// with the given comparator, keep the first.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "xla/conversion/Conversion.h"
#include "xla/dialect/stablehlo/StablehloOps.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace xla {

using namespace stablehlo;

namespace {
/// What a call asks for: of each array the first elements along a dimension,
/// by a comparator. For `count` arrays there are as many padding values.
struct TopK {
  func::FuncOp comparator;
  unsigned count;
  int64_t dimension;
};
} // namespace

/// Whether the results are the operands, cut along the dimension.
static bool hasMatchingTypes(CustomCallOp op, const TopK &wanted) {
  ArrayRef<int64_t> shape;
  for (unsigned i = 0; i < wanted.count; ++i) {
    auto operand = dyn_cast<RankedTensorType>(op->getOperand(i).getType());
    auto result = dyn_cast<RankedTensorType>(op->getResult(i).getType());
    if (!operand || !result || !operand.hasStaticShape() ||
        wanted.dimension >= operand.getRank()) {
      return false;
    }
    if (i == 0) {
      shape = result.getShape();
    }
    SmallVector<int64_t> cut(operand.getShape());
    int64_t &size = cut[wanted.dimension];
    if (shape.size() != cut.size() || shape[wanted.dimension] > size) {
      return false;
    }
    size = shape[wanted.dimension];
    if (result.getShape() != ArrayRef(cut) || shape != ArrayRef(cut) ||
        result.getElementType() != operand.getElementType()) {
      return false;
    }
  }
  return true;
}

/// Whether the function takes two elements of each array and answers whether
/// the first goes before the second.
static bool compares(CustomCallOp op, const TopK &wanted) {
  func::FuncOp function = wanted.comparator;
  if (!function || function.isExternal() || function->isAncestor(op) ||
      !llvm::hasSingleElement(function.getBody()) ||
      function.getNumArguments() != 2 * wanted.count) {
    return false;
  }
  for (auto [i, type] : llvm::enumerate(function.getArgumentTypes())) {
    auto array = cast<RankedTensorType>(op->getOperand(i / 2).getType());
    if (type != RankedTensorType::get({}, array.getElementType())) {
      return false;
    }
  }
  Operation *end = function.getBody().front().getTerminator();
  return end->getOperandTypes() ==
         ArrayRef<Type>(
             RankedTensorType::get({}, IntegerType::get(op->getContext(), 1)));
}

static std::optional<TopK> readTopK(CustomCallOp op) {
  auto config = op->getAttrOfType<DictionaryAttr>("mhlo.backend_config");
  auto dimension =
      config ? config.getAs<IntegerAttr>("reduction_dim") : IntegerAttr();
  ArrayAttr functions = op.getCalledComputations();
  unsigned count = op->getNumResults();
  if (op.getCallTargetName() != "ApproxTopK" || !dimension || !functions ||
      functions.size() != 1 || count == 0 ||
      op->getNumOperands() != 2 * count || dimension.getInt() < 0) {
    return std::nullopt;
  }
  TopK wanted{SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
                  op, cast<FlatSymbolRefAttr>(functions[0])),
              count, dimension.getInt()};
  if (!hasMatchingTypes(op, wanted) || !compares(op, wanted)) {
    return std::nullopt;
  }
  return wanted;
}

bool expandApproximateTopK(CustomCallOp op) {
  std::optional<TopK> wanted = readTopK(op);
  if (!wanted) {
    return false;
  }
  OpBuilder builder(op);
  ValueRange arrays = op->getOperands().take_front(wanted->count);
  auto sort = SortOp::create(builder, op.getLoc(), TypeRange(arrays), arrays,
                             builder.getI64IntegerAttr(wanted->dimension),
                             builder.getBoolAttr(true));
  IRMapping mapping;
  wanted->comparator.getBody().cloneInto(&sort.getComparator(), mapping);
  Operation *end = sort.getComparator().front().getTerminator();
  if (!isa<ReturnOp>(end)) {
    builder.setInsertionPoint(end);
    ReturnOp::create(builder, end->getLoc(), end->getOperands());
    end->erase();
  }
  builder.setInsertionPoint(op);
  for (auto [result, sorted] :
       llvm::zip_equal(op->getResults(), sort.getResults())) {
    ArrayRef<int64_t> limits =
        cast<RankedTensorType>(result.getType()).getShape();
    SmallVector<int64_t> starts(limits.size(), 0), strides(limits.size(), 1);
    result.replaceAllUsesWith(
        SliceOp::create(builder, op.getLoc(), sorted, starts, limits, strides));
  }
  op->erase();
  return true;
}

} // namespace xla
