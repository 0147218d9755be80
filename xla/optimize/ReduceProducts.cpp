//===- ReduceProducts.cpp - Sums of products of arrays turned -------------===//
//
// A product that keeps no dimension of one factor alone has a loop over what
// both have, and none that reads one of them again. Where they are in memory in
// different orders, that is a loop nest over a transposed array, which goes by
// tiles; where the last dimension in memory is kept, terms are added in vectors
// of results. Both are a multiplication, which is then summed.
//
//===----------------------------------------------------------------------===//

#include "xla/dialect/stablehlo/StablehloOps.h"
#include "xla/optimize/Patterns.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace xla {

using namespace stablehlo;

/// Of each dimension of lhs, the one of rhs that goes with it. Empty where one
/// of them has a dimension of its own.
static SmallVector<int64_t> partnersOf(DotGeneralOp op) {
  auto numbers = op.getDotDimensionNumbers();
  SmallVector<int64_t> partners(shapeOf(op.getLhs()).size(), -1);
  auto pair = [&](ArrayRef<int64_t> lhs, ArrayRef<int64_t> rhs) {
    for (auto [l, r] : llvm::zip_equal(lhs, rhs)) {
      partners[l] = r;
    }
  };
  pair(numbers.getLhsBatchingDimensions(), numbers.getRhsBatchingDimensions());
  pair(numbers.getLhsContractingDimensions(),
       numbers.getRhsContractingDimensions());
  bool isWhole = !llvm::is_contained(partners, -1) &&
                 partners.size() == shapeOf(op.getRhs()).size();
  return isWhole ? partners : SmallVector<int64_t>();
}

/// The position of dimension `d` in memory, if transposes are read in place.
static int64_t positionOf(Value value, int64_t d) {
  while (auto transpose = value.getDefiningOp<TransposeOp>()) {
    d = transpose.getPermutation()[d];
    value = transpose.getOperand();
  }
  return d;
}

/// Whether many terms are summed that are apart in memory, the results being
/// side by side.
static bool areTermsApart(DotGeneralOp op) {
  constexpr int64_t fewTerms = 32; // which a loop over results writes out
  auto summed = op.getDotDimensionNumbers().getLhsContractingDimensions();
  ArrayRef<int64_t> shape = shapeOf(op.getLhs());
  int64_t terms = 1, last = -1, lastPosition = -1;
  for (auto [d, size] : llvm::enumerate(shape)) {
    auto dimension = static_cast<int64_t>(d);
    int64_t position = positionOf(op.getLhs(), dimension);
    terms *= llvm::is_contained(summed, dimension) ? size : 1;
    if (size > 1 && position > lastPosition) {
      last = dimension;
      lastPosition = position;
    }
  }
  return last >= 0 && terms > fewTerms && !llvm::is_contained(summed, last);
}

/// Whether dimensions of more than one element follow each other in both
/// factors in the same order.
static bool areAlike(DotGeneralOp op, ArrayRef<int64_t> partners) {
  SmallVector<std::pair<int64_t, int64_t>> positions;
  for (auto [d, size] : llvm::enumerate(shapeOf(op.getLhs()))) {
    if (size > 1) {
      positions.emplace_back(positionOf(op.getLhs(), static_cast<int64_t>(d)),
                             positionOf(op.getRhs(), partners[d]));
    }
  }
  llvm::sort(positions);
  return llvm::is_sorted(llvm::make_second_range(positions));
}

/// In which numbers terms are multiplied and summed: those of 16 bits are
/// rounded once. Null where a product does otherwise.
static Type termsOf(DotGeneralOp op) {
  Type result = getElementTypeOrSelf(op.getType());
  auto isKnown = [](Type type) {
    return isa<Float16Type, BFloat16Type, Float32Type, Float64Type>(type) ||
           (isa<IntegerType>(type) && type.getIntOrFloatBitWidth() >= 8);
  };
  for (Type type : {result, getElementTypeOrSelf(op.getLhs().getType()),
                    getElementTypeOrSelf(op.getRhs().getType())}) {
    if (!isKnown(type) || isa<FloatType>(type) != isa<FloatType>(result)) {
      return {};
    }
  }
  bool isHalf = isa<FloatType>(result) && result.getIntOrFloatBitWidth() == 16;
  return isHalf ? Float32Type::get(op.getContext()) : result;
}

static Value sumOf(OpBuilder &b, Location where, Value terms,
                   RankedTensorType result, ArrayRef<int64_t> summed) {
  auto scalar = RankedTensorType::get({}, result.getElementType());
  Value zero = ConstantOp::create(
      b, where,
      DenseElementsAttr::get(scalar, b.getZeroAttr(result.getElementType())));
  auto reduce =
      ReduceOp::create(b, where, TypeRange{result}, ValueRange{terms},
                       ValueRange{zero}, b.getDenseI64ArrayAttr(summed));
  OpBuilder::InsertionGuard guard(b);
  Block *block =
      b.createBlock(&reduce.getBody(), {}, {scalar, scalar}, {where, where});
  Value sum =
      AddOp::create(b, where, block->getArgument(0), block->getArgument(1));
  stablehlo::ReturnOp::create(b, where, sum);
  return reduce.getResult(0);
}

static void reduceProduct(DotGeneralOp op) {
  auto lhs = dyn_cast<RankedTensorType>(op.getLhs().getType());
  auto rhs = dyn_cast<RankedTensorType>(op.getRhs().getType());
  auto result = dyn_cast<RankedTensorType>(op.getType());
  if (!lhs || !rhs || !result || !lhs.hasStaticShape() ||
      !rhs.hasStaticShape() || !result.hasStaticShape()) {
    return;
  }
  SmallVector<int64_t> partners = partnersOf(op);
  auto numbers = op.getDotDimensionNumbers();
  Type element = termsOf(op);
  // What is left after the sum is in the order of lhs.
  if (!element || partners.empty() ||
      (areAlike(op, partners) && !areTermsApart(op)) ||
      !llvm::is_sorted(numbers.getLhsBatchingDimensions())) {
    return;
  }
  OpBuilder b(op);
  Location where = op.getLoc();
  auto converted = [&](Value value, RankedTensorType to) -> Value {
    return value.getType() == to ? value
                                 : ConvertOp::create(b, where, to, value);
  };
  RankedTensorType terms = lhs.clone(element);
  Value turned = TransposeOp::create(
      b, where, RankedTensorType::get(lhs.getShape(), rhs.getElementType()),
      op.getRhs(), b.getDenseI64ArrayAttr(partners));
  Value products = MulOp::create(b, where, terms, converted(op.getLhs(), terms),
                                 converted(turned, terms));
  SmallVector<int64_t> summed(numbers.getLhsContractingDimensions());
  llvm::sort(summed);
  Value sums = sumOf(b, where, products, result.clone(element), summed);
  op->replaceAllUsesWith(ValueRange{converted(sums, result)});
  op->erase();
}

void reduceProducts(ModuleOp module) {
  module.walk([](DotGeneralOp op) { reduceProduct(op); });
}

} // namespace xla
