//===- FftPlan.cpp - What a transform of one length needs -----------------===//
//
// Lengths with a prime factor above 31 become a convolution of a length that is
// a power of two. Reference: Bluestein, A linear filtering approach to the
// computation of discrete Fourier transform, 1970.
//
//===----------------------------------------------------------------------===//

#include "xla/runtime/cpu/kernels/FftPlan.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <mutex>
#include <type_traits>

namespace xla::fft {

//===----------------------------------------------------------------------===//
// Choice of the instruction set
//===----------------------------------------------------------------------===//

#define XLA_FFT_DECLARE(target)                                                \
  void transformF32##target(int64_t, const Stage *, const Side &,              \
                            const Side &, void *);                             \
  void transformF64##target(int64_t, const Stage *, const Side &,              \
                            const Side &, void *);
XLA_FFT_DECLARE(Avx512)
XLA_FFT_DECLARE(Avx2)
XLA_FFT_DECLARE(Baseline)
#undef XLA_FFT_DECLARE

bool canUse(InstructionSet set) {
  switch (set) {
  case InstructionSet::avx512:
    return __builtin_cpu_supports("avx512f");
  case InstructionSet::avx2:
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  default:
    return true;
  }
}

static std::atomic<InstructionSet> &chosenSet() {
  static std::atomic<InstructionSet> chosen =
      canUse(InstructionSet::avx512) ? InstructionSet::avx512
      : canUse(InstructionSet::avx2) ? InstructionSet::avx2
                                     : InstructionSet::any;
  return chosen;
}

void use(InstructionSet set) { chosenSet() = set; }

template <typename T>
static LaneTransform<T> laneTransform() {
  constexpr bool isFloat = std::is_same_v<T, float>;
  switch (chosenSet().load(std::memory_order_relaxed)) {
  case InstructionSet::avx512:
    return isFloat ? transformF32Avx512 : transformF64Avx512;
  case InstructionSet::avx2:
    return isFloat ? transformF32Avx2 : transformF64Avx2;
  default:
    return isFloat ? transformF32Baseline : transformF64Baseline;
  }
}

//===----------------------------------------------------------------------===//
// Tables
//===----------------------------------------------------------------------===//

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

namespace {
struct Choice {
  double cost; ///< instructions per element, of all stages
  int64_t radix;
};
} // namespace

/// The cheapest first factor of n, among 2, 3, 5 and products of them.
static Choice cheapestRadix(int64_t n, std::map<int64_t, Choice> &known) {
  // Butterflies, and eight for loads, stores and twiddle factors.
  constexpr Choice radices[] = {{22, 10},  {19, 8},   {18, 6},  {19, 5},
                                {14.5, 4}, {14.5, 3}, {12.5, 2}};
  if (n == 1) {
    return {0, 1};
  }
  const auto found = known.find(n);
  if (found != known.end()) {
    return found->second;
  }
  Choice best = {std::numeric_limits<double>::infinity(), 0};
  for (const Choice &choice : radices) {
    if (n % choice.radix == 0) {
      const double cost =
          choice.cost + cheapestRadix(n / choice.radix, known).cost;
      best = cost < best.cost ? Choice{cost, choice.radix} : best;
    }
  }
  return known[n] = best;
}

/// Factors that have butterflies; none where a prime is too large.
static std::vector<int64_t> radicesOf(int64_t n) {
  std::vector<int64_t> radices;
  for (int64_t prime = 7; prime <= largestRadix; prime += 2) {
    while (prime % 3 && prime % 5 && n % prime == 0) {
      radices.push_back(prime);
      n /= prime;
    }
  }
  std::map<int64_t, Choice> known;
  while (n > 1) {
    const int64_t radix = cheapestRadix(n, known).radix;
    if (radix == 0) {
      return {};
    }
    radices.push_back(radix);
    n /= radix;
  }
  // One stage at least: length 1 is moved too.
  if (radices.empty()) {
    radices.push_back(1);
  }
  std::sort(radices.begin(), radices.end(), std::greater<>());
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
  for (const std::complex<T> &chirp : plan.chirp) {
    plan.chirpBack.push_back(std::conj(chirp));
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
  } else {
    addConvolution(*plan);
  }
  return plan;
}

namespace {
/// What was made for the lengths seen last, shared by threads.
template <typename Value>
class Cache {
public:
  template <typename Make>
  std::shared_ptr<const Value> get(int64_t n, Make make) {
    {
      std::lock_guard<std::mutex> lock(mutex);
      auto found = values.find(n);
      if (found != values.end()) {
        return found->second;
      }
    }
    // Made outside the lock: a convolution's plan asks for another.
    std::shared_ptr<const Value> value = make(n);
    std::lock_guard<std::mutex> lock(mutex);
    if (elements + n > mostElements) {
      values.clear();
      elements = 0;
    }
    if (n <= mostElements && values.emplace(n, value).second) {
      elements += n;
    }
    return value;
  }

private:
  static constexpr int64_t mostElements = int64_t(1) << 22;
  std::mutex mutex;
  std::map<int64_t, std::shared_ptr<const Value>> values;
  int64_t elements = 0;
};
} // namespace

template <typename T>
std::shared_ptr<const Plan<T>> planFor(int64_t n) {
  static auto *cache = new Cache<Plan<T>>;
  return cache->get(n, makePlan<T>);
}

//===----------------------------------------------------------------------===//
// Lines cut into matrices
//===----------------------------------------------------------------------===//

