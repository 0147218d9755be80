//===- WordGemm.h - Products of narrow numbers, by words --------*- C++ -*-===//
//
// Processors multiply narrow numbers by words of 4 bytes: each holds the 4 or 2
// numbers that follow each other along k, and one instruction multiplies those
// of a word with those of another and adds them all to a sum of 32 bits. What
// is compiled once for each instruction set; the loops around it are in
// WordGemm.cpp.
//
// Packed, a row of a is its words, rows `strideOfA` apart; of b, a panel is
// `columnsOfPanel` columns, interleaved: word w of column j is at
// w * columnsOfPanel + j. Numbers that a word lacks at the end of k are zero.
//
//===----------------------------------------------------------------------===//

#ifndef XLA_RUNTIME_CPU_KERNELS_WORDGEMM_H
#define XLA_RUNTIME_CPU_KERNELS_WORDGEMM_H

#include "xla/runtime/abi/Runtime.h"

#include <cstdint>

namespace xla::cpu {

/// Words of k that are multiplied at a time: a panel of b stays in the
/// first-level cache.
static constexpr int64_t wordsOfBlock = 256;
static constexpr int64_t columnsOfPanel = 32;

/// Not a power of two: rows would map to the same sets of the cache.
static constexpr int64_t strideOfA = wordsOfBlock + 16;

/// With at most so many rows of a, b is not packed where its columns are side
/// by side.
static constexpr int mostUnpackedRows = 4;

/// Rows are multiplied, and packed, in groups of so many.
static constexpr int64_t rowsOfGroup = 32;

/// Where numbers are read: number p of line i is at
/// from + (i * across + p * along) * (its size).
struct WordSource {
  const void *from;
  int64_t across, along;
};

/// What multiplies numbers of two given types.
struct WordKernels {
  int64_t sourceBytes; ///< of a number, before it is packed
  int64_t perWord;     ///< numbers in a word: 4 or 2
  int64_t grain;       ///< multiplications that are worth another thread

  /// Packs rows [0, rows) of a, numbers [0, count) of them, and reports each
  /// what `multiply` wants to know.
  void (*packRows)(int64_t rows, int64_t count, const WordSource &source,
                   uint32_t *to, int32_t *facts);

  /// Packs columns [0, columns) of b, at most a panel of them, and reports the
  /// panel what `multiply` wants to know.
  int32_t (*packPanel)(int64_t columns, int64_t count, const WordSource &source,
                       uint32_t *to);

  /// c[i * cStride + j] (+)= row i of packed a times column j of a panel.
  /// Groups of rows are there whole, their results only for i < rows; so are
  /// panels, for j < columns.
  void (*multiply)(int64_t rows, int64_t columns, int64_t words,
                   const uint32_t *a, const int32_t *factsOfA,
                   const uint32_t *b, int32_t factOfB, void *c, int64_t cStride,
                   bool accumulates);

  /// As `multiply`, for at most `mostUnpackedRows` rows and numbers [0, count)
  /// of columns that are side by side in `source`; null: all is packed.
  void (*multiplyUnpacked)(int64_t rows, int64_t columns, int64_t count,
                           const WordSource &source, const uint32_t *a,
                           const int32_t *factsOfA, uint32_t *c,
                           int64_t cStride, bool accumulates);

  /// sums[i * step] (+)= the dot of line i, which begins `stride` numbers after
  /// the one before, with `by`. Lines are rows of a and `by` is a column of b,
  /// or the reverse; null: all is packed.
  using Dots = void (*)(int64_t lines, int64_t count, const void *from,
                        int64_t stride, const void *by, uint32_t *sums,
                        int64_t step, bool accumulates);
  Dots dotRows, dotColumns;
};

/// Integers of 8 bits, summed modulo 2^32.
struct ByteKernels {
  WordKernels signedSigned, signedUnsigned, unsignedSigned, unsignedUnsigned;
};

const ByteKernels &bytesForAmx();
const ByteKernels &bytesForVnni();
const ByteKernels &bytesForAvx2();
const ByteKernels &bytesForAnyProcessor();

/// bfloat16, summed as float.
const WordKernels &brainFloatsForAmx();

/// For tests: products use these from now on; null is the processor's best.
void useByteKernels(const ByteKernels *kernels);

/// For tests: whether bfloat16 may be multiplied by words at all.
void allowWordsOfBrainFloats(bool isAllowed);

/// Multiplies bfloat16 by words where that is faster than widening them; else
/// does nothing, and says so by false.
bool multiplyBrainFloats(const XlaGemm &gemm);

/// Whether this processor, and the operating system, run what was compiled.
bool canUseVnni();
bool canUseAmx();

} // namespace xla::cpu

#endif // XLA_RUNTIME_CPU_KERNELS_WORDGEMM_H
