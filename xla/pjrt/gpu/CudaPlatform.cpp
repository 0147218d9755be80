//===- CudaPlatform.cpp - GPUs of NVIDIA ----------------------------------===//

#include "xla/pjrt/gpu/GpuPlatform.h"

namespace xla::pjrt {

static Status prepare(Backend backend) {
  return gpu::openDevice(gpu::Driver::Cuda, backend);
}

const Platform &platform() {
  static const Platform cuda = gpuPlatform(
      "cuda", "CUDA", "CudaDevice", "jax-cuda-executable-1\n", prepare, false);
  return cuda;
}

} // namespace xla::pjrt
