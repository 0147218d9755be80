//===- CollectGpu.h - The GPU kernels of many programs ----------*- C++ -*-===//

#ifndef XLA_TOOLS_COLLECTGPU_H
#define XLA_TOOLS_COLLECTGPU_H

#include "xla/codegen/gpu/Target.h"

#include "llvm/ADT/ArrayRef.h"

#include <string>
#include <vector>

namespace xla::tools {

/// Prints what programs do on a device, counted: a line of JSON for each file,
/// with the kernels that are launched, the copies, the scalars that the host
/// reads and the operations that it computes, and how often; or why there is no
/// such program.
void printCosts(llvm::ArrayRef<std::string> files, const gpu::Target &target);

/// Writes the code of all kernels of programs into `folder`/CHIP/NUMBER.ptx or
/// .o, many in a file; kernels of one text are one. Prints a line of JSON for
/// each program, as `printCosts` does, for each kernel, with its name in the
/// code, and for each that a target has no code for.
Status collectKernels(llvm::ArrayRef<std::string> files,
                      llvm::ArrayRef<gpu::Target> targets,
                      const std::string &folder);

} // namespace xla::tools

#endif // XLA_TOOLS_COLLECTGPU_H
