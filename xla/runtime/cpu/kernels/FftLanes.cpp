//===- FftLanes.cpp - Many transforms side by side ------------------------===//
//
// Stockham's autosorting form, decimation in frequency, radices 2, 3, 4, 5 and
// any small odd prime. Each stage of length n = r * m and stride s computes
//
//   y[q + s * (r * p + j)] =
//       w_n^(p * j) * sum over k of w_r^(j * k) * x[q + s * (p + m * k)]
//
// Reference: Stockham, High-speed convolution and correlation, 1966;
// Temperton, Self-sorting mixed-radix fast Fourier transforms, 1983.
//
// BUILD compiles this file with XLA_FFT_TARGET naming an instruction set. It
// includes no header with inline functions: the linker could take the copy that
// was compiled for another processor.
//
//===----------------------------------------------------------------------===//

#include "xla/runtime/cpu/kernels/FftLanes.h"

namespace xla::fft {

namespace {

template <typename T>
struct VectorOf;
template <>
struct VectorOf<float> {
  typedef float type __attribute__((vector_size(64)));
};
template <>
struct VectorOf<double> {
  typedef double type __attribute__((vector_size(64)));
};

template <typename T>
struct Complex {
  using V = typename VectorOf<T>::type;
  V re;
  V im;
};

/// cos and sin of 2 pi j / r for the odd radices, by row r, for j = 0 ... r-1.
constexpr int64_t largestRadix = 13;

template <typename T>
struct StageLoop {
  using V = typename VectorOf<T>::type;
  using C = Complex<T>;

  const V *xRe;
  const V *xIm;
  V *yRe;
  V *yIm;
  int64_t m;
  int64_t s;

  C load(int64_t p, int64_t k, int64_t q) const {
    const int64_t i = q + s * (p + m * k);
    return {xRe[i], xIm[i]};
  }

  void store(int64_t p, int64_t radix, int64_t j, int64_t q, C value) const {
    const int64_t i = q + s * (radix * p + j);
    yRe[i] = value.re;
    yIm[i] = value.im;
  }

