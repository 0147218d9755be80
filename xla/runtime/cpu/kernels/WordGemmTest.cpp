#include "xla/runtime/cpu/kernels/WordGemm.h"
#include "xla/runtime/cpu/kernels/GemmCases.h"
#include "xla/runtime/cpu/kernels/GemmKernels.h"
#include "xla/support/Testing.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstdio>
#include <limits>
#include <random>
#include <vector>

using namespace xla::cpu;

static void report(const Case &what) {
  std::fprintf(stderr, "  batch %ld m %ld n %ld k %ld transposed %d %d\n",
               what.batch, what.m, what.n, what.k, what.isATransposed,
               what.isBTransposed);
}

//===----------------------------------------------------------------------===//
// Bytes
//===----------------------------------------------------------------------===//

template <typename A, typename B>
static bool isExact(const Case &what, Operand<A> &a, Operand<B> &b,
                    Operand<uint32_t> &c, const Told &told) {
  for (int64_t batch = 0; batch < what.batch; ++batch) {
    for (int64_t i = 0; i < what.m; ++i) {
      for (int64_t j = 0; j < c.rowStride; ++j) {
        bool isGap = j >= what.n;
        uint32_t sum = isGap || what.accumulates ? 17 : 0;
        for (int64_t p = 0; !isGap && p < what.k; ++p) {
          sum +=
              uint32_t(int32_t(a.at(batch, i, p)) * int32_t(b.at(batch, p, j)));
        }
        int64_t number = batch * c.batchStride + i * c.rowStride + j;
        if (c.values[number] != sum || told.times[number] != !isGap) {
          return false;
        }
      }
    }
  }
  return true;
}

template <typename A, typename B>
static void checkBytes(void (*entry)(const XlaGemm *), const Case &what,
                       bool isExtreme) {
  std::mt19937 generator(what.m * 31 + what.n * 7 + what.k);
  Operand<A> a(what.batch, what.m, what.k, what.isATransposed, 3);
  Operand<B> b(what.batch, what.k, what.n, what.isBTransposed, 5);
  // A column as programs have it: its numbers are side by side.
  Operand<uint32_t> c(what.batch, what.m, what.n, false, what.n == 1 ? 0 : 2);
  fill(generator, a);
  fill(generator, b);
  if (isExtreme) { // sums of two products are beyond 16 bits
    using Of = std::numeric_limits<A>;
    std::ranges::fill(a.values, std::is_signed_v<A> ? Of::min() : Of::max());
    using With = std::numeric_limits<B>;
    std::ranges::fill(b.values,
                      std::is_signed_v<B> ? With::min() : With::max());
  }
  std::ranges::fill(c.values, 17);
  Told told{std::vector<std::atomic<int>>(c.values.size())};
  XlaGemm gemm = describe(what, a, b, c);
  gemm.finish = notify;
  gemm.finish_context = &told;
  entry(&gemm);
  if (!XLA_CHECK(isExact(what, a, b, c, told))) {
    report(what);
  }
}

static void checkAllBytes(const Case &what, bool isExtreme = false) {
  checkBytes<int8_t, int8_t>(xla_gemm_s8_s32, what, isExtreme);
  checkBytes<int8_t, uint8_t>(xla_gemm_s8_u8_s32, what, isExtreme);
  checkBytes<uint8_t, int8_t>(xla_gemm_u8_s8_s32, what, isExtreme);
  checkBytes<uint8_t, uint8_t>(xla_gemm_u8_s32, what, isExtreme);
}

//===----------------------------------------------------------------------===//
// bfloat16
//===----------------------------------------------------------------------===//

using Bits = uint16_t;

static double valueOf(Bits bits) {
  return std::bit_cast<float>(uint32_t(bits) << 16);
}

