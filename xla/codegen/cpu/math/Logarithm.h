//===- Logarithm.h - log and log1p ------------------------------*- C++ -*-===//

#ifndef XLA_CODEGEN_CPU_MATH_LOGARITHM_H
#define XLA_CODEGEN_CPU_MATH_LOGARITHM_H

#include "Common.h"

namespace xla::math {

/// log(1 + f) + low for 1 + f in [sqrt(1/2), sqrt(2)]; `low` is small. fit.py,
/// logF32: f - f^2/2 + f^3 P(f).
inline float logOnePlus(float f, float k) {
  constexpr float c[] = {0.3333333118f,  -0.2499999696f, 0.2000071575f,
                         -0.1666780232f, 0.1424905765f,  -0.1242568733f,
                         0.1168541992f,  -0.1147973385f, 0.06971611471f};
  float square = f * f;
  float tail = square * f * polynomial(f, c);
  tail = fma(k, Traits<float>::ln2Low, tail);
  tail = fma(-0.5f, square, tail);
  return fma(k, Traits<float>::ln2High, f + tail);
}

/// fit.py, logF64: with s = f / (2 + f), log(1 + f) = 2s + s^3 P(s^2), summed
/// as f - f^2/2 + s (f^2/2 + s^2 P) so that f enters exactly (Tang 1990).
inline double logOnePlus(double f, double k) {
  constexpr double c[] = {0.666666666666666665, 0.40000000000000877,
                          0.285714285708036118, 0.222222223917139174,
                          0.181817956401329063, 0.153862397028146582,
                          0.132687731386568852, 0.130866261478401021};
  double s = f / (2.0 + f);
  double z = s * s;
  double half = 0.5 * f * f;
  double tail = z * polynomial(z, c);
  double low = fma(k, Traits<double>::ln2Low, s * (half + tail));
  return fma(k, Traits<double>::ln2High, -((half - low) - f));
}

/// x = 2^k m with m in [sqrt(1/2), sqrt(2)), for positive normal x.
template <typename T>
inline T splitExponent(T x, typename Traits<T>::Int &k) {
  using Int = typename Traits<T>::Int;
  using Bits = typename Traits<T>::Bits;
  constexpr T root = T(0x1.6a09e667f3bcdp-1);
  Int i = static_cast<Int>(bits(x) - bits(root));
  k = i >> Traits<T>::mantissa;
  return fromBits(bits(x) - (static_cast<Bits>(k) << Traits<T>::mantissa));
}

template <typename T>
inline T intToFloat(typename Traits<T>::Int k) {
  // By the rounding constant: AVX2 has no conversion from 64-bit integers.
  return fromBits(bits(Traits<T>::shifter) +
                  static_cast<typename Traits<T>::Bits>(k)) -
         Traits<T>::shifter;
}

template <typename T>
inline T logSpecialCases(T argument, T value) {
  value = argument == T(0) ? -Traits<T>::infinity : value;
  value = argument < T(0) ? T(__builtin_nan("")) : value;
  return choose(argument == Traits<T>::infinity, argument, value);
}

template <typename T>
inline T log(T x) {
  bool subnormal = x < Traits<T>::smallestNormal;
  T lifted = choose(subnormal, x * powerOfTwo<T>(Traits<T>::mantissa), x);
  typename Traits<T>::Int k;
  T m = splitExponent(lifted, k);
  k -= subnormal ? Traits<T>::mantissa : 0;
  T value = logOnePlus(m - T(1), intToFloat<T>(k));
  return choose(x != x, x, logSpecialCases(x, value));
}
XLA_MATH_UNARY(log, float, f32, 1.0)
XLA_MATH_UNARY(log, double, f64, 1.0)

/// log(u) for u = 1 + x rounded, with the rounding error of the sum, exact by
/// Knuth's two-sum, put back into the reduced argument. Of x so small that
/// the result is x, powers would be subnormal: 0 stands in.
template <typename T>
inline T log1p(T x) {
  constexpr T small =
      T(1) / T(typename Traits<T>::Bits(8) << Traits<T>::mantissa);
  bool isSmall = abs(x) < small;
  T argument = choose(isSmall, T(0), x);
  T u = T(1) + argument;
  T rest = u - T(1);
  T error = (T(1) - (u - rest)) + (argument - rest);
  typename Traits<T>::Int k;
  T m = splitExponent(u, k);
  // Where 2^-k is no normal number, the error is below half a unit anyway.
  constexpr typename Traits<T>::Int most = Traits<T>::bias - 1;
  T f = (m - T(1)) + error * powerOfTwo<T>(-(k > most ? most : k));
  T value = logOnePlus(f, intToFloat<T>(k));
  value = choose(isSmall, x, value);
  return logSpecialCases(u, value); // the error of a NaN is a NaN
}
XLA_MATH_UNARY(log1p, float, f32, 1.5)
XLA_MATH_UNARY(log1p, double, f64, 1.5)

} // namespace xla::math

#endif // XLA_CODEGEN_CPU_MATH_LOGARITHM_H
