//===- UnrollReductions.cpp - Folds of a few parts ------------------------===//
//
// A reduction is a step of its own, which wants its operand in memory. Where
// the operand is put together of arrays along the dimension that is folded, as
// `stack` and then `sum` does, it is never put together: the arrays are folded
// element by element, which fuses with what they are computed from and with
// what follows. So are all or any of a few bits, which gathers ask for whose
// indices may be outside, and dimensions of one element.
//
//===----------------------------------------------------------------------===//

#include "xla/dialect/stablehlo/StablehloOps.h"
#include "xla/optimize/Patterns.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"

namespace xla {

using namespace stablehlo;
using mlir::failure;
using mlir::LogicalResult;
using mlir::Operation;
using mlir::PatternRewriter;
using mlir::RankedTensorType;
using mlir::success;
using mlir::Type;
using mlir::Value;

static bool isJoined(Operation *op, int64_t d) {
  auto concatenate = llvm::dyn_cast_or_null<ConcatenateOp>(op);
  return concatenate && static_cast<int64_t>(concatenate.getDimension()) == d;
}

/// Whether `op` computes each element from the elements at the same index.
static bool isElementByElement(Operation *op, RankedTensorType type) {
  auto isAlike = [&](Value operand) {
    return typeOf(operand) && typeOf(operand).getShape() == type.getShape();
  };
  return op && op->hasTrait<mlir::OpTrait::Elementwise>() &&
         op->getNumResults() == 1 && op->getNumRegions() == 0 &&
         llvm::all_of(op->getOperands(), isAlike);
}

/// Part `i` of `value` along dimension `d`, of size 1 there: of what is
/// computed element by element, computed from parts. A value that is used
/// twice is computed twice, so `budget` operations are the most that this makes
/// beside slices.
static Value partOf(PatternRewriter &rewriter, Value value, int64_t d,
                    int64_t i, int &budget) {
  RankedTensorType type = typeOf(value);
  llvm::SmallVector<int64_t> shape(type.getShape());
  shape[d] = 1;
  auto part = RankedTensorType::get(shape, type.getElementType());
  mlir::Location location = value.getLoc();
  Operation *op = budget > 0 ? value.getDefiningOp() : nullptr;
  if (type == part) {
    return value;
  }
  --budget;
  if (isElementByElement(op, type)) {
    mlir::OperationState state(location, op->getName());
    for (Value operand : op->getOperands()) {
      state.operands.push_back(partOf(rewriter, operand, d, i, budget));
    }
    state.types.push_back(part);
    state.attributes = op->getAttrs();
    return rewriter.create(state)->getResult(0);
  }
  if (auto broadcast = llvm::dyn_cast_or_null<BroadcastInDimOp>(op)) {
    Value operand = broadcast.getOperand();
    for (auto [from, to] :
         llvm::enumerate(broadcast.getBroadcastDimensions())) {
      if (to == d) {
        operand = partOf(rewriter, operand, static_cast<int64_t>(from),
                         typeOf(operand).getDimSize(from) == 1 ? 0 : i, budget);
      }
    }
    return BroadcastInDimOp::create(rewriter, location, part, operand,
                                    broadcast.getBroadcastDimensionsAttr());
  }
  if (isJoined(op, d)) {
    int64_t at = i;
    for (Value input : op->getOperands()) {
      int64_t size = typeOf(input).getDimSize(d);
      if (at < size) {
        return partOf(rewriter, input, d, at, budget);
      }
      at -= size;
    }
  }
  llvm::SmallVector<int64_t> starts(shape.size(), 0), strides(shape.size(), 1);
  llvm::SmallVector<int64_t> limits(shape);
  starts[d] = i;
  limits[d] = i + 1;
  return SliceOp::create(rewriter, location, part, value,
                         rewriter.getDenseI64ArrayAttr(starts),
                         rewriter.getDenseI64ArrayAttr(limits),
                         rewriter.getDenseI64ArrayAttr(strides));
}

/// Whether all along `d` is put together there of parts of size 1,
/// for this one use, or computed from such with at most `budget` operations.
static bool isOfParts(Value value, int64_t d, int &budget) {
  Operation *op = value.getDefiningOp();
  if (!op || !value.hasOneUse() || --budget < 0) {
    return false;
  }
  auto isPart = [&](Value operand) {
    return typeOf(operand).getDimSize(d) == 1 || isOfParts(operand, d, budget);
  };
  if (isJoined(op, d)) {
    return llvm::all_of(op->getOperands(), isPart);
  }
  auto isSame = [&](Value operand) {
    auto broadcast = operand.getDefiningOp<BroadcastInDimOp>();
    return (broadcast &&
            !llvm::is_contained(broadcast.getBroadcastDimensions(), d)) ||
           isOfParts(operand, d, budget);
  };
  return isElementByElement(op, typeOf(value)) &&
         llvm::all_of(op->getOperands(), isSame) &&
         llvm::any_of(op->getOperands(), [](Value operand) {
           return !operand.getDefiningOp<BroadcastInDimOp>();
         });
}

Operation *foldOf(mlir::Region &region) {
  mlir::Block &body = region.front();
  Operation &fold = body.front();
  bool isAlone = body.getNumArguments() == 2 &&
                 llvm::isa<AddOp, MulOp, MaxOp, MinOp, AndOp, OrOp>(fold) &&
                 fold.getNextNode() == body.getTerminator() &&
                 fold.getOperand(0) != fold.getOperand(1) &&
                 llvm::is_contained(body.getArguments(), fold.getOperand(0)) &&
                 llvm::is_contained(body.getArguments(), fold.getOperand(1)) &&
                 body.getTerminator()->getOperand(0) == fold.getResult(0);
  return isAlone ? &fold : nullptr;
}

Operation *foldOf(ReduceOp op) {
  return op.getInputs().size() == 1 ? foldOf(op.getBody()) : nullptr;
}

namespace {

struct WriteOutReduction : mlir::OpRewritePattern<ReduceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ReduceOp op,
                                PatternRewriter &rewriter) const override {
    Operation *fold = foldOf(op);
    if (!fold || op.getDimensions().empty()) {
      return failure();
    }
    Value input = op.getInputs().front();
    RankedTensorType type = typeOf(input);
    if (!type || !type.hasStaticShape() || type.getNumElements() == 0 ||
        !isWorth(input, op.getDimensions())) {
      return failure();
    }
    int64_t d = op.getDimensions().front();
    // Sums of 16 bits are rounded once, as those of every reduction.
    Type element = type.getElementType();
    bool isHalf = llvm::isa<mlir::FloatType>(element) &&
                  element.getIntOrFloatBitWidth() <= 16 &&
                  llvm::isa<AddOp, MulOp>(fold);
    auto result = llvm::cast<RankedTensorType>(op.getResult(0).getType());
    RankedTensorType folded =
        isHalf ? result.clone(rewriter.getF32Type()) : result;
    auto widened = [&](Value value) -> Value {
      return isHalf ? ConvertOp::create(rewriter, op.getLoc(), folded, value)
                    : value;
    };
    Value all = widened(BroadcastInDimOp::create(
        rewriter, op.getLoc(), result, op.getInitValues().front(),
        rewriter.getDenseI64ArrayAttr({})));
    for (int64_t i = 0; i < type.getDimSize(d); ++i) {
      int budget = operations;
      Value part = ReshapeOp::create(rewriter, op.getLoc(), result,
                                     partOf(rewriter, input, d, i, budget));
      mlir::OperationState state(op.getLoc(), fold->getName(),
                                 {all, widened(part)}, {folded});
      all = rewriter.create(state)->getResult(0);
    }
    rewriter.replaceOp(
        op,
        isHalf
            ? ConvertOp::create(rewriter, op.getLoc(), result, all).getResult()
            : all);
    return success();
  }

private:
  static constexpr int operations = 32; // of a part: more than indices take

