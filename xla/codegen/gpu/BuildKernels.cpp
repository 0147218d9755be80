//===- BuildKernels.cpp - The kernels of operations -----------------------===//

#include "xla/codegen/gpu/BuildKernels.h"

#include "xla/codegen/cpu/Elements.h"

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

KernelSource::StepRef KernelSource::loadElement(Value value, StepRef linear) {
  return value == finished ? finishedElement
                           : KernelBuilder::loadElement(value, linear);
}

void KernelSource::finish(Value product, const BufferSlice &slice,
                          StepRef linear, StepRef element) {
  if (!epilogue.isAlone) {
    store(elementTypeOf(product.getType()), slice, linear, element);
  }
  if (epilogue.outputs.empty()) {
    return;
  }
  finished = product;
  finishedElement = element;
  llvm::SmallVector<int64_t, 4> outer = storedShape;
  llvm::ArrayRef<int64_t> shape = cpu::shapeOf(epilogue.outputs.front());
  storedShape.assign(shape.begin(), shape.end());
  Index index;
  index.linear = linear;
  cpu::elements::storeOutputs(*this, epilogue.outputs, epilogue.slices, index);
  storedShape = outer;
  finished = {};
}

} // namespace xla::gpu
