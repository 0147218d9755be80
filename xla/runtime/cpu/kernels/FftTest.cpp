// Transforms against their definition, computed in long double.

#include "xla/runtime/abi/Runtime.h"

#include "xla/runtime/cpu/kernels/FftPlan.h"
#include "xla/support/Testing.h"

#include <cmath>
#include <complex>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <memory>
#include <vector>

using Exact = std::complex<long double>;

/// The definition, one dimension of [outer, n, inner] at a time.
static void transformByDefinition(std::vector<Exact> &data, int64_t outer,
                                  int64_t n, int64_t inner, int sign) {
  const long double turn = 2 * 3.14159265358979323846264338327950288L;
  std::vector<Exact> roots(n);
  for (int64_t k = 0; k < n; ++k) {
    roots[k] = std::polar(1.0L, sign * turn * k / n);
  }
  std::vector<Exact> line(n);
  for (int64_t o = 0; o < outer; ++o) {
    for (int64_t i = 0; i < inner; ++i) {
      Exact *base = data.data() + o * n * inner + i;
      for (int64_t k = 0; k < n; ++k) {
        line[k] = 0;
        for (int64_t j = 0; j < n; ++j) {
          line[k] += base[j * inner] * roots[j * k % n];
        }
      }
      for (int64_t k = 0; k < n; ++k) {
        base[k * inner] = line[k];
      }
    }
  }
}

static double uniform(uint64_t &state) {
  state = state * 6364136223846793005u + 1442695040888963407u;
  return static_cast<double>(state >> 11) / 9007199254740992.0 - 0.5;
}

static bool hasLargePrime(int64_t n) {
  for (int64_t p : {2, 3, 5, 7, 11, 13}) {
    while (n % p == 0) {
      n /= p;
    }
  }
  return n > 1;
}

struct Case {
  int64_t batch;
  std::vector<int64_t> lengths;
};

template <typename T>
struct Transform {
  Case shape;
  int64_t total = 1;
  int64_t n;
  int64_t lines;

  explicit Transform(const Case &shape) : shape(shape) {
    for (int64_t length : shape.lengths) {
      total *= length;
    }
    n = shape.lengths.back();
    lines = shape.batch * total / n;
  }

  void call(int64_t kind, const void *input, void *output,
            bool givesScratch = true) const {
    XlaFft fft = {};
    fft.kind = kind;
    fft.is_double = sizeof(T) == 8;
    fft.rank = static_cast<int64_t>(shape.lengths.size());
    fft.batch = shape.batch;
    for (size_t i = 0; i < shape.lengths.size(); ++i) {
      fft.lengths[i] = shape.lengths[i];
    }
    fft.input = input;
    fft.output = output;
    // Where the caller gives work memory, no more of it is written than was
    // requested.
    constexpr size_t guard = 64;
    const auto bytes = static_cast<size_t>(xla_fft_scratch_bytes(&fft));
    const std::unique_ptr<char, void (*)(void *)> scratch(
        static_cast<char *>(
            std::aligned_alloc(64, bytes / 64 * 64 + 2 * guard)),
        std::free);
    std::memset(scratch.get(), 0x7f, bytes + guard);
    fft.scratch = givesScratch ? scratch.get() : nullptr;
    XLA_CHECK(xla_fft(&fft) == XLA_RUNTIME_OK);
    for (size_t i = 0; i < guard; ++i) {
      XLA_CHECK(scratch.get()[bytes + i] == 0x7f);
    }
  }

  void exactly(std::vector<Exact> &data, int sign) const {
    int64_t inner = 1;
    for (size_t i = shape.lengths.size(); i-- > 0;) {
      const int64_t length = shape.lengths[i];
      transformByDefinition(data, shape.batch * total / (inner * length),
                            length, inner, sign);
      inner *= length;
    }
  }

