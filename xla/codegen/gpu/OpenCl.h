//===- OpenCl.h - Kernels on an OpenCL device -------------------*- C++ -*-===//
//
// OpenCL's library is opened when the first device is, and never linked: of its
// interface this declares what it calls. Arrays are memory of the host, which
// the device must see: that of drivers for CPUs does.
//
//===----------------------------------------------------------------------===//

#ifndef XLA_CODEGEN_GPU_OPENCL_H
#define XLA_CODEGEN_GPU_OPENCL_H

#include "xla/codegen/gpu/Device.h"

#include <map>
#include <mutex>

namespace xla::gpu {

struct OpenClFunctions;

class OpenClDevice : public Device {
public:
  /// The first device of the first platform. NotFound where there is none, with
  /// what was looked for: the library is `path`, or libOpenCL.so.1.
  static StatusOr<std::unique_ptr<OpenClDevice>> open(const char *path);
  ~OpenClDevice() override;

  const std::string &name() const override { return deviceName; }
  const Target &target() const override { return spirv; }
  StatusOr<std::string>
  compile(llvm::ArrayRef<kernel::Kernel> kernels) override;
  StatusOr<std::unique_ptr<LoadedKernels>>
  load(llvm::ArrayRef<kernel::Kernel> kernels,
       const std::string &code) override;

private:
  friend class OpenClKernels;
  OpenClDevice() = default;
  Status check(int code, const char *what) const;
  StatusOr<void *> queueOf(int32_t number);
  /// The program of that code, built at first use.
  StatusOr<void *> programOf(const std::string &code);

  std::unique_ptr<OpenClFunctions> functions;
  std::string deviceName;
  Target spirv;
  void *device = nullptr, *context = nullptr;
  std::mutex queuesMutex, buildsMutex; ///< not all drivers build in threads
  std::map<int32_t, void *> queues;    ///< by number, made at first use
  /// By their SPIR-V, until the device is closed: once a program is gone,
  /// Intel's driver for CPUs may crash where it builds another.
  std::map<std::string, void *> programs;
};

} // namespace xla::gpu

#endif // XLA_CODEGEN_GPU_OPENCL_H
