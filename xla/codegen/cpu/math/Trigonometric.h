//===- Trigonometric.h - sin, cos, tan and atan2 in single precision ------===//

#ifndef XLA_CODEGEN_CPU_MATH_TRIGONOMETRIC_H
#define XLA_CODEGEN_CPU_MATH_TRIGONOMETRIC_H

#include "Common.h"
#include "TrigonometricTable.h"

namespace xla::math {

/// x = n pi/2 + r modulo 2 pi, |r| a little above pi/4 at most, r good to 2^-50
/// or so. In doubles the first fused step is exact (both terms are multiples of
/// 2^-52), so two parts of pi/2 do up to 2^48; beyond, x = m 2^(e-23) with a
/// 24-bit m, and 2^(e-23) modulo 2 pi comes from a table.
inline double reduceByHalfPi(float x, int64_t &n) {
  uint32_t word = bits(x);
  int32_t exponent = static_cast<int32_t>((word >> 23) & 255) - 127;
  bool huge = exponent >= 48;
  int32_t entry = choose(huge, exponent - 47, 0);
  entry = entry > 80 ? 80 : entry;
  float m = fromBits((word & 0x807fffffu) | (150u << 23));
  double factor = choose(huge, m, x);
  double high = factor * residueHigh[entry];
  double low =
      fma(factor, residueHigh[entry], -high) + factor * residueLow[entry];
  double k = roundToInt(high * 0x1.45f306dc9c883p-1, n);
  double r = fma(k, -0x1.921fb54442d18p+0, high);
  r = fma(k, -0x1.1a62633145c07p-54, r) + low;
  return choose(exponent == 128, __builtin_nan(""), r);
}

/// In doubles, with fewer terms than doubles deserve; fit.py's sinF64 and
/// cosF64 with five terms, good to 2^-44.
inline double sinReduced(double r) {
  constexpr double c[] = {-0.166666666666638859, 0.00833333333107922308,
                          -0.000198412669169859656, 2.75559909295653186e-6,
                          -2.48056362418347626e-8};
  double z = r * r;
  return fma(r * z, polynomial(z, c), r);
}
inline double cosReduced(double r) {
  constexpr double c[] = {0.0416666666666646786, -0.00138888888872773429,
                          0.0000248015852109905159, -2.75563696955730062e-7,
                          2.07006004834331177e-9};
  double z = r * r;
  return fma(z * z, polynomial(z, c), fma(z, -0.5, 1.0));
}

/// The same in floats; fit.py, sinF32 and cosF32.
inline float sinReduced(float r) {
  constexpr float c[] = {-0.1666666666f, 0.008333331875f, -0.0001984008674f,
                         2.72499258e-6f};
  float z = r * r;
  return fma(r * z, polynomial(z, c), r);
}
inline float cosReduced(float r) {
  constexpr float c[] = {0.04166666666f, -0.001388888767f, 2.480060038e-5f,
                         -2.73009592e-7f};
  float z = r * r;
  return fma(z * z, polynomial(z, c), fma(z, -0.5f, 1.0f));
}

inline float sineOfQuadrant(float r, int64_t n) {
  float value = choose((n & 1) != 0, cosReduced(r), sinReduced(r));
  return fromBits(bits(value) ^ (static_cast<uint32_t>(n & 2) << 30));
}

inline float sin(float x) {
  int64_t n;
  double r = reduceByHalfPi(x, n);
  float value = sineOfQuadrant(static_cast<float>(r), n);
  return choose(abs(x) < 0x1p-13f, x, value); // keeps -0
}
XLA_MATH_UNARY(sin, float, f32, 1.6)

inline float cos(float x) {
  int64_t n;
  double r = reduceByHalfPi(x, n);
  return sineOfQuadrant(static_cast<float>(r), n + 1);
}
XLA_MATH_UNARY(cos, float, f32, 1.6)

inline float tan(float x) {
  int64_t n;
  double r = reduceByHalfPi(x, n);
  double sine = sinReduced(r), cosine = cosReduced(r);
  bool odd = n & 1;
  float value = static_cast<float>(choose(odd, -cosine, sine) /
                                   choose(odd, sine, cosine));
  return choose(abs(x) < 0x1p-13f, x, value);
}
XLA_MATH_UNARY(tan, float, f32, 1.0)

/// The angle of the point (x, y), good to 2^-44: the quotient of the smaller by
/// the larger, reduced again by pi/4 above tan(pi/8) (Cody and Waite 1980).
/// Nothing overflows, for the coordinates are within the range of floats.
inline double angleInDoubles(double y, double x) {
  double v = abs(y), u = abs(x);
  double larger = v > u ? v : u, smaller = v > u ? u : v;
  bool infinite = smaller == __builtin_inf();
  bool upper = infinite | (smaller > 0x1.a827999fcef32p-2 * larger);
  double numerator = choose(upper, smaller - larger, smaller);
  double denominator = choose(upper, smaller + larger, larger);
  double t = numerator / denominator;
  // 0 / 0 and infinity / infinity.
  t = choose((numerator == 0.0) | infinite, 0.0, t);
  constexpr double c[] = {-0.33333333333266199,   0.199999999499547931,
                          -0.142857081103603999,  0.111108197167456762,
                          -0.090841018953464295,  0.0760480004607829155,
                          -0.0602730746094667533, 0.0329567954187013655};
  double z = t * t;
  double angle = fma(t * z, polynomial(z, c), t);
  angle = choose(upper, angle + 0x1.921fb54442d18p-1, angle);
  angle = choose(v > u, 0x1.921fb54442d18p+0 - angle, angle);
  angle = choose(bits(x) >> 63 != 0, 0x1.921fb54442d18p+1 - angle, angle);
  return choose((x != x) | (y != y), x + y, copysign(angle, y));
}

inline float atan2(float y, float x) {
  return static_cast<float>(angleInDoubles(y, x));
}
XLA_MATH_BINARY(atan2, float, f32, 1.0)

} // namespace xla::math

#endif // XLA_CODEGEN_CPU_MATH_TRIGONOMETRIC_H
