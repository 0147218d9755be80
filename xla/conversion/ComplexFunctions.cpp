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
/// The sign of a zero imaginary part says on which side of a cut z is.
struct Roots {
  Parts minus, plus;
};
static Roots rootsOf(Parts z) {
  return {sqrtOf({1.0 - z.re, -z.im}), sqrtOf({1.0 + z.re, z.im})};
}

static Expr isEndless(Expr x) { return modulus(x) == kInfinity; }
static Expr isEndless(Parts z) { return isEndless(z.re) | isEndless(z.im); }

/// Where squares may overflow, and 1 is nothing beside z.
static constexpr double kFar = 0x1p400;
static Expr isFar(Parts z) {
  return (modulus(z.re) > kFar) | (modulus(z.im) > kFar);
}

/// log |2 z| with the sign of x; infinite where a part of z is.
static Expr logOfTwice(Parts z, Expr x) {
  Expr length = real(log(complex(z.re, z.im)));
  return copySign(length + std::numbers::ln2, x);
}

static Parts choose(Expr condition, Parts a, Parts b) {
  return {select(condition, a.re, b.re), select(condition, a.im, b.im)};
}

static Parts acosOf(Parts z) {
  auto [s, t] = rootsOf(z);
  Expr re = 2.0 * atan2(s.re, t.re);
  re = select(z.re == 0.0, std::numbers::pi / 2, re); // also where im is NaN
  return choose(isFar(z), {atan2(modulus(z.im), z.re), logOfTwice(z, -z.im)},
                {re, expandAsinh(t.re * s.im - t.im * s.re)});
}

static Parts asinOf(Parts z) {
  auto [s, t] = rootsOf(z);
  Expr re = atan2(z.re, s.re * t.re - s.im * t.im);
  re = select(z.re == 0.0, z.re, re); // also where im is NaN
  return choose(isFar(z), {atan2(z.re, modulus(z.im)), logOfTwice(z, z.im)},
                {re, expandAsinh(s.re * t.im - s.im * t.re)});
}

static Parts acoshOf(Parts z) {
  Parts s = sqrtOf({z.re - 1.0, z.im}), t = sqrtOf({z.re + 1.0, z.im});
  Expr im = 2.0 * atan2(s.im, t.re);
  // An angle of a quarter turn where re is 0 and im is NaN: of either sign.
  im = select((z.re == 0.0) & (z.im != z.im), std::numbers::pi / 2, im);
  return choose(isFar(z), {logOfTwice(z, modulus(z.re)), atan2(z.im, z.re)},
                {expandAsinh(s.re * t.re + s.im * t.im), im});
}

static Parts atanhOf(Parts z) {
  Expr a = modulus(z.re), b = z.im, square = b * b;
  Expr re = 0.25 * log1p(4.0 * a / ((1.0 - a) * (1.0 - a) + square));
  Expr im = 0.5 * atan2(2.0 * b, (1.0 - a) * (1.0 + a) - square);
  // Above a pole, where the square is too small for f64.
  Expr above = 0.25 * log(square + 4.0) - 0.5 * log(modulus(b));
  re = select((a == 1.0) & (b != 0.0), above, re);
  // Far off it is 1/z beside a quarter turn.
  Expr size = max(a, modulus(b));
  Expr part = a / size, other = b / size;
  Expr small = part / (part * part + other * other) / size;
  re = select(isFar(z), select(isEndless(z), 0.0, small), re);
  Expr quarter = copySign(b.arithmetic->constant(b, std::numbers::pi / 2), b);
  Expr isLost = (b != b) | ((a != a) & !isEndless(b));
  im = select(isFar(z), select(isLost, a + b, quarter), im);
  re = select(z.re == 0.0, 0.0, re); // also where im is NaN
  return {copySign(re, z.re), im};
}

static Parts sinhOf(Parts z) {
  Expr a = z.re, b = z.im;
  Expr turn = cos(b);
  // Not infinity times 0; endless in an unknown direction where im has none.
  return {select((a == 0.0) | (isEndless(a) & (turn != turn)), a,
                 expandSinh(a) * turn),
          select(b == 0.0, b, expandCosh(a) * sin(b))};
}

/// i z, and -i z.
static Parts turned(Parts z) { return {-z.im, z.re}; }
static Parts turnedBack(Parts z) { return {z.im, -z.re}; }

static Parts asinhOf(Parts z) { return turnedBack(asinOf(turned(z))); }
static Parts atanOf(Parts z) { return turnedBack(atanhOf(turned(z))); }

static Parts coshOf(Parts z) {
  Expr a = z.re, b = z.im;
  Expr turn = cos(b), rise = sin(b);
  Expr im =
      select(a == 0.0, select(rise != rise, a, a * rise), expandSinh(a) * rise);
  return {
      select(isEndless(a) & (turn != turn), modulus(a), expandCosh(a) * turn),
      select(b == 0.0, select(a != a, b, sign(a) * b), im)};
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
