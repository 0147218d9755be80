//===- ComplexFunctions.cpp - Inverse and hyperbolic, of complex numbers --===//
//
// W. Kahan, "Branch cuts for complex elementary functions", 1987. The parts are
// computed in f64, where squares of f32 do not overflow.
//
//===----------------------------------------------------------------------===//

#include "xla/conversion/ComplexFunctions.h"

#include "xla/conversion/ElementaryFunctions.h"

#include "llvm/ADT/StringSwitch.h"

#include <limits>
#include <numbers>

using namespace mlir;

namespace xla {

static constexpr double kInfinity = std::numeric_limits<double>::infinity();

namespace {
/// A complex number by its parts.
struct Parts {
  Expr re, im;
};
} // namespace

static Parts sqrtOf(Parts z) {
  Expr root = sqrt(complex(z.re, z.im));
  return {real(root), imag(root)};
}

/// The roots of 1 - z and 1 + z, from which all four inverse functions follow.
/// The sign of a zero imaginary part says on which side of a cut z lies.
struct Roots {
  Parts minus, plus;
};
static Roots rootsOf(Parts z) {
  return {sqrtOf({1.0 - z.re, -z.im}), sqrtOf({1.0 + z.re, z.im})};
}

static Expr isEndless(Parts z) {
  return (modulus(z.re) == kInfinity) | (modulus(z.im) == kInfinity);
}

/// An infinity with the sign of x.
static Expr endless(Expr x) {
  return copySign(x.arithmetic->constant(x, kInfinity), x);
}

static Parts choose(Expr condition, Parts a, Parts b) {
  return {select(condition, a.re, b.re), select(condition, a.im, b.im)};
}

static Parts acosOf(Parts z) {
  auto [s, t] = rootsOf(z);
  return choose(
      isEndless(z), {atan2(modulus(z.im), z.re), endless(-z.im)},
      {2.0 * atan2(s.re, t.re), expandAsinh(t.re * s.im - t.im * s.re)});
}

static Parts asinOf(Parts z) {
  auto [s, t] = rootsOf(z);
  return choose(isEndless(z), {atan2(z.re, modulus(z.im)), endless(z.im)},
                {atan2(z.re, s.re * t.re - s.im * t.im),
                 expandAsinh(s.re * t.im - s.im * t.re)});
}

static Parts acoshOf(Parts z) {
  Parts s = sqrtOf({z.re - 1.0, z.im}), t = sqrtOf({z.re + 1.0, z.im});
  return choose(
      isEndless(z), {endless(modulus(z.re)), atan2(z.im, z.re)},
      {expandAsinh(s.re * t.re + s.im * t.im), 2.0 * atan2(s.im, t.re)});
}

static Parts atanhOf(Parts z) {
  Expr a = modulus(z.re), b = z.im, square = b * b;
  Expr re = 0.25 * log1p(4.0 * a / ((1.0 - a) * (1.0 - a) + square));
  Expr im = 0.5 * atan2(2.0 * b, (1.0 - a) * (1.0 + a) - square);
  Expr isFar = isEndless(z);
  re = select(isFar, 0.0, re);
  im = select(isFar,
              copySign(b.arithmetic->constant(b, std::numbers::pi / 2), b), im);
  return {copySign(re, z.re), im};
}

static Parts sinhOf(Parts z) {
  Expr a = z.re, b = z.im;
  // Not infinity times 0.
  return {select(a == 0.0, a, expandSinh(a) * cos(b)),
          select(b == 0.0, b, expandCosh(a) * sin(b))};
}

/// i z, and -i z.
static Parts turned(Parts z) { return {-z.im, z.re}; }
static Parts turnedBack(Parts z) { return {z.im, -z.re}; }

static Parts asinhOf(Parts z) { return turnedBack(asinOf(turned(z))); }
static Parts atanOf(Parts z) { return turnedBack(atanhOf(turned(z))); }

static Parts coshOf(Parts z) {
  Expr a = z.re, b = z.im;
  return {expandCosh(a) * cos(b),
          select(b == 0.0, sign(a) * b, expandSinh(a) * sin(b))};
}

FailureOr<Expr> expandComplex(StringRef name, Expr x) {
  using Function = Parts (*)(Parts);
  Function function = llvm::StringSwitch<Function>(name)
                          .Case("acos", acosOf)
                          .Case("acosh", acoshOf)
                          .Case("asin", asinOf)
                          .Case("asinh", asinhOf)
                          .Case("atan", atanOf)
                          .Case("atanh", atanhOf)
                          .Case("cosh", coshOf)
                          .Case("sinh", sinhOf)
                          .Default(nullptr);
  if (!function) {
    return failure();
  }
  Arithmetic &a = *x.arithmetic;
  Type wide = a.builder.getF64Type();
  Expr re = real(x), im = imag(x);
  Parts result = function({a.convert(re, wide), a.convert(im, wide)});
  return complex(a.convert(result.re, re.element()),
                 a.convert(result.im, im.element()));
}

} // namespace xla
