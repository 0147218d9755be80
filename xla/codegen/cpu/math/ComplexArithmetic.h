//===- ComplexArithmetic.h - Quotients, moduli and angles -------*- C++ -*-===//
//
// Of complex numbers, in doubles, as in Complex.h: quotients, and what is made
// of moduli and directions.
//
//===----------------------------------------------------------------------===//

#ifndef XLA_CODEGEN_CPU_MATH_COMPLEXARITHMETIC_H
#define XLA_CODEGEN_CPU_MATH_COMPLEXARITHMETIC_H

#include "Complex.h"

namespace xla::math {

/// By a real number (and by 0) parts are divided. A finite number by an
/// infinite one is 0, and an infinite one by a finite one is infinite, whatever
/// the other parts are.
inline Pair quotientSpecialCases(Pair x, Pair y, double inverse, Pair value) {
  bool real = y.im == 0.0;
  double re = choose(real, x.re * inverse, value.re);
  double im = choose(real, x.im * inverse, value.im);
  bool endless = anyInfinite(y);
  bool finite = both(isFinite(x.re), isFinite(x.im));
  double limit = choose(finite, 0.0, __builtin_nan(""));
  re = choose(endless, limit, re);
  im = choose(endless, limit, im);
  // Annex G: an infinite part counts as 1, another one as 0.
  bool bounded = both(isFinite(y.re), isFinite(y.im));
  bool unknown = both(isNan(re), isNan(im));
  bool grows = both(both(anyInfinite(x), bounded), unknown);
  double a = copysign(choose(abs(x.re) == infinite, 1.0, 0.0), x.re);
  double b = copysign(choose(abs(x.im) == infinite, 1.0, 0.0), x.im);
  return {choose(grows, infinite * (a * y.re + b * y.im), re),
          choose(grows, infinite * (b * y.re - a * y.im), im)};
}

/// The textbook's quotient: products of floats are exact in doubles.
template <typename T>
inline Pair divide(Pair x, Pair y) {
  bool real = y.im == 0.0;
  double square = fma(y.re, y.re, y.im * y.im);
  double inverse = 1.0 / choose(real, y.re, square);
  Pair value = {fma(x.re, y.re, x.im * y.im) * inverse,
                fma(x.im, y.re, -(x.re * y.im)) * inverse};
  return quotientSpecialCases(x, y, inverse, value);
}

/// Scaled by powers of two, products summed with the rounding error of one of
/// them (Kahan). A quotient beyond the range is scaled back in two steps.
template <>
inline Pair divide<double>(Pair x, Pair y) {
  double xScale = inverseScale(larger(abs(x.re), abs(x.im)));
  double yScale = inverseScale(larger(abs(y.re), abs(y.im)));
  double a = x.re * xScale, b = x.im * xScale;
  double c = y.re * yScale, d = y.im * yScale;
  double square = fma(c, c, d * d);
  double bd = b * d, ad = a * d;
  double bdLow = choose(isFinite(bd), fma(b, d, -bd), 0.0);
  double adLow = choose(isFinite(ad), fma(-a, d, ad), 0.0);
  double re = (fma(a, c, bd) + bdLow) / square;
  double im = (fma(b, c, -ad) + adLow) / square;
  double back = 1.0 / xScale;
  Pair value = {re * yScale * back, im * yScale * back};
  bool first = (yScale < 1.0) & (back > 1.0);
  value.re = choose(first, re * back * yScale, value.re);
  value.im = choose(first, im * back * yScale, value.im);
  Pair byPart = {x.re / y.re, x.im / y.re};
  bool real = y.im == 0.0;
  value = {choose(real, byPart.re, value.re),
           choose(real, byPart.im, value.im)};
  return quotientSpecialCases(x, {y.re, choose(real, 1.0, y.im)}, 1.0, value);
}
XLA_MATH_COMPLEX_BINARY(divide, float, c64, 1.0)
XLA_MATH_COMPLEX_BINARY(divide, double, c128, 4.0)

template <typename T>
inline double scaledModulus(Pair z) {
  double scale = inverseScale(larger(abs(z.re), abs(z.im)));
  double a = z.re * scale, b = z.im * scale;
  return __builtin_sqrt(fma(a, a, b * b)) / scale;
}
template <>
inline double scaledModulus<float>(Pair z) {
  return __builtin_sqrt(fma(z.re, z.re, z.im * z.im));
}

/// Infinite where a part is, whatever the other one.
template <typename T>
inline double modulus(Pair z) {
  return choose(anyInfinite(z), infinite, scaledModulus<T>(z));
}

/// The principal cube root. The modulus of an eighth does not overflow.
template <typename T>
inline Pair cbrt(Pair z) {
  bool large = larger(abs(z.re), abs(z.im)) > 1.0;
  double part = choose(large, 0.125, 1.0), back = choose(large, 2.0, 1.0);
  double length = back * __builtin_cbrt(modulus<T>({z.re * part, z.im * part}));
  Pair angle = cosineAndSine<double>(angleOf<T>(z.im, z.re) / 3.0);
  bool zero = isZero(z), endless = anyInfinite(z);
  double re = choose(endless, infinite, length * angle.re);
  return {choose(zero, z.re, re), choose(zero, z.im, length * angle.im)};
}
XLA_MATH_COMPLEX_UNARY(cbrt, float, c64, 1.0)
XLA_MATH_COMPLEX_UNARY(cbrt, double, c128, 5.0)

/// z / |z|, and 0 for 0. Along an axis at infinity it is the direction of the
/// axis, whatever the other part, as in NumPy; between two axes it is NaN.
template <typename T>
inline Pair sign(Pair z) {
  double scale = inverseScale(larger(abs(z.re), abs(z.im)));
  double a = z.re * scale, b = z.im * scale;
  double size = __builtin_sqrt(fma(a, a, b * b));
  bool zero = isZero(z);
  double re = choose(zero, z.re, a / size), im = choose(zero, z.im, b / size);
  bool right = abs(z.re) == infinite, up = abs(z.im) == infinite;
  bool along = right != up;
  double one = copysign(1.0, choose(right, z.re, z.im));
  double rest = choose(right, z.im, z.re);
  rest = choose(isNan(rest), 0.0, copysign(0.0, rest));
  return {choose(along, choose(right, one, rest), re),
          choose(along, choose(right, rest, one), im)};
}
XLA_MATH_COMPLEX_UNARY(sign, float, c64, 1.0)
XLA_MATH_COMPLEX_UNARY(sign, double, c128, 3.0)

/// The complex number's angle continued to complex x and y:
/// -i log((x + iy) / sqrt(x^2 + y^2)).
template <typename T>
inline Pair atan2(Pair y, Pair x) {
  double scale = inverseScale(
      larger(larger(abs(x.re), abs(x.im)), larger(abs(y.re), abs(y.im))));
  x = {x.re * scale, x.im * scale};
  y = {y.re * scale, y.im * scale};
  // x^2 + y^2 = (x + iy)(x - iy)
  Pair plus = {x.re - y.im, x.im + y.re}, minus = {x.re + y.im, x.im - y.re};
  Pair square = {plus.re * minus.re - plus.im * minus.im,
                 plus.re * minus.im + plus.im * minus.re};
  Pair quotient = divide<double>(plus, sqrt<double>(square));
  Pair value = log<double>(quotient);
  return {value.im, -value.re};
}
// An angle is as good as 1 is.
XLA_MATH_COMPLEX_BINARY(atan2, float, c64, 1.0)
XLA_MATH_COMPLEX_BINARY(atan2, double, c128, 1e8)

} // namespace xla::math

#endif // XLA_CODEGEN_CPU_MATH_COMPLEXARITHMETIC_H
