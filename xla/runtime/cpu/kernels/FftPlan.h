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

/// As many numbers as a line may hold; null where memory ran out.
template <typename T>
using Numbers = std::unique_ptr<std::complex<T>[]>;

/// Tables for lines of one length; immutable, shared by threads.
template <typename T>
struct Plan {
  int64_t n = 1;

  /// Stages of the direct transform; empty where a prime factor is too large.
  std::vector<Stage> stages;
  std::vector<std::vector<T>> tables;

  /// Bluestein's convolution, where a prime factor is too large: m is its
  /// length or 0, `chirp` holds n numbers and `chirpBack` their conjugates,
  /// `filter` the transform of the conjugates, divided by m.
  int64_t m = 0;
  Numbers<T> chirp;
  Numbers<T> chirpBack;
  Numbers<T> filter;
};

/// Null where memory ran out.
template <typename T>
std::shared_ptr<const Plan<T>> planFor(int64_t n);

/// Transforms `lanes` lines at a time, by either method.
template <typename T>
class LanesTransform {
public:
  /// Usable where `isReady`: memory may run out.
  explicit LanesTransform(std::shared_ptr<const Plan<T>> plan);
  bool isReady() const { return plan && (plan->m == 0 || inner); }

  int64_t length() const { return plan->n; }
  /// The bytes of work memory that `run` needs, aligned to 64.
  size_t workBytes() const;
  /// From memory to memory with sign -1; real lines by the direct method alone.
  void run(Side from, Side to, void *work) const;

private:
  std::shared_ptr<const Plan<T>> plan;
  std::shared_ptr<const Plan<T>> inner; ///< of the convolution
};

/// Transforms a line in place; false where memory ran out.
bool transformLine(int64_t n, std::complex<double> *line);

/// Tables for one line that is transformed as a matrix of rows times columns.
template <typename T>
struct Split {
  int64_t rows;
  int64_t columns;
  std::shared_ptr<const Plan<T>> rowsPlan;
  std::shared_ptr<const Plan<T>> columnsPlan;
  std::vector<std::complex<double>> fine;   ///< w_n^i for i < columns
  std::vector<std::complex<double>> coarse; ///< w_n^(i * columns) for i < rows
  /// w_n^(j*k) at j * rows + k; null for lines that are too long to keep it.
  Numbers<T> roots;

  /// Multiplies `line[k]` by w_n^(j*k) for k < rows.
  void multiplyByRoots(int64_t j, std::complex<T> *line) const;
};

/// The length of Bluestein's convolution for lines of length n; 0 where no
/// prime factor is too large.
int64_t convolutionLengthFor(int64_t n);

/// Lanes that are convolved and longer than this would leave the caches.
constexpr int64_t longestConvolvedLane = int64_t(1) << 14;

/// The shape into which a line of length n is best cut: how many rows, 0 where
/// none is good. `*waste` says how many lanes are filled for one that is used.
int64_t rowsFor(int64_t n, int64_t lanes, double *waste);

/// Null where memory ran out.
template <typename T>
std::shared_ptr<const Split<T>> splitFor(int64_t n);

/// w_n^k for k <= n / 4, to make real transforms of complex ones.
template <typename T>
std::shared_ptr<const Numbers<T>> quarterRootsFor(int64_t n);

} // namespace xla::fft

#endif // XLA_RUNTIME_CPU_KERNELS_FFTPLAN_H
