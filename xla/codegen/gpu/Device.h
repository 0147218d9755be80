//===- Device.h - What runs kernels -----------------------------*- C++ -*-===//
//
// A device runs the kernels of programs on memory that the host sees too. There
// are three: one behind OpenCL (OpenCl.h), GPUs behind their vendors' drivers
// (DriverDevice.h), and the emulator (Emulator.h).
//
//===----------------------------------------------------------------------===//

#ifndef XLA_CODEGEN_GPU_DEVICE_H
#define XLA_CODEGEN_GPU_DEVICE_H

#include "xla/codegen/gpu/Target.h"
#include "xla/kernel/Form.h"

#include "llvm/ADT/ArrayRef.h"

#include <memory>
#include <string>

namespace xla {
struct MemorySource;
} // namespace xla

namespace xla::gpu {

/// The kernels of a program, ready to run. What is done on one queue is done in
/// its order; a call may return before it is. Any number of threads may use
/// different queues at once.
class LoadedKernels {
public:
  virtual ~LoadedKernels() = default;

  /// Runs a kernel, by its number. `buffers` are those that are not scratch
  /// memory, in their order.
  virtual Status launch(int32_t queue, size_t kernel,
                        llvm::ArrayRef<void *> buffers) = 0;
  virtual Status copy(int32_t queue, void *to, const void *from,
                      int64_t bytes) = 0;
  /// Waits until all that was done on the queue is over.
  virtual Status finish(int32_t queue) = 0;
};

class Device {
public:
  virtual ~Device() = default;

  virtual const std::string &name() const = 0;
  virtual const Target &target() const = 0;
  /// The memory that kernels and the host see; null where all of the host's is
  /// such. It is there as long as the device.
  virtual const MemorySource *memory() const { return nullptr; }
  /// What `load` takes, as bytes that any process may give it; empty where
  /// kernels are no code of a device.
  virtual StatusOr<std::string>
  compile(llvm::ArrayRef<kernel::Kernel> kernels) = 0;
  /// Must not outlive the device.
  virtual StatusOr<std::unique_ptr<LoadedKernels>>
  load(llvm::ArrayRef<kernel::Kernel> kernels, const std::string &code) = 0;
};

} // namespace xla::gpu

#endif // XLA_CODEGEN_GPU_DEVICE_H
