//===- BuildConvolution.cpp - Kernels of convolutions ---------------------===//
//
// From the definition: a thread has an element of the result, and goes through
// the taps of the window and the input features of its group.
//
//===----------------------------------------------------------------------===//

#include "xla/codegen/gpu/BuildKernels.h"

#include "xla/codegen/cpu/lower/convolution/ConvolutionArrays.h"

namespace xla::gpu {

using namespace stablehlo;
using cpu::ConvolutionArrays;
using cpu::ConvolutionWindow;
using cpu::StepRef;
using kernel::Mark;

kernel::Kernel KernelSource::convolution(ConvolutionOp op,
                                         const BufferSlice &slice) {
  const ConvolutionArrays arrays(op);
  ConvDimensionNumbersAttr numbers = arrays.numbers;
  llvm::SmallVector<int64_t> terms;
  for (int64_t d : numbers.getKernelSpatialDimensions()) {
    terms.push_back(arrays.rhs[d]);
  }
  terms.push_back(arrays.inputs);
  storedShape.assign(arrays.out.begin(), arrays.out.end());
  result.name = "convolution";
  mlir::Type sumType = sumTypeOf(op.getResult());
  mlir::Type resultType = cpu::tensorOf(op.getResult()).getElementType();
  auto productAt = [&](llvm::ArrayRef<StepRef> position, StepRef term,
                       llvm::ArrayRef<StepRef> sum) -> Refs {
    Index inner, left, right;
    inner.linear = term;
    auto taps = dimsOf(inner, terms);
    left.dims.assign(arrays.lhs.size(), constant(0));
    right.dims.assign(arrays.rhs.size(), constant(0));
    StepRef feature = position[numbers.getOutputFeatureDimension()];
    StepRef batch = position[numbers.getOutputBatchDimension()];
    StepRef group = arrays.groups == 1
                        ? constant(0)
                        : divide(feature, constant(arrays.features));
    left.dims[numbers.getInputBatchDimension()] =
        arrays.groupsBatch ? sumOf(timesOf(group, arrays.batches), batch)
                           : batch;
    left.dims[numbers.getInputFeatureDimension()] =
        arrays.groupsBatch ? taps.back()
                           : sumOf(timesOf(group, arrays.inputs), taps.back());
    right.dims[numbers.getKernelInputFeatureDimension()] = taps.back();
    right.dims[numbers.getKernelOutputFeatureDimension()] = feature;
    StepRef inside = truth();
    for (auto [d, window] : llvm::enumerate(arrays.windows)) {
      StepRef i =
          sumOf(timesOf(position[numbers.getOutputSpatialDimensions()[d]],
                        window.stride),
                timesOf(taps[d], window.rhsDilation));
      i = shiftIndex(i, -window.low);
      int64_t last = (window.size - 1) * window.lhsDilation;
      inside = both(inside, both(isAtLeast(i, 0), isAtMost(i, last)));
      if (window.lhsDilation > 1) {
        inside =
            both(inside, isEqual(signedRemainder(i, window.lhsDilation), 0));
        i = signedDivide(i, window.lhsDilation);
      }
      left.dims[numbers.getInputSpatialDimensions()[d]] =
          least(most(i, 0), window.size - 1);
      right.dims[numbers.getKernelSpatialDimensions()[d]] =
          window.reversed ? mirrorIndex(taps[d], terms[d]) : taps[d];
    }
    StepRef x = elementAs(op.getLhs(), left, sumType);
    StepRef y = elementAs(op.getRhs(), right, sumType);
    StepRef next = addProduct(sum[0], x, y, sumType);
    return {chooseElement(inside, next, sum[0])};
  };
  int64_t count = mlir::ShapedType::getNumElements(arrays.out);
  bool hasTerms = mlir::ShapedType::getNumElements(terms) > 0 &&
                  !llvm::is_contained(arrays.lhs, 0);
  parallel(count, 1, [&](StepRef first, StepRef last) {
    markedLoop(Mark::Vector, first, last, [&](StepRef output) {
      Index position;
      position.linear = output;
      auto dims = dimsOf(position, arrays.out);
      Refs sum = {zero(elementTypeOf(sumType))};
      if (hasTerms) {
        int64_t rounds = mlir::ShapedType::getNumElements(terms);
        sum = carry(constant(0), constant(rounds), sum,
                    [&](StepRef term, llvm::ArrayRef<StepRef> carried) {
                      return productAt(dims, term, carried);
                    });
      }
      finish(op.getResult(), slice, output,
             convert(sum[0], sumType, resultType));
    });
  });
  return std::move(result);
}

} // namespace xla::gpu
