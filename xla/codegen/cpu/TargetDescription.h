//===- TargetDescription.h - The processor as the plans see it --*- C++ -*-===//
//
// The sizes and costs by which the code generator decides: caches, vectors,
// registers, threads. One description serves all processors, so that a program
// is cut into the same pieces, and its sums are added in the same order,
// wherever it is compiled. Which instructions LLVM may use is another matter
// (`hostProcessor`).
//
//===----------------------------------------------------------------------===//

#ifndef XLA_CODEGEN_CPU_TARGETDESCRIPTION_H
#define XLA_CODEGEN_CPU_TARGETDESCRIPTION_H

#include <cstdint>

namespace xla::cpu {

struct TargetDescription {
  //===--- Memory, in bytes -----------------------------------------------===//

  int64_t cacheLine = 64;
  int64_t firstCache = 32 << 10;    ///< first-level data cache of a core
  int64_t secondCache = 1 << 20;    ///< two threads may share it
  int64_t lastCacheShare = 2 << 20; ///< what a core has of the last level
  int64_t stack = 64 << 10;         ///< what a step may keep on the stack
  int64_t hugePage = 2 << 20;
  int64_t streamed = 16 << 20; ///< half of a last-level cache, of many

  /// Half of a first-level cache: an array that is written while others are
  /// read, which find room beside it.
  constexpr int64_t halfFirstCache() const { return firstCache / 2; }

  //===--- Vectors --------------------------------------------------------===//

  int64_t widestVector = 64;    ///< bytes of a vector, of some processors
  int64_t commonVector = 32;    ///< of most
  int64_t vectorRegisters = 16; ///< that hold a common vector

  //===--- Threads, in additions ------------------------------------------===//

  int64_t worthSharing = 128 << 10; ///< the least that threads share
  int64_t pieceOfWork = 32 << 10;   ///< the least that one takes at a time
  int64_t blockOfRow = 4 << 10;     ///< elements, where long rows are few
  /// Where the least piece is a multiple of it, all pieces begin at one.
  int64_t wholePieces = 64;
};

inline constexpr TargetDescription cpuTarget;

} // namespace xla::cpu

#endif // XLA_CODEGEN_CPU_TARGETDESCRIPTION_H
