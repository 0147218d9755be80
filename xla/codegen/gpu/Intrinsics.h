//===- Intrinsics.h - What kernels call of any processor --------*- C++ -*-===//
//
// The neutral kind of LLVM IR: kernels are functions of pointers to global
// memory that know where they run, wait, and exchange elements by calls of
// functions without a body. `bindKernels` replaces the calls by instructions of
// a target; the emulator defines the functions.
//
// Global memory is address space 1, memory of a block 3, on every target.
//
//===----------------------------------------------------------------------===//

#ifndef XLA_CODEGEN_GPU_INTRINSICS_H
#define XLA_CODEGEN_GPU_INTRINSICS_H

#include "llvm/ADT/StringRef.h"

namespace xla::gpu {

inline constexpr unsigned globalMemory = 1, blockMemory = 3;

/// i32(): the number of the thread in its block, of the block in the grid.
inline constexpr llvm::StringLiteral threadSymbol = "xla.gpu.thread";
inline constexpr llvm::StringLiteral blockSymbol = "xla.gpu.block";
/// void(): all threads of the block have come here, and see what the others
/// have written to memory.
inline constexpr llvm::StringLiteral barrierSymbol = "xla.gpu.barrier";
/// i32(i32 value, i32 distance): `value` of the thread whose number differs in
/// the bits of `distance`, which is below 32. All of 32 threads call it.
inline constexpr llvm::StringLiteral exchangeSymbol = "xla.gpu.exchange";

/// void(ptr to, ptr from, i32 bytes, i1 isThere): begins to copy 4, 8 or 16
/// bytes from global memory to memory of the block, or zeros.
inline constexpr llvm::StringLiteral fetchSymbol = "xla.gpu.fetch";
/// void(): what this thread has begun to copy since the last call is a group.
inline constexpr llvm::StringLiteral fetchedSymbol = "xla.gpu.fetch.group";
/// void(i32 groups): all but the last groups of this thread are there.
inline constexpr llvm::StringLiteral awaitSymbol = "xla.gpu.fetch.await";

/// Units that multiply matrices (MatrixTiles.h says what is where):
/// <words>(ptr cells, i1 byLines): the words of 16 lines, 32 bytes of each,
/// that this thread holds.
inline constexpr llvm::StringLiteral loadMatrixSymbol = "xla.gpu.matrix.load";
/// <sums>(<sums>, <words> left, <words> right): sums and products. The type
/// that is multiplied follows. All threads of a group call it.
inline constexpr llvm::StringLiteral multiplySymbol =
    "xla.gpu.matrix.multiply.";
/// <sums>(<sums>, ptr left, ptr right, i32 bytes, i1 byLines of both): the same
/// for the operands of a stage in memory of the block; the right one's groups
/// of 8 lines are `bytes` apart. The number of sums comes before the type.
inline constexpr llvm::StringLiteral multiplyFromMemorySymbol =
    "xla.gpu.matrix.multiply_memory.";

/// The attribute of a kernel: how many threads a block of it has.
inline constexpr llvm::StringLiteral threadsAttribute = "xla-gpu-threads";

} // namespace xla::gpu

#endif // XLA_CODEGEN_GPU_INTRINSICS_H
