#include "xla/runtime/cpu/kernels/WordGemm.h"

#include <immintrin.h>

namespace xla::cpu {

namespace {
constexpr int vectorWords = 8;
constexpr int tileRows = 6;

#pragma clang attribute push(__attribute__((target("avx2"))),                  \
                             apply_to = function)

#include "xla/runtime/cpu/kernels/WordGemm.inc"

struct Pairs {
  using Sum = uint32_t;
  using Sums = Words;
  static Sums add(Sums sums, Words x, Words y) {
    return sums + (Words)_mm256_madd_epi16((__m256i)x, (__m256i)y);
  }
  static Sums correct(Sums sums, int32_t) { return sums; }
};

#pragma clang attribute pop

constexpr ByteKernels kernels = widenedKernels<Pairs>(1 << 19);
} // namespace

const ByteKernels &bytesForAvx2() { return kernels; }

} // namespace xla::cpu
