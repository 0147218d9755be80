//===- LowerKernel.h - LLVM IR from the kernel form -------------*- C++ -*-===//

#ifndef XLA_CODEGEN_CPU_LOWERKERNEL_H
#define XLA_CODEGEN_CPU_LOWERKERNEL_H

#include "xla/codegen/cpu/Emitter.h"
#include "xla/codegen/cpu/KernelBuilder.h"

namespace xla::cpu {

/// Emits the steps of a kernel, which `kernel::verify` accepts, where code is
/// being emitted.
void lowerKernel(Emitter &e, const kernel::Kernel &kernel);

/// Whether what `builder` has built for `op` can be lowered; else `e` fails.
bool isComplete(Emitter &e, const KernelBuilder &builder,
                const kernel::Kernel &kernel, mlir::Operation *op);

/// Builds the kernel that computes `outputs` in `loops` and writes them to
/// `slices`, and lowers it.
void emitNest(Emitter &e, llvm::ArrayRef<mlir::Value> outputs,
              llvm::ArrayRef<BufferSlice> slices, const LoopPlan &loops);

} // namespace xla::cpu

#endif // XLA_CODEGEN_CPU_LOWERKERNEL_H
