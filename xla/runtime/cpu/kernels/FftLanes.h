//===- FftLanes.h - Many transforms side by side ----------------*- C++ -*-===//
//
// The inner part of the Fourier transform: as many lines at once as a 64-byte
// vector has lanes, so that each butterfly is a vector operation whatever the
// length. Compiled once for each instruction set, chosen at run time.
//
//===----------------------------------------------------------------------===//

#ifndef XLA_RUNTIME_CPU_KERNELS_FFTLANES_H
#define XLA_RUNTIME_CPU_KERNELS_FFTLANES_H

#include <cstdint>

namespace xla::fft {

/// A power of a small prime in the factorisation of a length.
struct Stage {
  int64_t radix;
  int64_t remaining;   ///< length after this stage, m in n = radix * m
  const void *twiddle; ///< w_n^(p*j) for p < m, 0 < j < radix: re, im pairs
};

/// Transforms `lanes` lines of length n with sign -1. Element i of the lines is
/// the vector at re[i], im[i]. Both pairs of arrays hold n vectors; the result
/// is in `re`, `im` if the function returns false, in the scratch otherwise.
template <typename T>
using LaneTransform = bool (*)(int64_t stageCount, const Stage *stages, T *re,
                               T *im, T *scratchRe, T *scratchIm);

template <typename T>
constexpr int64_t lanes = 64 / sizeof(T);

/// The version for this processor.
template <typename T>
LaneTransform<T> laneTransform();

} // namespace xla::fft

#endif // XLA_RUNTIME_CPU_KERNELS_FFTLANES_H
