//===- CheckGpu.h - Emulated kernels against the CPU compiler ---*- C++ -*-===//

#ifndef XLA_TOOLS_CHECKGPU_H
#define XLA_TOOLS_CHECKGPU_H

#include "xla/codegen/gpu/Target.h"
#include "xla/kernel/Form.h"

#include <string>

namespace xla::tools {

/// Runs a program by the emulator, or by the first OpenCL device where `target`
/// is one, and by the CPU compiler, on the same made-up
/// arguments, and compares the results. An error says what differs, or what a
/// kernel did that it must not.
Status checkProgram(const std::string &text, const gpu::Target &target);

/// Runs one kernel by the emulator.
Status checkKernel(const kernel::Kernel &kernel, const gpu::Target &target);

} // namespace xla::tools

#endif // XLA_TOOLS_CHECKGPU_H
