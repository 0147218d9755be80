//===- ReductionKernel.h - Reductions in the kernel form --------*- C++ -*-===//

#ifndef XLA_CODEGEN_CPU_LOWER_REDUCE_REDUCTIONKERNEL_H
#define XLA_CODEGEN_CPU_LOWER_REDUCE_REDUCTIONKERNEL_H

#include "xla/codegen/cpu/KernelBuilder.h"
#include "xla/codegen/cpu/lower/reduce/Reduce.h"

#include <memory>

namespace xla::cpu {

/// What the kernels of all reductions have: their operands, initial values,
/// results, and scratch memory for an element of each.
class ReductionKernel : public KernelBuilder {
public:
  ReductionKernel(stablehlo::ReduceOp op, const FusionPlan &fusion,
                  const RowGroups &rows, const BufferPlan &buffers)
      : KernelBuilder(fusion, buffers, siteOf(op, rows).groupRows),
        plan(op, fusion, rows), op(op), chosen(kernelOf(op)) {}

  kernel::Kernel build() {
    fill();
    return std::move(result);
  }

protected:
  /// Buffers, one for each result.
  using Buffers = llvm::SmallVector<int64_t>;

  virtual void fill() = 0;

  Refs initial() {
    Refs elements;
    for (mlir::Value value : op.getInitValues()) {
      elements.push_back(scalar(value));
    }
    return elements;
  }

  /// The elements number `i` of row `row` of what is folded into one result.
  Refs elementsAt(const Index &keptIndex, StepRef row, StepRef i) {
    Index index = operandIndex(*this, plan, keptIndex, row, i);
    Refs elements;
    for (mlir::Value input : op.getInputs()) {
      elements.push_back(emitElement(input, index));
    }
    return elements;
  }

  /// What the computation of the reduction makes of two elements.
  Refs combine(llvm::ArrayRef<StepRef> x, llvm::ArrayRef<StepRef> y) {
    Refs both(x);
    both.append(y.begin(), y.end());
    return apply(op.getBody(), both);
  }

  Buffers resultBuffers() {
    Buffers arrays;
    for (mlir::Value array : op.getResults()) {
      arrays.push_back(bufferOf(elementTypeOf(array.getType()), shapeOf(array),
                                buffers.sliceOf(array), true));
    }
    return arrays;
  }

  /// Memory of a thread for `count` elements of each result.
  Buffers scratchOf(int64_t count) {
    Buffers arrays;
    for (mlir::Value result : op.getResults()) {
      arrays.push_back(scratch(elementTypeOf(result.getType()), count,
                               kernel::Scope::Thread));
    }
    return arrays;
  }

  Refs loadAll(const Buffers &arrays, StepRef at) {
    Refs elements;
    for (int64_t array : arrays) {
      elements.push_back(loadFrom(array, at));
    }
    return elements;
  }

  void storeAll(const Buffers &arrays, StepRef at,
                llvm::ArrayRef<StepRef> elements) {
    for (auto [array, element] : llvm::zip_equal(arrays, elements)) {
      storeTo(array, at, element);
    }
  }

  ReductionPlan plan;
  stablehlo::ReduceOp op;
  Kernel chosen;
};

std::unique_ptr<ReductionKernel> rowKernel(stablehlo::ReduceOp op,
                                           const FusionPlan &fusion,
                                           const RowGroups &rows,
                                           const BufferPlan &buffers);
std::unique_ptr<ReductionKernel> columnKernel(stablehlo::ReduceOp op,
                                              const FusionPlan &fusion,
                                              const RowGroups &rows,
                                              const BufferPlan &buffers);
/// Builds the kernel of a reduction; null if its strategy is none of kernels.
std::unique_ptr<ReductionKernel> reductionKernel(stablehlo::ReduceOp op,
                                                 const FusionPlan &fusion,
                                                 const RowGroups &rows,
                                                 const BufferPlan &buffers);

} // namespace xla::cpu

#endif // XLA_CODEGEN_CPU_LOWER_REDUCE_REDUCTIONKERNEL_H
