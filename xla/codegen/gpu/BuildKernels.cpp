//===- BuildKernels.cpp - The kernels of operations -----------------------===//

#include "xla/codegen/gpu/BuildKernels.h"

namespace xla::gpu {

using namespace stablehlo;
using cpu::LoopOrder;
using cpu::LoopPlan;
using mlir::Value;

/// One index after the other, shared out among all threads of the grid.
static LoopPlan planThreads(llvm::ArrayRef<int64_t> shape) {
  LoopPlan plan;
  plan.order =
      llvm::is_contained(shape, 0) ? LoopOrder::Nothing : LoopOrder::Flat;
  plan.shape.assign(shape.begin(), shape.end());
  plan.grain = 1;
  return plan;
}

kernel::Kernel KernelSource::nest(llvm::ArrayRef<Value> outputs,
                                  llvm::ArrayRef<BufferSlice> slices) {
  return build(outputs, slices, planThreads(cpu::shapeOf(outputs.front())));
}

kernel::Kernel KernelSource::update(DynamicUpdateSliceOp op,
                                    const BufferSlice &slice) {
  return build(op, slice, planThreads(cpu::shapeOf(op.getUpdate())));
}

} // namespace xla::gpu
