//===- KernelCosts.h - What a kernel does, counted --------------*- C++ -*-===//
//
// Counts for a model of the time that a kernel takes: what all threads do
// together, and what one of them does. Conditions count as true, and loops
// whose ends are not known as often as their index can go.
//
//===----------------------------------------------------------------------===//

#ifndef XLA_CODEGEN_GPU_KERNELCOSTS_H
#define XLA_CODEGEN_GPU_KERNELCOSTS_H

#include "xla/codegen/gpu/Target.h"
#include "xla/kernel/Form.h"

#include <string>

namespace xla::gpu {

struct KernelCosts {
  int64_t blocks = 1, threads = 1; ///< of a block
  /// Additions and the like on elements, and of these the ones in f64.
  double operations = 0, wideOperations = 0;
  double indexOperations = 0;
  /// Additions and multiplications of matrix units, and of which type.
  double products = 0;
  std::string productType;
  double accessedBytes = 0; ///< by all loads and stores of all threads
  /// Of buffers, no element twice: what must come from memory at least.
  double memoryBytes = 0;
  double scratchBytes = 0;  ///< of a block
  double longestThread = 0; ///< operations and accesses of one thread
};

/// Of a kernel that `kernel::verify` accepts.
KernelCosts costsOf(const kernel::Kernel &kernel, const Target &target);

} // namespace xla::gpu

#endif // XLA_CODEGEN_GPU_KERNELCOSTS_H
