//===- EmulateMatrices.h - Products by matrix units, emulated ---*- C++ -*-===//

#ifndef XLA_CODEGEN_GPU_EMULATEMATRICES_H
#define XLA_CODEGEN_GPU_EMULATEMATRICES_H

#include "xla/codegen/gpu/Target.h"

#include "llvm/IR/Module.h"

namespace xla::gpu {

/// void(i32 toBuffer, i64 toOffset, i32 fromBuffer, i64 fromOffset, i32 bytes,
/// i1 isThere, ptr to, ptr from): a fetch; offsets are in bytes.
inline constexpr llvm::StringLiteral checkedFetchSymbol =
    "xla.gpu.checked_fetch";
/// void(i32 kind, ptr sums, ptr left, ptr right): the words of a thread.
inline constexpr llvm::StringLiteral multiplyLanesSymbol =
    "xla.gpu.multiply_lanes";

/// What one thread of a group holds of a product.
struct LaneOperands {
  void *sums = nullptr; ///< which get the products added
  const uint32_t *left = nullptr, *right = nullptr;
};

/// sums += left x right, where threads hold words and sums as the instructions
/// of `unit` say. `kind` is a number of `expandMatrices`.
void multiplyFragments(MatrixUnit unit, int32_t kind,
                       llvm::ArrayRef<LaneOperands> lanes);

/// Replaces the neutral functions of `function` by loads that can be checked
/// and by the functions above. `buffers`: the numbers of what pointers are
/// computed from.
void expandMatrices(llvm::Function &function, MatrixUnit unit,
                    const llvm::DenseMap<const llvm::Value *, int> &buffers);

} // namespace xla::gpu

#endif // XLA_CODEGEN_GPU_EMULATEMATRICES_H
