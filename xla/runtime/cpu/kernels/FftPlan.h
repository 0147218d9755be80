//===- FftPlan.h - What a transform of one length needs ---------*- C++ -*-===//

#ifndef XLA_RUNTIME_CPU_KERNELS_FFTPLAN_H
#define XLA_RUNTIME_CPU_KERNELS_FFTPLAN_H

#include "xla/runtime/cpu/kernels/FftLanes.h"

#include <complex>
#include <memory>
#include <vector>

namespace xla::fft {

/// exp(-2 pi i k / n), correct to the last bits of a double.
std::complex<double> root(int64_t k, int64_t n);

/// Tables for one length; immutable, shared by threads.
template <typename T>
struct Plan {
  int64_t n = 1;

  /// Stages of the direct transform; empty for n = 1, and where a prime factor
  /// is too large.
  std::vector<Stage> stages;
  std::vector<std::vector<T>> tables;

  /// Bluestein's convolution, where a prime factor is too large: `inner` is the
  /// plan of its length m, `chirp` holds n numbers, `filter` the transform of
  /// the conjugate chirp, divided by m.
  std::shared_ptr<const Plan> inner;
  std::vector<std::complex<T>> chirp;
  std::vector<std::complex<T>> filter;

  /// How many vectors each work array must hold.
  int64_t workLength() const { return inner ? inner->n : n; }
};

/// The plan for a length, from a cache that many threads share.
template <typename T>
std::shared_ptr<const Plan<T>> planFor(int64_t n);

/// Transforms lanes with sign -1, by either method. Each array holds
/// `workLength()` vectors; on return re and im point at the result, which may
/// be in what was the scratch.
template <typename T>
void transformLanes(const Plan<T> &plan, T *&re, T *&im, T *&scratchRe,
                    T *&scratchIm);

} // namespace xla::fft

#endif // XLA_RUNTIME_CPU_KERNELS_FFTPLAN_H
