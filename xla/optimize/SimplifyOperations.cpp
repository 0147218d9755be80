//===- SimplifyOperations.cpp - Operations that do nothing, or too much ---===//
//
// Rewrites that hold bit for bit (a NaN may change its payload), so for floats:
//
//   x * 1, x / 1, x - (+0), x + (-0)      -> x
//   max(x, -inf), min(x, +inf), max(x, x) -> x
//
// and never x + (+0), which makes +0 of -0, nor x * 0, which is NaN for an
// infinite x. Integers and bits have their usual neutral and absorbing numbers.
// Movements of elements are dropped where nothing moves and joined where one
// follows another.
//
// A product that sums nothing is a multiplication, which fuses with what
// follows. A product whose result is transposed is the product of the other
// order.
//
//===----------------------------------------------------------------------===//

#include "xla/optimize/Passes.h"

#include "xla/dialect/stablehlo/StablehloOps.h"
#include "xla/optimize/Patterns.h"

#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace xla {

using namespace stablehlo;
using mlir::failure;
using mlir::LogicalResult;
using mlir::Operation;
using mlir::PatternRewriter;
using mlir::RankedTensorType;
using mlir::success;
using mlir::Value;

static bool isStatic(Value value) {
  RankedTensorType type = typeOf(value);
  return type && type.hasStaticShape();
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

/// The one number of a constant, also where it was spread over a shape.
static mlir::Attribute splatOf(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!llvm::isa<BroadcastInDimOp, BroadcastOp, ReshapeOp>(op)) {
      break;
    }
    value = op->getOperand(0);
  }
  auto constant = value.getDefiningOp<ConstantOp>();
  auto splat =
      constant ? llvm::dyn_cast<mlir::SplatElementsAttr>(constant.getValue())
               : mlir::SplatElementsAttr();
  return splat ? splat.getSplatValue<mlir::Attribute>() : mlir::Attribute();
}

static bool isFloatWhere(Value value,
                         llvm::function_ref<bool(const llvm::APFloat &)> test) {
  auto number = llvm::dyn_cast_or_null<mlir::FloatAttr>(splatOf(value));
  return number && test(number.getValue());
}

static bool isIntegerWhere(Value value,
                           llvm::function_ref<bool(const llvm::APInt &)> test) {
  auto number = llvm::dyn_cast_or_null<mlir::IntegerAttr>(splatOf(value));
  return number && test(number.getValue());
}

static bool isOne(Value value) {
  return isFloatWhere(value,
                      [](const llvm::APFloat &x) {
                        return x.bitwiseIsEqual(
                            llvm::APFloat::getOne(x.getSemantics()));
                      }) ||
         isIntegerWhere(value, [](const llvm::APInt &x) { return x.isOne(); });
}

/// An integer zero or, among floats, the zero of this sign.
static bool isZero(Value value, bool negative) {
  return isFloatWhere(value,
                      [&](const llvm::APFloat &x) {
                        return x.isZero() && x.isNegative() == negative;
                      }) ||
         isIntegerWhere(value, [](const llvm::APInt &x) { return x.isZero(); });
}

static bool isInfinity(Value value, bool negative) {
  return isFloatWhere(value, [&](const llvm::APFloat &x) {
    return x.isInfinity() && x.isNegative() == negative;
  });
}

static bool isIntegerZero(Value value) {
  return isIntegerWhere(value, [](const llvm::APInt &x) { return x.isZero(); });
}

