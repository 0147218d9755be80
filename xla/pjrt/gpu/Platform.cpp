//===- Platform.cpp - Devices that OpenCL drives --------------------------===//

#include "xla/pjrt/common/Platform.h"

#include "xla/pipeline/CompileForGpu.h"

namespace xla::pjrt {

static std::string_view deviceKind() {
  std::string_view name = gpu::deviceName();
  return name.empty() ? "OpenCL" : name;
}

const Platform &platform() {
  static constexpr Platform openCl = {
      .name = "opencl",
      .title = "OpenCL",
      .devicePrefix = "OpenClDevice",
      .deviceCountOption = "device_count",
      .serializedMagic = "jax-opencl-executable-1\n",
      .prepare = gpu::openDevice,
      .deviceKind = deviceKind,
      .compile = gpu::compileProgram,
      .describe = gpu::describeProgram,
      .load = gpu::loadProgram,
      .codeIdentity = gpu::codeIdentity,
      .hostOperations = gpu::hostOperations,
  };
  return openCl;
}

} // namespace xla::pjrt
