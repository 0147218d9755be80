//===- LowerKernel.h - LLVM IR from the kernel form -------------*- C++ -*-===//

#ifndef XLA_CODEGEN_CPU_LOWERKERNEL_H
#define XLA_CODEGEN_CPU_LOWERKERNEL_H

#include "xla/codegen/cpu/Emitter.h"
#include "xla/kernel/Form.h"

namespace xla::cpu {

/// Emits the steps of a kernel, which `kernel::verify` accepts, where code is
/// being emitted.
void lowerKernel(Emitter &e, const kernel::Kernel &kernel);

} // namespace xla::cpu

#endif // XLA_CODEGEN_CPU_LOWERKERNEL_H
