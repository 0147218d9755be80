//===- Bind.h - From neutral LLVM IR to a target's --------------*- C++ -*-===//

#ifndef XLA_CODEGEN_GPU_BIND_H
#define XLA_CODEGEN_GPU_BIND_H

#include "xla/codegen/gpu/Target.h"

#include "llvm/IR/Module.h"

namespace xla::gpu {

/// Makes kernels of the target of those functions of `module` that have
/// `threadsAttribute`, and puts its instructions in place of the calls of
/// Intrinsics.h. Math functions have their bodies already. Not for the emulated
/// target.
Status bindKernels(llvm::Module &module, const Target &target);

} // namespace xla::gpu

#endif // XLA_CODEGEN_GPU_BIND_H
