#include "xla/runtime/ThreadPool.h"
#include "xla/runtime/cpu/kernels/GemmCases.h"
#include "xla/runtime/cpu/kernels/GemmKernels.h"
#include "xla/runtime/cpu/kernels/WordGemm.h"
#include "xla/support/Testing.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstdio>
#include <limits>
#include <random>
#include <vector>

using namespace xla::cpu;

static float toFloat(float x) { return x; }
static double toFloat(double x) { return x; }
static double toFloat(uint16_t bits) {
  return std::bit_cast<float>(uint32_t(bits) << 16);
}
static double toFloat(_Float16 x) { return float(x); }

/// Compares with sums in a type of more digits; the bound is the header's.
template <typename Input, typename Output>
static void checkFloating(void (*entry)(const XlaGemm *), const Case &what,
                          double epsilon) {
  using Exact =
      std::conditional_t<std::is_same_v<Output, double>, long double, double>;
  std::mt19937 generator(what.m * 31 + what.n * 7 + what.k);
  Operand<Input> a(what.batch, what.m, what.k, what.isATransposed, 3);
  Operand<Input> b(what.batch, what.k, what.n, what.isBTransposed, 5);
  Operand<Output> c(what.batch, what.m, what.n, false, 2);
  fill(generator, a);
  fill(generator, b);
  std::ranges::fill(c.values, 17);
  XlaGemm gemm = describe(what, a, b, c);
  entry(&gemm);
  bool isWithinBound = true;
  for (int64_t batch = 0; batch < what.batch; ++batch) {
    for (int64_t i = 0; i < what.m; ++i) {
      for (int64_t j = 0; j < what.n; ++j) {
        Exact sum = what.accumulates ? 17 : 0;
        Exact magnitude = sum;
        for (int64_t p = 0; p < what.k; ++p) {
          Exact term = Exact(toFloat(a.at(batch, i, p))) *
                       Exact(toFloat(b.at(batch, p, j)));
          sum += term;
          magnitude += std::fabs((double)term);
        }
        isWithinBound =
            isWithinBound && std::fabs((double)(c.at(batch, i, j) - sum)) <=
                                 (what.k + 1) * epsilon * magnitude;
      }
      // The gap between the rows of c stays as it was.
      isWithinBound = isWithinBound && c.at(batch, i, what.n) == Output(17);
    }
  }
  if (!XLA_CHECK(isWithinBound)) {
    std::fprintf(stderr, "  m %ld n %ld k %ld transposed %d %d\n", what.m,
                 what.n, what.k, what.isATransposed, what.isBTransposed);
  }
}

namespace {
/// What was taken of a product: how often each number, and its value then.
struct Taken {
  std::vector<std::atomic<int>> times;
  std::vector<float> values;
  float *c;
};
} // namespace

static void take(void *context, int64_t stage, int64_t first, int64_t rows,
                 int64_t rowStride, int64_t columns) {
  if (stage != XLA_FINISH_DONE) {
    return;
  }
  Taken &taken = *static_cast<Taken *>(context);
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t j = 0; j < columns; ++j) {
      int64_t number = first + r * rowStride + j;
      ++taken.times[number];
      taken.values[number] = taken.c[number - 7];
      taken.c[number - 7] = 3; // the kernel does not read it again
    }
  }
}

/// Every element is taken once, with the value that it has without a taker.
static void checkFinish(const Case &what) {
  std::mt19937 generator(what.m * 17 + what.n * 5 + what.k);
  Operand<float> a(what.batch, what.m, what.k, what.isATransposed, 3);
  Operand<float> b(what.batch, what.k, what.n, what.isBTransposed, 5);
  int64_t gap = (what.m + what.n) % 2 * 2; // without one, rows meet
  Operand<float> c(what.batch, what.m, what.n, false, gap);
  fill(generator, a);
  fill(generator, b);
  Operand<float> expected = c;
  XlaGemm gemm = describe(what, a, b, expected);
  xla_gemm_f32(&gemm);
  Taken taken{std::vector<std::atomic<int>>(c.values.size() + 7),
              std::vector<float>(c.values.size() + 7), c.values.data()};
  gemm.c = c.values.data();
  gemm.finish = take;
  gemm.finish_context = &taken;
  gemm.finish_first = 7;
  xla_gemm_f32(&gemm);
  bool isRight = true;
  for (int64_t batch = 0; batch < what.batch; ++batch) {
    for (int64_t i = 0; i < what.m; ++i) {
      for (int64_t j = 0; j < what.n + gap; ++j) {
        int64_t at = batch * c.batchStride + i * c.rowStride + j;
        isRight = isRight && taken.times[at + 7] == (j < what.n ? 1 : 0);
        isRight = isRight &&
                  (j >= what.n || taken.values[at + 7] == expected.values[at]);
      }
    }
  }
  if (!XLA_CHECK(isRight)) {
    std::fprintf(stderr, "  taken: m %ld n %ld k %ld transposed %d %d\n",
                 what.m, what.n, what.k, what.isATransposed,
                 what.isBTransposed);
  }
}

