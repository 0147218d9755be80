#include "xla/runtime/cpu/kernels/GemmKernels.h"

namespace xla::cpu {

namespace baseline {
static constexpr int vectorBytes = 16;
static constexpr int tileRows = 4;

typedef uint32_t Bits __attribute__((vector_size(vectorBytes)));

template <int bytes>
static inline Bits loadLanes(const void *from, int64_t count) {
  Bits value = {};
  __builtin_memcpy(&value, from, bytes * count);
  return value;
}

template <int bytes>
static inline void storeLanes(void *to, Bits value, int64_t count) {
  __builtin_memcpy(to, &value, bytes * count);
}

#include "xla/runtime/cpu/kernels/GemmKernels.inc"

} // namespace baseline

const GemmInstructionSet &gemmForAnyProcessor() {
  return baseline::instructionSet;
}

} // namespace xla::cpu
