//===- GemmCases.h - Products that the kernels are tested on ----*- C++ -*-===//

#ifndef XLA_RUNTIME_CPU_KERNELS_GEMMCASES_H
#define XLA_RUNTIME_CPU_KERNELS_GEMMCASES_H

#include "xla/runtime/abi/Runtime.h"

#include <atomic>
#include <bit>
#include <cstdint>
#include <random>
#include <vector>

namespace xla::cpu {

/// One product: sizes, and how each operand is stored in memory.
struct Case {
  int64_t batch, m, n, k;
  bool isATransposed, isBTransposed;
  bool accumulates;
};

template <typename Type>
struct Operand {
  std::vector<Type> values;
  int64_t batchStride, rowStride, columnStride;

  /// A matrix of rows x columns per batch, with `gap` unused elements between
  /// its lines.
  Operand(int64_t batch, int64_t rows, int64_t columns, bool isTransposed,
          int64_t gap) {
    int64_t lines = isTransposed ? columns : rows;
    int64_t line = (isTransposed ? rows : columns) + gap;
    values.resize(batch * lines * line + 1);
    batchStride = lines * line;
    rowStride = isTransposed ? 1 : line;
    columnStride = isTransposed ? line : 1;
  }

  Type &at(int64_t batch, int64_t row, int64_t column) {
    return values[batch * batchStride + row * rowStride +
                  column * columnStride];
  }
};

inline void setRandom(std::mt19937 &generator, float &x) {
  x = float(int(generator() % 2001) - 1000) / 512;
}
inline void setRandom(std::mt19937 &generator, double &x) {
  x = double(int32_t(generator())) / 1e9;
}
inline void setRandom(std::mt19937 &generator, uint16_t &x) {
  float value = float(int(generator() % 511) - 255) / 64;
  x = std::bit_cast<uint32_t>(value) >> 16;
}
inline void setRandom(std::mt19937 &generator, _Float16 &x) {
  x = _Float16(float(int(generator() % 511) - 255) / 64);
}
inline void setRandom(std::mt19937 &generator, uint32_t &x) { x = generator(); }
inline void setRandom(std::mt19937 &generator, int8_t &x) { x = generator(); }
inline void setRandom(std::mt19937 &generator, uint8_t &x) { x = generator(); }

template <typename Type>
void fill(std::mt19937 &generator, Operand<Type> &operand) {
  for (Type &x : operand.values) {
    setRandom(generator, x);
  }
}

/// The product c = a b, or c += a b, that the kernels are handed.
template <typename Input, typename Other, typename Output>
XlaGemm describe(const Case &what, Operand<Input> &a, Operand<Other> &b,
                 Operand<Output> &c) {
  return {what.batch,
          what.m,
          what.n,
          what.k,
          a.values.data(),
          a.batchStride,
          a.rowStride,
          a.columnStride,
          b.values.data(),
          b.batchStride,
          b.rowStride,
          b.columnStride,
          c.values.data(),
          c.batchStride,
          c.rowStride,
          what.accumulates,
          nullptr,
          nullptr,
          0};
}

/// How often each number of a product was told of.
struct Told {
  std::vector<std::atomic<int>> times;
};

/// A taker that counts.
inline void notify(void *context, int64_t stage, int64_t first, int64_t rows,
                   int64_t rowStride, int64_t columns) {
  for (int64_t r = 0; stage == XLA_FINISH_DONE && r < rows; ++r) {
    for (int64_t j = 0; j < columns; ++j) {
      ++static_cast<Told *>(context)->times[first + r * rowStride + j];
    }
  }
}

} // namespace xla::cpu

#endif // XLA_RUNTIME_CPU_KERNELS_GEMMCASES_H
