//===- LowerMatrices.h - Neutral LLVM IR of products ------------*- C++ -*-===//

#ifndef XLA_CODEGEN_GPU_LOWERMATRICES_H
#define XLA_CODEGEN_GPU_LOWERMATRICES_H

#include "xla/codegen/cpu/Emitter.h"
#include "xla/codegen/gpu/Target.h"
#include "xla/kernel/Form.h"

namespace xla::gpu {

/// A call of the kernel form, with its buffers and indices as values.
struct MatrixCall {
  llvm::StringRef entry;
  llvm::SmallVector<const kernel::Buffer *> buffers;
  llvm::SmallVector<llvm::Value *> memory; ///< of the buffers
  llvm::SmallVector<llvm::Value *> indices;
};

/// What is wrong with a call, if anything: nothing is called so, it has other
/// buffers or indices than it needs, or the target has no unit for it.
std::string checkMatrixCall(const kernel::Kernel &kernel,
                            const kernel::Step &step, const Target &target);

/// `target` with the unit that computes the products of `kernel`: where one
/// that reads memory lacks their type, the other one.
Target targetOfProducts(const kernel::Kernel &kernel, const Target &target);

/// `target` is one of `targetOfProducts`.
void lowerMatrixCall(cpu::Emitter &e, const MatrixCall &call,
                     const Target &target);

} // namespace xla::gpu

#endif // XLA_CODEGEN_GPU_LOWERMATRICES_H
