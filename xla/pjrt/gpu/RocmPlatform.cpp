//===- RocmPlatform.cpp - GPUs of AMD -------------------------------------===//

#include "xla/pjrt/gpu/GpuPlatform.h"

namespace xla::pjrt {

static Status prepare(Backend backend) {
  return gpu::openDevice(gpu::Driver::Hip, backend);
}

const Platform &platform() {
  static const Platform rocm = gpuPlatform(
      "rocm", "ROCm", "RocmDevice", "jax-rocm-executable-1\n", prepare, false);
  return rocm;
}

} // namespace xla::pjrt
