//===- GemmTiny.h - Products with a factor of tiny numbers ------*- C++ -*-===//
//
// A result that is a subnormal number costs some processors a hundred times as
// much as another, and gradients that fade away make them by the thousand. A
// factor of nothing but tiny numbers is therefore multiplied by a power of two
// first, and the product is divided by it: exact but for the last rounding.
//
//===----------------------------------------------------------------------===//

#ifndef XLA_RUNTIME_CPU_KERNELS_GEMMTINY_H
#define XLA_RUNTIME_CPU_KERNELS_GEMMTINY_H

#include "xla/runtime/Arena.h"
#include "xla/runtime/abi/Runtime.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <type_traits>

namespace xla::cpu {

/// Powers of two by which numbers are scaled, and how: in integers, for the
/// processor would be slow at just these multiplications.
template <typename T>
struct TinyNumbers {
  static constexpr bool isFloat = std::is_same_v<T, float>;
  using Bits = std::conditional_t<isFloat, uint32_t, uint64_t>;
  using Whole = std::make_signed_t<Bits>;
  static constexpr int fraction = isFloat ? 23 : 52; ///< bits of it
  static constexpr Bits shift = isFloat ? 60 : 500;  ///< of the exponent
  static constexpr Bits hidden = Bits(1) << fraction;
  static constexpr Bits sign = Bits(1) << (8 * sizeof(T) - 1);
  static constexpr Bits most = (sign - 1) >> fraction; ///< exponent of infinity

  /// What is smaller is tiny. Scaled, it is neither subnormal, nor so large
  /// that a product with it overflows.
  static constexpr T limit = isFloat ? T(0x1p-100) : T(0x1p-900);
  /// The least number there is, scaled.
  static constexpr T least = isFloat ? T(0x1p-89) : T(0x1p-574);

  /// A tiny number times 2^shift.
  static T up(T x) {
    Bits bits = std::bit_cast<Bits>(x), magnitude = bits & ~sign;
    Bits subnormal = std::bit_cast<Bits>(T(Whole(magnitude)) * least);
    Bits scaled =
        magnitude < hidden ? subnormal : magnitude + (shift << fraction);
    return std::bit_cast<T>(scaled | (bits & sign));
  }

  /// Any number divided by 2^shift, rounded to the nearest or the even one.
  static T down(T x) {
    Bits bits = std::bit_cast<Bits>(x), magnitude = bits & ~sign;
    Bits exponent = magnitude >> fraction;
    if (exponent > shift) {
      return exponent == most ? x
                              : std::bit_cast<T>(bits - (shift << fraction));
    }
    Bits digits = exponent ? (magnitude & (hidden - 1)) | hidden : magnitude;
    Bits dropped = shift + 1 - (exponent ? exponent : 1);
    Bits lost = std::min<Bits>(dropped, fraction + 2);
    Bits kept = digits >> lost, rest = digits & ((Bits(1) << lost) - 1);
    Bits half = Bits(1) << (lost - 1);
    kept += rest > half || (rest == half && (kept & 1)) ? 1 : 0;
    return std::bit_cast<T>(kept | (bits & sign));
  }
};

/// A batch of matrices in memory.
template <typename T>
struct TinyFactor {
  const T *from;
  int64_t batch, rows, columns;
  int64_t batchStride, rowStride, columnStride;

  /// Whether all are tiny and some are not zero. Ends nearly always at the
  /// first one of all, which is not.
  bool isTiny() const {
    if (batch * rows * columns == 0 || !isTiny(magnitude(*from))) {
      return false;
    }
    const bool isAcross = rowStride == 1;
    const int64_t lines = isAcross ? columns : rows,
                  width = isAcross ? rows : columns,
                  apart = isAcross ? columnStride : rowStride,
                  step = isAcross ? rowStride : columnStride;
    Bits any = 0;
    for (int64_t i = 0; i < batch; ++i) {
      for (int64_t r = 0; r < lines; ++r) {
        const T *line = from + i * batchStride + r * apart;
        if (!(step == 1 ? isTinyLine<true>(line, width, 1, any)
                        : isTinyLine<false>(line, width, step, any))) {
          return false;
        }
      }
    }
    return any != 0;
  }

