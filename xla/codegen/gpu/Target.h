//===- Target.h - The processors that kernels are made for ------*- C++ -*-===//

#ifndef XLA_CODEGEN_GPU_TARGET_H
#define XLA_CODEGEN_GPU_TARGET_H

#include "xla/support/Status.h"

#include "llvm/ADT/StringRef.h"

#include <string>

namespace xla::gpu {

/// Whose instructions: NVIDIA's by PTX, AMD's, those of OpenCL drivers by
/// SPIR-V, or this processor's, which runs the threads of a block itself.
enum class Vendor : uint8_t { Nvidia, Amd, OpenCl, Emulated };

struct Target {
  Vendor vendor = Vendor::Emulated;
  std::string chip;      ///< as LLVM names it: sm_90a, gfx942
  std::string triple;    ///< of LLVM
  std::string features;  ///< likewise
  int64_t threads = 256; ///< of a block
};

/// The target that `name` says: `sm_90a`, `gfx942`, `spirv` or `emulated`.
StatusOr<Target> parseTarget(llvm::StringRef name);

} // namespace xla::gpu

#endif // XLA_CODEGEN_GPU_TARGET_H