/// Against sums in doubles. Results that are subnormal numbers are rounded to
/// multiples of the least one.
static void checkBrainFloats(const Case &what, auto setNumbers) {
  std::mt19937 generator(what.m * 31 + what.n * 7 + what.k);
  Operand<Bits> a(what.batch, what.m, what.k, what.isATransposed, 3);
  Operand<Bits> b(what.batch, what.k, what.n, what.isBTransposed, 5);
  Operand<float> c(what.batch, what.m, what.n, false, 2);
  fill(generator, a);
  fill(generator, b);
  setNumbers(generator, a.values, b.values);
  std::ranges::fill(c.values, 0.5f);
  XlaGemm gemm = describe(what, a, b, c);
  xla_gemm_bf16_f32(&gemm);
  bool isRight = true;
  for (int64_t batch = 0; batch < what.batch; ++batch) {
    for (int64_t i = 0; i < what.m; ++i) {
      for (int64_t j = 0; j < what.n; ++j) {
        double sum = what.accumulates ? 0.5 : 0, magnitude = sum;
        for (int64_t p = 0; p < what.k; ++p) {
          double term = valueOf(a.at(batch, i, p)) * valueOf(b.at(batch, p, j));
          sum += term;
          magnitude += std::fabs(term);
        }
        float result = c.at(batch, i, j);
        double bound = double(what.k + 1) * (0x1p-24 * magnitude + 0x1p-149);
        bool isSpecial = !std::isfinite(sum);
        isRight = isRight && (isSpecial ? result == sum || (std::isnan(sum) &&
                                                            std::isnan(result))
                                        : std::fabs(result - sum) <= bound);
      }
      isRight = isRight && c.at(batch, i, what.n) == 0.5f;
    }
  }
  if (!XLA_CHECK(isRight)) {
    report(what);
  }
}

static Bits bitsOf(float value) {
  return Bits(std::bit_cast<uint32_t>(value) >> 16);
}

static void checkAllBrainFloats(const Case &what) {
  using Values = std::vector<Bits>;
  checkBrainFloats(what, [](std::mt19937 &, Values &, Values &) {});
  // A subnormal number times a large one is no small number.
  checkBrainFloats(what, [](std::mt19937 &generator, Values &a, Values &b) {
    a[generator() % a.size()] = bitsOf(0x1p-130f);
    b[generator() % b.size()] = bitsOf(-0x1p-128f);
    std::ranges::for_each(
        b, [&](Bits &x) { x = generator() % 2 ? bitsOf(0x1p100f) : x; });
  });
  // Normal numbers whose products, or sums of these, are none.
  for (float scale : {0x1p-48f, 0x1p-56f, 0x1p-60f, 0x1p-66f}) {
    checkBrainFloats(what, [&](std::mt19937 &generator, Values &a, Values &b) {
      auto small = [&](Bits &x) {
        x = generator() % 3 ? bitsOf(scale * float(valueOf(x))) : Bits(0x8000);
      };
      std::ranges::for_each(a, small);
      std::ranges::for_each(b, small);
    });
  }
  checkBrainFloats(what, [](std::mt19937 &generator, Values &a, Values &b) {
    a[generator() % a.size()] = bitsOf(INFINITY);
    b[generator() % b.size()] = bitsOf(NAN);
  });
}

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

template <typename Check>
static void forSizes(Check check) {
  for (int layout = 0; layout < 4; ++layout) {
    bool isATransposed = (layout & 1) != 0, isBTransposed = (layout & 2) != 0;
    auto on = [&](int64_t batch, int64_t m, int64_t n, int64_t k) {
      check({batch, m, n, k, isATransposed, isBTransposed, (m + k) % 2 == 1});
    };
    for (int64_t m : {0, 1, 2, 3, 4, 5, 16, 17, 33}) {
      for (int64_t n : {0, 1, 3, 16, 31, 65}) {
        for (int64_t k : {0, 1, 3, 19, 66, 130}) {
          on(1, m, n, k);
        }
      }
    }
    on(3, 13, 21, 9);
    on(9, 35, 37, 71);   // a batch whose products are shared out
    on(1, 40, 35, 1030); // several blocks of k
    on(1, 40, 35, 2060);
    on(1, 300, 70, 64);  // several pieces of rows
    on(1, 530, 33, 70);  // several blocks of rows
    on(1, 33, 1060, 65); // and of columns
    on(1, 1, 300, 1300);
    on(1, 300, 1, 1300);
    on(1, 4, 1060, 1100); // few rows, several blocks of columns and of k
  }
}

int main() {
  std::vector<const ByteKernels *> sets = {&bytesForAnyProcessor()};
  if (canUseAvx2()) {
    sets.push_back(&bytesForAvx2());
  }
  if (canUseVnni()) {
    sets.push_back(&bytesForVnni());
  }
  if (canUseAmx()) {
    sets.push_back(&bytesForAmx());
  }
  for (const ByteKernels *set : sets) {
    useByteKernels(set);
    forSizes([](const Case &what) { checkAllBytes(what); });
    checkAllBytes({1, 19, 37, 1100, false, false, false}, /*isExtreme=*/true);
    checkAllBytes({1, 2, 37, 1100, false, false, false}, /*isExtreme=*/true);
  }
  for (bool isAllowed : {false, true}) {
    allowWordsOfBrainFloats(isAllowed);
    forSizes(checkAllBrainFloats);
  }
  return xla::testing::failedChecks();
}
