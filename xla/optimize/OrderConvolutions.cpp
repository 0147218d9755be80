//===- OrderConvolutions.cpp - Operands in the order that is fast ---------===//
//
// The gradient of a convolution by its kernel is one with a large window at few
// positions, whose batch is that of the features of the input. Where spatial
// dimensions come last in memory, as in NCHW, what is read side by side is a
// few elements; with the batch last it is a line. Transposing costs less than
// the windows.
//
//===----------------------------------------------------------------------===//

#include "xla/dialect/stablehlo/StablehloOps.h"
#include "xla/optimize/Patterns.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

namespace xla {

using namespace stablehlo;

/// Whether spatial dimensions come last in the input, and few windows see most
/// of it.
static bool isOutOfOrder(ConvolutionOp op) {
  auto numbers = op.getDimensionNumbers();
  ArrayRef<int64_t> spatial = numbers.getInputSpatialDimensions();
  if (spatial.empty() || !isLarge(op) ||
      !llvm::is_contained(spatial, shapeOf(op.getLhs()).size() - 1)) {
    return false;
  }
  int64_t positions = 1, taps = 1;
  for (auto [out, in] : llvm::zip_equal(numbers.getOutputSpatialDimensions(),
                                        numbers.getKernelSpatialDimensions())) {
    positions *= shapeOf(op.getResult())[out];
    taps *= shapeOf(op.getRhs())[in];
  }
  int64_t batch = shapeOf(op.getLhs())[numbers.getInputBatchDimension()];
  return positions < taps && batch > 1;
}

static void order(ConvolutionOp op) {
  OpBuilder b(op);
  Location location = op.getLoc();
  auto numbers = op.getDimensionNumbers();
  auto ordered = [](int64_t first, ArrayRef<int64_t> spatial, int64_t last) {
    Sizes dimensions = {first};
    llvm::append_range(dimensions, spatial);
    dimensions.push_back(last);
    return dimensions;
  };
  auto transpose = [&](Value value, ArrayRef<int64_t> from) -> Value {
    return TransposeOp::create(b, location, value, from);
  };
  Value lhs =
      transpose(op.getLhs(), ordered(numbers.getInputFeatureDimension(),
                                     numbers.getInputSpatialDimensions(),
                                     numbers.getInputBatchDimension()));
  Value rhs = transpose(op.getRhs(),
                        ordered(numbers.getKernelInputFeatureDimension(),
                                numbers.getKernelSpatialDimensions(),
                                numbers.getKernelOutputFeatureDimension()));
  Sizes result(numbers.getOutputSpatialDimensions()), inside, outside;
  result.push_back(numbers.getOutputBatchDimension());
  result.push_back(numbers.getOutputFeatureDimension());
  Sizes shape, back(result.size());
  for (auto [n, d] : llvm::enumerate(result)) {
    shape.push_back(shapeOf(op.getResult())[d]);
    back[d] = static_cast<int64_t>(n);
  }
  auto count = static_cast<int64_t>(numbers.getInputSpatialDimensions().size());
  for (int64_t d = 0; d < count; ++d) {
    inside.push_back(d + 1);
    outside.push_back(d);
  }
  auto copy = cast<ConvolutionOp>(b.clone(*op));
  copy->setOperands({lhs, rhs});
  copy.setDimensionNumbersAttr(ConvDimensionNumbersAttr::get(
      op.getContext(), count + 1, 0, inside, 0, count + 1, inside, count,
      count + 1, outside));
  copy.getResult().setType(
      cast<RankedTensorType>(op.getType()).clone(ArrayRef<int64_t>(shape)));
  op.replaceAllUsesWith(transpose(copy, back));
  op->erase();
}

void orderConvolutions(ModuleOp module) {
  module.walk([](ConvolutionOp op) {
    if (isOutOfOrder(op)) {
      order(op);
    }
  });
}

} // namespace xla
