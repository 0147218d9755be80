//===- BindMatrices.h - Copies and products of a target ---------*- C++ -*-===//

#ifndef XLA_CODEGEN_GPU_BINDMATRICES_H
#define XLA_CODEGEN_GPU_BINDMATRICES_H

#include "xla/codegen/gpu/Target.h"

#include "llvm/IR/IRBuilder.h"

namespace xla::gpu {

/// The words of an operand that a thread holds, by loads of memory of the
/// block. `lane` is the thread's number in its group.
llvm::Value *loadFragment(llvm::IRBuilder<> &b, MatrixUnit unit,
                          llvm::Value *lane, llvm::CallInst &call);

/// Replaces the calls of neutral functions for copies and products by the
/// instructions of a target.
void bindMatrices(llvm::Module &module, const Target &target);

} // namespace xla::gpu

#endif // XLA_CODEGEN_GPU_BINDMATRICES_H
