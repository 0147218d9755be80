//===- PadConvolutions.cpp - Zeros around the input, in memory ------------===//
//
// Where spatial dimensions come last in the input, as in NCHW, what a tap sees
// of it are lines, and at its borders parts of lines between zeros. With the
// zeros in memory all lines are whole: they are copied without a test, and by
// runs of one length. Padding is a movement, which fuses with what computes the
// input; alone it is one pass over what each feature of the result reads
// anyway.
//
//===----------------------------------------------------------------------===//

#include "xla/dialect/stablehlo/StablehloOps.h"
#include "xla/optimize/Patterns.h"

#include "mlir/IR/Builders.h"

#include <limits>

using namespace mlir;

namespace xla {

using namespace stablehlo;

/// Groups of fewer features are no products, which lay out lines.
constexpr int64_t kFewFeatures = 8;

/// Of each element that is laid out, so many are padded at most.
constexpr double kMostPadded = 0.5;

static bool isAll(std::optional<ArrayRef<int64_t>> values, int64_t wanted) {
  return !values ||
         llvm::all_of(*values, [&](int64_t x) { return x == wanted; });
}

/// Whether spatial dimensions come last in the input, but for dimensions of one
/// element.
static bool readsLines(ConvolutionOp op) {
  ArrayRef<int64_t> shape = shapeOf(op.getLhs());
  auto last = static_cast<int64_t>(shape.size()) - 1;
  while (last > 0 && shape[last] == 1) {
    --last;
  }
  return llvm::is_contained(
      op.getDimensionNumbers().getInputSpatialDimensions(), last);
}

/// Fills in the shape with zeros around; whether it is worth it.
static bool growsLittle(ConvolutionOp op, Sizes &low, Sizes &high,
                        Sizes &shape) {
  auto numbers = op.getDimensionNumbers();
  ArrayRef<int64_t> from = shapeOf(op.getLhs());
  low.assign(from.size(), 0);
  high = low;
  shape.assign(from.begin(), from.end());
  auto padding = op.getPadding()->getValues<int64_t>();
  double padded = 1, laidOut = 1;
  for (auto [s, d] : llvm::enumerate(numbers.getInputSpatialDimensions())) {
    low[d] = padding[{s, 0}];
    high[d] = padding[{s, 1}];
    double size = static_cast<double>(from[d]) + static_cast<double>(low[d]) +
                  static_cast<double>(high[d]);
    padded *= size;
    laidOut *= static_cast<double>(
        shapeOf(op.getResult())[numbers.getOutputSpatialDimensions()[s]]);
    laidOut *= static_cast<double>(
        shapeOf(op.getRhs())[numbers.getKernelSpatialDimensions()[s]]);
    // Sizes that no array has are left to the verifiers.
    if (size <= 0 || size > std::numeric_limits<int32_t>::max()) {
      return false;
    }
    shape[d] += low[d] + high[d];
  }
  return padded <= kMostPadded * laidOut;
}

static bool isPadded(ConvolutionOp op) {
  auto padding = op.getPadding();
  return padding && llvm::any_of(padding->getValues<int64_t>(),
                                 [](int64_t x) { return x != 0; });
}

static void pad(ConvolutionOp op) {
  auto numbers = op.getDimensionNumbers();
  auto groups = static_cast<int64_t>(
      std::max(op.getBatchGroupCount(), op.getFeatureGroupCount()));
  int64_t features =
      shapeOf(op.getResult())[numbers.getOutputFeatureDimension()] / groups;
  Type element = cast<RankedTensorType>(op.getLhs().getType()).getElementType();
  Sizes low, high, shape;
  if (!isPadded(op) || !isLarge(op) || !isa<FloatType>(element) ||
      !readsLines(op) || (groups > 1 && features < kFewFeatures) ||
      !isAll(op.getLhsDilation(), 1) || !growsLittle(op, low, high, shape)) {
    return;
  }
  OpBuilder b(op);
  auto type = cast<RankedTensorType>(op.getLhs().getType());
  Value zero = ConstantOp::create(
      b, op.getLoc(),
      cast<ElementsAttr>(b.getZeroAttr(RankedTensorType::get({}, element))));
  Value padded =
      PadOp::create(b, op.getLoc(), type.clone(ArrayRef<int64_t>(shape)),
                    op.getLhs(), zero, low, high, Sizes(shape.size(), 0));
  op.getLhsMutable().assign(padded);
  op.removePaddingAttr();
}

void padConvolutions(ModuleOp module) {
  module.walk([](ConvolutionOp op) { pad(op); });
}

} // namespace xla
