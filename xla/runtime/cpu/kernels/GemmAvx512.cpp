#include "xla/runtime/cpu/kernels/GemmKernels.h"

#include <immintrin.h>

namespace xla::cpu {

namespace avx512 {
static constexpr int vectorBytes = 64;
static constexpr int tileRows = 12;

#pragma clang attribute push(                                                  \
    __attribute__((                                                            \
        target("avx512f,avx512vl,avx512bw,avx512dq,avx2,fma,f16c"))),          \
    apply_to = function)

using Bits = __m512i;

template <int bytes>
static inline Bits loadLanes(const void *from, int64_t count) {
  auto mask = (1u << count) - 1;
  return bytes == 4 ? _mm512_maskz_loadu_epi32(__mmask16(mask), from)
                    : _mm512_maskz_loadu_epi64(__mmask8(mask), from);
}

template <int bytes>
static inline void storeLanes(void *to, Bits value, int64_t count) {
  auto mask = (1u << count) - 1;
  if (bytes == 4) {
    _mm512_mask_storeu_epi32(to, __mmask16(mask), value);
  } else {
    _mm512_mask_storeu_epi64(to, __mmask8(mask), value);
  }
}

#include "xla/runtime/cpu/kernels/GemmKernels.inc"

#pragma clang attribute pop

} // namespace avx512

const GemmInstructionSet &gemmForAvx512() { return avx512::instructionSet; }

} // namespace xla::cpu
