//===- CompileForGpu.h - Programs for GPUs and OpenCL -----------*- C++ -*-===//
//
// Compile.h for programs whose kernels a device runs: that of a driver for
// `Backend::Native`, the emulator, which checks what kernels do, for
// `Backend::Reference`. Operations that there are no kernels for run on the
// host, by the CPU's compiler.
//
//===----------------------------------------------------------------------===//

#ifndef XLA_PIPELINE_COMPILEFORGPU_H
#define XLA_PIPELINE_COMPILEFORGPU_H

#include "xla/pipeline/Compile.h"

namespace xla::gpu {

/// Whose devices a process uses.
enum class Driver : uint8_t { OpenCl, Cuda, Hip };

/// Opens the first device of a driver, once. NotFound, with what was looked for
/// and what to install, where there is none.
Status openDevice(Driver driver, Backend backend);

/// The name of the device that was opened last, or "" before.
std::string_view deviceName();

StatusOr<std::unique_ptr<AbstractProgram>>
compileProgram(std::string_view module, const CompileOptions &options);

/// How many operations of a program that `compileProgram` made run on the host.
int64_t hostOperations(const AbstractProgram &program);

/// In the text, operations that run on the host say so: `xla_gpu.on_host`.
StatusOr<ProgramDescription> describeProgram(std::string_view module,
                                             const CompileOptions &options);

/// A program's image is what it was compiled from, and the code of its kernels:
/// that is not compiled again. FailedPrecondition where it is of another build
/// or another kind of device.
StatusOr<std::unique_ptr<AbstractProgram>> loadProgram(std::string_view image);
const std::string &codeIdentity();

} // namespace xla::gpu

#endif // XLA_PIPELINE_COMPILEFORGPU_H
