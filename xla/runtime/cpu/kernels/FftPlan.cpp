//===- FftPlan.cpp - What a transform of one length needs -----------------===//
//
// Lengths with a prime factor above `largestRadix` become a convolution of a
// length that has none. Reference: Bluestein, A linear filtering approach to
// the computation of discrete Fourier transform, 1970.
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
#include <new>
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

template <typename T>
static Numbers<T> makeNumbers(int64_t count) {
  return Numbers<T>(new (std::nothrow) std::complex<T>[count]());
}

template <typename T>
static std::complex<T> rounded(std::complex<double> value) {
  return {static_cast<T>(value.real()), static_cast<T>(value.imag())};
}

int64_t convolutionLengthFor(int64_t n) {
  if (!radicesOf(n).empty()) {
    return 0;
  }
  // One that has butterflies and costs little.
  const int64_t least = 2 * n - 1;
  int64_t best = 0;
  double bestCost = 0;
  for (int64_t odd : {1, 3, 5, 9, 15, 25, 27, 45}) {
    int64_t m = odd;
    while (m < least) {
      m *= 2;
    }
    std::map<int64_t, Choice> known;
    const double cost = static_cast<double>(m) * cheapestRadix(m, known).cost;
    if (best == 0 || cost < bestCost) {
      best = m;
      bestCost = cost;
    }
  }
  return best;
}

/// False where memory ran out.
template <typename T>
static bool addConvolution(Plan<T> &plan) {
  const int64_t n = plan.n;
  const int64_t m = plan.m = convolutionLengthFor(n);
  plan.chirp = makeNumbers<T>(n);
  plan.chirpBack = makeNumbers<T>(n);
  plan.filter = makeNumbers<T>(m);
  // In double: half of the error would come from a filter in the working
  // precision.
  const Numbers<double> filter = makeNumbers<double>(m);
  if (!plan.chirp || !plan.chirpBack || !plan.filter || !filter) {
    return false;
  }
  for (int64_t k = 0; k < n; ++k) {
    // k * k mod 2n, without overflow for any n that fits memory.
    const auto square =
        static_cast<int64_t>(static_cast<__int128>(k) * k % (2 * n));
    const std::complex<double> chirp = root(square, 2 * n);
    plan.chirp[k] = rounded<T>(chirp);
    plan.chirpBack[k] = rounded<T>(std::conj(chirp));
    filter[k] = filter[(m - k) % m] = std::conj(chirp);
  }
  if (!transformLine(m, filter.get())) {
    return false;
  }
  for (int64_t k = 0; k < m; ++k) {
    plan.filter[k] = rounded<T>(filter[k] / static_cast<double>(m));
  }
  return true;
}

template <typename T>
static std::shared_ptr<const Plan<T>> makePlan(int64_t n) {
  auto plan = std::make_shared<Plan<T>>();
  plan->n = n;
  const std::vector<int64_t> radices = radicesOf(n);
  if (!radices.empty()) {
    addStages(*plan, radices);
  } else if (!addConvolution(*plan)) {
    return nullptr;
  }
  return plan;
}

/// Longer tables are made again at each call.
constexpr int64_t mostElementsKept = int64_t(1) << 22;

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
    if (!value) {
      return value;
    }
    std::lock_guard<std::mutex> lock(mutex);
    if (elements + n > mostElementsKept) {
      values.clear();
      elements = 0;
    }
    if (n <= mostElementsKept && values.emplace(n, value).second) {
      elements += n;
    }
    return value;
  }

private:
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