  /// The header's bound.
  bool isClose(const std::vector<Exact> &ours,
               const std::vector<Exact> &exact) const {
    long double square = 0;
    for (const Exact &x : exact) {
      square += std::norm(x);
    }
    const long double mean = std::sqrt(square / exact.size());
    bool isRough = false;
    for (int64_t length : shape.lengths) {
      isRough |= hasLargePrime(length);
    }
    const long double bound = 4 * std::numeric_limits<T>::epsilon() *
                              (1 + std::log2(static_cast<double>(total))) *
                              (isRough ? 8 : 1);
    for (size_t i = 0; i < exact.size(); ++i) {
      if (!(std::abs(ours[i] - exact[i]) <= bound * mean)) {
        std::fprintf(stderr, "element %zu of length %lld is off by %Lg\n", i,
                     static_cast<long long>(n),
                     std::abs(ours[i] - exact[i]) / mean);
        return false;
      }
    }
    return true;
  }

  void testComplex(int sign) const {
    uint64_t state = 1;
    std::vector<std::complex<T>> in(shape.batch * total);
    for (auto &x : in) {
      x = {static_cast<T>(uniform(state)), static_cast<T>(uniform(state))};
    }
    std::vector<std::complex<T>> out(in.size());
    call(sign < 0 ? XLA_FFT_FORWARD : XLA_FFT_INVERSE, in.data(), out.data());
    std::vector<Exact> exact(in.begin(), in.end());
    exactly(exact, sign);
    if (sign > 0) {
      for (Exact &x : exact) {
        x /= total;
      }
    }
    XLA_CHECK(isClose({out.begin(), out.end()}, exact));
  }

  void testReal() const {
    uint64_t state = 2;
    const int64_t half = n / 2 + 1;
    std::vector<T> in(shape.batch * total);
    for (T &x : in) {
      x = static_cast<T>(uniform(state));
    }
    std::vector<std::complex<T>> out(lines * half);
    call(XLA_FFT_REAL, in.data(), out.data());
    std::vector<Exact> whole(in.begin(), in.end());
    exactly(whole, -1);
    std::vector<Exact> exact;
    for (int64_t line = 0; line < lines; ++line) {
      exact.insert(exact.end(), whole.begin() + line * n,
                   whole.begin() + line * n + half);
    }
    XLA_CHECK(isClose({out.begin(), out.end()}, exact));

    std::vector<T> back(in.size());
    call(XLA_FFT_INVERSE_REAL, out.data(), back.data());
    XLA_CHECK(isClose({back.begin(), back.end()}, {in.begin(), in.end()}));
  }
};

/// Lines too long for the definition: some elements of the transform of a few
/// impulses, and all of what comes back.
template <typename T>
static void testLongLine(int64_t n) {
  const int64_t batch = 3;
  const int64_t positions[] = {0, 1, n / 3, n - 2};
  std::vector<std::complex<T>> in(batch * n), out(in.size()), back(in.size());
  for (int64_t line = 0; line < batch; ++line) {
    for (int64_t position : positions) {
      in[line * n + position] += std::complex<T>(1, static_cast<T>(line));
    }
  }
  const Transform<T> transform({batch, {n}});
  transform.call(XLA_FFT_FORWARD, in.data(), out.data());
  std::vector<Exact> ours, exact;
  for (int64_t i = 0; i < batch * n; i += i % n < 100 ? 1 : 101) {
    const int64_t k = i % n;
    Exact sum = 0;
    for (int64_t position : positions) {
      const auto turn = static_cast<long double>(
          static_cast<int64_t>(static_cast<__int128>(k) * position % n));
      sum += std::polar(1.0L, -2 * 3.14159265358979323846264338327950288L *
                                  turn / static_cast<long double>(n));
    }
    ours.push_back(out[i]);
    exact.push_back(sum * Exact(1, static_cast<long double>(i / n)));
  }
  XLA_CHECK(transform.isClose(ours, exact));
  transform.call(XLA_FFT_INVERSE, out.data(), back.data());
  // Errors are spread over a line that is mostly zeros.
  long double most = 0;
  for (size_t i = 0; i < in.size(); ++i) {
    most = std::max<long double>(most, std::abs(back[i] - in[i]));
  }
  XLA_CHECK(most <= 64 * std::numeric_limits<T>::epsilon());
}

