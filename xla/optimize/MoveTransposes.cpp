//===- MoveTransposes.cpp - Transposes of what is in memory ---------------===//
//
// What is computed element by element and then transposed is computed from
// transposed operands: those are in memory, from where they are read by squares
// of vectors, and what is computed is computed along the lines that are
// written. A product reads its operands in any order, and keeps its transpose.
//
//===----------------------------------------------------------------------===//

#include "xla/dialect/stablehlo/StablehloOps.h"
#include "xla/optimize/Patterns.h"

#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace xla {

using namespace stablehlo;

static int64_t elementCountOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getNumElements();
}

static bool isSplat(Value value) {
  return matchPattern(value, m_Constant()) &&
         isa<SplatElementsAttr>(value.getDefiningOp<ConstantOp>().getValue());
}

/// Whether the value is read from few elements, in whatever order.
static bool isSmall(Value value) {
  constexpr int64_t fewer = 8;
  auto broadcast = value.getDefiningOp<BroadcastInDimOp>();
  return shapeOf(value).empty() || isSplat(value) ||
         (broadcast && elementCountOf(broadcast.getOperand()) * fewer <=
                           elementCountOf(value));
}

/// Whether a product reads it, perhaps under another shape; after more changes
/// of shape than programs have, it is taken not to.
static bool isFactor(Value value, int reshapes = 8) {
  return llvm::any_of(value.getUsers(), [&](Operation *user) {
    return isa<DotGeneralOp, ConvolutionOp>(user) ||
           (isa<ReshapeOp>(user) && reshapes > 0 &&
            isFactor(user->getResult(0), reshapes - 1));
  });
}

/// Whether lines do not stay lines, and nobody can read them as they are.
static bool isTurned(TransposeOp op) {
  ArrayRef<int64_t> order = op.getPermutation();
  return !order.empty() &&
         order.back() != static_cast<int64_t>(order.size()) - 1 &&
         !isFactor(op);
}

static RankedTensorType transposed(Value value, ArrayRef<int64_t> order) {
  Sizes shape;
  for (int64_t d : order) {
    shape.push_back(shapeOf(value)[d]);
  }
  return cast<RankedTensorType>(value.getType()).clone(shape);
}

static Value transpose(OpBuilder &b, Value value, ArrayRef<int64_t> order) {
  Location location = value.getLoc();
  if (shapeOf(value).empty()) {
    return value;
  }
  RankedTensorType type = transposed(value, order);
  if (isSplat(value)) {
    auto number =
        cast<SplatElementsAttr>(value.getDefiningOp<ConstantOp>().getValue());
    return ConstantOp::create(b, location, number.resizeSplat(type));
  }
  if (auto broadcast = value.getDefiningOp<BroadcastInDimOp>()) {
    Sizes dimensions;
    for (int64_t d : broadcast.getBroadcastDimensions()) {
      dimensions.push_back(llvm::find(order, d) - order.begin());
    }
    return BroadcastInDimOp::create(b, location, type, broadcast.getOperand(),
                                    b.getDenseI64ArrayAttr(dimensions));
  }
  return TransposeOp::create(b, location, type, value,
                             b.getDenseI64ArrayAttr(order));
}

namespace {

struct MoveTranspose : OpRewritePattern<TransposeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(TransposeOp op,
                                PatternRewriter &rewriter) const override {
    ArrayRef<int64_t> order = op.getPermutation();
    Operation *inner = op.getOperand().getDefiningOp();
    if (!inner || !inner->hasOneUse() || !isComputed(inner) || !isTurned(op)) {
      return failure();
    }
    SmallVector<Value> operands;
    for (Value operand : inner->getOperands()) {
      operands.push_back(transpose(rewriter, operand, order));
    }
    Operation *moved = rewriter.clone(*inner);
    moved->setOperands(operands);
    moved->getResult(0).setType(transposed(inner->getResult(0), order));
    rewriter.replaceOp(op, moved);
    return success();
  }

  /// Element by element, from one array and what is small.
  static bool isComputed(Operation *op) {
    if (op->getNumResults() != 1 ||
        !(op->hasTrait<OpTrait::Elementwise>() || isa<SelectOp>(op))) {
      return false;
    }
    ArrayRef<int64_t> shape = shapeOf(op->getResult(0));
    Value array;
    for (Value operand : op->getOperands()) {
      if (!shapeOf(operand).empty() && shapeOf(operand) != shape) {
        return false;
      }
      if (isSmall(operand) || operand == array) {
        continue;
      }
      if (array) {
        return false;
      }
      array = operand;
    }
    return true;
  }
};

} // namespace

void moveTransposes(ModuleOp module) {
  module.walk([](TransposeOp op) {
    if (isTurned(op)) {
      sinkTranspose(op);
    }
  });
  RewritePatternSet patterns(module.getContext());
  patterns.add<MoveTranspose>(module.getContext());
  GreedyRewriteConfig config;
  config.enableConstantCSE(false);
  config.enableFolding(false);
  config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
  // Where the limit of iterations is met, the program is right all the same.
  (void)applyPatternsGreedily(module, std::move(patterns), config);
}

} // namespace xla
