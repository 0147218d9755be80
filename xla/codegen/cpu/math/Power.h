//===- Power.h - Powers and roots -------------------------------*- C++ -*-===//

#ifndef XLA_CODEGEN_CPU_MATH_POWER_H
#define XLA_CODEGEN_CPU_MATH_POWER_H

#include "Logarithm.h"

namespace xla::math {

/// log2 of a positive finite double that was a float, good to 2^-45: the
/// series of the inverse hyperbolic tangent.
inline double log2OfFloat(double x) {
  constexpr double c[] = {2.88539008177792681,  0.961796693925989729,
                          0.577078016345520229, 0.412198585840900534,
                          0.320598534913959861, 0.262334352504183019,
                          0.220913084231176796, 0.213658956943192694};
  int64_t k;
  double m = splitExponent(x, k);
  double s = (m - 1.0) / (m + 1.0);
  return fma(s, polynomial(s * s, c), intToFloat<double>(k));
}

/// 2^t for |t| < 2^20, good to 2^-38.
inline double exp2OfDouble(double t) {
  constexpr double c[] = {1.0,
                          0.693147180545933455,
                          0.240226506958129882,
                          0.0555041094120593299,
                          0.00961812915940255819,
                          0.00133334505680006457,
                          0.000154034558524538394,
                          0.0000153100794022492974,
                          1.3255224878668817e-6};
  t = t > 300.0 ? 300.0 : t;
  t = t < -300.0 ? -300.0 : t;
  int64_t n;
  double k = roundToInt(t, n);
  return polynomial(t - k, c) * powerOfTwo<double>(n);
}

/// x^y through doubles: correctly rounded but for near ties. The special cases
/// are those of IEEE 754's pow.
inline float pow(float x, float y) {
  double magnitude = abs(x);
  double wide = y;
  double logarithm = log2OfFloat(magnitude);
  logarithm = magnitude == 0.0 ? -__builtin_inf() : logarithm;
  logarithm = magnitude == __builtin_inf() ? magnitude : logarithm;
  float value = static_cast<float>(exp2OfDouble(wide * logarithm));
  // An integer, and an odd one: every float from 2^24 on is even. Bitwise
  // operators, since the others are branches.
  float size = abs(y);
  bool large = size >= 0x1p23f;
  int32_t whole = static_cast<int32_t>(large ? 0.0f : size);
  bool integer = large | (static_cast<float>(whole) == size);
  uint32_t last = large ? bits(size) : static_cast<uint32_t>(whole);
  bool odd = (size < 0x1p24f) & integer & ((last & 1) != 0);
  bool negative = bits(x) >> 31;
  value = choose(negative & odd, -value, value);
  bool undefined = (x < 0.0f) & !integer & (magnitude != __builtin_inf());
  value = choose(undefined, __builtin_nanf(""), value);
  value = choose((x != x) | (y != y), x + y, value);
  value = choose((magnitude == 1.0) & (size == __builtin_inff()), 1.0f, value);
  return choose((y == 0.0f) | (x == 1.0f), 1.0f, value);
}
XLA_MATH_BINARY(pow, float, f32, 1.0)

/// What truncating division leaves, exactly. A step takes away the multiple of
/// |y| nearest to the rest, up to 2^-51 of it; what it leaves has few enough
/// bits not to be rounded. Six steps, since quotients are below 2^277.
inline float fmod(float x, float y) {
  double size = abs(y), start = abs(x), rest = start, inverse = 1.0 / size;
#pragma clang loop unroll(full)
  for (int step = 0; step < 6; ++step) {
    double shifter = copysign(Traits<double>::shifter, rest);
    rest = fma(shifter - (rest * inverse + shifter), size, rest);
  }
  double lifted = rest + size;
  rest = choose(rest < 0.0, lifted, rest);
  rest = choose(start < size, start, rest); // also beside infinity
  return copysign(static_cast<float>(rest), x);
}
XLA_MATH_BINARY(fmod, float, f32, 0.0)

/// A third of the exponent, then a step of Halley's iteration, which cubes the
/// error (Kahan 1991); for normal numbers.
inline double firstCbrt(double a) {
  return fromBits(bits(a) / 3 + uint64_t{0x2a9f7893782da1ce});
}
inline double betterCbrt(double t, double a) {
  double cube = t * t * t;
  return t * ((cube + a + a) / (cube + cube + a));
}

inline float cbrt(float x) {
  double a = abs(x);
  double positive = choose(a == 0.0, 1.0, a); // 0 would have subnormal cubes
  double t = firstCbrt(positive);
  t = betterCbrt(betterCbrt(t, positive), positive);
  float value = copysign(static_cast<float>(t), x);
  return choose((a == 0.0) | !(a < __builtin_inf()), x, value);
}

/// Three steps, then one of Newton's with the cube's rounding errors.
inline double cbrt(double x) {
  double magnitude = abs(x);
  // So that no sum overflows and the error of the cube is not subnormal.
  bool tiny = magnitude < 0x1p-700, huge = magnitude > 0x1p700;
  double scale = choose(tiny, 0x1p300, choose(huge, 0x1p-300, 1.0));
  double back = choose(tiny, 0x1p-100, choose(huge, 0x1p100, 1.0));
  double a = choose(magnitude == 0.0, 1.0, magnitude * scale); // as above
  double t = betterCbrt(betterCbrt(betterCbrt(firstCbrt(a), a), a), a);
  double square = t * t, squareLow = fma(t, t, -square);
  double cube = square * t, cubeLow = fma(square, t, -cube) + squareLow * t;
  t = t - ((cube - a) + cubeLow) / (3.0 * square);
  double value = copysign(t * back, x);
  return choose((magnitude == 0.0) | !(magnitude < __builtin_inf()), x, value);
}
XLA_MATH_UNARY(cbrt, float, f32, 1.0)
XLA_MATH_UNARY(cbrt, double, f64, 1.0)

} // namespace xla::math

#endif // XLA_CODEGEN_CPU_MATH_POWER_H