  /// Multiplies by a twiddle factor and stores.
  void store(int64_t p, int64_t radix, int64_t j, int64_t q, C v,
             const T *twiddle) const {
    const T c = twiddle[2 * (j - 1)];
    const T d = twiddle[2 * (j - 1) + 1];
    store(p, radix, j, q, {v.re * c - v.im * d, v.re * d + v.im * c});
  }
};

template <typename T>
Complex<T> operator+(Complex<T> a, Complex<T> b) {
  return {a.re + b.re, a.im + b.im};
}
template <typename T>
Complex<T> operator-(Complex<T> a, Complex<T> b) {
  return {a.re - b.re, a.im - b.im};
}
template <typename T>
Complex<T> scale(Complex<T> a, T factor) {
  return {a.re * factor, a.im * factor};
}
/// a times -i.
template <typename T>
Complex<T> turn(Complex<T> a) {
  return {a.im, -a.re};
}

template <typename T>
void radix2(const StageLoop<T> &x, const T *twiddle) {
  for (int64_t p = 0; p < x.m; ++p, twiddle += 2) {
    for (int64_t q = 0; q < x.s; ++q) {
      const auto a = x.load(p, 0, q);
      const auto b = x.load(p, 1, q);
      x.store(p, 2, 0, q, a + b);
      x.store(p, 2, 1, q, a - b, twiddle);
    }
  }
}

template <typename T>
void radix3(const StageLoop<T> &x, const T *twiddle) {
  constexpr T half = T(0.5);
  constexpr T root = T(0.866025403784438646763723170752936183L);
  for (int64_t p = 0; p < x.m; ++p, twiddle += 4) {
    for (int64_t q = 0; q < x.s; ++q) {
      const auto a = x.load(p, 0, q);
      const auto b = x.load(p, 1, q);
      const auto c = x.load(p, 2, q);
      const auto sum = b + c;
      const auto side = turn(scale(b - c, root));
      const auto middle = a - scale(sum, half);
      x.store(p, 3, 0, q, a + sum);
      x.store(p, 3, 1, q, middle + side, twiddle);
      x.store(p, 3, 2, q, middle - side, twiddle);
    }
  }
}

template <typename T>
void radix4(const StageLoop<T> &x, const T *twiddle) {
  for (int64_t p = 0; p < x.m; ++p, twiddle += 6) {
    for (int64_t q = 0; q < x.s; ++q) {
      const auto a = x.load(p, 0, q);
      const auto b = x.load(p, 1, q);
      const auto c = x.load(p, 2, q);
      const auto d = x.load(p, 3, q);
      const auto even = a + c;
      const auto odd = b + d;
      const auto evenSide = a - c;
      const auto oddSide = turn(b - d);
      x.store(p, 4, 0, q, even + odd);
      x.store(p, 4, 1, q, evenSide + oddSide, twiddle);
      x.store(p, 4, 2, q, even - odd, twiddle);
      x.store(p, 4, 3, q, evenSide - oddSide, twiddle);
    }
  }
}

template <typename T>
void radix5(const StageLoop<T> &x, const T *twiddle) {
  constexpr T cos1 = T(0.309016994374947424102293417182819059L);
  constexpr T cos2 = T(-0.809016994374947424102293417182819059L);
  constexpr T sin1 = T(0.951056516295153572116439333379382143L);
  constexpr T sin2 = T(0.587785252292473129168705954639072769L);
  for (int64_t p = 0; p < x.m; ++p, twiddle += 8) {
    for (int64_t q = 0; q < x.s; ++q) {
      const auto a = x.load(p, 0, q);
      const auto b = x.load(p, 1, q);
      const auto c = x.load(p, 2, q);
      const auto d = x.load(p, 3, q);
      const auto e = x.load(p, 4, q);
      const auto outer = b + e;
      const auto inner = c + d;
      const auto outerSide = b - e;
      const auto innerSide = c - d;
      const auto middle1 = a + scale(outer, cos1) + scale(inner, cos2);
      const auto middle2 = a + scale(outer, cos2) + scale(inner, cos1);
      const auto side1 = turn(scale(outerSide, sin1) + scale(innerSide, sin2));
      const auto side2 = turn(scale(outerSide, sin2) - scale(innerSide, sin1));
      x.store(p, 5, 0, q, a + outer + inner);
      x.store(p, 5, 1, q, middle1 + side1, twiddle);
      x.store(p, 5, 2, q, middle2 + side2, twiddle);
      x.store(p, 5, 3, q, middle2 - side2, twiddle);
      x.store(p, 5, 4, q, middle1 - side1, twiddle);
    }
  }
}

/// Any odd radix up to largestRadix, by its definition. `roots` holds w_r^j.
template <typename T>
void radixOdd(const StageLoop<T> &x, int64_t radix, const T *roots,
              const T *twiddle) {
  for (int64_t p = 0; p < x.m; ++p, twiddle += 2 * (radix - 1)) {
    for (int64_t q = 0; q < x.s; ++q) {
      Complex<T> in[largestRadix];
      Complex<T> total = x.load(p, 0, q);
      in[0] = total;
      for (int64_t k = 1; k < radix; ++k) {
        in[k] = x.load(p, k, q);
        total = total + in[k];
      }
      x.store(p, radix, 0, q, total);
      for (int64_t j = 1; j < radix; ++j) {
        Complex<T> sum = in[0];
        int64_t power = 0;
        for (int64_t k = 1; k < radix; ++k) {
          power += j;
          power -= power >= radix ? radix : 0;
          const T c = roots[2 * power];
          const T d = roots[2 * power + 1];
          sum.re += in[k].re * c - in[k].im * d;
          sum.im += in[k].re * d + in[k].im * c;
        }
        x.store(p, radix, j, q, sum, twiddle);
      }
    }
  }
}

template <typename T>
bool transform(int64_t stageCount, const Stage *stages, T *re, T *im,
               T *scratchRe, T *scratchIm) {
  using V = typename VectorOf<T>::type;
  StageLoop<T> loop = {reinterpret_cast<V *>(re),
                       reinterpret_cast<V *>(im),
                       reinterpret_cast<V *>(scratchRe),
                       reinterpret_cast<V *>(scratchIm),
                       0,
                       1};
  bool isInScratch = false;
  for (int64_t i = 0; i < stageCount; ++i) {
    const Stage &stage = stages[i];
    loop.m = stage.remaining;
    const T *twiddle = static_cast<const T *>(stage.twiddle);
    switch (stage.radix) {
    case 2:
      radix2(loop, twiddle);
      break;
    case 3:
      radix3(loop, twiddle);
      break;
    case 4:
      radix4(loop, twiddle);
      break;
    case 5:
      radix5(loop, twiddle);
      break;
    default:
      // The roots of unity follow the twiddle factors.
      radixOdd(loop, stage.radix,
               twiddle + 2 * (stage.radix - 1) * stage.remaining, twiddle);
      break;
    }
    loop.s *= stage.radix;
    V *nextRe = const_cast<V *>(loop.xRe);
    V *nextIm = const_cast<V *>(loop.xIm);
    loop.xRe = loop.yRe;
    loop.xIm = loop.yIm;
    loop.yRe = nextRe;
    loop.yIm = nextIm;
    isInScratch = !isInScratch;
  }
  return isInScratch;
}

} // namespace

#define XLA_FFT_JOIN(a, b) a##b
#define XLA_FFT_NAME(prefix, target) XLA_FFT_JOIN(prefix, target)

bool XLA_FFT_NAME(transformF32, XLA_FFT_TARGET)(int64_t stageCount,
                                                const Stage *stages, float *re,
                                                float *im, float *scratchRe,
                                                float *scratchIm) {
  return transform<float>(stageCount, stages, re, im, scratchRe, scratchIm);
}

bool XLA_FFT_NAME(transformF64, XLA_FFT_TARGET)(int64_t stageCount,
                                                const Stage *stages, double *re,
                                                double *im, double *scratchRe,
                                                double *scratchIm) {
  return transform<double>(stageCount, stages, re, im, scratchRe, scratchIm);
}

} // namespace xla::fft
