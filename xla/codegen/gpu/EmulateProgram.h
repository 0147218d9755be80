//===- EmulateProgram.h - A program run by the emulator ---------*- C++ -*-===//

#ifndef XLA_CODEGEN_GPU_EMULATEPROGRAM_H
#define XLA_CODEGEN_GPU_EMULATEPROGRAM_H

#include "xla/codegen/gpu/PlanProgram.h"

namespace xla::gpu {

/// Runs a planned program on memory of this process: dense, row-major arrays.
/// Internal where a kernel did what it must not.
Status emulateProgram(const ProgramPlan &plan, const Target &target,
                      llvm::ArrayRef<void *> arguments,
                      llvm::ArrayRef<void *> results);

} // namespace xla::gpu

#endif // XLA_CODEGEN_GPU_EMULATEPROGRAM_H
