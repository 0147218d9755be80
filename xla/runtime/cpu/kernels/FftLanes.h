//===- FftLanes.h - Many transforms side by side ----------------*- C++ -*-===//
//
// The inner part of the Fourier transform: as many lines at once as 64 bytes
// hold numbers, so that each butterfly is a vector operation whatever the
// length. Compiled once for each instruction set, chosen at run time.
//
//===----------------------------------------------------------------------===//

#ifndef XLA_RUNTIME_CPU_KERNELS_FFTLANES_H
#define XLA_RUNTIME_CPU_KERNELS_FFTLANES_H

#include <cstdint>

namespace xla::fft {

template <typename T>
constexpr int64_t lanes = 64 / sizeof(T);

/// The primes up to this one have butterflies: as many multiplications as the
/// prime is large, which costs as much as a convolution at 110 or so.
constexpr int64_t largestRadix = 97;

/// So many elements of the lines go to or come from memory in one piece.
constexpr int64_t tileLength = 8;

/// A factor of a length.
struct Stage {
  int64_t radix;
  int64_t remaining;   ///< length after this stage, m in n = radix * m
  const void *twiddle; ///< w_n^(p*j) for p < m, 0 < j < radix: re, im pairs;
                       ///< then w_radix^j for j < radix
};

/// Complex numbers in memory, re and im side by side: element i of lane b is at
/// base[i * stride + lane[b]].
struct Lines {
  void *base = nullptr;
  int64_t stride = 0;
  const int64_t *lane = nullptr; ///< `lanes` offsets
  bool isSideBySide = false;     ///< each half of the lanes is a run of numbers
};

/// What a transform reads or writes.
struct Side {
  Lines data;
  int64_t length = 0; ///< elements beyond it are zero when read, not written
  int64_t count = 0;  ///< lanes beyond it are not written, nor side by side
  /// Real and imaginary parts are exchanged in memory: on both sides this makes
  /// the transform the inverse one.
  bool isSwapped = false;
  double scale = 1; ///< of what is written

  /// Factors, where not null: of elements read, laid out like them in an array
  /// of their own, and of all lanes of element i.
  const void *factors = nullptr;
  const void *common = nullptr;

  /// Where not null, w_2n^k for k <= n / 2, and these are real lines of 2 * n
  /// numbers: the transform is written as n + 1 numbers, or read as such, which
  /// exchanges its real and imaginary parts. The other side holds pairs.
  const void *realRoots = nullptr;
};

/// Transforms `lanes` lines with sign -1. All is read before anything is
/// written: `to` may be `from`.
template <typename T>
using LaneTransform = void (*)(int64_t stageCount, const Stage *stages,
                               const Side &from, const Side &to, void *work);

} // namespace xla::fft

#endif // XLA_RUNTIME_CPU_KERNELS_FFTLANES_H