  /// Scaled, dense, with rows along what is contiguous now.
  TinyFactor copyTo(T *to) const {
    TinyFactor copy = *this;
    bool isAcross = rowStride == 1;
    copy.from = to;
    copy.rowStride = isAcross ? 1 : columns;
    copy.columnStride = isAcross ? rows : 1;
    copy.batchStride = rows * columns;
    int64_t lines = isAcross ? columns : rows,
            width = isAcross ? rows : columns;
    for (int64_t i = 0; i < batch; ++i) {
      for (int64_t r = 0; r < lines; ++r) {
        const T *line =
            from + i * batchStride + r * (isAcross ? columnStride : rowStride);
        for (int64_t j = 0; j < width; ++j) {
          *to++ = TinyNumbers<T>::up(
              line[j * (isAcross ? rowStride : columnStride)]);
        }
      }
    }
    return copy;
  }

private:
  using Numbers = TinyNumbers<T>;
  using Bits = typename Numbers::Bits;

  static Bits magnitude(T x) { return std::bit_cast<Bits>(x) & ~Numbers::sign; }
  static bool isTiny(Bits magnitude) {
    return magnitude < std::bit_cast<Bits>(Numbers::limit);
  }

  /// Joins the bits of all in `any`. What has no more bits than a tiny number
  /// is one, so a stretch is looked at one by one where it has more together.
  template <bool isDense>
  static bool isTinyLine(const T *line, int64_t width, int64_t step,
                         Bits &any) {
    constexpr int64_t stretch = 64;
    for (int64_t begin = 0; begin < width; begin += stretch) {
      const int64_t end = std::min(begin + stretch, width);
      Bits joined = 0;
      for (int64_t j = begin; j < end; ++j) {
        joined |= magnitude(line[isDense ? j : j * step]);
      }
      if (!isTiny(joined)) {
        for (int64_t j = begin; j < end; ++j) {
          if (!isTiny(magnitude(line[j * step]))) {
            return false;
          }
        }
      }
      any |= joined;
    }
    return true;
  }
};

/// Multiplies with a scaled factor where one is tiny; else does nothing, and
/// says so by false.
template <typename T>
bool multiplyTiny(const XlaGemm &gemm, void (*multiply)(const XlaGemm *)) {
  TinyFactor<T> a = {static_cast<const T *>(gemm.a),
                     gemm.batch,
                     gemm.m,
                     gemm.k,
                     gemm.a_batch_stride,
                     gemm.a_row_stride,
                     gemm.a_column_stride};
  TinyFactor<T> b = {static_cast<const T *>(gemm.b),
                     gemm.batch,
                     gemm.k,
                     gemm.n,
                     gemm.b_batch_stride,
                     gemm.b_row_stride,
                     gemm.b_column_stride};
  bool isA = !gemm.accumulate && a.isTiny();
  if (!isA && (gemm.accumulate || !b.isTiny())) {
    return false;
  }
  const TinyFactor<T> &factor = isA ? a : b;
  ScratchMemory scratch(factor.batch * factor.rows * factor.columns *
                        sizeof(T));
  if (!scratch.data()) {
    return false;
  }
  TinyFactor<T> copy = factor.copyTo(static_cast<T *>(scratch.data()));
  XlaGemm scaled = gemm;
  (isA ? scaled.a : scaled.b) = copy.from;
  (isA ? scaled.a_batch_stride : scaled.b_batch_stride) = copy.batchStride;
  (isA ? scaled.a_row_stride : scaled.b_row_stride) = copy.rowStride;
  (isA ? scaled.a_column_stride : scaled.b_column_stride) = copy.columnStride;
  scaled.finish = nullptr;
  multiply(&scaled);
  for (int64_t i = 0; i < gemm.batch; ++i) {
    for (int64_t r = 0; r < gemm.m; ++r) {
      int64_t start = i * gemm.c_batch_stride + r * gemm.c_row_stride;
      T *line = static_cast<T *>(gemm.c) + start;
      for (int64_t j = 0; j < gemm.n; ++j) {
        line[j] = TinyNumbers<T>::down(line[j]);
      }
      if (gemm.finish) {
        gemm.finish(gemm.finish_context, XLA_FINISH_DONE,
                    gemm.finish_first + start, 1, gemm.c_row_stride, gemm.n);
      }
    }
  }
  return true;
}

} // namespace xla::cpu

#endif // XLA_RUNTIME_CPU_KERNELS_GEMMTINY_H
