//===- DistinctKernels.h - Kernels that share code --------------*- C++ -*-===//

#ifndef XLA_CODEGEN_GPU_DISTINCTKERNELS_H
#define XLA_CODEGEN_GPU_DISTINCTKERNELS_H

#include "xla/kernel/Form.h"

namespace xla::gpu {

struct DistinctKernels {
  std::vector<kernel::Kernel> kernels; ///< no two of the same code
  std::vector<size_t> codeOf; ///< of each that was given: its number there
};

/// Kernels that differ in their names and in where their buffers are have the
/// same code: layers of a network, steps of a loop that was unrolled.
DistinctKernels distinctKernels(llvm::ArrayRef<kernel::Kernel> kernels);

} // namespace xla::gpu

#endif // XLA_CODEGEN_GPU_DISTINCTKERNELS_H
