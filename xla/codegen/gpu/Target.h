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

/// What multiplies blocks of a matrix by one instruction, by the name of that:
/// `mma.sync`, and `wgmma`, which reads its operands from memory of the block;
/// AMD's MFMA of 64 threads, and WMMA of 32.
enum class MatrixUnit : uint8_t { None, Mma, Wgmma, Mfma, Wmma };

struct Target {
  Vendor vendor = Vendor::Emulated;
  std::string chip;      ///< as LLVM names it: sm_90a, gfx942
  std::string triple;    ///< of LLVM
  std::string features;  ///< likewise
  int64_t threads = 256; ///< of a block
  MatrixUnit unit = MatrixUnit::None;
};

/// The target that `name` says: `sm_90a`, `gfx942`, `spirv`; `emulated`, with
/// the fragments of `mma.sync`, or `emulated_mfma`, `emulated_wmma`.
StatusOr<Target> parseTarget(llvm::StringRef name);
Target emulatedTarget();

} // namespace xla::gpu

#endif // XLA_CODEGEN_GPU_TARGET_H
