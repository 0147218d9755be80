//===- Platform.cpp - This machine's processors as devices ----------------===//

#include "xla/pjrt/common/Platform.h"

namespace xla::pjrt {

static Status prepare(Backend) { return okStatus(); }

static std::string_view deviceKind() { return "cpu"; }

static int64_t hostOperations(const AbstractProgram &) { return 0; }

const Platform &platform() {
  static constexpr Platform cpu = {
      .name = "cpu",
      .title = "CPU",
      .devicePrefix = "CpuDevice",
      .deviceCountOption = "cpu_device_count",
      .serializedMagic = "jax-cpu-executable-2\n",
      .prepare = prepare,
      .seesHostMemory = true,
      .deviceKind = deviceKind,
      .compile = compileProgram,
      .describe = describeProgram,
      .load = loadProgram,
      .codeIdentity = xla::codeIdentity,
      .hostOperations = hostOperations,
  };
  return cpu;
}

} // namespace xla::pjrt
