//===- Assemble.h - Kernels as a target's code ------------------*- C++ -*-===//

#ifndef XLA_CODEGEN_GPU_ASSEMBLE_H
#define XLA_CODEGEN_GPU_ASSEMBLE_H

#include "xla/codegen/gpu/Target.h"
#include "xla/kernel/Form.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/IR/Module.h"

#include <memory>
#include <string>

namespace xla::gpu {

/// Kernels as one module of neutral LLVM IR (Intrinsics.h), with the bodies of
/// the math functions that they call.
StatusOr<std::unique_ptr<llvm::Module>>
emitNeutral(llvm::ArrayRef<kernel::Kernel> kernels, const Target &target,
            llvm::LLVMContext &context);

/// How code is written: as people read it, or as tools take it.
enum class CodeFormat : uint8_t { Text, Binary };

/// Binds a module of neutral LLVM IR to the target, optimises it, and makes its
/// code: PTX, AMD's assembly or object file, SPIR-V.
StatusOr<std::string> assemble(llvm::Module &module, const Target &target,
                               CodeFormat format);

} // namespace xla::gpu

#endif // XLA_CODEGEN_GPU_ASSEMBLE_H
