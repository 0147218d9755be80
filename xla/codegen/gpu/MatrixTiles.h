//===- MatrixTiles.h - Blocks of matrices in memory and threads -*- C++ -*-===//
//
// What the kernels of products agree on. A block of threads computes a square
// of the result, in stages: each takes 64 bytes of every line of both operands
// into memory of the block, and multiplies these. There they are in cells of
// 8 x 16 bytes, one after the other, as matrix units read them:
//
//   by terms   8 lines of the operand, 16 bytes of terms of each
//   by lines   8 terms, 8 lines of elements of 2 bytes of each
//
// The cells of 8 lines are next to each other, those of the first terms first.
// A line is a row of the left operand, or a column of the right one.
//
// Sums are in registers: `sumsOfThread` of each thread, by parts of 32 columns.
// Which thread has which of them depends on the unit; `spread` puts the sums of
// one part into memory of the block.
//
//===----------------------------------------------------------------------===//

#ifndef XLA_CODEGEN_GPU_MATRIXTILES_H
#define XLA_CODEGEN_GPU_MATRIXTILES_H

#include "xla/codegen/gpu/Target.h"
#include "xla/support/Shape.h"

namespace xla::gpu {

inline constexpr int64_t stageBytes = 64, cellBytes = 128, cellLines = 8;
inline constexpr int64_t cellsOfStage = 4, columnsOfPart = 32;
/// From the cells of 8 lines to those of the next 8.
inline constexpr int64_t lineGroupBytes = cellBytes * cellsOfStage;

/// What kernels call for products, in the kernel form.
inline constexpr llvm::StringLiteral clearCall = "clear", fetchCall = "fetch";
inline constexpr llvm::StringLiteral fetchedCall = "fetched";
inline constexpr llvm::StringLiteral awaitCall = "await";
inline constexpr llvm::StringLiteral multiplyCall = "multiply_matrices";
inline constexpr llvm::StringLiteral multiplyTf32Call =
    "multiply_matrices_tf32";
inline constexpr llvm::StringLiteral spreadCall = "spread";

/// What an instruction multiplies: 16 lines of both operands, 32 bytes of each.
struct Fragments {
  int64_t lanes;  ///< threads that do it together
  unsigned words; ///< of 32 bits, of an operand, in each of them
  unsigned sums;  ///< of the 256, in each of them
};

inline Fragments fragmentsOf(MatrixUnit unit) {
  switch (unit) {
  case MatrixUnit::Mfma:
    return {64, 2, 4};
  case MatrixUnit::Wmma:
    return {32, 8, 8};
  default:
    return {32, 4, 8};
  }
}

/// The types whose blocks are multiplied as they are.
inline bool isMatrixElement(ElementType type) {
  switch (type) {
  case ElementType::F32:
  case ElementType::BF16:
  case ElementType::F16:
  case ElementType::S8:
  case ElementType::F8E4M3FN:
  case ElementType::F8E5M2:
  case ElementType::F8E4M3FNUZ:
    return true;
  default:
    return false;
  }
}

} // namespace xla::gpu

#endif // XLA_CODEGEN_GPU_MATRIXTILES_H
