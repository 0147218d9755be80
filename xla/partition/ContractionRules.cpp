//===- ContractionRules.cpp - Rules of sums, windows, transforms ----------===//

#include "xla/dialect/stablehlo/StablehloOps.h"
#include "xla/partition/RuleBuilder.h"

using namespace llvm;
using namespace xla::stablehlo;

namespace xla::partition {

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// The dimensions of a result are those of the batch, then those of `lhs` that
/// are left, then those of `rhs`.
static void productRule(RuleBuilder &b, ArrayRef<int64_t> lhsBatch,
                        ArrayRef<int64_t> rhsBatch,
                        ArrayRef<int64_t> lhsContracted,
                        ArrayRef<int64_t> rhsContracted) {
  int64_t result = 0;
  for (auto [lhs, rhs] : zip(lhsBatch, rhsBatch)) {
    b.pass({in(0, lhs), in(1, rhs), out(result++)});
  }
  auto addFree = [&](unsigned operand, ArrayRef<int64_t> batch,
                     ArrayRef<int64_t> contracted) {
    int64_t rank = shapeOf(b.op->getOperand(operand)).size();
    for (int64_t dim = 0; dim < rank; ++dim) {
      if (!is_contained(batch, dim) && !is_contained(contracted, dim)) {
        b.pass({in(operand, dim), out(result++)});
      }
    }
  };
  addFree(0, lhsBatch, lhsContracted);
  addFree(1, rhsBatch, rhsContracted);
  for (auto [lhs, rhs] : zip(lhsContracted, rhsContracted)) {
    b.add(FactorKind::Reduction, {in(0, lhs), in(1, rhs)});
  }
}

bool dotGeneralRule(RuleBuilder &b) {
  DotDimensionNumbersAttr numbers =
      cast<DotGeneralOp>(b.op).getDotDimensionNumbers();
  productRule(b, numbers.getLhsBatchingDimensions(),
              numbers.getRhsBatchingDimensions(),
              numbers.getLhsContractingDimensions(),
              numbers.getRhsContractingDimensions());
  return true;
}

bool dotRule(RuleBuilder &b) {
  int64_t last = shapeOf(b.op->getOperand(0)).size() - 1;
  productRule(b, {}, {}, {last}, {0});
  return true;
}

//===----------------------------------------------------------------------===//
// Convolutions
//===----------------------------------------------------------------------===//

/// Along a spatial dimension the input holds both the windows, which are the
/// result's, and the index in the window, which is the kernel's: it is cut like
/// the longer one. With windows, devices exchange edges; with a window's
/// positions, each has a summand.
static void addSpatial(RuleBuilder &b, int64_t input, int64_t kernel,
                       int64_t result) {
  int64_t windows = b.sizeOf(out(result)), window = b.sizeOf(in(1, kernel));
  if (windows >= window) {
    b.add(windows, FactorKind::Permutation, {in(0, input), out(result)});
    b.replicate(in(1, kernel));
  } else {
    b.add(window, FactorKind::Reduction, {in(0, input), in(1, kernel)});
    b.replicate(out(result));
  }
}

bool convolutionRule(RuleBuilder &b) {
  auto op = cast<ConvolutionOp>(b.op);
  ConvDimensionNumbersAttr dims = op.getDimensionNumbers();
  DimOf batch = in(0, dims.getInputBatchDimension());
  DimOf feature = in(0, dims.getInputFeatureDimension());
  DimOf kernelIn = in(1, dims.getKernelInputFeatureDimension());
  DimOf kernelOut = in(1, dims.getKernelOutputFeatureDimension());
  DimOf resultBatch = out(dims.getOutputBatchDimension());
  DimOf resultFeature = out(dims.getOutputFeatureDimension());
  int64_t featureGroups = op.getFeatureGroupCount();
  int64_t batchGroups = op.getBatchGroupCount();
  // The groups are major in each dimension that has them.
  if (featureGroups > 1) {
    b.add(featureGroups, FactorKind::PassThrough,
          {feature, kernelOut, resultFeature});
  } else if (batchGroups > 1) {
    b.add(batchGroups, FactorKind::PassThrough,
          {batch, kernelOut, resultFeature});
  }
  b.add(b.sizeOf(resultBatch), FactorKind::PassThrough, {batch, resultBatch});
  b.add(b.sizeOf(kernelOut) / std::max(featureGroups, batchGroups),
        FactorKind::PassThrough, {kernelOut, resultFeature});
  b.add(b.sizeOf(kernelIn), FactorKind::Reduction, {feature, kernelIn});
  for (auto [input, kernel, result] :
       zip(dims.getInputSpatialDimensions(), dims.getKernelSpatialDimensions(),
           dims.getOutputSpatialDimensions())) {
    addSpatial(b, input, kernel, result);
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Reductions and windows
//===----------------------------------------------------------------------===//

bool reduceRule(RuleBuilder &b) {
  auto op = cast<ReduceOp>(b.op);
  int64_t result = 0;
  for (int64_t dim = 0; dim < int64_t(shapeOf(op.getInputs()[0]).size());
       ++dim) {
    bool isReduced = is_contained(op.getDimensions(), dim);
    SmallVector<DimOf> dims;
    for (unsigned i = 0; i < op.getInputs().size(); ++i) {
      dims.push_back(in(i, dim));
      if (!isReduced) {
        dims.push_back(out(i, result));
      }
    }
    b.add(isReduced ? FactorKind::Reduction : FactorKind::PassThrough, dims);
    result += !isReduced;
  }
  return true;
}

/// Whether a window is one element, and each element has one.
static bool isTrivial(int64_t dim, ArrayRef<int64_t> window,
                      std::optional<ArrayRef<int64_t>> strides,
                      std::optional<mlir::DenseIntElementsAttr> padding) {
  if (window[dim] != 1 || (strides && (*strides)[dim] != 1)) {
    return false;
  }
  if (!padding) {
    return true;
  }
  auto numbers = padding->getValues<int64_t>();
  return numbers[2 * dim] == 0 && numbers[2 * dim + 1] == 0;
}

bool reduceWindowRule(RuleBuilder &b) {
  auto op = cast<ReduceWindowOp>(b.op);
  int64_t rank = shapeOf(op.getInputs()[0]).size();
  for (int64_t dim = 0; dim < rank; ++dim) {
    bool passes = isTrivial(dim, op.getWindowDimensions(),
                            op.getWindowStrides(), op.getPadding()) &&
                  b.sizeOf(in(0, dim)) == b.sizeOf(out(dim));
    SmallVector<DimOf> dims;
    for (unsigned i = 0; i < op.getInputs().size(); ++i) {
      dims.append({out(i, dim), in(i, dim)});
    }
    b.add(passes ? FactorKind::PassThrough : FactorKind::Permutation, dims);
  }
  return true;
}

bool selectAndScatterRule(RuleBuilder &b) {
  auto op = cast<SelectAndScatterOp>(b.op);
  int64_t rank = shapeOf(op.getResult()).size();
  SmallVector<int64_t> ones(rank, 1);
  for (int64_t dim = 0; dim < rank; ++dim) {
    if (isTrivial(dim, op.getWindowDimensions().value_or(ones),
                  op.getWindowStrides(), op.getPadding()) &&
        b.sizeOf(in(1, dim)) == b.sizeOf(out(dim))) {
      b.pass({in(0, dim), in(1, dim), out(dim)});
    } else {
      b.add(FactorKind::Permutation, {in(0, dim), out(dim)});
      b.replicate(in(1, dim));
    }
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Transforms, linear algebra, normalization
//===----------------------------------------------------------------------===//

bool fftRule(RuleBuilder &b) {
  int64_t rank = shapeOf(b.op->getResult(0)).size();
  int64_t leading = rank - cast<FftOp>(b.op).getFftLength().size();
  for (int64_t dim = 0; dim < rank; ++dim) {
    if (dim < leading) {
      b.pass({in(0, dim), out(dim)});
    } else if (b.sizeOf(in(0, dim)) == b.sizeOf(out(dim))) {
      b.add(FactorKind::NeedReplication, {in(0, dim), out(dim)});
    } else {
      b.replicate(in(0, dim), /*isBlocked=*/true);
      b.replicate(out(dim), /*isBlocked=*/true);
    }
  }
  return true;
}

bool choleskyRule(RuleBuilder &b) {
  int64_t rank = shapeOf(b.op->getResult(0)).size();
  for (int64_t dim = 0; dim < rank; ++dim) {
    b.add(dim < rank - 2 ? FactorKind::PassThrough
                         : FactorKind::NeedReplication,
          {in(0, dim), out(dim)});
  }
  return true;
}

bool triangularSolveRule(RuleBuilder &b) {
  int64_t rank = shapeOf(b.op->getResult(0)).size();
  for (int64_t dim = 0; dim < rank - 2; ++dim) {
    b.pass({in(0, dim), in(1, dim), out(dim)});
  }
  for (int64_t dim = rank - 2; dim < rank; ++dim) {
    b.replicate(in(0, dim));
    b.add(FactorKind::NeedReplication, {in(1, dim), out(dim)});
  }
  return true;
}

bool batchNormInferenceRule(RuleBuilder &b) {
  auto op = cast<BatchNormInferenceOp>(b.op);
  for (int64_t dim = 0; dim < int64_t(shapeOf(op.getResult()).size()); ++dim) {
    SmallVector<DimOf> dims = {in(0, dim), out(dim)};
    if (dim == int64_t(op.getFeatureIndex())) {
      dims.append({in(1, 0), in(2, 0), in(3, 0), in(4, 0)});
    }
    b.pass(dims);
  }
  return true;
}

/// Training and its gradient: statistics of all but the features are needed
/// before any element of the result.
bool batchNormRule(RuleBuilder &b) {
  int64_t feature = isa<BatchNormTrainingOp>(b.op)
                        ? cast<BatchNormTrainingOp>(b.op).getFeatureIndex()
                        : cast<BatchNormGradOp>(b.op).getFeatureIndex();
  int64_t rank = shapeOf(b.op->getResult(0)).size();
  // Both take the array first and give one first; the gradient of the result
  // comes last.
  auto isArray = [&](unsigned operand) { return operand == 0 || operand == 4; };
  for (int64_t dim = 0; dim < rank; ++dim) {
    SmallVector<DimOf> dims = {in(0, dim), out(0, dim)};
    for (unsigned i = 1; i < b.op->getNumOperands(); ++i) {
      if (isArray(i)) {
        dims.push_back(in(i, dim));
      } else if (dim == feature) {
        dims.push_back(in(i, 0));
      }
    }
    if (dim == feature) {
      dims.append({out(1, 0), out(2, 0)});
    }
    b.add(dim == feature ? FactorKind::PassThrough
                         : FactorKind::NeedReplication,
          dims);
  }
  return true;
}

} // namespace xla::partition
