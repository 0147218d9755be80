//===- DriverDevice.h - Kernels on a GPU of NVIDIA or AMD -------*- C++ -*-===//
//
// By CUDA's driver or by HIP. Arrays are memory that the driver manages, which
// the host sees too. Kernels are compiled here: the driver gets PTX, which it
// assembles for its device, or, for AMD, an object that ld.lld has linked.
//
//===----------------------------------------------------------------------===//

#ifndef XLA_CODEGEN_GPU_DRIVERDEVICE_H
#define XLA_CODEGEN_GPU_DRIVERDEVICE_H

#include "xla/codegen/gpu/Device.h"
#include "xla/codegen/gpu/DriverFunctions.h"
#include "xla/runtime/Allocator.h"

#include <map>
#include <mutex>

namespace xla::gpu {

/// What is looked for, if not under its usual name.
struct DriverPaths {
  const char *library = nullptr; ///< of the driver
  /// The folder in which Linux lists chips of AMD.
  std::string topology = "/sys/class/kfd/kfd/topology/nodes";
};

class DriverDevice : public Device {
public:
  /// The first GPU of a vendor. NotFound where there is none, with what was
  /// looked for; Unimplemented for one that kernels are not made for.
  static StatusOr<std::unique_ptr<DriverDevice>>
  open(Vendor vendor, const DriverPaths &paths = {});
  ~DriverDevice() override;

  const std::string &name() const override { return theName; }
  const Target &target() const override { return chip; }
  const MemorySource *memory() const override { return &source; }
  StatusOr<std::string>
  compile(llvm::ArrayRef<kernel::Kernel> kernels) override;
  StatusOr<std::unique_ptr<LoadedKernels>>
  load(llvm::ArrayRef<kernel::Kernel> kernels,
       const std::string &code) override;

private:
  friend class DriverKernels;
  DriverDevice() = default;
  Status find(Vendor vendor, const DriverPaths &paths);
  Status chooseChip(const DriverPaths &paths);
  Status check(int code, const std::string &what) const;
  /// Makes the device that of the calling thread.
  Status enter() const;
  StatusOr<void *> streamOf(int32_t queue);

  DriverFunctions driver = {};
  std::string theName;
  Target chip;
  int ordinal = 0, version = 0;
  void *context = nullptr; ///< of CUDA
  MemorySource source = {};
  std::mutex streamsMutex;
  std::map<int32_t, void *> streams; ///< by queue, made at first use
};

} // namespace xla::gpu

#endif // XLA_CODEGEN_GPU_DRIVERDEVICE_H
