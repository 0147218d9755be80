//===- GpuPlatform.cpp - What plugins of GPUs differ in -------------------===//

#include "xla/pjrt/gpu/GpuPlatform.h"

namespace xla::pjrt {

static std::string_view deviceKind() {
  std::string_view name = gpu::deviceName();
  return name.empty() ? "GPU" : name;
}

Platform gpuPlatform(std::string_view name, std::string_view title,
                     std::string_view devicePrefix,
                     std::string_view serializedMagic,
                     Status (*prepare)(Backend), bool seesHostMemory) {
  return {
      .name = name,
      .title = title,
      .devicePrefix = devicePrefix,
      .deviceCountOption = "device_count",
      .serializedMagic = serializedMagic,
      .prepare = prepare,
      .seesHostMemory = seesHostMemory,
      .deviceKind = deviceKind,
      .compile = gpu::compileProgram,
      .describe = gpu::describeProgram,
      .load = gpu::loadProgram,
      .codeIdentity = gpu::codeIdentity,
      .hostOperations = gpu::hostOperations,
  };
}

} // namespace xla::pjrt
