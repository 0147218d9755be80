//===- FftPlan.cpp - What a transform of one length needs -----------------===//
//
// Lengths with a prime factor above 13 become a convolution of a length that is
// a power of two. Reference: Bluestein, A linear filtering approach to the
// computation of discrete Fourier transform, 1970.
//
//===----------------------------------------------------------------------===//

#include "xla/runtime/cpu/kernels/FftPlan.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>

namespace xla::fft {

static constexpr double pi = 3.14159265358979323846264338327950288;

std::complex<double> root(int64_t k, int64_t n) {
  // Fold the angle into the first octant, where cos and sin lose nothing.
  k %= n;
  const bool isLower = 2 * k > n;
  k = isLower ? n - k : k;
  const bool isLeft = 4 * k > n;
  // Angles are 2 pi a / (4 n) from here on, so that a quarter turn is exact.
  int64_t a = isLeft ? 2 * n - 4 * k : 4 * k;
  const bool isSteep = 2 * a > n;
  a = isSteep ? n - a : a;
  const double angle =
      pi * static_cast<double>(a) / (2 * static_cast<double>(n));
  double x = std::cos(angle);
  double y = std::sin(angle);
  if (isSteep) {
    std::swap(x, y);
  }
  return {isLeft ? -x : x, isLower ? y : -y};
}

static std::vector<int64_t> radicesOf(int64_t n) {
  std::vector<int64_t> radices;
  for (int64_t radix : {4, 2, 3, 5, 7, 11, 13}) {
    while (n % radix == 0) {
      radices.push_back(radix);
      n /= radix;
    }
  }
  if (n > 1) {
    radices.clear();
  }
  return radices;
}

template <typename T>
static void append(std::vector<T> &table, std::complex<double> value) {
  table.push_back(static_cast<T>(value.real()));
  table.push_back(static_cast<T>(value.imag()));
}

template <typename T>
static void addStages(Plan<T> &plan, const std::vector<int64_t> &radices) {
  int64_t length = plan.n;
  for (int64_t radix : radices) {
    const int64_t remaining = length / radix;
    std::vector<T> table;
    for (int64_t p = 0; p < remaining; ++p) {
      for (int64_t j = 1; j < radix; ++j) {
        append(table, root(p * j, length));
      }
    }
    for (int64_t j = 0; j < radix; ++j) {
      append(table, root(j, radix));
    }
    plan.tables.push_back(std::move(table));
    plan.stages.push_back({radix, remaining, plan.tables.back().data()});
    length = remaining;
  }
}

/// Transforms one line held in double, for the filter alone: half of
/// Bluestein's error would come from a filter in the working precision.
static void transformOne(std::vector<std::complex<double>> &line) {
  const auto n = static_cast<int64_t>(line.size());
  for (int64_t i = 1, j = 0; i < n; ++i) {
    int64_t bit = n >> 1;
    for (; j & bit; bit >>= 1) {
      j ^= bit;
    }
    j ^= bit;
    if (i < j) {
      std::swap(line[i], line[j]);
    }
  }
  for (int64_t size = 2; size <= n; size *= 2) {
    for (int64_t k = 0; k < size / 2; ++k) {
      const std::complex<double> w = root(k, size);
      for (int64_t start = k; start < n; start += size) {
        const auto odd = line[start + size / 2] * w;
        line[start + size / 2] = line[start] - odd;
        line[start] += odd;
      }
    }
  }
}

template <typename T>
static void addConvolution(Plan<T> &plan) {
  const int64_t n = plan.n;
  int64_t m = 1;
  while (m < 2 * n - 1) {
    m *= 2;
  }
  plan.inner = planFor<T>(m);
  std::vector<std::complex<double>> filter(m);
  for (int64_t k = 0; k < n; ++k) {
    // k * k mod 2n, without overflow for any n that fits memory.
    const auto square =
        static_cast<int64_t>(static_cast<__int128>(k) * k % (2 * n));
    const std::complex<double> chirp = root(square, 2 * n);
    plan.chirp.emplace_back(static_cast<T>(chirp.real()),
                            static_cast<T>(chirp.imag()));
    filter[k] = std::conj(chirp);
    filter[(m - k) % m] = std::conj(chirp);
  }
  transformOne(filter);
  for (const std::complex<double> &value : filter) {
    const auto scaled = value / static_cast<double>(m);
    plan.filter.emplace_back(static_cast<T>(scaled.real()),
                             static_cast<T>(scaled.imag()));
  }
}

template <typename T>
static std::shared_ptr<const Plan<T>> makePlan(int64_t n) {
  auto plan = std::make_shared<Plan<T>>();
  plan->n = n;
  const std::vector<int64_t> radices = radicesOf(n);
  if (!radices.empty()) {
    addStages(*plan, radices);
  } else if (n > 1) {
    addConvolution(*plan);
  }
  return plan;
}

template <typename T>
std::shared_ptr<const Plan<T>> planFor(int64_t n) {
  struct Cache {
    std::mutex mutex;
    std::map<int64_t, std::shared_ptr<const Plan<T>>> plans;
    int64_t elements = 0;
  };
  static auto *cache = new Cache;
  constexpr int64_t mostElements = int64_t(1) << 22;
  {
    std::lock_guard<std::mutex> lock(cache->mutex);
    auto found = cache->plans.find(n);
    if (found != cache->plans.end()) {
      return found->second;
    }
  }
  // Made outside the lock: a convolution's plan asks for another.
  auto plan = makePlan<T>(n);
  std::lock_guard<std::mutex> lock(cache->mutex);
  if (cache->elements > mostElements) {
    cache->plans.clear();
    cache->elements = 0;
  }
  if (cache->plans.emplace(n, plan).second) {
    cache->elements += plan->workLength();
  }
  return plan;
}

template <typename T>
static void runStages(const Plan<T> &plan, T *&re, T *&im, T *&scratchRe,
                      T *&scratchIm) {
  static const LaneTransform<T> transform = laneTransform<T>();
  if (transform(static_cast<int64_t>(plan.stages.size()), plan.stages.data(),
                re, im, scratchRe, scratchIm)) {
    std::swap(re, scratchRe);
    std::swap(im, scratchIm);
  }
}

/// Multiplies element i of all lanes by factors[i], for i < count.
template <typename T>
static void multiply(const std::vector<std::complex<T>> &factors, int64_t count,
                     T *re, T *im) {
  for (int64_t i = 0; i < count; ++i) {
    const T c = factors[i].real();
    const T d = factors[i].imag();
    T *x = re + i * lanes<T>;
    T *y = im + i * lanes<T>;
    for (int64_t lane = 0; lane < lanes<T>; ++lane) {
      const T a = x[lane];
      const T b = y[lane];
      x[lane] = a * c - b * d;
      y[lane] = a * d + b * c;
    }
  }
}

template <typename T>
void transformLanes(const Plan<T> &plan, T *&re, T *&im, T *&scratchRe,
                    T *&scratchIm) {
  if (!plan.inner) {
    runStages(plan, re, im, scratchRe, scratchIm);
    return;
  }
  const int64_t m = plan.inner->n;
  multiply(plan.chirp, plan.n, re, im);
  std::fill(re + plan.n * lanes<T>, re + m * lanes<T>, T(0));
  std::fill(im + plan.n * lanes<T>, im + m * lanes<T>, T(0));
  runStages(*plan.inner, re, im, scratchRe, scratchIm);
  multiply(plan.filter, m, re, im);
  // With real and imaginary parts exchanged the transform is the inverse one.
  runStages(*plan.inner, im, re, scratchIm, scratchRe);
  multiply(plan.chirp, plan.n, re, im);
}

template std::shared_ptr<const Plan<float>> planFor<float>(int64_t);
template std::shared_ptr<const Plan<double>> planFor<double>(int64_t);
template void transformLanes<float>(const Plan<float> &, float *&, float *&,
                                    float *&, float *&);
template void transformLanes<double>(const Plan<double> &, double *&, double *&,
                                     double *&, double *&);

//===----------------------------------------------------------------------===//
// Choice of the instruction set
//===----------------------------------------------------------------------===//

#define XLA_FFT_DECLARE(target)                                                \
  bool transformF32##target(int64_t, const Stage *, float *, float *, float *, \
                            float *);                                          \
  bool transformF64##target(int64_t, const Stage *, double *, double *,        \
                            double *, double *);
XLA_FFT_DECLARE(Avx512)
XLA_FFT_DECLARE(Avx2)
XLA_FFT_DECLARE(Baseline)
#undef XLA_FFT_DECLARE

template <>
LaneTransform<float> laneTransform<float>() {
  if (__builtin_cpu_supports("avx512f")) {
    return transformF32Avx512;
  }
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")
             ? transformF32Avx2
             : transformF32Baseline;
}

template <>
LaneTransform<double> laneTransform<double>() {
  if (__builtin_cpu_supports("avx512f")) {
    return transformF64Avx512;
  }
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")
             ? transformF64Avx2
             : transformF64Baseline;
}

} // namespace xla::fft
