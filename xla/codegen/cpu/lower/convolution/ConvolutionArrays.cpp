//===- ConvolutionArrays.cpp - What a convolution says of its arrays ------===//

#include "xla/codegen/cpu/lower/convolution/ConvolutionArrays.h"

#include "xla/codegen/cpu/lower/reduce/Folds.h"

namespace xla::cpu {

using namespace stablehlo;

static llvm::SmallVector<ConvolutionWindow> windowsOf(ConvolutionOp op) {
  llvm::SmallVector<ConvolutionWindow> windows;
  for (int64_t d : op.getDimensionNumbers().getInputSpatialDimensions()) {
    windows.push_back({.size = shapeOf(op.getLhs())[d]});
  }
  auto fill = [&](std::optional<llvm::ArrayRef<int64_t>> values,
                  int64_t ConvolutionWindow::*field) {
    if (values) {
      for (auto [window, value] : llvm::zip_equal(windows, *values)) {
        window.*field = value;
      }
    }
  };
  fill(op.getWindowStrides(), &ConvolutionWindow::stride);
  fill(op.getLhsDilation(), &ConvolutionWindow::lhsDilation);
  fill(op.getRhsDilation(), &ConvolutionWindow::rhsDilation);
  if (auto padding = op.getPadding()) {
    for (auto [i, value] : llvm::enumerate(padding->getValues<llvm::APInt>())) {
      if (i % 2 == 0) {
        windows[i / 2].low = value.getSExtValue();
      }
    }
  }
  if (auto reversal = op.getWindowReversal()) {
    for (auto [window, value] : llvm::zip_equal(windows, *reversal)) {
      window.reversed = value;
    }
  }
  return windows;
}

ConvolutionArrays::ConvolutionArrays(ConvolutionOp op)
    : op(op), numbers(op.getDimensionNumbers()), lhs(shapeOf(op.getLhs())),
      rhs(shapeOf(op.getRhs())), out(shapeOf(op.getResult())),
      windows(windowsOf(op)), lhsType(elementTypeOf(op.getLhs().getType())),
      rhsType(elementTypeOf(op.getRhs().getType())),
      resultType(elementTypeOf(op.getType())), type(accumulatorOf(resultType)),
      groupsBatch(op.getBatchGroupCount() > 1),
      groups(static_cast<int64_t>(groupsBatch ? op.getBatchGroupCount()
                                              : op.getFeatureGroupCount())),
      features(out[numbers.getOutputFeatureDimension()] / groups),
      inputs(rhs[numbers.getKernelInputFeatureDimension()]),
      batches(out[numbers.getOutputBatchDimension()]) {}

bool ConvolutionArrays::hasHoles() const {
  return llvm::any_of(
      windows, [](const ConvolutionWindow &w) { return w.lhsDilation > 1; });
}

bool ConvolutionArrays::sumsRealNumbers() const {
  return isFloat(type) ||
         (!isComplex(type) && bitWidth(type) >= 8 && type != ElementType::Pred);
}

llvm::Value *ConvolutionArrays::sourceAlong(Emitter &e, size_t spatial,
                                            llvm::Value *position,
                                            llvm::Value *tap,
                                            llvm::Value *&inside) const {
  llvm::IRBuilder<> &b = e.builder();
  const ConvolutionWindow &w = windows[spatial];
  llvm::Value *element =
      b.CreateNSWAdd(b.CreateNSWMul(position, e.constant(w.stride)),
                     b.CreateNSWMul(tap, e.constant(w.rhsDilation)));
  element = b.CreateNSWSub(element, e.constant(w.low));
  inside = b.CreateAnd(inside, b.CreateICmpSGE(element, e.constant(0)));
  if (w.lhsDilation > 1) {
    llvm::Value *step = e.constant(w.lhsDilation);
    llvm::Value *rest = b.CreateSRem(element, step);
    inside = b.CreateAnd(inside, b.CreateICmpEQ(rest, e.constant(0)));
    element = b.CreateSDiv(element, step);
  }
  inside = b.CreateAnd(inside, b.CreateICmpSLT(element, e.constant(w.size)));
  return element;
}

llvm::Value *ConvolutionArrays::kernelAlong(Emitter &e, size_t spatial,
                                            llvm::Value *tap) const {
  int64_t size = rhs[numbers.getKernelSpatialDimensions()[spatial]];
  return windows[spatial].reversed
             ? e.builder().CreateNSWSub(e.constant(size - 1), tap)
             : tap;
}

llvm::Value *ConvolutionArrays::elementsBefore(Emitter &e, size_t spatial,
                                               llvm::Value *position) const {
  llvm::IRBuilder<> &b = e.builder();
  const ConvolutionWindow &w = windows[spatial];
  position =
      b.CreateBinaryIntrinsic(llvm::Intrinsic::smax, position, e.constant(0));
  position =
      b.CreateUDiv(b.CreateNSWAdd(position, e.constant(w.lhsDilation - 1)),
                   e.constant(w.lhsDilation));
  return b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, position,
                                 e.constant(w.size));
}

llvm::Value *ConvolutionArrays::addProduct(Emitter &e, llvm::Value *sum,
                                           llvm::Value *x,
                                           llvm::Value *y) const {
  llvm::IRBuilder<> &b = e.builder();
  return isFloat(type) ? b.CreateFAdd(sum, b.CreateFMul(x, y))
                       : b.CreateAdd(sum, b.CreateMul(x, y));
}

} // namespace xla::cpu
