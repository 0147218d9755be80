//===- Contractions.cpp - Products and convolutions -----------------------===//

#include "xla/dialect/stablehlo/StablehloOps.h"
#include "xla/dialect/stablehlo/Verification.h"
#include "xla/reference/Scalars.h"
#include "xla/reference/ShapeOperands.h"

#include <cmath>

using namespace mlir;

namespace xla::reference {

namespace {
/// A sum of products of two tensors' elements, in the kind of `result`:
/// integers modulo 2^64, floating point in double and rounded once.
class SumOfProducts {
public:
  explicit SumOfProducts(const Tensor &result)
      : kind(kindOf(result.type())),
        isPred(result.type() == ElementType::Pred) {}

  void clear() {
    integer = 0;
    real = 0;
    complex = 0;
  }

  void add(const Tensor &a, int64_t i, const Tensor &b, int64_t j) {
    switch (kind) {
    case Kind::Integer:
      if (isPred) {
        integer |= a.integer(i) & b.integer(j);
      } else {
        integer += uint64_t(a.integer(i)) * uint64_t(b.integer(j));
      }
      break;
    case Kind::Complex: {
      Complex x = a.complex(i), y = b.complex(j);
      complex += Complex(x.real() * y.real() - x.imag() * y.imag(),
                         x.real() * y.imag() + x.imag() * y.real());
      break;
    }
    default:
      real += a.real(i) * b.real(j);
      break;
    }
  }

  void store(Tensor &result, int64_t position) const {
    switch (kind) {
    case Kind::Integer:
      return result.setInteger(position, integer);
    case Kind::Complex:
      return result.setComplex(position, complex);
    default:
      return result.setReal(position, real);
    }
  }

private:
  Kind kind;
  bool isPred;
  uint64_t integer = 0;
  double real = 0;
  Complex complex = 0;
};
} // namespace

static Status checkKinds(const Step &step) {
  XLA_ASSIGN_OR_RETURN(Shape result, shapeOf(step.op->getResult(0).getType()));
  Kind kind = kindOf(result.type);
  if (kindOf(step.operands[0].type()) != kind ||
      kindOf(step.operands[1].type()) != kind) {
    return unimplemented("a product of " +
                         std::string(name(step.operands[0].type())) + " and " +
                         std::string(name(step.operands[1].type())) + " as " +
                         std::string(name(result.type)));
  }
  return okStatus();
}

//===----------------------------------------------------------------------===//
// dot_general, dot
//===----------------------------------------------------------------------===//

namespace {
/// One operand's dimensions by role.
struct DotSide {
  const Tensor &tensor;
  Index batching;
  Index contracting;
  Sizes free;
  Sizes strides;

  DotSide(const Tensor &tensor, Index batching, Index contracting)
      : tensor(tensor), batching(batching), contracting(contracting),
        strides(stridesOf(tensor.sizes())) {
    for (int64_t i = 0; i < tensor.rank(); ++i) {
      if (!llvm::is_contained(batching, i) &&
          !llvm::is_contained(contracting, i)) {
        free.push_back(i);
      }
    }
  }