/// Whether lines of length n are worth transforming in lanes.
static bool fitsLanes(int64_t n) {
  if (n <= longestConvolvedLane) {
    return true;
  }
  for (int64_t factor = 2; factor <= largestRadix; ++factor) {
    while (n % factor == 0) {
      n /= factor;
    }
  }
  return n == 1;
}

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
    if (n % d == 0 && fitsLanes(d) && fitsLanes(n / d)) {
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
void Split<T>::multiplyByRoots(int64_t j, std::complex<T> *line) const {
  // A root is the product of two from short exact tables.
  int64_t low = 0, high = 0;
  for (int64_t k = 0; k < rows; ++k) {
    const std::complex<double> a = coarse[high], b = fine[low];
    const auto c = static_cast<T>(a.real() * b.real() - a.imag() * b.imag());
    const auto d = static_cast<T>(a.real() * b.imag() + a.imag() * b.real());
    line[k] = {line[k].real() * c - line[k].imag() * d,
               line[k].real() * d + line[k].imag() * c};
    low += j;
    if (low >= columns) {
      low -= columns;
      ++high;
    }
  }
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
    if (!split->rowsPlan || !split->columnsPlan) {
      return nullptr;
    }
    split->fine = rootsOf(n, 1, split->columns);
    split->coarse = rootsOf(n, split->columns, split->rows);
    if (n <= mostElementsKept) {
      split->roots = makeNumbers<T>(n);
      if (!split->roots) {
        return nullptr;
      }
      std::fill_n(split->roots.get(), n, 1);
      for (int64_t j = 0; j < split->columns; ++j) {
        split->multiplyByRoots(j, &split->roots[j * split->rows]);
      }
    }
    return split;
  });
}

template <typename T>
std::shared_ptr<const Numbers<T>> quarterRootsFor(int64_t n) {
  static auto *cache = new Cache<Numbers<T>>;
  return cache->get(n, [](int64_t n) -> std::shared_ptr<const Numbers<T>> {
    auto roots = std::make_shared<Numbers<T>>(makeNumbers<T>(n / 4 + 1));
    if (!*roots) {
      return nullptr;
    }
    for (int64_t k = 0; k <= n / 4; ++k) {
      (*roots)[k] = rounded<T>(root(k, n));
    }
    return roots;
  });
}

//===----------------------------------------------------------------------===//
// Transforms of lanes
//===----------------------------------------------------------------------===//

template <typename T>
LanesTransform<T>::LanesTransform(std::shared_ptr<const Plan<T>> plan)
    : plan(std::move(plan)) {
  if (this->plan && this->plan->m) {
    inner = planFor<T>(this->plan->m);
  }
}

/// The bytes that `stages` work in, for length n.
static size_t stageBytes(int64_t n) {
  return static_cast<size_t>(128 * (2 * n + 1 + tileLength * largestRadix));
}

template <typename T>
size_t LanesTransform<T>::workBytes() const {
  return inner ? 128 * static_cast<size_t>(plan->m) + stageBytes(plan->m)
               : stageBytes(plan->n);
}

template <typename T>
static void runStages(const Plan<T> &plan, const Side &from, const Side &to,
                      void *work) {
  laneTransform<T>()(static_cast<int64_t>(plan.stages.size()),
                     plan.stages.data(), from, to, work);
}

template <typename T>
void LanesTransform<T>::run(Side from, Side to, void *work) const {
  from.length = plan->n + (from.realRoots ? 1 : 0);
  to.length = plan->n + (to.realRoots ? 1 : 0);
  if (!inner) {
    runStages(*plan, from, to, work);
    return;
  }
  int64_t lane[lanes<T>];
  for (int64_t b = 0; b < lanes<T>; ++b) {
    lane[b] = b;
  }
  Side middle;
  middle.data = {work, lanes<T>, lane, /*isSideBySide=*/true};
  middle.length = plan->m;
  middle.count = lanes<T>;
  work = static_cast<char *>(work) + 128 * plan->m;
  from.common = plan->chirp.get();
  middle.common = plan->filter.get();
  // With real and imaginary parts exchanged the second transform is inverse;
  // so that they are changed back before the chirp, it is conjugate.
  middle.isSwapped = true;
  runStages(*inner, from, middle, work);
  middle.common = nullptr;
  middle.isSwapped = false;
  to.common = plan->chirpBack.get();
  to.isSwapped = !to.isSwapped;
  runStages(*inner, middle, to, work);
}

#define XLA_FFT_INSTANTIATE(T)                                                 \
  template struct Plan<T>;                                                     \
  template struct Split<T>;                                                    \
  template class LanesTransform<T>;                                            \
  template std::shared_ptr<const Plan<T>> planFor<T>(int64_t);                 \
  template std::shared_ptr<const Split<T>> splitFor<T>(int64_t);               \
  template std::shared_ptr<const Numbers<T>> quarterRootsFor<T>(int64_t);
XLA_FFT_INSTANTIATE(float)
XLA_FFT_INSTANTIATE(double)
#undef XLA_FFT_INSTANTIATE

} // namespace xla::fft