template <typename T>
static void testAll(const std::vector<Case> &cases) {
  for (const Case &shape : cases) {
    Transform<T> transform(shape);
    transform.testComplex(-1);
    transform.testComplex(+1);
    transform.testReal();
  }
}

static void testSpectrumEndsIgnoreImaginaryParts() {
  // Frequencies 0 and n / 2 of a real line are real; what stands there beside
  // is dropped.
  const std::complex<float> spectrum[] = {{4, 9}, {0, 0}, {0, 7}};
  float line[4];
  Transform<float>({1, {4}}).call(XLA_FFT_INVERSE_REAL, spectrum, line);
  for (float x : line) {
    XLA_CHECK(x == 1.0f);
  }
}

static void testScratchOfItsOwn() {
  for (int64_t n : {256, 4099, 16411}) {
    std::vector<std::complex<float>> in(n), given(n), own(n);
    in[1] = 1;
    const Transform<float> transform({1, {n}});
    transform.call(XLA_FFT_FORWARD, in.data(), given.data());
    transform.call(XLA_FFT_FORWARD, in.data(), own.data(), false);
    XLA_CHECK(given == own);
  }
}

static void testEmptyBatches() {
  Transform<float>({0, {5}}).call(XLA_FFT_FORWARD, nullptr, nullptr);
  Transform<double>({0, {3, 5}}).call(XLA_FFT_REAL, nullptr, nullptr);
}

static std::vector<Case> smallCases() {
  std::vector<Case> cases;
  for (int64_t n = 1; n <= 70; ++n) {
    cases.push_back({3, {n}});
  }
  // Rows in whole and in broken blocks: few and many stages, convolutions.
  for (int64_t n : {2, 7, 9, 48, 62, 74, 97, 101, 206, 100, 121, 240}) {
    cases.push_back({37, {n}});
  }
  // Columns: side by side, in broken blocks, and in blocks over two matrices.
  cases.push_back({2, {6, 10}});
  cases.push_back({1, {17, 9}});
  cases.push_back({2, {41, 21}});
  cases.push_back({2, {103, 21}});
  cases.push_back({1, {96, 32}});
  cases.push_back({1, {250, 33}});
  cases.push_back({2, {3, 4, 5}});
  cases.push_back({1, {5, 40, 23}});
  // Lines cut into matrices.
  for (int64_t n : {128, 210, 256, 343, 1000}) {
    cases.push_back({1, {n}});
  }
  return cases;
}

static std::vector<Case> largeCases() {
  std::vector<Case> cases;
  for (int64_t n : {127, 143, 169, 289, 360, 961, 1001}) {
    cases.push_back({1, {n}});
  }
  // Few and many lines of lengths with large primes, odd and even.
  cases.push_back({40, {211}});
  for (int64_t n : {211, 606}) {
    cases.push_back({1, {n}});
    cases.push_back({3, {n}});
  }
  // Long lines: with good divisors, a large prime, and a smooth power.
  for (int64_t n : {2048, 2053, 2187, 3000, 4106}) {
    cases.push_back({1, {n}});
  }
  cases.push_back({9, {1024}});
  return cases;
}

int main() {
  using xla::fft::InstructionSet;
  for (InstructionSet set :
       {InstructionSet::any, InstructionSet::avx2, InstructionSet::avx512}) {
    if (!xla::fft::canUse(set)) {
      continue;
    }
    xla::fft::use(set);
    testAll<float>(smallCases());
    testAll<double>(smallCases());
    testSpectrumEndsIgnoreImaginaryParts();
  }
  testAll<float>(largeCases());
  testAll<double>(largeCases());
  // A large prime, also as a factor of lines that are not cut; a line whose
  // roots are not kept.
  for (int64_t n : {16411, 2 * 16411, 16 * 16411, 5000000}) {
    testLongLine<float>(n);
    testLongLine<double>(n);
  }
  testScratchOfItsOwn();
  testEmptyBatches();
  return xla::testing::failedChecks();
}
