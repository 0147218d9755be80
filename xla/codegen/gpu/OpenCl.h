//===- OpenCl.h - Kernels on an OpenCL device -------------------*- C++ -*-===//
//
// OpenCL's library is opened when the first device is, and never linked: of its
// interface this declares what it calls. Arrays are memory of the host, which
// the device must see: that of drivers for CPUs does.
//
//===----------------------------------------------------------------------===//

#ifndef XLA_CODEGEN_GPU_OPENCL_H
#define XLA_CODEGEN_GPU_OPENCL_H

#include "xla/codegen/gpu/LowerKernel.h"

#include "llvm/ADT/ArrayRef.h"

#include <memory>
#include <string>
#include <vector>

namespace xla::gpu {

struct OpenClFunctions;

class OpenClDevice {
public:
  /// The first device of the first platform. NotFound where there is none, with
  /// what was looked for: the library is `path`, or libOpenCL.so.1.
  static StatusOr<std::unique_ptr<OpenClDevice>> open(const char *path);
  ~OpenClDevice();

  const std::string &name() const { return deviceName; }

  /// Makes a module of SPIR-V runnable: the kernels of these names.
  Status load(const std::string &spirv, llvm::ArrayRef<std::string> names);
  /// Runs a kernel, by its number, to its end.
  Status run(size_t kernel, const Grid &grid, llvm::ArrayRef<void *> buffers);

private:
  OpenClDevice() = default;
  Status check(int code, const char *what) const;

  std::unique_ptr<OpenClFunctions> functions;
  std::string deviceName;
  void *device = nullptr, *context = nullptr, *queue = nullptr;
  void *program = nullptr;
  std::vector<void *> kernels;
};

} // namespace xla::gpu

#endif // XLA_CODEGEN_GPU_OPENCL_H
