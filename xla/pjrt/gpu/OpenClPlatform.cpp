//===- OpenClPlatform.cpp - Devices that OpenCL drives --------------------===//

#include "xla/pjrt/gpu/GpuPlatform.h"

namespace xla::pjrt {

static Status prepare(Backend backend) {
  return gpu::openDevice(gpu::Driver::OpenCl, backend);
}

const Platform &platform() {
  static const Platform openCl =
      gpuPlatform("opencl", "OpenCL", "OpenClDevice",
                  "jax-opencl-executable-1\n", prepare, true);
  return openCl;
}

} // namespace xla::pjrt