  static bool isWorth(Value input, llvm::ArrayRef<int64_t> dimensions) {
    constexpr int64_t mostBits = 4, mostParts = 32, mostElements = 128;
    if (llvm::all_of(dimensions, [&](int64_t d) {
          return typeOf(input).getDimSize(d) == 1;
        })) {
      return true;
    }
    if (dimensions.size() > 1) {
      return false;
    }
    int64_t d = dimensions.front();
    int64_t size = typeOf(input).getDimSize(d);
    if (typeOf(input).getElementType().isInteger(1) && size <= mostBits) {
      return true;
    }
    // Each part's operations are emitted anew.
    int budget = operations;
    return size <= mostParts && isOfParts(input, d, budget) &&
           (operations - budget) * size <= mostElements;
  }
};

/// A fold of one element for each result, as an argmax along a dimension of
/// size 1, is its body computed element by element.
struct InlineFold : mlir::OpRewritePattern<ReduceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ReduceOp op,
                                PatternRewriter &rewriter) const override {
    mlir::Block &body = op.getBody().front();
    if (!isOfOne(op) || foldOf(op) || !isInlined(body)) {
      return failure();
    }
    mlir::Location location = op.getLoc();
    auto spread = [&](Value scalar, Type type) -> Value {
      return BroadcastInDimOp::create(rewriter, location, type, scalar,
                                      rewriter.getDenseI64ArrayAttr({}));
    };
    mlir::IRMapping values;
    size_t count = op.getInputs().size();
    for (size_t n = 0; n < count; ++n) {
      Type type = op.getResult(n).getType();
      values.map(body.getArgument(n), spread(op.getInitValues()[n], type));
      values.map(body.getArgument(count + n),
                 ReshapeOp::create(rewriter, location, type, op.getInputs()[n])
                     .getResult());
    }
    RankedTensorType like = typeOf(op.getResult(0));
    for (Operation &inner : body.without_terminator()) {
      RankedTensorType type =
          like.clone(typeOf(inner.getResult(0)).getElementType());
      if (llvm::isa<ConstantOp>(inner)) {
        values.map(inner.getResult(0),
                   spread(rewriter.clone(inner)->getResult(0), type));
      } else {
        Operation *copy = rewriter.clone(inner, values);
        copy->getResult(0).setType(type);
        values.map(inner.getResult(0), copy->getResult(0));
      }
    }
    rewriter.replaceOp(op,
                       llvm::map_to_vector(body.getTerminator()->getOperands(),
                                           [&](Value result) {
                                             return values.lookup(result);
                                           }));
    return success();
  }

private:
  static bool isOfOne(ReduceOp op) {
    return !op.getDimensions().empty() &&
           llvm::all_of(op.getInputs(), [&](Value input) {
             RankedTensorType type = typeOf(input);
             return type && type.hasStaticShape() && type.getNumElements() &&
                    llvm::all_of(op.getDimensions(), [&](int64_t d) {
                      return type.getDimSize(d) == 1;
                    });
           });
  }

  static bool isInlined(mlir::Block &body) {
    return llvm::all_of(body, [&](Operation &inner) {
      bool isComputed = inner.hasTrait<mlir::OpTrait::Elementwise>() ||
                        llvm::isa<ConstantOp, SelectOp>(inner);
      return llvm::all_of(inner.getOperands(),
                          [&](Value operand) {
                            return operand.getParentBlock() == &body;
                          }) &&
             (inner.hasTrait<mlir::OpTrait::IsTerminator>() ||
              (isComputed && inner.getNumResults() == 1 &&
               inner.getNumRegions() == 0 && typeOf(inner.getResult(0))));
    });
  }
};

} // namespace

void addReductionUnrolling(mlir::RewritePatternSet &patterns) {
  patterns.add<WriteOutReduction, InlineFold>(patterns.getContext());
}

} // namespace xla