static void checkIntegers(const Case &what) {
  std::mt19937 generator(5);
  Operand<uint32_t> a(what.batch, what.m, what.k, what.isATransposed, 1);
  Operand<uint32_t> b(what.batch, what.k, what.n, what.isBTransposed, 0);
  Operand<uint32_t> c(what.batch, what.m, what.n, false, 0);
  fill(generator, a);
  fill(generator, b);
  std::ranges::fill(c.values, 17);
  XlaGemm gemm = describe(what, a, b, c);
  xla_gemm_s32(&gemm);
  bool isExact = true;
  for (int64_t batch = 0; batch < what.batch; ++batch) {
    for (int64_t i = 0; i < what.m; ++i) {
      for (int64_t j = 0; j < what.n; ++j) {
        uint32_t sum = what.accumulates ? 17 : 0;
        for (int64_t p = 0; p < what.k; ++p) {
          sum += a.at(batch, i, p) * b.at(batch, p, j);
        }
        isExact = isExact && c.at(batch, i, j) == sum;
      }
    }
  }
  XLA_CHECK(isExact);
}

/// A factor of tiny numbers: results are subnormal, or next to it.
template <typename T>
static void checkTiny(void (*entry)(const XlaGemm *), const Case &what,
                      bool isA, int exponent) {
  std::mt19937 generator(what.m * 31 + what.n * 7 + what.k);
  Operand<T> a(what.batch, what.m, what.k, what.isATransposed, 3);
  Operand<T> b(what.batch, what.k, what.n, what.isBTransposed, 5);
  Operand<T> c(what.batch, what.m, what.n, false, 2);
  fill(generator, a);
  fill(generator, b);
  for (T &x : (isA ? a : b).values) {
    x = generator() % 4 ? std::ldexp(x, exponent) : T(0);
  }
  std::ranges::fill(c.values, 17);
  Told told{std::vector<std::atomic<int>>(c.values.size())};
  XlaGemm gemm = describe(what, a, b, c);
  gemm.finish = notify;
  gemm.finish_context = &told;
  entry(&gemm);
  const long double least = std::numeric_limits<T>::denorm_min();
  const long double epsilon = std::numeric_limits<T>::epsilon() / 2;
  bool isRight = true;
  for (int64_t batch = 0; batch < what.batch; ++batch) {
    for (int64_t i = 0; i < what.m; ++i) {
      for (int64_t j = 0; j < what.n; ++j) {
        long double sum = 0, magnitude = 0;
        for (int64_t p = 0; p < what.k; ++p) {
          long double term =
              (long double)a.at(batch, i, p) * (long double)b.at(batch, p, j);
          sum += term;
          magnitude += std::fabs(term);
        }
        int64_t number = batch * c.batchStride + i * c.rowStride + j;
        long double bound = (what.k + 1) * (epsilon * magnitude + least);
        isRight = isRight && told.times[number] == 1 &&
                  std::fabs(c.values[number] - sum) <= bound;
      }
      isRight = isRight && c.at(batch, i, what.n) == T(17);
    }
  }
  if (!XLA_CHECK(isRight)) {
    std::fprintf(stderr, "  tiny: m %ld n %ld k %ld exponent %d\n", what.m,
                 what.n, what.k, exponent);
  }
}

static void checkTinyFactors() {
  for (int layout = 0; layout < 8; ++layout) {
    bool isA = (layout & 4) != 0;
    for (auto [batch, m, n, k] :
         std::vector<std::array<int64_t, 4>>{{1, 1, 70, 300},
                                             {1, 70, 1, 300},
                                             {1, 33, 40, 71},
                                             {3, 5, 7, 9},
                                             {1, 40, 50, 130}}) {
      Case what = {batch, m, n, k, (layout & 1) != 0, (layout & 2) != 0, false};
      for (int exponent : {-104, -120, -147}) {
        checkTiny<float>(xla_gemm_f32, what, isA, exponent);
      }
      checkTiny<double>(xla_gemm_f64, what, isA, -1040);
    }
  }
}

static void checkAll(const Case &what) {
  const double half = 0x1p-24;
  checkFloating<float, float>(xla_gemm_f32, what, half);
  checkFloating<double, double>(xla_gemm_f64, what, 0x1p-53);
  checkFloating<uint16_t, float>(xla_gemm_bf16_f32, what, half);
  checkFloating<_Float16, float>(xla_gemm_f16_f32, what, half);
  checkIntegers(what);
  checkFinish(what);
}

