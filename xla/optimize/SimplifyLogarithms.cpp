//===- SimplifyLogarithms.cpp - Logarithms of one exponential -------------===//
//
// A logarithm of a sum of exponentials takes the greatest number away first. Of
// one number alone that is the number itself: what is left is exp(0), if it is
// finite, and nothing has to be computed.
//
//===----------------------------------------------------------------------===//

#include "xla/dialect/stablehlo/StablehloOps.h"
#include "xla/optimize/Patterns.h"

#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

namespace xla {

using namespace stablehlo;
using mlir::failure;
using mlir::LogicalResult;
using mlir::Operation;
using mlir::PatternRewriter;
using mlir::RankedTensorType;
using mlir::success;
using mlir::Value;

/// The value whose elements these are, one after the other, perhaps under
/// another shape.
static Value elementsOf(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    auto broadcast = llvm::dyn_cast<BroadcastInDimOp>(op);
    bool isAlike =
        llvm::isa<ReshapeOp>(op) ||
        (broadcast && llvm::is_sorted(broadcast.getBroadcastDimensions()));
    RankedTensorType type = isAlike ? typeOf(op->getOperand(0)) : nullptr;
    if (!type || !type.hasStaticShape() || !typeOf(value).hasStaticShape() ||
        type.getNumElements() != typeOf(value).getNumElements()) {
      break;
    }
    value = op->getOperand(0);
  }
  return value;
}

static bool isZero(Value value) {
  if (auto broadcast = value.getDefiningOp<BroadcastInDimOp>()) {
    value = broadcast.getOperand();
  }
  return matchPattern(value, mlir::m_AnyZeroFloat());
}

/// x of x - select(is_finite(x), x, 0). Null if it is something else.
static Value shiftedByItself(Value value) {
  auto difference = value.getDefiningOp<SubtractOp>();
  auto choice = difference
                    ? elementsOf(difference.getRhs()).getDefiningOp<SelectOp>()
                    : SelectOp();
  auto test = choice ? elementsOf(choice.getPred()).getDefiningOp<IsFiniteOp>()
                     : IsFiniteOp();
  if (!test || !isZero(choice.getOnFalse())) {
    return {};
  }
  Value x = elementsOf(difference.getLhs());
  bool isSame =
      elementsOf(choice.getOnTrue()) == x && elementsOf(test.getOperand()) == x;
  return isSame ? x : Value();
}

namespace {

/// log(exp(x - select(is_finite(x), x, 0))) = select(is_finite(x), 0, x), also
/// with a zero added to the exponential, which is no negative zero. Exact: x -
/// x is +0, exp(0) is 1, and log(exp(x)) of an infinity is the infinity.
struct DropExponential : mlir::OpRewritePattern<LogOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(LogOp op,
                                PatternRewriter &rewriter) const override {
    RankedTensorType type = typeOf(op.getResult());
    if (!type || !type.hasStaticShape() ||
        !llvm::isa<mlir::FloatType>(type.getElementType())) {
      return failure();
    }
    Value sum = elementsOf(op.getOperand());
    if (auto add = sum.getDefiningOp<AddOp>()) {
      sum = isZero(add.getLhs())   ? elementsOf(add.getRhs())
            : isZero(add.getRhs()) ? elementsOf(add.getLhs())
                                   : sum;
    }
    auto exponential = sum.getDefiningOp<ExpOp>();
    Value x = exponential ? shiftedByItself(exponential.getOperand()) : Value();
    if (!x) {
      return failure();
    }
    mlir::Location location = op.getLoc();
    Value number = ReshapeOp::create(rewriter, location, type, x);
    Value isFinite = IsFiniteOp::create(
        rewriter, location, type.clone(rewriter.getI1Type()), number);
    Value zero = ConstantOp::create(
        rewriter, location,
        mlir::DenseElementsAttr::get(
            type, rewriter.getZeroAttr(type.getElementType())));
    rewriter.replaceOpWithNewOp<SelectOp>(op, type, isFinite, zero, number);
    return success();
  }
};

} // namespace

void addLogarithms(mlir::RewritePatternSet &patterns) {
  patterns.add<DropExponential>(patterns.getContext());
}

} // namespace xla
