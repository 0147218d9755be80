#include "xla/runtime/cpu/kernels/WordGemm.h"

#include <immintrin.h>

// One instruction multiplies signed bytes with unsigned ones. Where both
// factors are of one kind, those of b are moved by 128 to the other, and what
// that adds to a sum, 128 times the sum of the row of a, is taken away.

namespace xla::cpu {

namespace {
constexpr int vectorWords = 16;
constexpr int tileRows = 12;

#pragma clang attribute push(                                                  \
    __attribute__((target("avx512f,avx512vl,avx512bw,avx512vnni"))),           \
    apply_to = function)

#include "xla/runtime/cpu/kernels/WordGemm.inc"

struct Bytes {
  using Sum = uint32_t;
  using Sums = Words;
  static Sums correct(Sums sums, int32_t fact) { return sums + uint32_t(fact); }
};

struct SignedLeft : Bytes {
  static Sums add(Sums sums, Words x, Words y) {
    return (Sums)_mm512_dpbusd_epi32((__m512i)sums, (__m512i)y, (__m512i)x);
  }
};

struct UnsignedLeft : Bytes {
  static Sums add(Sums sums, Words x, Words y) {
    return (Sums)_mm512_dpbusd_epi32((__m512i)sums, (__m512i)x, (__m512i)y);
  }
};

template <typename From, int factor>
void packRowsSummed(int64_t rows, int64_t count, const WordSource &source,
                    uint32_t *to, int32_t *facts) {
  packRows<Numbers<From, uint8_t, 0>>(rows, count, source, to);
  for (int64_t i = 0; i < rows; ++i) {
    auto *bytes = reinterpret_cast<const From *>(to + i * strideOfA);
    int32_t sum = 0;
    for (int64_t p = 0; p < count; ++p) {
      sum += bytes[p];
    }
    facts[i] = factor * sum;
  }
}

#pragma clang attribute pop

constexpr int64_t grain = 1 << 20;

template <typename From>
using Plain = Numbers<From, uint8_t, 0>;

/// Both factors of type `From`: those of b lose or gain 128.
template <typename From, typename Op, int factor>
constexpr WordKernels movedKernels() {
  return {1,
          4,
          grain,
          packRowsSummed<From, factor>,
          packPanelAlone<Numbers<From, uint8_t, 0x80>>,
          multiplyPanel<Op>,
          multiplyUnpacked<Numbers<From, uint8_t, 0x80>, Op>,
          dotLines<From, From>,
          dotLines<From, From>};
}

constexpr ByteKernels kernels = {
    movedKernels<int8_t, SignedLeft, -128>(),
    plainKernels<Plain<int8_t>, Plain<uint8_t>, SignedLeft>(grain),
    plainKernels<Plain<uint8_t>, Plain<int8_t>, UnsignedLeft>(grain),
    movedKernels<uint8_t, UnsignedLeft, 128>(),
};
} // namespace

const ByteKernels &bytesForVnni() { return kernels; }

} // namespace xla::cpu
