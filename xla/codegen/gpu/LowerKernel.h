//===- LowerKernel.h - Neutral LLVM IR from the kernel form -----*- C++ -*-===//

#ifndef XLA_CODEGEN_GPU_LOWERKERNEL_H
#define XLA_CODEGEN_GPU_LOWERKERNEL_H

#include "xla/codegen/gpu/Target.h"
#include "xla/kernel/Form.h"

#include "llvm/IR/IRBuilder.h"

namespace xla::gpu {

/// How many blocks, of how many threads, run a kernel.
struct Grid {
  int64_t blocks = 1, threads = 1;
};

/// The grid of a kernel: its parallel axes are shared out among blocks, the
/// loops marked as vectors among the threads of a block.
Grid gridOf(const kernel::Kernel &kernel, const Target &target);

/// A call of a function of Intrinsics.h.
llvm::Value *callProcessor(llvm::IRBuilder<> &b, llvm::StringRef symbol,
                           llvm::Type *result,
                           llvm::ArrayRef<llvm::Value *> arguments);

/// Emits a kernel, which `kernel::verify` accepts, as a function of its name in
/// `module`. Its parameters are the buffers that are not scratch memory, in
/// their order.
Status lowerKernel(const kernel::Kernel &kernel, const Target &target,
                   llvm::Module &module);

} // namespace xla::gpu

#endif // XLA_CODEGEN_GPU_LOWERKERNEL_H
