#include "xla/runtime/ThreadPool.h"
#include "xla/runtime/abi/Runtime.h"
#include "xla/runtime/cpu/kernels/GemmNaive.h"

#include <algorithm>
#include <bit>

using namespace xla;
using namespace xla::cpu;

template <typename Input, typename Output, typename Widen>
static void gemm(const XlaGemm &gemm, Widen widen) {
  int64_t rowCost = std::max<int64_t>(gemm.n * std::max<int64_t>(gemm.k, 1), 1);
  int64_t grain = std::max<int64_t>(65536 / rowCost, 1);
  ThreadPool::shared().parallelFor(
      gemm.batch * gemm.m, grain, [&](int64_t begin, int64_t end) {
        gemmNaiveRows<Input, Output>(gemm, begin, end, widen);
      });
}

static float widenBrainFloat(uint16_t bits) {
  return std::bit_cast<float>(uint32_t(bits) << 16);
}

void xla_gemm_f32(const XlaGemm *problem) {
  gemm<float, float>(*problem, [](float x) { return x; });
}

void xla_gemm_f64(const XlaGemm *problem) {
  gemm<double, double>(*problem, [](double x) { return x; });
}

void xla_gemm_s32(const XlaGemm *problem) {
  gemm<uint32_t, uint32_t>(*problem, [](uint32_t x) { return x; });
}

void xla_gemm_bf16_f32(const XlaGemm *problem) {
  gemm<uint16_t, float>(*problem, widenBrainFloat);
}

void xla_gemm_f16_f32(const XlaGemm *problem) {
  gemm<_Float16, float>(*problem, [](_Float16 x) { return float(x); });
}
