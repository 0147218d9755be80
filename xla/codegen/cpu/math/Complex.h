//===- Complex.h - Functions of complex numbers -----------------*- C++ -*-===//
//
// All is computed in doubles. `T` says what the parts were: of floats no
// square or product overflows, and few corrections are needed; of doubles the
// functions scale. The special cases are those of C's Annex G unless a comment
// says otherwise; the error is measured against the modulus of the result.
//
// W. Kahan, Branch cuts for complex elementary functions, 1987; T. Hull,
// T. Fairgrieve, P. Tang, Implementing complex elementary functions using
// exception handling, TOMS 1994.
//
//===----------------------------------------------------------------------===//

#ifndef XLA_CODEGEN_CPU_MATH_COMPLEX_H
#define XLA_CODEGEN_CPU_MATH_COMPLEX_H

#include "Exponential.h"
#include "Logarithm.h"
#include "Trigonometric.h"

namespace xla::math {

struct Pair {
  double re, im;
};

inline constexpr double infinite = __builtin_inf();
inline bool isFinite(double x) { return abs(x) < infinite; }
inline bool isNan(double x) { return x != x; }
// Bitwise, since `&&` and `||` are branches.
inline bool both(bool a, bool b) { return a & b; }
inline bool either(bool a, bool b) { return a | b; }
inline bool anyNan(Pair z) { return either(isNan(z.re), isNan(z.im)); }
inline bool anyInfinite(Pair z) {
  return either(abs(z.re) == infinite, abs(z.im) == infinite);
}
inline bool isZero(Pair z) { return either(z.re != 0.0, z.im != 0.0) == false; }

/// Sine and cosine of a number that was a T.
template <typename T>
inline Pair cosineAndSine(double x);
template <>
inline Pair cosineAndSine<float>(double x) {
  int64_t n;
  double r = reduceByHalfPi(static_cast<float>(x), n);
  double sine = sinReduced(r), cosine = cosReduced(r);
  bool odd = (n & 1) != 0;
  double c = choose(odd, sine, cosine), s = choose(odd, cosine, sine);
  c = fromBits(bits(c) ^ (static_cast<uint64_t>((n + 1) & 2) << 62));
  s = fromBits(bits(s) ^ (static_cast<uint64_t>(n & 2) << 62));
  return {c, choose(abs(x) < 0x1p-40, x, s)};
}
template <>
inline Pair cosineAndSine<double>(double x) {
  return {__builtin_cos(x), __builtin_sin(x)};
}

template <typename T>
inline double angleOf(double y, double x);
template <>
inline double angleOf<float>(double y, double x) {
  return angleInDoubles(y, x);
}
template <>
inline double angleOf<double>(double y, double x) {
  return __builtin_atan2(y, x);
}

inline double larger(double x, double y) { return choose(x > y, x, y); }
inline double smaller(double x, double y) { return choose(x > y, y, x); }

/// 2^-k for x = 2^k m, so that x times it is about 1; 1 for 0 and infinity.
inline double inverseScale(double x) {
  int64_t k = static_cast<int64_t>(bits(x) >> 52) - 1023;
  k = k > 1000 ? 1000 : k;
  k = k < -1000 ? -1000 : k;
  return choose(either(x == 0.0, !isFinite(x)), 1.0, powerOfTwo<double>(-k));
}

//===----------------------------------------------------------------------===//
// Exponential and hyperbolic functions
//===----------------------------------------------------------------------===//

constexpr double expShift = 700.0;
constexpr double expOfShift = 0x1.d945df4f8ec8ep+1009;

template <typename T>
inline Pair exp(Pair z) {
  // A large real part in two factors: the sine may bring the product back.
  bool large = z.re > expShift;
  double e = exp(choose(large, z.re - expShift, z.re));
  double factor = choose(large, expOfShift, 1.0);
  Pair angle = cosineAndSine<T>(z.im);
  double re = e * angle.re * factor;
  double im = choose(z.im == 0.0, z.im, e * angle.im * factor);
  bool turns = isFinite(z.im);
  re = choose(!turns & (z.re == infinite), infinite, re);
  re = choose(!turns & (z.re == -infinite), 0.0, re);
  im = choose(!turns & (z.re == -infinite), 0.0, im);
  return {re, im};
}
XLA_MATH_COMPLEX_UNARY(exp, float, c64, 1.0)
XLA_MATH_COMPLEX_UNARY(exp, double, c128, 2.0)

/// e^a cos b - 1 without cancellation between the two.
template <typename T>
inline Pair expm1(Pair z) {
  Pair far = exp<T>(z);
  double grown = expm1(z.re);
  double half = cosineAndSine<T>(0.5 * z.im).im;
  double less = 2.0 * half * half; // 1 - cos b
  double near = choose(z.im == 0.0, grown, grown * (1.0 - less) - less);
  near = choose(z.re == -infinite, -1.0, near);
  double re = choose(z.re > 40.0, far.re, near);
  // XLA and NumPy give NaN where an infinity has no direction.
  bool lost = both(abs(z.re) == infinite, !isFinite(z.im));
  double nan = __builtin_nan("");
  return {choose(lost, nan, re), choose(lost, nan, far.im)};
}
XLA_MATH_COMPLEX_UNARY(expm1, float, c64, 1.0)
XLA_MATH_COMPLEX_UNARY(expm1, double, c128, 4.0)

/// sinh a and cosh a, both to be multiplied by `factor`.
inline void sinhAndCosh(double a, double &sine, double &cosine,
                        double &factor) {
  double size = abs(a);
  bool large = size > expShift;
  factor = choose(large, expOfShift, 1.0);
  double e = exp(choose(large, size - expShift, size));
  double grown = expm1(choose(size > 22.0, 22.0, size));
  double near = 0.5 * (grown + grown / (grown + 1.0));
  bool far = size > 22.0;
  sine = copysign(choose(far, 0.5 * e, near), a);
  sine = choose(isNan(a), a, sine);
  cosine = choose(large, 0.5 * e, 0.5 * (e + 1.0 / e));
}

template <typename T>
inline Pair sinh(Pair z) {
  double sine, cosine, factor;
  sinhAndCosh(z.re, sine, cosine, factor);
  Pair angle = cosineAndSine<T>(z.im);
  double re = sine * angle.re * factor;
  double im = cosine * angle.im * factor;
  re = choose(either(z.re == 0.0, both(!isFinite(z.im), abs(z.re) == infinite)),
              choose(angle.re < 0.0, -z.re, z.re), re);
  return {re, choose(z.im == 0.0, z.im, im)};
}

template <typename T>
inline Pair cosh(Pair z) {
  double sine, cosine, factor;
  sinhAndCosh(z.re, sine, cosine, factor);
  Pair angle = cosineAndSine<T>(z.im);
  double re = cosine * angle.re * factor;
  double im = sine * angle.im * factor;
  re = choose(both(!isFinite(z.im), abs(z.re) == infinite), infinite, re);
  double zero = copysign(1.0, z.re) * z.im; // of b = 0, with its sign
  im = choose(z.re == 0.0, z.re * copysign(1.0, angle.im), im);
  return {re, choose(z.im == 0.0, zero, im)};
}

/// sin z = -i sinh iz and cos z = cosh iz.
template <typename T>
inline Pair sin(Pair z) {
  Pair turned = sinh<T>({-z.im, z.re});
  return {turned.im, -turned.re};
}
XLA_MATH_COMPLEX_UNARY(sin, float, c64, 1.0)
XLA_MATH_COMPLEX_UNARY(sin, double, c128, 3.0)
template <typename T>
inline Pair cos(Pair z) {
  return cosh<T>({-z.im, z.re});
}
XLA_MATH_COMPLEX_UNARY(cos, float, c64, 1.0)
XLA_MATH_COMPLEX_UNARY(cos, double, c128, 3.0)

/// (sinh a cosh a + i sin b cos b) / (sinh^2 a + cos^2 b); beyond a = 20 the
/// real part is 1.
template <typename T>
inline Pair tanh(Pair z) {
  double size = abs(z.re);
  bool far = size > 20.0;
  double bounded = choose(far, 20.0, size);
  double grown = expm1(bounded);
  double sine = 0.5 * (grown + grown / (grown + 1.0));
  double cosine = __builtin_sqrt(fma(sine, sine, 1.0));
  Pair angle = cosineAndSine<T>(z.im);
  double scale = fma(sine, sine, angle.re * angle.re);
  double product = angle.re * angle.im;
  double near = copysign(sine * cosine / scale, z.re);
  double decayed = 4.0 * product * exp(-2.0 * size);
  bool endless = size == infinite;
  decayed = choose(endless, copysign(0.0, product), decayed);
  double limit =
      choose(either(endless, isFinite(z.im)), 1.0, __builtin_nan(""));
  double re = choose(far, copysign(limit, z.re), near);
  double im = choose(far, decayed, product / scale);
  re = choose(z.re == 0.0, z.re, re);
  re = choose(isNan(z.re), z.re, re);
  im = choose(isNan(z.re), z.re, im);
  return {re, choose(z.im == 0.0, z.im, im)};
}
XLA_MATH_COMPLEX_UNARY(tanh, float, c64, 1.0)
XLA_MATH_COMPLEX_UNARY(tanh, double, c128, 5.0)

/// tan z = -i tanh iz.
template <typename T>
inline Pair tan(Pair z) {
  Pair turned = tanh<T>({-z.im, z.re});
  return {turned.im, -turned.re};
}
XLA_MATH_COMPLEX_UNARY(tan, float, c64, 1.0)
XLA_MATH_COMPLEX_UNARY(tan, double, c128, 5.0)

/// 1 / (1 + e^-z), the exponential at most 1.
template <typename T>
inline Pair logisticByExp(Pair z) {
  bool negative = z.re < 0.0;
  Pair e =
      exp<T>({choose(negative, z.re, -z.re), choose(negative, z.im, -z.im)});
  double re = 1.0 + e.re, square = fma(re, re, e.im * e.im);
  // (1 + conj e) / |1 + e|^2, times e where z was kept.
  double inverse = 1.0 / square;
  double a = fma(e.re, re, e.im * e.im);
  return {choose(negative, a, re) * inverse,
          choose(negative, e.im, -e.im) * inverse};
}

template <typename T>
inline Pair logistic(Pair z);
template <>
inline Pair logistic<float>(Pair z) {
  return logisticByExp<float>(z);
}
/// Near the poles 1 + e^-z cancels; (1 + tanh(z / 2)) / 2 does not.
template <>
inline Pair logistic<double>(Pair z) {
  Pair far = logisticByExp<double>(z);
  Pair half = tanh<double>({0.5 * z.re, 0.5 * z.im});
  bool near = abs(z.re) < 1.0;
  return {choose(near, 0.5 + 0.5 * half.re, far.re),
          choose(near, 0.5 * half.im, far.im)};
}
XLA_MATH_COMPLEX_UNARY(logistic, float, c64, 1.0)
XLA_MATH_COMPLEX_UNARY(logistic, double, c128, 6.0)

//===----------------------------------------------------------------------===//
// Logarithms and powers
//===----------------------------------------------------------------------===//

/// log |z|. Where |z| is near 1 it is half of log1p(|z|^2 - 1), and what is
/// lost in the square matters.
template <typename T>
inline double logModulus(double a, double b);

template <>
inline double logModulus<float>(double a, double b) {
  double h = larger(abs(a), abs(b)), l = smaller(abs(a), abs(b));
  double square = fma(h, h, l * l);
  // Both terms are exact: 48 bits.
  double excess = fma(h - 1.0, h + 1.0, l * l);
  bool near = (square > 0.5) & (square < 3.0);
  double value =
      0.5 * choose(near, log1p(choose(near, excess, 0.0)), log(square));
  value = choose(anyNan({a, b}), __builtin_nan(""), value);
  return choose(anyInfinite({a, b}), infinite, value);
}

template <>
inline double logModulus<double>(double a, double b) {
  double h = larger(abs(a), abs(b)), l = smaller(abs(a), abs(b));
  double ratio = choose((h == 0.0) | (h == infinite), 0.0, l / h);
  double far = log(h) + 0.5 * log1p(ratio * ratio);
  // Squares and sums with their rounding errors (Dekker 1971, Knuth).
  double p = h * h, q = l * l;
  double pLow = fma(h, h, -p), qLow = fma(l, l, -q);
  double u = p - 1.0, sum = u + q, back = sum - u;
  double sumLow = (u - (sum - back)) + (q - back);
  bool near = both(p + q > 0.5, p + q < 3.0);
  double excess = sum + (sumLow + (pLow + qLow));
  double value = choose(near, 0.5 * log1p(choose(near, excess, 0.0)), far);
  value = choose(anyNan({a, b}), __builtin_nan(""), value);
  return choose(anyInfinite({a, b}), infinite, value);
}

template <typename T>
inline Pair log(Pair z) {
  return {logModulus<T>(z.re, z.im), angleOf<T>(z.im, z.re)};
}
XLA_MATH_COMPLEX_UNARY(log, float, c64, 1.0)
XLA_MATH_COMPLEX_UNARY(log, double, c128, 2.0)

/// |1 + z|^2 - 1 = a (2 + a) + b^2 keeps what 1 + z would round away.
template <typename T>
inline Pair log1p(Pair z) {
  double a = z.re, b = z.im;
  double sum = 1.0 + a;
  double excess = fma(a, 2.0 + a, b * b);
  double far = logModulus<T>(sum, b);
  bool isFar = !both(larger(abs(a), abs(b)) < 0x1p400, excess > -0.5);
  double near = 0.5 * log1p(choose(isFar, 0.0, excess));
  double re = choose(isFar, far, near);
  re = choose(anyNan({a, b}), far, re);
  return {re, angleOf<T>(b, sum)};
}
XLA_MATH_COMPLEX_UNARY(log1p, float, c64, 1.0)
XLA_MATH_COMPLEX_UNARY(log1p, double, c128, 3.0)

/// The square root, times the root of what z was scaled by; `modulus` is that
/// of the scaled z.
inline Pair scaledSqrt(Pair z, double &modulus, double &scale) {
  double h = larger(abs(z.re), abs(z.im));
  scale = choose(h > 0x1p500, 0x1p-600, 1.0);
  scale = choose(h < 0x1p-400, 0x1p600, scale);
  double a = z.re * scale, b = z.im * scale;
  modulus = __builtin_sqrt(fma(a, a, b * b));
  double large = __builtin_sqrt(0.5 * (modulus + abs(a)));
  double small = choose(large == 0.0, 0.0, 0.5 * abs(b) / large);
  bool negative = z.re < 0.0;
  bool endless = abs(z.im) == infinite;
  double re = choose(negative, small, large);
  double im = choose(negative, large, small);
  re = choose(endless | (z.re == infinite), infinite, re);
  im = choose(either(endless, z.re == -infinite), infinite, im);
  return {re, copysign(im, z.im)};
}

template <typename T>
inline Pair sqrt(Pair z) {
  double modulus, scale;
  Pair root = scaledSqrt(z, modulus, scale);
  double back =
      choose(scale == 1.0, 1.0, choose(scale < 1.0, 0x1p300, 0x1p-300));
  return {root.re * back, root.im * back};
}
XLA_MATH_COMPLEX_UNARY(sqrt, float, c64, 1.0)
XLA_MATH_COMPLEX_UNARY(sqrt, double, c128, 2.0)

/// conj(root) / |z|. Of 0 it is an infinity.
template <typename T>
inline Pair rsqrt(Pair z) {
  double modulus, scale;
  Pair root = scaledSqrt(z, modulus, scale);
  double back =
      choose(scale == 1.0, 1.0, choose(scale < 1.0, 0x1p-300, 0x1p300));
  double inverse = back / modulus;
  bool zero = isZero(z);
  bool endless = anyInfinite(z);
  double re = choose(endless, 0.0, root.re * inverse);
  double im = choose(endless, copysign(0.0, -z.im), -root.im * inverse);
  return {choose(zero, infinite, re), choose(zero, __builtin_nan(""), im)};
}
XLA_MATH_COMPLEX_UNARY(rsqrt, float, c64, 1.0)
XLA_MATH_COMPLEX_UNARY(rsqrt, double, c128, 3.0)

/// e^(w log z). Of base 0: 0 for a positive real w, else NaN.
template <typename T>
inline Pair pow(Pair z, Pair w) {
  double length = logModulus<T>(z.re, z.im);
  double angle = angleOf<T>(z.im, z.re);
  bool real = w.im == 0.0, imaginary = w.re == 0.0;
  double u =
      choose(imaginary, 0.0, w.re * length) - choose(real, 0.0, w.im * angle);
  double v =
      choose(real, 0.0, w.im * length) + choose(imaginary, 0.0, w.re * angle);
  Pair value = exp<double>({u, v});
  bool positive = (z.im == 0.0) & (z.re >= 0.0) & real;
  value.re = choose(positive, __builtin_pow(z.re, w.re), value.re);
  value.im = choose(positive, 0.0, value.im);
  double power = choose(both(real, w.re > 0.0), 0.0, __builtin_nan(""));
  value.re = choose(isZero(z), power, value.re);
  value.im = choose(isZero(z), power, value.im);
  // As of real numbers: z^0 and 1^w are 1.
  bool none = either(real & imaginary, both(z.re == 1.0, z.im == 0.0));
  return {choose(none, 1.0, value.re), choose(none, 0.0, value.im)};
}
// The error of a power grows with the exponent.
XLA_MATH_COMPLEX_BINARY(pow, float, c64, 1.0)
XLA_MATH_COMPLEX_BINARY(pow, double, c128, 300.0)

} // namespace xla::math

#endif // XLA_CODEGEN_CPU_MATH_COMPLEX_H