static bool isAllOnes(Value value) {
  return isIntegerWhere(value,
                        [](const llvm::APInt &x) { return x.isAllOnes(); });
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

/// The operand that a binary operation gives back unchanged, if one.
static Value unchangedOperand(Operation *op) {
  if (op->getNumOperands() != 2 || op->getNumResults() != 1) {
    return {};
  }
  Value x = op->getOperand(0), y = op->getOperand(1);
  auto either = [&](auto isNeutral) -> Value {
    return isNeutral(y) ? x : isNeutral(x) ? y : Value();
  };
  if (llvm::isa<MulOp>(op)) {
    return either(isOne);
  }
  if (llvm::isa<DivOp>(op)) {
    return isOne(y) ? x : Value();
  }
  if (llvm::isa<AddOp>(op)) {
    return either([](Value v) { return isZero(v, true); });
  }
  if (llvm::isa<SubtractOp>(op)) {
    return isZero(y, false) ? x : Value();
  }
  if (llvm::isa<MaxOp>(op)) {
    return x == y ? x : either([](Value v) { return isInfinity(v, true); });
  }
  if (llvm::isa<MinOp>(op)) {
    return x == y ? x : either([](Value v) { return isInfinity(v, false); });
  }
  if (llvm::isa<AndOp>(op)) {
    return x == y || isAllOnes(y) || isIntegerZero(x) ? x
           : isAllOnes(x) || isIntegerZero(y)         ? y
                                                      : Value();
  }
  if (llvm::isa<OrOp>(op)) {
    return x == y || isIntegerZero(y) || isAllOnes(x) ? x
           : isIntegerZero(x) || isAllOnes(y)         ? y
                                                      : Value();
  }
  if (llvm::isa<XorOp>(op)) {
    return either(isIntegerZero);
  }
  return {};
}

/// Movements that move nothing, conversions that change nothing, involutions.
static Value unmovedOperand(Operation *op) {
  if (op->getNumOperands() == 0 || op->getNumResults() != 1 ||
      op->getOperand(0).getType() != op->getResult(0).getType()) {
    return {};
  }
  Value operand = op->getOperand(0);
  auto isInOrder = [](llvm::ArrayRef<int64_t> dimensions) {
    for (auto [i, d] : llvm::enumerate(dimensions)) {
      if (d != static_cast<int64_t>(i)) {
        return false;
      }
    }
    return true;
  };
  if (llvm::isa<ReshapeOp, ConvertOp, SliceOp, BitcastConvertOp>(op)) {
    return operand;
  }
  if (auto transpose = llvm::dyn_cast<TransposeOp>(op)) {
    return isInOrder(transpose.getPermutation()) ? operand : Value();
  }
  if (auto broadcast = llvm::dyn_cast<BroadcastInDimOp>(op)) {
    return isInOrder(broadcast.getBroadcastDimensions()) ? operand : Value();
  }
  if (llvm::isa<ConcatenateOp>(op)) {
    return op->getNumOperands() == 1 ? operand : Value();
  }
  if (auto pad = llvm::dyn_cast<PadOp>(op)) {
    auto isNone = [](llvm::ArrayRef<int64_t> sizes) {
      return llvm::all_of(sizes, [](int64_t size) { return size == 0; });
    };
    return isNone(pad.getEdgePaddingLow()) && isNone(pad.getEdgePaddingHigh())
               ? operand
               : Value();
  }
  if (llvm::isa<DynamicSliceOp>(op)) {
    return operand; // the start is clamped to 0
  }
  if (llvm::isa<NegOp, NotOp>(op)) {
    Operation *inner = operand.getDefiningOp();
    return inner && inner->getName() == op->getName() ? inner->getOperand(0)
                                                      : Value();
  }
  return {};
}

namespace {

struct DropOperation : mlir::RewritePattern {
  explicit DropOperation(mlir::MLIRContext *context)
      : RewritePattern(MatchAnyOpTypeTag(), 1, context) {}

  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const override {
    if (op->getNumResults() != 1 || !typeOf(op->getResult(0))) {
      return failure();
    }
    Value kept = unchangedOperand(op);
    kept = kept ? kept : unmovedOperand(op);
    if (!kept || kept.getType() != op->getResult(0).getType()) {
      return failure();
    }
    rewriter.replaceOp(op, kept);
    return success();
  }
};

struct DropSelect : mlir::OpRewritePattern<SelectOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(SelectOp op,
                                PatternRewriter &rewriter) const override {
    Value yes = op.getOnTrue(), no = op.getOnFalse();
    auto choice =
        llvm::dyn_cast_or_null<mlir::IntegerAttr>(splatOf(op.getPred()));
    if (yes != no && !choice) {
      return failure();
    }
    rewriter.replaceOp(op, yes == no || choice.getValue().isOne() ? yes : no);
    return success();
  }
};

/// An update of everything is the update.
struct DropUpdate : mlir::OpRewritePattern<DynamicUpdateSliceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(DynamicUpdateSliceOp op,
                                PatternRewriter &rewriter) const override {
    if (op.getUpdate().getType() != op.getResult().getType()) {
      return failure();
    }
    rewriter.replaceOp(op, op.getUpdate());
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Movements of movements
//===----------------------------------------------------------------------===//

struct JoinReshapes : mlir::OpRewritePattern<ReshapeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ReshapeOp op,
                                PatternRewriter &rewriter) const override {
    auto inner = op.getOperand().getDefiningOp<ReshapeOp>();
    if (!inner) {
      return failure();
    }
    rewriter.replaceOpWithNewOp<ReshapeOp>(op, op.getType(),
                                           inner.getOperand());
    return success();
  }
};

