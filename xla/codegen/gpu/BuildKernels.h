//===- BuildKernels.h - The kernels of operations ---------------*- C++ -*-===//

#ifndef XLA_CODEGEN_GPU_BUILDKERNELS_H
#define XLA_CODEGEN_GPU_BUILDKERNELS_H

#include "xla/codegen/cpu/KernelBuilder.h"

namespace xla::gpu {

/// Builds one kernel in the kernel form: of the operation that it is called
/// for, and of what is computed in place where that reads it.
class KernelSource : public cpu::KernelBuilder {
public:
  using BufferSlice = cpu::BufferSlice;

  KernelSource(const cpu::FusionPlan &fusion, const cpu::BufferPlan &buffers)
      : KernelBuilder(fusion, buffers, /*groupRows=*/0) {}

  /// All outputs, of one shape, at every index.
  kernel::Kernel nest(llvm::ArrayRef<mlir::Value> outputs,
                      llvm::ArrayRef<BufferSlice> slices);
  /// The update alone: the array is in `slice` already.
  kernel::Kernel update(stablehlo::DynamicUpdateSliceOp op,
                        const BufferSlice &slice);
};

} // namespace xla::gpu

#endif // XLA_CODEGEN_GPU_BUILDKERNELS_H
