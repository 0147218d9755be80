//===- ElementaryFunctions.cpp - Inverse and hyperbolic, of real numbers --===//
//
// W. Kahan, "Branch cuts for complex elementary functions", 1987.
//
//===----------------------------------------------------------------------===//

#include "xla/conversion/ElementaryFunctions.h"

#include <cmath>
#include <numbers>

namespace xla {

Expr expandAcos(Expr x) { return 2.0 * atan2(sqrt(1.0 - x), sqrt(1.0 + x)); }

Expr expandAsin(Expr x) {
  return 2.0 * atan2(x, 1.0 + sqrt((1.0 - x) * (1.0 + x)));
}

Expr expandAtan(Expr x) { return atan2(x, x.arithmetic->constant(x, 1)); }

/// Beyond this a square overflows, and 1 does not count beside it.
static double squareLimit(Expr x) { return x.element().isF64() ? 1e150 : 1e18; }

Expr expandAcosh(Expr x) {
  Expr d = x - 1.0;
  // The product is negative wherever x < 1, and has no root there.
  return select(x > squareLimit(x), log(x) + std::numbers::ln2,
                log1p(d + sqrt(d * (modulus(x) + 1.0))));
}

Expr expandAsinh(Expr x) {
  Expr y = modulus(x), square = y * y;
  Expr near = log1p(y + square / (1.0 + sqrt(1.0 + square)));
  return copySign(select(y > squareLimit(x), log(y) + std::numbers::ln2, near),
                  x);
}

Expr expandAtanh(Expr x) {
  Expr y = modulus(x);
  return copySign(0.5 * log1p(2.0 * y / (1.0 - y)), x);
}

/// e^y / 2 for y >= 0, finite where e^y is not. Of f64, near the end of the
/// range the exponential is that of y - 8, which is exact there. Of f32, that
/// of y - ln 2 for every argument, by two parts: the first has so few bits that
/// nothing is rounded from y = 1 on, and below less than a quarter of a unit; e
/// to the second is a number of f32 but for 0.03 units.
static Expr halfExp(Expr y) {
  if (y.element().isF32()) {
    constexpr double ln2High = 0x1.62e4p-1;
    return exp(y - ln2High) * (1.0 - (std::numbers::ln2 - ln2High));
  }
  Expr isNearEnd = y > (y.element().isF64() ? 700.0 : 80.0);
  Expr scale =
      select(isNearEnd, std::exp(8.0) / 2, y.arithmetic->constant(y, 0.5));
  return exp(select(isNearEnd, y - 8.0, y)) * scale;
}

Expr expandCosh(Expr x) {
  Expr half = halfExp(modulus(x));
  return half + 0.25 / half;
}

/// (sinh x - x) / x^3 for |x| <= 1: the series, within 2^-25.
static Expr sinhTail(Expr square) {
  Expr sum = square * (1.0 / 39916800) + 1.0 / 362880;
  sum = sum * square + 1.0 / 5040;
  sum = sum * square + 1.0 / 120;
  return sum * square + 1.0 / 6;
}

/// Of f32, by the series near 0; and without a difference, which would double
/// the exponential's error where it crosses a power of two.
Expr expandSinh(Expr x) {
  Expr y = modulus(x), e = expm1(y), half = halfExp(y);
  Expr middle = 0.5 * (e + e / (e + 1.0));
  if (x.element().isF32()) {
    Expr square = x * x;
    return select(y > 1.0, copySign(select(y > 9.0, half, middle), x),
                  x + x * square * sinhTail(square));
  }
  return copySign(select(y > 2.0, half - 0.25 / half, middle), x);
}

} // namespace xla
