//===- FftPlan.h - What a transform of one length needs ---------*- C++ -*-===//

#ifndef XLA_RUNTIME_CPU_KERNELS_FFTPLAN_H
#define XLA_RUNTIME_CPU_KERNELS_FFTPLAN_H

#include "xla/runtime/cpu/kernels/FftLanes.h"

#include <complex>
#include <memory>
#include <vector>

namespace xla::fft {

/// The version of the lanes' code that runs: the best one that this processor
/// can use, unless a test chooses.
enum class InstructionSet { any, avx2, avx512 };
bool canUse(InstructionSet set);
void use(InstructionSet set);

/// exp(-2 pi i k / n), correct to the last bits of a double.
std::complex<double> root(int64_t k, int64_t n);

/// Tables for lines of one length; immutable, shared by threads.
template <typename T>
struct Plan {
  int64_t n = 1;

  /// Stages of the direct transform; empty where a prime factor is too large.
  std::vector<Stage> stages;
  std::vector<std::vector<T>> tables;

  /// Bluestein's convolution, where a prime factor is too large: `inner` is the
  /// plan of its length m, `chirp` holds n numbers and `chirpBack` their
  /// conjugates, `filter` the transform of the conjugates, divided by m.
  std::shared_ptr<const Plan> inner;
  std::vector<std::complex<T>> chirp;
  std::vector<std::complex<T>> chirpBack;
  std::vector<std::complex<T>> filter;

  /// The bytes of work memory that `transformLanes` needs.
  size_t workBytes() const;
};

template <typename T>
std::shared_ptr<const Plan<T>> planFor(int64_t n);

/// Transforms `lanes` lines from memory to memory with sign -1, by either
/// method, real lines by the direct one alone. `work` is aligned to 64 bytes.
template <typename T>
void transformLanes(const Plan<T> &plan, Side from, Side to, void *work);

/// Tables for one line that is transformed as a matrix of rows times columns.
template <typename T>
struct Split {
  int64_t rows;
  int64_t columns;
  std::shared_ptr<const Plan<T>> rowsPlan;
  std::shared_ptr<const Plan<T>> columnsPlan;
  std::vector<std::complex<T>> roots; ///< w_n^(j*k) at j * rows + k
};

/// The shape into which a line of length n is best cut: how many rows, 0 where
/// none is good. `*waste` tells how many lanes are filled for one that is used.
int64_t rowsFor(int64_t n, int64_t lanes, double *waste);

template <typename T>
std::shared_ptr<const Split<T>> splitFor(int64_t n);

/// w_n^k for k <= n / 4, to make real transforms of complex ones.
template <typename T>
std::shared_ptr<const std::vector<std::complex<T>>> quarterRootsFor(int64_t n);

} // namespace xla::fft

#endif // XLA_RUNTIME_CPU_KERNELS_FFTPLAN_H
