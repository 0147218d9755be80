//===- BuildSort.cpp - Kernels of sorts -----------------------------------===//
//
// A thread has an element: it counts those that come before it in its line, and
// puts it there. Equal ones keep their order, so every sort is stable.
//
//===----------------------------------------------------------------------===//

#include "xla/codegen/gpu/BuildKernels.h"

namespace xla::gpu {

using namespace stablehlo;
using cpu::StepRef;
using kernel::Code;
using kernel::Mark;
using mlir::Value;

kernel::Kernel KernelSource::sort(SortOp op,
                                  llvm::ArrayRef<BufferSlice> slices) {
  llvm::ArrayRef<int64_t> shape = cpu::shapeOf(op.getInputs().front());
  auto dimension = static_cast<int64_t>(op.getDimension());
  dimension += dimension < 0 ? static_cast<int64_t>(shape.size()) : 0;
  int64_t count = mlir::ShapedType::getNumElements(shape);
  int64_t length = shape.empty() ? 1 : shape[dimension];
  storedShape.assign(shape.begin(), shape.end());
  result.name = "sort";
  if (count > mostRounds / std::max<int64_t>(length, 1)) {
    fail(op, "its lines are too long for each element to be compared with all");
    return std::move(result);
  }
  auto elementsAt = [&](const Index &index) {
    Refs elements;
    for (Value input : op.getInputs()) {
      elements.push_back(emitElement(input, index));
    }
    return elements;
  };
  auto comesBefore = [&](llvm::ArrayRef<StepRef> x, llvm::ArrayRef<StepRef> y) {
    Refs both;
    for (auto [a, b] : llvm::zip_equal(x, y)) {
      both.append({a, b});
    }
    kernel::Step step = {Code::OfElement};
    step.operands = {idOf(apply(op.getComparator(), both).front())};
    return add(std::move(step));
  };
  parallel(count, 1, [&](StepRef first, StepRef last) {
    markedLoop(Mark::Vector, first, last, [&](StepRef output) {
      Index own;
      own.linear = output;
      Refs x = elementsAt(own);
      own.dims = dimsOf(own, shape);
      own.linear = {};
      StepRef rank = constant(0);
      if (!shape.empty()) {
        StepRef at = own.dims[dimension];
        auto countOn = [&](StepRef other, llvm::ArrayRef<StepRef> before) {
          Index index = own;
          index.dims[dimension] = other;
          Refs y = elementsAt(index);
          StepRef isLess = comesBefore(y, x), isMore = comesBefore(x, y);
          StepRef isEarlier = isAtLeast(subtract(at, other), 1);
          StepRef one = constant(1), none = constant(0);
          StepRef tie =
              chooseIndex(both(isEqual(isMore, 0), isEarlier), one, none);
          return Refs{
              this->add(before[0], chooseIndex(isEqual(isLess, 1), one, tie))};
        };
        rank = carry(constant(0), constant(length), {constant(0)}, countOn)[0];
        own.dims[dimension] = rank;
      }
      StepRef linear = linearOf(own, shape);
      for (auto [slice, element] : llvm::zip_equal(slices, x)) {
        store(this->at(element).type, slice, linear, element);
      }
    });
  });
  return std::move(result);
}

} // namespace xla::gpu
