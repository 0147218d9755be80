#include "xla/runtime/cpu/kernels/WordGemm.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace xla::cpu {

namespace {
constexpr int vectorWords = 4;
constexpr int tileRows = 4;

#include "xla/runtime/cpu/kernels/WordGemm.inc"

struct Pairs {
  using Sum = uint32_t;
  using Sums = Words;
  static Sums add(Sums sums, Words x, Words y) {
#if defined(__SSE2__)
    return sums + (Words)_mm_madd_epi16((__m128i)x, (__m128i)y);
#else
    typedef int32_t Signed __attribute__((vector_size(16)));
    // Lower and upper halves as numbers of 32 bits.
    auto low = [](Words w) { return (Words)((Signed)(w << 16) >> 16); };
    auto high = [](Words w) { return (Words)((Signed)w >> 16); };
    return sums + low(x) * low(y) + high(x) * high(y);
#endif
  }
  static Sums correct(Sums sums, int32_t) { return sums; }
};

constexpr ByteKernels kernels = widenedKernels<Pairs>(1 << 18);
} // namespace

const ByteKernels &bytesForAnyProcessor() { return kernels; }

} // namespace xla::cpu
