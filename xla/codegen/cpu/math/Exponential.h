//===- Exponential.h - e^x and its kin --------------------------*- C++ -*-===//

#ifndef XLA_CODEGEN_CPU_MATH_EXPONENTIAL_H
#define XLA_CODEGEN_CPU_MATH_EXPONENTIAL_H

#include "Common.h"

namespace xla::math {

/// (e^r - 1 - r) / r^2 on [-ln(2)/2, ln(2)/2]; fit.py, expF32 and expF64.
inline constexpr float expF32[] = {0.5000000013f,   0.1666666668f,
                                   0.04166646501f,  0.008333310934f,
                                   0.001393364103f, 0.0001989098087f};
inline float expTail(float r) { return polynomial(r, expF32); }
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

/// The largest numbers with a finite power of e.
inline constexpr float mostForExp(float) { return 0x1.62e42ep+6f; }
inline constexpr double mostForExp(double) { return 0x1.62e42fefa39efp+9; }

template <typename T>
inline T exp(T x) {
  typename Traits<T>::Int n;
  T p = reducedExpm1(clampForExp(x), n);
  T value = scale(T(1) + p, n);
  value = choose(x > mostForExp(x), Traits<T>::infinity, value);
  return choose(x != x, x, value);
}
XLA_MATH_UNARY(exp, float, f32, 1.0)
XLA_MATH_UNARY(exp, double, f64, 1.0)

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
XLA_MATH_UNARY(expm1, float, f32, 1.5)
XLA_MATH_UNARY(expm1, double, f64, 2.0)

/// 1 / (1 + e^-x) or e^x / (1 + e^x), with e^-|x| so that nothing overflows.
/// What is rounded away from e, the sum and the quotient is put back; the
/// quotient is the reciprocal of the sum. Where e is too small to change it,
/// the result is 1 or e^x, and a larger e stands in, whose roundings are normal
/// numbers.
template <typename T>
inline T logistic(T x) {
  constexpr typename Traits<T>::Int least = -2 * Traits<T>::mantissa;
  typename Traits<T>::Int n;
  T p = reducedExpm1(clampForExp(-abs(x)), n);
  T sum = T(1) + p;
  T power = powerOfTwo<T>(n < least ? least : n);
  T e = sum * power, eLow = (p - (sum - T(1))) * power;
  T below = T(1) + e, belowLow = ((T(1) - below) + e) + eLow;
  bool negative = x < T(0);
  T above = choose(negative, e, T(1)), aboveLow = choose(negative, eLow, T(0));
  T quotient = above / below;
  T reciprocal = choose(negative, T(1) - quotient, quotient);
  T rest = fma(-quotient, below, above) + (aboveLow - quotient * belowLow);
  T value = fma(rest, reciprocal, quotient);
  value = choose((n < least) & negative, scale(sum, n), value);
  return choose(x != x, x, value);
}
XLA_MATH_UNARY(logistic, float, f32, 1.0)
XLA_MATH_UNARY(logistic, double, f64, 1.0)

/// With h = (e^2|x| - 1) / 2, h / (h + 1), and where that is below a quarter,
/// which two of its roundings would show, h - h h / (h + 1). It is 1 from
/// |x| = 10 on. Loops wait for the chain of operations, so it is kept short.
inline float tanh(float x) {
  // (e^2s - 1 - 2s) / 2s^2, from the polynomial of 2s.
  constexpr float c[] = {2 * expF32[0],  4 * expF32[1],  8 * expF32[2],
                         16 * expF32[3], 32 * expF32[4], 64 * expF32[5]};
  constexpr float halfLn2 = 0x1.62e43p-2f;
  using Of = Traits<float>;
  float a = abs(x);
  float bounded = choose(a > 10.0f, 10.0f, a);
  float shifted = fma(bounded, 2 * Of::log2e, Of::shifter);
  float k = shifted - Of::shifter;
  // k is at most 29, and where it is not small, errors in e^2|x| are.
  float s = fma(k, -halfLn2, bounded);
  float square = s * s;
  float g = fma(square, polynomialByPairs(s, square, c), s);
  // Of the shifted number's bits, those of k are left.
  float power = fromBits((bits(shifted) << Of::mantissa) + bits(1.0f));
  float h = fma(power, g, fma(power, 0.5f, -0.5f));
  float ratio = h / (h + 1.0f);
  return copysign(choose(a < 0.2555f, fma(-h, ratio, h), ratio), x);
}

/// (tanh x - x) / x^3; fit.py, tanhF64 on [0, 0.35].
inline double tanhTail(double z) {
  constexpr double c[] = {-0.333333333333333333,    0.13333333333333326,
                          -0.0539682539682342887,   0.0218694885340940085,
                          -0.00886323542012053964,  0.00359212467181187677,
                          -0.0014557714228499119,   0.000589294601057475351,
                          -0.000233924160610239906, 0.0000759518416127863716};
  return polynomial(z, c);
}

/// Near 0 an odd polynomial, otherwise 1 - 2 / (e^2|x| + 1), which is 1 from
/// |x| = 20 on.
inline double tanh(double x) {
  double a = abs(x);
  double z = x * x;
  double small = fma(x * z, tanhTail(z), x);
  double bounded = choose(a > 20.0, 20.0, a);
  int64_t n;
  double p = reducedExpm1(bounded + bounded, n);
  double power = powerOfTwo<double>(n);
  double large = 1.0 - 2.0 / (fma(power, p, power) + 1.0);
  double value = copysign(choose(a < 0.35, small, large), x);
  return choose(x != x, x, value);
}
XLA_MATH_UNARY(tanh, float, f32, 2.0)
XLA_MATH_UNARY(tanh, double, f64, 2.0)

} // namespace xla::math

#endif // XLA_CODEGEN_CPU_MATH_EXPONENTIAL_H
