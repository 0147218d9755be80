//===- DecomposeBatchNormalization.cpp - Batch normalization as formulas --===//
//
// Ioffe, Szegedy, "Batch normalization", ICML 2015: section 3 for training and
// inference, its equations for the gradient. Moments and sums are taken in f32
// where the operands are narrower.
//
//===----------------------------------------------------------------------===//

#include "xla/conversion/Arithmetic.h"
#include "xla/optimize/Patterns.h"

using namespace mlir;

namespace xla {

using namespace stablehlo;

namespace {
/// The operand of a normalization, seen by feature.
class Features {
public:
  Features(OpBuilder &builder, Location location, Value operand,
           int64_t dimension)
      : arithmetic(builder, location),
        shape(cast<RankedTensorType>(operand.getType())), dimension(dimension) {
    isNarrow = shape.getElementType().getIntOrFloatBitWidth() < 32;
    for (int64_t i = 0; i < shape.getRank(); ++i) {
      if (i != dimension) {
        others.push_back(i);
      }
    }
  }

  /// A value to calculate with.
  Expr wrap(Value value) {
    Expr expr = arithmetic.wrap(value);
    return isNarrow ? arithmetic.convert(expr, arithmetic.builder.getF32Type())
                    : expr;
  }
  Value unwrap(Expr expr) {
    return isNarrow ? arithmetic.convert(expr, shape.getElementType()).value
                    : expr.value;
  }

  /// One number for each feature, over the operand's shape.
  Expr spread(Expr feature) {
    return arithmetic.make<BroadcastInDimOp>(
        shape.clone(feature.element()), feature.value,
        arithmetic.builder.getDenseI64ArrayAttr({dimension}));
  }

  Expr sum(Expr values) {
    OpBuilder &builder = arithmetic.builder;
    auto scalar = RankedTensorType::get({}, values.element());
    Value zero = ConstantOp::create(
        builder, arithmetic.location,
        DenseElementsAttr::get(scalar,
                               builder.getFloatAttr(values.element(), 0.0)));
    auto reduce =
        ReduceOp::create(builder, arithmetic.location,
                         TypeRange{RankedTensorType::get(
                             {shape.getDimSize(dimension)}, values.element())},
                         ValueRange{values.value}, ValueRange{zero},
                         builder.getDenseI64ArrayAttr(others));
    OpBuilder::InsertionGuard guard(builder);
    Block *block =
        builder.createBlock(&reduce.getBody(), {}, {scalar, scalar},
                            {arithmetic.location, arithmetic.location});
    Value total = AddOp::create(builder, arithmetic.location,
                                block->getArgument(0), block->getArgument(1));
    stablehlo::ReturnOp::create(builder, arithmetic.location, total);
    return {&arithmetic, reduce.getResult(0)};
  }

  /// Elements of each feature.
  double count() const {
    double count = 1;
    for (int64_t i : others) {
      count *= double(shape.getDimSize(i));
    }
    return count;
  }

private:
  Arithmetic arithmetic;
  RankedTensorType shape;
  int64_t dimension;
  bool isNarrow;
  SmallVector<int64_t> others;
};
} // namespace

/// y = (x - mean) / sqrt(variance + epsilon) * scale + offset
static Expr normalize(Features &f, Expr x, Expr mean, Expr variance, Expr scale,
                      Expr offset, double epsilon) {
  Expr deviation = sqrt(variance + epsilon);
  return (x - f.spread(mean)) / f.spread(deviation) * f.spread(scale) +
         f.spread(offset);
}

static void decompose(BatchNormInferenceOp op) {
  OpBuilder builder(op);
  Features f(builder, op.getLoc(), op.getOperand(), op.getFeatureIndex());
  Expr y = normalize(f, f.wrap(op.getOperand()), f.wrap(op.getMean()),
                     f.wrap(op.getVariance()), f.wrap(op.getScale()),
                     f.wrap(op.getOffset()), op.getEpsilon().convertToDouble());
  op->replaceAllUsesWith(ValueRange{f.unwrap(y)});
  op->erase();
}

static void decompose(BatchNormTrainingOp op) {
  OpBuilder builder(op);
  Features f(builder, op.getLoc(), op.getOperand(), op.getFeatureIndex());
  Expr x = f.wrap(op.getOperand());
  Expr mean = f.sum(x) / f.count();
  Expr distance = x - f.spread(mean);
  Expr variance = f.sum(distance * distance) / f.count();
  Expr y = normalize(f, x, mean, variance, f.wrap(op.getScale()),
                     f.wrap(op.getOffset()), op.getEpsilon().convertToDouble());
  op->replaceAllUsesWith(
      ValueRange{f.unwrap(y), f.unwrap(mean), f.unwrap(variance)});
  op->erase();
}

/// With d = x - mean, r = 1 / sqrt(variance + epsilon) and the gradient g:
///   grad_scale = r sum(g d),  grad_offset = sum(g),
///   grad_x = scale r (g - sum(g) / n - d r^2 sum(g d) / n)
static void decompose(BatchNormGradOp op) {
  OpBuilder builder(op);
  Features f(builder, op.getLoc(), op.getOperand(), op.getFeatureIndex());
  Expr gradient = f.wrap(op.getGradOutput());
  Expr distance = f.wrap(op.getOperand()) - f.spread(f.wrap(op.getMean()));
  Expr variance = f.wrap(op.getVariance()) + op.getEpsilon().convertToDouble();
  Expr deviation = sqrt(variance);
  Expr sum = f.sum(gradient), weighted = f.sum(gradient * distance);
  Expr inner = gradient - f.spread(sum / f.count()) -
               distance * f.spread(weighted / variance / f.count());
  Expr x = f.spread(f.wrap(op.getScale()) / deviation) * inner;
  op->replaceAllUsesWith(
      ValueRange{f.unwrap(x), f.unwrap(weighted / deviation), f.unwrap(sum)});
  op->erase();
}

void decomposeBatchNormalization(ModuleOp module) {
  module.walk([](Operation *op) {
    if (auto inference = dyn_cast<BatchNormInferenceOp>(op)) {
      decompose(inference);
    } else if (auto training = dyn_cast<BatchNormTrainingOp>(op)) {
      decompose(training);
    } else if (auto gradient = dyn_cast<BatchNormGradOp>(op)) {
      decompose(gradient);
    }
  });
}

} // namespace xla
