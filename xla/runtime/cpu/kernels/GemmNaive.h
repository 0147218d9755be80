//===- GemmNaive.h - Matrix multiplication as it is defined -----*- C++ -*-===//
//
// The slow, obvious loop: what the fast kernel is tested against, and what runs
// where memory for packing ran out. Order of summation: p = 0, 1, ... k - 1.
//
//===----------------------------------------------------------------------===//

#ifndef XLA_RUNTIME_CPU_KERNELS_GEMMNAIVE_H
#define XLA_RUNTIME_CPU_KERNELS_GEMMNAIVE_H

#include "xla/runtime/abi/Runtime.h"
#include "xla/runtime/cpu/kernels/GemmKernels.h"

#include <bit>

namespace xla::cpu {

inline float gemmWiden(float x) { return x; }
inline double gemmWiden(double x) { return x; }
inline uint32_t gemmWiden(uint32_t x) { return x; }
inline uint32_t gemmWiden(int8_t x) { return uint32_t(int32_t(x)); }
inline uint32_t gemmWiden(uint8_t x) { return x; }
inline float gemmWiden(_Float16 x) { return float(x); }
inline float gemmWiden(BrainFloat x) {
  return std::bit_cast<float>(uint32_t(x) << 16);
}

/// Rows [begin, end) of the batch * m rows of the product, for elements of type
/// `Input`, those of b of `Other`, summed in `Output`.
template <typename Input, typename Output, typename Other = Input>
void gemmNaiveRows(const XlaGemm &gemm, int64_t begin, int64_t end) {
  for (int64_t row = begin; row < end; ++row) {
    int64_t batch = row / gemm.m;
    int64_t i = row % gemm.m;
    const Input *a = static_cast<const Input *>(gemm.a) +
                     batch * gemm.a_batch_stride + i * gemm.a_row_stride;
    const Other *b =
        static_cast<const Other *>(gemm.b) + batch * gemm.b_batch_stride;
    Output *c = static_cast<Output *>(gemm.c) + batch * gemm.c_batch_stride +
                i * gemm.c_row_stride;
    if (!gemm.accumulate) {
      for (int64_t j = 0; j < gemm.n; ++j) {
        c[j] = Output(0);
      }
    }
    for (int64_t p = 0; p < gemm.k; ++p) {
      Output factor = gemmWiden(a[p * gemm.a_column_stride]);
      const Other *bRow = b + p * gemm.b_row_stride;
      for (int64_t j = 0; j < gemm.n; ++j) {
        c[j] += factor * gemmWiden(bRow[j * gemm.b_column_stride]);
      }
    }
  }
}

} // namespace xla::cpu

#endif // XLA_RUNTIME_CPU_KERNELS_GEMMNAIVE_H
