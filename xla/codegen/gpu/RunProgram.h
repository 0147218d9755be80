//===- RunProgram.h - A program run step by step ----------------*- C++ -*-===//

#ifndef XLA_CODEGEN_GPU_RUNPROGRAM_H
#define XLA_CODEGEN_GPU_RUNPROGRAM_H

#include "xla/codegen/gpu/OpenCl.h"
#include "xla/codegen/gpu/PlanProgram.h"

namespace xla::gpu {

/// Runs a planned program by the emulator, on memory of this process: dense,
/// row-major arrays. Internal where a kernel did what it must not.
Status emulateProgram(const ProgramPlan &plan, const Target &target,
                      llvm::ArrayRef<void *> arguments,
                      llvm::ArrayRef<void *> results);

/// Runs one by an OpenCL device that sees this memory.
Status runByOpenCl(const ProgramPlan &plan, OpenClDevice &device,
                   const Target &target, llvm::ArrayRef<void *> arguments,
                   llvm::ArrayRef<void *> results);

} // namespace xla::gpu

#endif // XLA_CODEGEN_GPU_RUNPROGRAM_H
