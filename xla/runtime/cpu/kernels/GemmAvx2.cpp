#include "xla/runtime/cpu/kernels/GemmKernels.h"

#include <immintrin.h>

namespace xla::cpu {

namespace avx2 {
static constexpr int vectorBytes = 32;
static constexpr int tileRows = 6;

#pragma clang attribute push(__attribute__((target("avx2,fma,f16c"))),         \
                             apply_to = function)

using Bits = __m256i;

/// All bits of the first `count` lanes.
template <int bytes>
static inline Bits firstLanes(int64_t count) {
  return bytes == 4
             ? _mm256_cmpgt_epi32(_mm256_set1_epi32(int(count)),
                                  _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7))
             : _mm256_cmpgt_epi64(_mm256_set1_epi64x(count),
                                  _mm256_setr_epi64x(0, 1, 2, 3));
}

template <int bytes>
static inline Bits loadLanes(const void *from, int64_t count) {
  Bits mask = firstLanes<bytes>(count);
  return bytes == 4
             ? _mm256_maskload_epi32(static_cast<const int *>(from), mask)
             : _mm256_maskload_epi64(static_cast<const long long *>(from),
                                     mask);
}

template <int bytes>
static inline void storeLanes(void *to, Bits value, int64_t count) {
  Bits mask = firstLanes<bytes>(count);
  if (bytes == 4) {
    _mm256_maskstore_epi32(static_cast<int *>(to), mask, value);
  } else {
    _mm256_maskstore_epi64(static_cast<long long *>(to), mask, value);
  }
}

#include "xla/runtime/cpu/kernels/GemmKernels.inc"

#pragma clang attribute pop

} // namespace avx2

const GemmInstructionSet &gemmForAvx2() { return avx2::instructionSet; }

} // namespace xla::cpu