int64_t rowsFor(int64_t n, int64_t lanes, double *waste) {
  constexpr int64_t least = 8;
  int64_t rows = 0;
  *waste = 0;
  auto wasteOf = [&](int64_t lines) {
    const int64_t filled = (lines + lanes - 1) / lanes * lanes;
    return static_cast<double>(filled) / static_cast<double>(lines);
  };
  const auto root = static_cast<int64_t>(std::sqrt(static_cast<double>(n)));
  for (int64_t d = root; d >= least; --d) {
    if (n % d == 0) {
      // Far from the root, one of the transforms outgrows the caches.
      const double lopsided = std::log2(static_cast<double>(n / d / d)) / 16;
      const double total = (wasteOf(d) + wasteOf(n / d)) / 2 + lopsided;
      if (rows == 0 || total < *waste) {
        rows = d;
        *waste = total;
      }
    }
  }
  return rows;
}

/// w_n^(i * step) for i < count.
static std::vector<std::complex<double>> rootsOf(int64_t n, int64_t step,
                                                 int64_t count) {
  std::vector<std::complex<double>> roots(count);
  for (int64_t i = 0; i < count; ++i) {
    roots[i] = root(i * step, n);
  }
  return roots;
}

template <typename T>
std::shared_ptr<const Split<T>> splitFor(int64_t n) {
  static auto *cache = new Cache<Split<T>>;
  return cache->get(n, [](int64_t n) -> std::shared_ptr<const Split<T>> {
    auto split = std::make_shared<Split<T>>();
    double waste;
    split->rows = rowsFor(n, lanes<T>, &waste);
    if (split->rows == 0) {
      return nullptr;
    }
    split->columns = n / split->rows;
    split->rowsPlan = planFor<T>(split->rows);
    split->columnsPlan = planFor<T>(split->columns);
    split->roots.resize(n);
    // A root is the product of two from short exact tables.
    const int64_t low = split->columns;
    const auto fine = rootsOf(n, 1, low);
    const auto coarse = rootsOf(n, low, n / low);
    for (int64_t j = 0; j < split->columns; ++j) {
      for (int64_t k = 0; k < split->rows; ++k) {
        const auto a = coarse[j * k / low];
        const auto b = fine[j * k % low];
        split->roots[j * split->rows + k] = {
            static_cast<T>(a.real() * b.real() - a.imag() * b.imag()),
            static_cast<T>(a.real() * b.imag() + a.imag() * b.real())};
      }
    }
    return split;
  });
}

template <typename T>
std::shared_ptr<const std::vector<std::complex<T>>> quarterRootsFor(int64_t n) {
  using Roots = std::vector<std::complex<T>>;
  static auto *cache = new Cache<Roots>;
  return cache->get(n, [](int64_t n) {
    auto roots = std::make_shared<Roots>();
    for (int64_t k = 0; k <= n / 4; ++k) {
      const auto value = root(k, n);
      roots->emplace_back(static_cast<T>(value.real()),
                          static_cast<T>(value.imag()));
    }
    return roots;
  });
}

//===----------------------------------------------------------------------===//
// Transforms of lanes
//===----------------------------------------------------------------------===//

/// The bytes that `stages` work in, for length n.
static size_t stageBytes(int64_t n) {
  return static_cast<size_t>(128 * (2 * n + 1 + tileLength * largestRadix));
}

template <typename T>
size_t Plan<T>::workBytes() const {
  return inner ? 128 * static_cast<size_t>(inner->n) + stageBytes(inner->n)
               : stageBytes(n);
}

template <typename T>
static void runStages(const Plan<T> &plan, const Side &from, const Side &to,
                      void *work) {
  laneTransform<T>()(static_cast<int64_t>(plan.stages.size()),
                     plan.stages.data(), from, to, work);
}

template <typename T>
void transformLanes(const Plan<T> &plan, Side from, Side to, void *work) {
  from.length = plan.n + (from.realRoots ? 1 : 0);
  to.length = plan.n + (to.realRoots ? 1 : 0);
  if (!plan.inner) {
    runStages(plan, from, to, work);
    return;
  }
  const int64_t m = plan.inner->n;
  int64_t lane[lanes<T>];
  for (int64_t b = 0; b < lanes<T>; ++b) {
    lane[b] = b;
  }
  Side middle;
  middle.data = {work, lanes<T>, lane, /*isSideBySide=*/true};
  middle.length = m;
  middle.count = lanes<T>;
  work = static_cast<char *>(work) + 128 * m;
  from.common = plan.chirp.data();
  middle.common = plan.filter.data();
  // With real and imaginary parts exchanged the second transform is inverse;
  // so that they are changed back before the chirp, it is conjugate.
  middle.isSwapped = true;
  runStages(*plan.inner, from, middle, work);
  middle.common = nullptr;
  middle.isSwapped = false;
  to.common = plan.chirpBack.data();
  to.isSwapped = !to.isSwapped;
  runStages(*plan.inner, middle, to, work);
}

#define XLA_FFT_INSTANTIATE(T)                                                 \
  template struct Plan<T>;                                                     \
  template std::shared_ptr<const Plan<T>> planFor<T>(int64_t);                 \
  template std::shared_ptr<const Split<T>> splitFor<T>(int64_t);               \
  template std::shared_ptr<const std::vector<std::complex<T>>>                 \
  quarterRootsFor<T>(int64_t);                                                 \
  template void transformLanes<T>(const Plan<T> &, Side, Side, void *);
XLA_FFT_INSTANTIATE(float)
XLA_FFT_INSTANTIATE(double)
#undef XLA_FFT_INSTANTIATE

} // namespace xla::fft