  /// The positions of all index values of some dimensions, in row-major order.
  SmallVector<int64_t> positions(Index dimensions) const {
    Sizes sizes, steps;
    for (int64_t dimension : dimensions) {
      sizes.push_back(tensor.sizes()[dimension]);
      steps.push_back(strides[dimension]);
    }
    SmallVector<int64_t> result;
    forEachIndex(sizes, [&](Index index) {
      result.push_back(positionOf(index, steps));
      return true;
    });
    return result;
  }
};
} // namespace

static Status dot(const Step &step, const DotSide &lhs, const DotSide &rhs) {
  XLA_RETURN_IF_ERROR(checkKinds(step));
  XLA_ASSIGN_OR_RETURN(Tensor out, step.zeros());
  if (out.count() == 0) { // other dimensions may have more than memory holds
    step.results.push_back(std::move(out));
    return okStatus();
  }
  SmallVector<int64_t> lhsBatch = lhs.positions(lhs.batching);
  SmallVector<int64_t> rhsBatch = rhs.positions(rhs.batching);
  SmallVector<int64_t> lhsFree = lhs.positions(lhs.free);
  SmallVector<int64_t> rhsFree = rhs.positions(rhs.free);
  SmallVector<int64_t> lhsSummed = lhs.positions(lhs.contracting);
  SmallVector<int64_t> rhsSummed = rhs.positions(rhs.contracting);
  SumOfProducts sum(out);
  int64_t position = 0;
  for (auto [lhsStart, rhsStart] : llvm::zip_equal(lhsBatch, rhsBatch)) {
    for (int64_t row : lhsFree) {
      for (int64_t column : rhsFree) {
        sum.clear();
        for (auto [i, j] : llvm::zip_equal(lhsSummed, rhsSummed)) {
          sum.add(lhs.tensor, lhsStart + row + i, rhs.tensor,
                  rhsStart + column + j);
        }
        sum.store(out, position++);
      }
    }
  }
  step.results.push_back(std::move(out));
  return okStatus();
}

static Status evaluateDotGeneral(const Step &step) {
  stablehlo::DotDimensionNumbersAttr numbers =
      cast<stablehlo::DotGeneralOp>(step.op).getDotDimensionNumbers();
  return dot(step,
             DotSide(step.operands[0], numbers.getLhsBatchingDimensions(),
                     numbers.getLhsContractingDimensions()),
             DotSide(step.operands[1], numbers.getRhsBatchingDimensions(),
                     numbers.getRhsContractingDimensions()));
}

static Status evaluateDot(const Step &step) {
  int64_t last = step.operands[0].rank() - 1;
  return dot(step, DotSide(step.operands[0], {}, {last}),
             DotSide(step.operands[1], {}, {int64_t(0)}));
}

//===----------------------------------------------------------------------===//
// convolution
//===----------------------------------------------------------------------===//

namespace {
struct Convolution {
  stablehlo::ConvDimensionNumbersAttr numbers;
  SmallVector<stablehlo::WindowDimension> window;
  SmallVector<bool> reversal;
  int64_t featureGroups;
  int64_t batchGroups;
};
} // namespace

/// The sum at one index of the result.
static void convolveAt(const Convolution &convolution, const Tensor &lhs,
                       const Tensor &rhs, Index index, SumOfProducts &sum) {
  stablehlo::ConvDimensionNumbersAttr numbers = convolution.numbers;
  Sizes lhsIndex(lhs.rank(), 0), rhsIndex(rhs.rank(), 0), kernelSizes;
  Sizes lhsStrides = stridesOf(lhs.sizes()),
        rhsStrides = stridesOf(rhs.sizes());
  for (int64_t dimension : numbers.getKernelSpatialDimensions()) {
    kernelSizes.push_back(rhs.sizes()[dimension]);
  }
  int64_t outputs = rhs.sizes()[numbers.getKernelOutputFeatureDimension()];
  int64_t inputs = rhs.sizes()[numbers.getKernelInputFeatureDimension()];
  int64_t output = index[numbers.getOutputFeatureDimension()];
  int64_t group = output / (outputs / convolution.featureGroups);
  int64_t batchSize =
      lhs.sizes()[numbers.getInputBatchDimension()] / convolution.batchGroups;
  int64_t batchGroup = output / (outputs / convolution.batchGroups);
  lhsIndex[numbers.getInputBatchDimension()] =
      batchGroup * batchSize + index[numbers.getOutputBatchDimension()];
  rhsIndex[numbers.getKernelOutputFeatureDimension()] = output;
  forEachIndex(kernelSizes, [&](Index cell) {
    for (size_t i = 0; i < cell.size(); ++i) {
      const stablehlo::WindowDimension &window = convolution.window[i];
      int64_t at =
          index[numbers.getOutputSpatialDimensions()[i]] * window.stride +
          cell[i] * window.windowDilation - window.paddingLow;
      int64_t dimension = numbers.getInputSpatialDimensions()[i];
      if (at < 0 || at % window.baseDilation != 0 ||
          at / window.baseDilation >= lhs.sizes()[dimension]) {
        return true; // padding contributes nothing
      }
      lhsIndex[dimension] = at / window.baseDilation;
      rhsIndex[numbers.getKernelSpatialDimensions()[i]] =
          convolution.reversal[i] ? kernelSizes[i] - 1 - cell[i] : cell[i];
    }
    for (int64_t input = 0; input < inputs; ++input) {
      lhsIndex[numbers.getInputFeatureDimension()] = group * inputs + input;
      rhsIndex[numbers.getKernelInputFeatureDimension()] = input;
      sum.add(lhs, positionOf(lhsIndex, lhsStrides), rhs,
              positionOf(rhsIndex, rhsStrides));
    }
    return true;
  });
}

static Status evaluateConvolution(const Step &step) {
  auto op = cast<stablehlo::ConvolutionOp>(step.op);
  const Tensor &lhs = step.operands[0], &rhs = step.operands[1];
  XLA_RETURN_IF_ERROR(checkKinds(step));
  Sizes sizes;
  for (int64_t dimension :
       op.getDimensionNumbers().getKernelSpatialDimensions()) {
    sizes.push_back(std::max<int64_t>(rhs.sizes()[dimension], 1));
  }
  auto window =
      stablehlo::combineWindow(op, sizes,
                               {op.getWindowStrides(), op.getLhsDilation(),
                                op.getRhsDilation(), op.getPadding()});
  if (failed(window)) {
    return internalError("the window was not verified");
  }
  Convolution convolution{op.getDimensionNumbers(), std::move(*window),
                          SmallVector<bool>(sizes.size(), false),
                          int64_t(op.getFeatureGroupCount()),
                          int64_t(op.getBatchGroupCount())};
  if (op.getWindowReversal()) {
    convolution.reversal.assign(op.getWindowReversal()->begin(),
                                op.getWindowReversal()->end());
  }
  XLA_ASSIGN_OR_RETURN(Tensor out, step.zeros());
  SumOfProducts sum(out);
  int64_t position = 0;
  forEachIndex(out.sizes(), [&](Index index) {
    sum.clear();
    convolveAt(convolution, lhs, rhs, index, sum);
    sum.store(out, position++);
    return true;
  });
  step.results.push_back(std::move(out));
  return okStatus();
}

void addContractions(Handlers &handlers) {
  handlers["stablehlo.dot_general"] = evaluateDotGeneral;
  handlers["stablehlo.dot"] = evaluateDot;
  handlers["stablehlo.convolution"] = evaluateConvolution;
  handlers["stablehlo.dynamic_conv"] =
      withoutShapeOperands<evaluateConvolution>;
}

} // namespace xla::reference
