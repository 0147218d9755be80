//===- BuildScatter.cpp - Kernels of scatters -----------------------------===//
//
// Where all updates go to different elements, each is a thread's. Else a thread
// has one element of the result and goes through all windows, in the order of
// the indices: so sums are the same in every run, and nothing is atomic.
//
//===----------------------------------------------------------------------===//

#include "xla/codegen/gpu/BuildKernels.h"

namespace xla::gpu {

using namespace stablehlo;
using cpu::StepRef;
using kernel::Mark;
using mlir::Value;

namespace {

/// The dimension numbers, put the way that the kernels need them.
struct ScatterDims {
  explicit ScatterDims(ScatterOp op);

  ScatterDimensionNumbersAttr numbers;
  llvm::ArrayRef<int64_t> shape, updates;
  llvm::SmallVector<int64_t> batchDims, windowDims; ///< of the updates
  llvm::SmallVector<int64_t> batchSizes, windowSizes;
  llvm::SmallVector<int64_t> operandWindow; ///< operand dims of windowDims
};

} // namespace

ScatterDims::ScatterDims(ScatterOp op)
    : numbers(op.getScatterDimensionNumbers()),
      shape(cpu::shapeOf(op.getInputs().front())),
      updates(cpu::shapeOf(op.getUpdates().front())) {
  for (auto [i, size] : llvm::enumerate(updates)) {
    auto d = static_cast<int64_t>(i);
    bool inWindow = llvm::is_contained(numbers.getUpdateWindowDims(), d);
    (inWindow ? windowDims : batchDims).push_back(d);
    (inWindow ? windowSizes : batchSizes).push_back(size);
  }
  for (int64_t d = 0; d < static_cast<int64_t>(shape.size()); ++d) {
    if (!llvm::is_contained(numbers.getInsertedWindowDims(), d) &&
        !llvm::is_contained(numbers.getInputBatchingDims(), d)) {
      operandWindow.push_back(d);
    }
  }
}

/// Where the window of the indices at `batch` begins; `inside` becomes false
/// where any of it is outside of the operand.
KernelSource::Refs KernelSource::windowStarts(ScatterOp op,
                                              llvm::ArrayRef<StepRef> batch,
                                              StepRef &inside) {
  const ScatterDims dims(op);
  Value indices = op.getScatterIndices();
  int64_t vector = dims.numbers.getIndexVectorDim();
  auto rank = static_cast<int64_t>(cpu::shapeOf(indices).size());
  Refs starts(dims.shape.size(), constant(0));
  for (auto [component, d] :
       llvm::enumerate(dims.numbers.getScatterDimsToOperandDims())) {
    Index at;
    size_t next = 0;
    for (int64_t i = 0; i < rank; ++i) {
      at.dims.push_back(i == vector ? constant(static_cast<int64_t>(component))
                                    : batch[next++]);
    }
    StepRef start = widenIndex(indices, emitElement(indices, at));
    int64_t extent = 1;
    for (auto [size, own] :
         llvm::zip_equal(dims.windowSizes, dims.operandWindow)) {
      extent = own == d ? size : extent;
    }
    inside = both(inside, both(isAtLeast(start, 0),
                               isAtMost(start, dims.shape[d] - extent)));
    starts[d] = start;
  }
  for (auto [input, from] :
       llvm::zip_equal(dims.numbers.getInputBatchingDims(),
                       dims.numbers.getScatterIndicesBatchingDims())) {
    starts[input] = batch[from - (from > vector ? 1 : 0)];
  }
  return starts;
}

kernel::Kernel KernelSource::scatterUnique(ScatterOp op,
                                           llvm::ArrayRef<BufferSlice> slices) {
  const ScatterDims dims(op);
  storedShape.assign(dims.shape.begin(), dims.shape.end());
  result.name = "scatter";
  int64_t count = mlir::ShapedType::getNumElements(dims.updates);
  parallel(count, 1, [&](StepRef first, StepRef last) {
    markedLoop(Mark::Vector, first, last, [&](StepRef update) {
      Index source, target;
      source.linear = update;
      source.dims = dimsOf(source, dims.updates);
      Refs batch;
      for (int64_t d : dims.batchDims) {
        batch.push_back(source.dims[d]);
      }
      StepRef inside = truth();
      Refs starts = windowStarts(op, batch, inside);
      for (auto [n, d] : llvm::enumerate(dims.operandWindow)) {
        starts[d] = sumOf(starts[d], source.dims[dims.windowDims[n]]);
      }
      target.dims.assign(starts.begin(), starts.end());
      when(inside, [&] {
        StepRef linear = linearOf(target, dims.shape);
        Refs old, given;
        for (auto [slice, value] : llvm::zip_equal(slices, op.getUpdates())) {
          ElementType type = elementTypeOf(value.getType());
          old.push_back(loadFrom(
              bufferOf(type, storedShape, slice, /*isWritten=*/true), linear));
          given.push_back(emitElement(value, source));
        }
        Refs next = fold(op.getUpdateComputation(), old, given);
        for (auto [slice, element] : llvm::zip_equal(slices, next)) {
          store(at(element).type, slice, linear, element);
        }
      });
    });
  });
  return std::move(result);
}

kernel::Kernel KernelSource::scatter(ScatterOp op,
                                     llvm::ArrayRef<BufferSlice> slices) {
  const ScatterDims dims(op);
  storedShape.assign(dims.shape.begin(), dims.shape.end());
  result.name = "scatter";
  int64_t count = mlir::ShapedType::getNumElements(dims.shape);
  int64_t windows = mlir::ShapedType::getNumElements(dims.batchSizes);
  bool hasUpdates = mlir::ShapedType::getNumElements(dims.updates) > 0;
  if (hasUpdates && count > mostRounds / windows) {
    fail(op, "its indices are not unique, and too many for each element of "
             "the result to look at all of them");
    return std::move(result);
  }
  auto update = [&](const Index &position, StepRef number,
                    llvm::ArrayRef<StepRef> carried) {
    Index batch, source;
    batch.linear = number;
    batch.dims = dimsOf(batch, dims.batchSizes);
    StepRef inside = truth();
    Refs starts = windowStarts(op, batch.dims, inside);
    source.dims.assign(dims.updates.size(), constant(0));
    for (auto [d, i] : llvm::zip_equal(dims.batchDims, batch.dims)) {
      source.dims[d] = i;
    }
    for (size_t d = 0; d < dims.shape.size(); ++d) {
      StepRef offset = subtract(position.dims[d], starts[d]);
      const auto *found =
          llvm::find(dims.operandWindow, static_cast<int64_t>(d));
      if (found == dims.operandWindow.end()) {
        inside = both(inside, isEqual(offset, 0));
        continue;
      }
      auto n = found - dims.operandWindow.begin();
      int64_t most = dims.windowSizes[n] - 1;
      inside = both(inside, both(isAtLeast(offset, 0), isAtMost(offset, most)));
      source.dims[dims.windowDims[n]] = least(this->most(offset, 0), most);
    }
    Refs given;
    for (Value value : op.getUpdates()) {
      given.push_back(emitElement(value, source));
    }
    Refs next = fold(op.getUpdateComputation(), carried, given);
    for (auto [element, old] : llvm::zip_equal(next, carried)) {
      element = chooseElement(inside, element, old);
    }
    return next;
  };
  parallel(count, 1, [&](StepRef first, StepRef last) {
    markedLoop(Mark::Vector, first, last, [&](StepRef output) {
      Index position;
      position.linear = output;
      Refs x;
      for (Value input : op.getInputs()) {
        x.push_back(emitElement(input, position));
      }
      position.dims = dimsOf(position, dims.shape);
      if (hasUpdates) {
        x = carry(constant(0), constant(windows), x,
                  [&](StepRef number, llvm::ArrayRef<StepRef> carried) {
                    return update(position, number, carried);
                  });
      }
      for (auto [slice, element] : llvm::zip_equal(slices, x)) {
        store(at(element).type, slice, output, element);
      }
    });
  });
  return std::move(result);
}

} // namespace xla::gpu
