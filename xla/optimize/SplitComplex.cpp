//===- SplitComplex.cpp - Complex arithmetic by parts ---------------------===//
//
// (a + bi)(c + di) = (ac - bd) + (ad + bc)i for products of matrices and for
// convolutions, which are linear in both operands: four products of real
// arrays, for which there are kernels.
//
//===----------------------------------------------------------------------===//

#include "xla/dialect/stablehlo/StablehloOps.h"
#include "xla/optimize/Patterns.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace xla {

using namespace stablehlo;

/// Matrices of fewer products are multiplied in line. With fewer rows or
/// columns the time goes into reading the matrix, which is then read twice.
constexpr double kFewProducts = 32768, kFewLines = 8;

static double sizeOf(Value array, ArrayRef<int64_t> dimensions) {
  double size = 1;
  for (int64_t d : dimensions) {
    size *= static_cast<double>(
        cast<RankedTensorType>(array.getType()).getDimSize(d));
  }
  return size;
}

static bool isLarge(DotGeneralOp dot) {
  auto numbers = dot.getDotDimensionNumbers();
  double batches = sizeOf(dot.getLhs(), numbers.getLhsBatchingDimensions());
  double terms = sizeOf(dot.getLhs(), numbers.getLhsContractingDimensions());
  auto linesOf = [&](Value array) {
    double all = static_cast<double>(
        cast<RankedTensorType>(array.getType()).getNumElements());
    return all / std::max(batches * terms, 1.0);
  };
  double rows = linesOf(dot.getLhs()), columns = linesOf(dot.getRhs());
  return rows * columns * terms >= kFewProducts &&
         std::min(rows, columns) >= kFewLines;
}

bool isLarge(ConvolutionOp convolution) {
  int64_t features =
      convolution.getDimensionNumbers().getKernelOutputFeatureDimension();
  auto kernel = cast<RankedTensorType>(convolution.getRhs().getType());
  double taps = static_cast<double>(kernel.getNumElements()) /
                std::max(static_cast<double>(kernel.getDimSize(features)), 1.0);
  double results = static_cast<double>(
      cast<RankedTensorType>(convolution.getType()).getNumElements());
  return results * taps >= kFewProducts;
}

static bool isComplex(Value value) {
  return isa<ComplexType>(getElementTypeOrSelf(value));
}

template <typename Op>
static void split(Op op) {
  auto type = dyn_cast<RankedTensorType>(op.getType());
  bool isAll = type && isComplex(op.getLhs()) && isComplex(op.getRhs()) &&
               isComplex(op.getResult());
  if (!isAll || !isLarge(op)) {
    return;
  }
  OpBuilder b(op);
  Location location = op.getLoc();
  Value x[] = {RealOp::create(b, location, op.getLhs()),
               ImagOp::create(b, location, op.getLhs())};
  Value y[] = {RealOp::create(b, location, op.getRhs()),
               ImagOp::create(b, location, op.getRhs())};
  Type part =
      type.clone(cast<ComplexType>(type.getElementType()).getElementType());
  auto product = [&](int i, int j) -> Value {
    auto copy = cast<Op>(b.clone(*op));
    copy->setOperands({x[i], y[j]});
    copy.getResult().setType(cast<RankedTensorType>(part));
    return copy;
  };
  Value real = SubtractOp::create(b, location, product(0, 0), product(1, 1));
  Value imaginary = AddOp::create(b, location, product(0, 1), product(1, 0));
  op.replaceAllUsesWith(
      ComplexOp::create(b, location, type, real, imaginary).getResult());
  op->erase();
}

void splitComplex(ModuleOp module) {
  module.walk([](Operation *op) {
    if (auto dot = dyn_cast<DotGeneralOp>(op)) {
      split(dot);
    } else if (auto convolution = dyn_cast<ConvolutionOp>(op)) {
      split(convolution);
    }
  });
}

} // namespace xla