struct JoinTransposes : mlir::OpRewritePattern<TransposeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(TransposeOp op,
                                PatternRewriter &rewriter) const override {
    auto inner = op.getOperand().getDefiningOp<TransposeOp>();
    if (!inner) {
      return failure();
    }
    llvm::SmallVector<int64_t> permutation;
    for (int64_t d : op.getPermutation()) {
      permutation.push_back(inner.getPermutation()[d]);
    }
    rewriter.replaceOpWithNewOp<TransposeOp>(
        op, op.getType(), inner.getOperand(),
        rewriter.getDenseI64ArrayAttr(permutation));
    return success();
  }
};

struct JoinBroadcasts : mlir::OpRewritePattern<BroadcastInDimOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(BroadcastInDimOp op,
                                PatternRewriter &rewriter) const override {
    auto inner = op.getOperand().getDefiningOp<BroadcastInDimOp>();
    if (!inner) {
      return failure();
    }
    llvm::SmallVector<int64_t> dimensions;
    for (int64_t d : inner.getBroadcastDimensions()) {
      dimensions.push_back(op.getBroadcastDimensions()[d]);
    }
    rewriter.replaceOpWithNewOp<BroadcastInDimOp>(
        op, op.getType(), inner.getOperand(),
        rewriter.getDenseI64ArrayAttr(dimensions));
    return success();
  }
};

/// Whether a few operations compute `value` element by element from what is
/// spread over its shape: more elements than there were.
static bool isSpread(Value value) {
  constexpr size_t most = 8;
  llvm::SmallVector<Value> work = {value};
  for (size_t n = 0; n < work.size() && n < most; ++n) {
    Operation *op = work[n].getDefiningOp();
    if (!op || !isStatic(work[n])) {
      continue;
    }
    if (auto broadcast = llvm::dyn_cast<BroadcastInDimOp>(op)) {
      RankedTensorType from = typeOf(broadcast.getOperand());
      if (from.hasStaticShape() && from.getNumElements() > 1 &&
          from.getNumElements() < typeOf(work[n]).getNumElements()) {
        return true;
      }
    } else if (op->hasTrait<mlir::OpTrait::Elementwise>()) {
      llvm::append_range(work, op->getOperands());
    }
  }
  return false;
}

