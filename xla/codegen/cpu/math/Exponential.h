//===- Exponential.h - e^x and its kin --------------------------*- C++ -*-===//

#ifndef XLA_CODEGEN_CPU_MATH_EXPONENTIAL_H
#define XLA_CODEGEN_CPU_MATH_EXPONENTIAL_H

#include "Common.h"

namespace xla::math {

/// (e^r - 1 - r) / r^2 on [-ln(2)/2, ln(2)/2]; fit.py, expF32 and expF64.
inline float expTail(float r) {
  constexpr float c[] = {0.5000000013f,   0.1666666668f,   0.04166646501f,
                         0.008333310934f, 0.001393364103f, 0.0001989098087f};
  return polynomial(r, c);
}
inline double expTail(double r) {
  constexpr double c[] = {0.5,
                          0.16666666666666671,
                          0.0416666666666666698,
                          0.00833333333332614088,
                          0.00138888888888837524,
                          0.00019841269874800492,
                          0.0000248015873255333638,
                          2.75572554257464343e-6,
                          2.75572736613486362e-7,
                          2.51052063739570111e-8,
                          2.09146793765839351e-9};
  return polynomial(r, c);
}

/// x = n ln 2 + r by two parts of ln 2 (Cody and Waite 1980); returns e^r - 1.
template <typename T>
inline T reducedExpm1(T x, typename Traits<T>::Int &n) {
  T k = roundToInt(x * Traits<T>::log2e, n);
  T r = fma(k, -Traits<T>::ln2Low, fma(k, -Traits<T>::ln2High, x));
  return fma(r * r, expTail(r), r);
}

/// Beyond these e^x is infinite, or 0.
inline float clampForExp(float x) {
  x = x < -104.0f ? -104.0f : x;
  return x > 89.0f ? 89.0f : x;
}
inline double clampForExp(double x) {
  x = x < -746.0 ? -746.0 : x;
  return x > 710.0 ? 710.0 : x;
}

template <typename T>
inline T exp(T x) {
  typename Traits<T>::Int n;
  T p = reducedExpm1(clampForExp(x), n);
  T value = scale(T(1) + p, n);
  return choose(x != x, x, value);
}

/// 2^n (e^r - 1) + (2^n - 1): the sum cancels nowhere, for |r| <= ln(2)/2.
template <typename T>
inline T expm1(T x) {
  typename Traits<T>::Int n;
  T p = reducedExpm1(clampForExp(x), n);
  n = n < -64 ? -64 : n;
  // Halves, so that n = the largest exponent + 1 does not overflow early.
  T half = powerOfTwo<T>(n - 1);
  T value = T(2) * fma(half, p, half - T(0.5));
  value = choose(abs(x) < T(0x1p-60), x, value);
  return choose(x != x, x, value);
}

/// 1 / (1 + e^-x) or e^x / (1 + e^x), with e^-|x| so that nothing overflows.
/// What is rounded away from e, the sum and the quotient is put back; the
/// quotient tells the reciprocal of the sum.
template <typename T>
inline T logistic(T x) {
  typename Traits<T>::Int n;
  T p = reducedExpm1(clampForExp(-abs(x)), n);
  T sum = T(1) + p;
  T e = scale(sum, n), eLow = scale(p - (sum - T(1)), n);
  T below = T(1) + e, belowLow = ((T(1) - below) + e) + eLow;
  bool negative = x < T(0);
  T above = choose(negative, e, T(1)), aboveLow = choose(negative, eLow, T(0));
  T quotient = above / below;
  T reciprocal = choose(negative, T(1) - quotient, quotient);
  T rest = fma(-quotient, below, above) + (aboveLow - quotient * belowLow);
  return choose(x != x, x, fma(rest, reciprocal, quotient));
}

/// (tanh x - x) / x^3; fit.py, tanhF32 on [0, 0.65], tanhF64 on [0, 0.35].
inline float tanhTail(float z) {
  constexpr float c[] = {-0.3333333308f, 0.1333329075f,    -0.0539563494f,
                         0.02174618709f, -0.008272456733f, 0.002214902743f};
  return polynomial(z, c);
}
inline double tanhTail(double z) {
  constexpr double c[] = {-0.333333333333333333,    0.13333333333333326,
                          -0.0539682539682342887,   0.0218694885340940085,
                          -0.00886323542012053964,  0.00359212467181187677,
                          -0.0014557714228499119,   0.000589294601057475351,
                          -0.000233924160610239906, 0.0000759518416127863716};
  return polynomial(z, c);
}
inline constexpr float tanhSplit(float) { return 0.65f; }
inline constexpr double tanhSplit(double) { return 0.35; }

/// Near 0 an odd polynomial, elsewhere 1 - 2 / (e^2|x| + 1), which is 1 from
/// |x| = 20 on.
template <typename T>
inline T tanh(T x) {
  T a = abs(x);
  T z = x * x;
  T small = fma(x * z, tanhTail(z), x);
  T bounded = choose(a > T(20), T(20), a);
  typename Traits<T>::Int n;
  T p = reducedExpm1(bounded + bounded, n);
  T power = powerOfTwo<T>(n);
  T large = T(1) - T(2) / (fma(power, p, power) + T(1));
  T value = copysign(choose(a < tanhSplit(a), small, large), x);
  return choose(x != x, x, value);
}

} // namespace xla::math

#endif // XLA_CODEGEN_CPU_MATH_EXPONENTIAL_H