static void checkSmallSizes() {
  for (int64_t m : {0, 1, 5, 17, 65}) {
    for (int64_t n : {0, 1, 3, 31, 100}) {
      for (int64_t k : {0, 1, 2, 19, 70}) {
        for (int layout = 0; layout < 4; ++layout) {
          checkAll({1, m, n, k, (layout & 1) != 0, (layout & 2) != 0,
                    (m + n + k) % 2 == 1});
        }
      }
    }
  }
}

static void checkLargeSizes() {
  for (int layout = 0; layout < 4; ++layout) {
    bool isATransposed = (layout & 1) != 0;
    bool isBTransposed = (layout & 2) != 0;
    checkAll({3, 13, 21, 9, isATransposed, isBTransposed, false});
    checkAll({9, 5, 3, 11, isATransposed, isBTransposed, true});
    checkAll({1, 253, 131, 517, isATransposed, isBTransposed, true});
    checkAll({1, 1, 1031, 300, isATransposed, isBTransposed, false});
    checkAll({1, 1031, 1, 300, isATransposed, isBTransposed, true});
    checkAll({1, 9, 1, 2500, isATransposed, isBTransposed, false});
    checkAll({1, 1, 2500, 9, isATransposed, isBTransposed, true});
    checkAll({1, 301, 7, 129, isATransposed, isBTransposed, layout == 1});
    checkAll({2, 2, 3, 4099, isATransposed, isBTransposed, false});
    // Few rows and columns, many terms: tiles of every height, dots of several
    // blocks, pieces.
    for (int64_t m : {1, 2, 3, 7, 8, 17, 32}) {
      for (int64_t n : {2, 5, 8, 15, 33}) {
        checkAll({1, m, n, 419, isATransposed, isBTransposed, m == 7});
      }
    }
    checkAll({1, 2, 3, 17000, isATransposed, isBTransposed, layout == 3});
    checkAll({2, 17, 9, 6003, isATransposed, isBTransposed, layout == 1});
    checkAll({1, 31, 25, 2049, isATransposed, isBTransposed, false});
    // b stays in the cache: in blocks of k, in pieces of columns, and with
    // lines of a, across or along, and of b that are 4096 bytes of f32 apart.
    // Few rows and many columns, and of more terms than are summed at once.
    checkAll({1, 5, 701, 130, isATransposed, isBTransposed, layout == 1});
    checkAll({1, 3, 70, 5001, isATransposed, isBTransposed, layout == 2});
    checkAll({1, 101, 40, 500, isATransposed, isBTransposed, layout == 2});
    checkAll({1, 61, 300, 40, isATransposed, isBTransposed, false});
    checkAll({1, 150, 37, 1021, isATransposed, isBTransposed, true});
    checkAll({1, 1021, 37, 50, isATransposed, isBTransposed, false});
    checkAll({1, 50, 1019, 17, isATransposed, isBTransposed, false});
    // Several blocks of k, several stripes of b, the last ones in part.
    checkAll({1, 61, 595, 401, isATransposed, isBTransposed, layout == 2});
  }
  checkFloating<float, float>(xla_gemm_f32,
                              {1, 3100, 41, 7, false, false, false}, 0x1p-24);
  checkFloating<float, float>(xla_gemm_f32, {1, 13, 4200, 9, true, true, false},
                              0x1p-24);
}

/// The same bits whoever computes what: rows and columns are cut at other
/// indices.
static void checkThreads() {
  for (int layout = 0; layout < 4; ++layout) {
    Case what = {1, 411, 623, 800, (layout & 1) != 0, (layout & 2) != 0, false};
    std::mt19937 generator(layout);
    Operand<float> a(what.batch, what.m, what.k, what.isATransposed, 3);
    Operand<float> b(what.batch, what.k, what.n, what.isBTransposed, 5);
    Operand<float> c(what.batch, what.m, what.n, false, 2);
    fill(generator, a);
    fill(generator, b);
    std::vector<float> expected;
    for (int threads : {1, 2, 3, 16}) {
      xla::ThreadPool::chooseThreads(threads);
      XlaGemm gemm = describe(what, a, b, c);
      xla_gemm_f32(&gemm);
      expected = expected.empty() ? c.values : expected;
      XLA_CHECK(c.values == expected);
    }
  }
  xla::ThreadPool::chooseThreads(0);
}

int main() {
  // By floats: words have a test of their own.
  allowWordsOfBrainFloats(false);
  std::vector<const GemmInstructionSet *> sets = {&gemmForAnyProcessor()};
  if (canUseAvx2()) {
    sets.push_back(&gemmForAvx2());
  }
  if (canUseAvx512()) {
    sets.push_back(&gemmForAvx512());
  }
  for (const GemmInstructionSet *set : sets) {
    useGemmInstructionSet(set);
    checkSmallSizes();
    checkLargeSizes();
    checkTinyFactors();
    checkThreads();
  }
  return xla::testing::failedChecks();
}