/// f(reshape(x)) = reshape(f(x)), element by element. What is spread over a
/// shape and then reshaped has its indices by the dimensions before, which
/// those of the result would have to be divided for.
struct MoveReshape : mlir::RewritePattern {
  explicit MoveReshape(mlir::MLIRContext *context)
      : RewritePattern(MatchAnyOpTypeTag(), 1, context) {}

  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const override {
    bool isFit = (op->hasTrait<mlir::OpTrait::Elementwise>() ||
                  llvm::isa<SelectOp>(op)) &&
                 !llvm::isa<BitcastConvertOp>(op) && op->getNumResults() == 1 &&
                 op->getNumRegions() == 0;
    if (!isFit || !isStatic(op->getResult(0))) {
      return failure();
    }
    RankedTensorType after = typeOf(op->getResult(0)), before;
    for (Value operand : op->getOperands()) {
      auto reshape = operand.getDefiningOp<ReshapeOp>();
      if (!reshape || splatOf(operand)) {
        continue;
      }
      RankedTensorType from = typeOf(reshape.getOperand());
      bool fits = operand.hasOneUse() && isSpread(reshape.getOperand()) &&
                  (!before || from.getShape() == before.getShape());
      if (!fits) {
        return failure();
      }
      before = from;
    }
    // Of the other operands, what has one number has it in any shape.
    auto isFree = [&](Value operand) {
      RankedTensorType type = typeOf(operand);
      return type && type.getShape() == after.getShape() &&
             (operand.getDefiningOp<ReshapeOp>() || splatOf(operand));
    };
    if (!before || !llvm::all_of(op->getOperands(), isFree)) {
      return failure();
    }
    llvm::SmallVector<Value> operands;
    for (Value operand : op->getOperands()) {
      auto type = RankedTensorType::get(before.getShape(),
                                        typeOf(operand).getElementType());
      if (mlir::Attribute number = splatOf(operand)) {
        operands.push_back(
            ConstantOp::create(rewriter, op->getLoc(), type,
                               mlir::DenseElementsAttr::get(type, number)));
      } else {
        operands.push_back(operand.getDefiningOp<ReshapeOp>().getOperand());
      }
    }
    Operation *moved = rewriter.clone(*op);
    moved->setOperands(operands);
    moved->getResult(0).setType(
        RankedTensorType::get(before.getShape(), after.getElementType()));
    rewriter.replaceOpWithNewOp<ReshapeOp>(op, after, moved->getResult(0));
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// Dimensions of an operand that are neither shared nor summed over.
llvm::SmallVector<int64_t> freeDimensions(Value operand,
                                          llvm::ArrayRef<int64_t> shared,
                                          llvm::ArrayRef<int64_t> summed) {
  llvm::SmallVector<int64_t> dimensions;
  for (int64_t d = 0; d < typeOf(operand).getRank(); ++d) {
    if (!llvm::is_contained(shared, d) && !llvm::is_contained(summed, d)) {
      dimensions.push_back(d);
    }
  }
  return dimensions;
}

/// A product that sums one term each.
struct MultiplyOuter : mlir::OpRewritePattern<DotGeneralOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(DotGeneralOp op,
                                PatternRewriter &rewriter) const override {
    auto numbers = op.getDotDimensionNumbers();
    auto result = llvm::cast<RankedTensorType>(op.getType());
    mlir::Type element = result.getElementType();
    if (!isStatic(op.getLhs()) || !isStatic(op.getRhs()) ||
        !result.hasStaticShape() ||
        typeOf(op.getLhs()).getElementType() != element ||
        typeOf(op.getRhs()).getElementType() != element ||
        element.isInteger(1) ||
        llvm::any_of(numbers.getLhsContractingDimensions(), [&](int64_t d) {
          return typeOf(op.getLhs()).getDimSize(d) != 1;
        })) {
      return failure();
    }
    llvm::ArrayRef<int64_t> shared[] = {numbers.getLhsBatchingDimensions(),
                                        numbers.getRhsBatchingDimensions()};
    llvm::ArrayRef<int64_t> summed[] = {numbers.getLhsContractingDimensions(),
                                        numbers.getRhsContractingDimensions()};
    int64_t next = static_cast<int64_t>(shared[0].size());
    Value factors[2];
    for (int side : {0, 1}) {
      Value operand = op->getOperand(side);
      RankedTensorType type = typeOf(operand);
      llvm::SmallVector<int64_t> free =
          freeDimensions(operand, shared[side], summed[side]);
      // Without the summed dimensions; where those that are left go.
      llvm::SmallVector<int64_t> shape, positions;
      for (int64_t d = 0; d < type.getRank(); ++d) {
        if (llvm::is_contained(summed[side], d)) {
          continue;
        }
        shape.push_back(type.getDimSize(d));
        const auto *batch = llvm::find(shared[side], d);
        positions.push_back(batch != shared[side].end()
                                ? batch - shared[side].begin()
                                : next++);
      }
      Value flat = operand;
      if (!summed[side].empty()) {
        flat = ReshapeOp::create(rewriter, op.getLoc(),
                                 RankedTensorType::get(shape, element), flat);
      }
      factors[side] =
          BroadcastInDimOp::create(rewriter, op.getLoc(), result, flat,
                                   rewriter.getDenseI64ArrayAttr(positions));
    }
    rewriter.replaceOpWithNewOp<MulOp>(op, result, factors[0], factors[1]);
    return success();
  }
};

/// transpose(a b) = b' a', where that is the whole transposition.
struct SwapFactors : mlir::OpRewritePattern<TransposeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(TransposeOp op,
                                PatternRewriter &rewriter) const override {
    auto dot = op.getOperand().getDefiningOp<DotGeneralOp>();
    if (!dot || !dot->hasOneUse() || dot.getAlgorithm()) {
      return failure();
    }
    auto numbers = dot.getDotDimensionNumbers();
    auto batch =
        static_cast<int64_t>(numbers.getLhsBatchingDimensions().size());
    int64_t rank = typeOf(op.getResult()).getRank();
    int64_t left = typeOf(dot.getLhs()).getRank() - batch -
                   numbers.getLhsContractingDimensions().size();
    for (auto [i, from] : llvm::enumerate(op.getPermutation())) {
      int64_t d = static_cast<int64_t>(i);
      int64_t right = rank - batch - left;
      int64_t wanted = d < batch ? d : d < batch + right ? d + left : d - right;
      if (from != wanted) {
        return failure();
      }
    }
    Operation *swapped = rewriter.clone(*dot);
    swapped->setOperands({dot.getRhs(), dot.getLhs()});
    swapped->getResult(0).setType(op.getType());
    auto product = llvm::cast<DotGeneralOp>(swapped);
    product.setDotDimensionNumbersAttr(DotDimensionNumbersAttr::get(
        op.getContext(), numbers.getRhsBatchingDimensions(),
        numbers.getLhsBatchingDimensions(),
        numbers.getRhsContractingDimensions(),
        numbers.getLhsContractingDimensions()));
    if (auto precision = llvm::dyn_cast_or_null<mlir::ArrayAttr>(
            swapped->getAttr("precision_config"))) {
      llvm::SmallVector<mlir::Attribute> reversed(
          llvm::reverse(precision.getValue()));
      swapped->setAttr("precision_config", rewriter.getArrayAttr(reversed));
    }
    rewriter.replaceOp(op, swapped->getResults());
    return success();
  }
};

} // namespace

void simplifyOperations(mlir::ModuleOp module) {
  mlir::MLIRContext *context = module.getContext();
  mlir::RewritePatternSet patterns(context);
  patterns
      .add<DropOperation, DropSelect, DropUpdate, JoinReshapes, JoinTransposes,
           JoinBroadcasts, MoveReshape, MultiplyOuter, SwapFactors>(context);
  addReductionUnrolling(patterns);
  addLogarithms(patterns);
  addProductJoining(patterns);
  mlir::GreedyRewriteConfig config;
  // Constants stay where they are used: moving all of them to the function's
  // start would cost a buffer for each.
  config.enableConstantCSE(false);
  config.enableFolding(false);
  config.setRegionSimplificationLevel(
      mlir::GreedySimplifyRegionLevel::Disabled);
  // Where the limit of iterations is met, the program is right all the same.
  (void)mlir::applyPatternsGreedily(module, std::move(patterns), config);
}

} // namespace xla
