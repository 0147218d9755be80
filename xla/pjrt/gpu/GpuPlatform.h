//===- GpuPlatform.h - What plugins of GPUs differ in -----------*- C++ -*-===//

#ifndef XLA_PJRT_GPU_GPUPLATFORM_H
#define XLA_PJRT_GPU_GPUPLATFORM_H

#include "xla/pipeline/CompileForGpu.h"
#include "xla/pjrt/common/Platform.h"

namespace xla::pjrt {

/// A platform of that name, whose kernels `prepare`'s device runs.
Platform gpuPlatform(std::string_view name, std::string_view title,
                     std::string_view devicePrefix,
                     std::string_view serializedMagic,
                     Status (*prepare)(Backend), bool seesHostMemory);

} // namespace xla::pjrt

#endif // XLA_PJRT_GPU_GPUPLATFORM_H
