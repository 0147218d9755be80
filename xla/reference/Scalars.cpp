//===- Scalars.cpp - Operations on single elements ------------------------===//

#include "xla/reference/Scalars.h"

#include "llvm/ADT/StringSwitch.h"

#include <bit>
#include <cmath>
#include <limits>

namespace xla::reference {

static constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

//===----------------------------------------------------------------------===//
// Integers: 64 bits, wrapped to their type when stored
//===----------------------------------------------------------------------===//

static uint64_t divideInteger(ElementType type, int64_t a, int64_t b) {
  if (b == 0) {
    return ~uint64_t(0);
  }
  if (!isSignedInteger(type)) {
    return uint64_t(a) / uint64_t(b);
  }
  return b == -1 ? -uint64_t(a) : uint64_t(a / b);
}

static uint64_t remainderInteger(ElementType type, int64_t a, int64_t b) {
  if (b == 0) {
    return a;
  }
  if (!isSignedInteger(type)) {
    return uint64_t(a) % uint64_t(b);
  }
  return b == -1 ? 0 : uint64_t(a % b);
}

static uint64_t powerInteger(ElementType type, int64_t base, int64_t exponent) {
  if (isSignedInteger(type) && exponent < 0) {
    return base == 1 ? 1 : base == -1 ? (exponent % 2 == 0 ? 1 : -1) : 0;
  }
  uint64_t result = 1, factor = base;
  for (uint64_t bits = exponent; bits != 0; bits >>= 1) {
    result *= bits & 1 ? factor : 1;
    factor *= factor;
  }
  return result;
}

/// Whether the amount of a shift, read as unsigned, reaches the width.
static bool shiftsOut(ElementType type, int64_t amount) {
  return amount < 0 || amount >= bitWidth(type);
}

/// The value's own bits, without what extends its sign.
static uint64_t ownBits(ElementType type, int64_t value) {
  int unused = 64 - bitWidth(type);
  return uint64_t(value) << unused >> unused;
}

static uint64_t shiftRightArithmetic(ElementType type, int64_t value,
                                     int64_t amount) {
  int unused = 64 - bitWidth(type);
  int64_t extended = int64_t(uint64_t(value) << unused) >> unused;
  return extended >> (shiftsOut(type, amount) ? 63 : amount);
}

static bool lessInteger(ElementType type, int64_t a, int64_t b) {
  return isSignedInteger(type) ? a < b : uint64_t(a) < uint64_t(b);
}

//===----------------------------------------------------------------------===//
// Floating point
//===----------------------------------------------------------------------===//

static double maximumReal(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) {
    return kNaN;
  }
  if (a == b) {
    return std::signbit(a) ? b : a; // max(-0, +0) = +0
  }
  return a > b ? a : b;
}

static double minimumReal(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) {
    return kNaN;
  }
  if (a == b) {
    return std::signbit(a) ? a : b;
  }
  return a < b ? a : b;
}

static double roundAwayFromZero(double x) { return std::round(x); }

static double roundToEven(double x) {
  double rounded = std::nearbyint(x); // the default mode: ties to even
  return std::copysign(rounded, x);
}

static double signReal(double x) {
  return x == 0 || std::isnan(x) ? x : std::copysign(1.0, x);
}

template <typename T>
static T rsqrtOf(T x) {
  return T(1) / std::sqrt(x);
}

template <typename T>
static T logisticOf(T x) {
  return T(1) / (T(1) + std::exp(-x));
}

int64_t totalOrderKey(double value) {
  int64_t bits = std::bit_cast<int64_t>(value);
  return bits < 0 ? bits ^ std::numeric_limits<int64_t>::max() : bits;
}

//===----------------------------------------------------------------------===//
// Complex numbers: products by the textbook, quotients and functions by C's
// Annex G
//===----------------------------------------------------------------------===//

static Complex multiplyComplex(Complex a, Complex b) {
  return {a.real() * b.real() - a.imag() * b.imag(),
          a.real() * b.imag() + a.imag() * b.real()};
}

static bool isInfinite(Complex x) {
  return std::isinf(x.real()) || std::isinf(x.imag());
}

/// The directions in which `x` is infinite: 1, -1 or a zero for each part.
static Complex directionsOf(Complex x) {
  return {std::copysign(std::isinf(x.real()) ? 1.0 : 0.0, x.real()),
          std::copysign(std::isinf(x.imag()) ? 1.0 : 0.0, x.imag())};
}

static Complex divideNumbers(Complex a, Complex b) {
  if (b == Complex(0, 0)) {
    return {a.real() / 0.0, a.imag() / 0.0};
  }
  if (isInfinite(b)) {
    bool isFinite = std::isfinite(a.real()) && std::isfinite(a.imag());
    return isFinite ? Complex(0, 0) : Complex(kNaN, kNaN);
  }
  if (b.imag() == 0) {
    return {a.real() / b.real(), a.imag() / b.real()};
  }
  // Scaled by the larger part, so that no square overflows.
  if (std::fabs(b.real()) >= std::fabs(b.imag())) {
    double ratio = b.imag() / b.real();
    double scale = b.real() + b.imag() * ratio;
    return {(a.real() + a.imag() * ratio) / scale,
            (a.imag() - a.real() * ratio) / scale};
  }
  double ratio = b.real() / b.imag();
  double scale = b.real() * ratio + b.imag();
  return {(a.real() * ratio + a.imag()) / scale,
          (a.imag() * ratio - a.real()) / scale};
}

/// An infinite number by a finite one is infinite.
static Complex divideComplex(Complex a, Complex b) {
  Complex quotient = divideNumbers(a, b);
  bool isFinite = std::isfinite(b.real()) && std::isfinite(b.imag());
  if (isInfinite(a) && isFinite && std::isnan(quotient.real()) &&
      std::isnan(quotient.imag())) {
    Complex d = directionsOf(a);
    return {HUGE_VAL * (d.real() * b.real() + d.imag() * b.imag()),
            HUGE_VAL * (d.imag() * b.real() - d.real() * b.imag())};
  }
  return quotient;
}

static bool lessComplex(Complex a, Complex b) {
  return a.real() < b.real() || (a.real() == b.real() && a.imag() < b.imag());
}

static bool isNaN(Complex x) {
  return std::isnan(x.real()) || std::isnan(x.imag());
}

static Complex maximumComplex(Complex a, Complex b) {
  return isNaN(a) ? a : isNaN(b) ? b : lessComplex(a, b) ? b : a;
}

static Complex minimumComplex(Complex a, Complex b) {
  return isNaN(a) ? a : isNaN(b) ? b : lessComplex(b, a) ? b : a;
}

static Complex powerComplex(Complex a, Complex b) {
  if (b == Complex(0, 0) || a == Complex(1, 0)) {
    return 1;
  }
  if (a == Complex(0, 0)) {
    bool isZero = b.imag() == 0 && b.real() > 0;
    return isZero ? Complex(0, 0) : Complex(kNaN, kNaN);
  }
  if (a.imag() == 0 && a.real() >= 0 && b.imag() == 0) {
    return std::pow(a.real(), b.real());
  }
  return std::exp(b.imag() == 0 ? b.real() * std::log(a) : b * std::log(a));
}

static Complex cbrtComplex(Complex x) {
  return x == Complex(0, 0) ? x : std::exp(std::log(x) / 3.0);
}

/// The angle of the point (x, y), continued to complex coordinates.
static Complex atan2Complex(Complex y, Complex x) {
  Complex i(0, 1);
  return -i * std::log((x + i * y) / std::sqrt(x * x + y * y));
}

/// x / |x|. Along an axis at infinity it is the direction of the axis.
static Complex signComplex(Complex x) {
  double modulus = std::abs(x);
  if (modulus == 0) {
    return 0;
  }
  if (std::isinf(x.real()) != std::isinf(x.imag())) {
    Complex d = directionsOf(x);
    return {std::isnan(x.real()) ? 0 : d.real(),
            std::isnan(x.imag()) ? 0 : d.imag()};
  }
  return {x.real() / modulus, x.imag() / modulus};
}

static Complex log1pComplex(Complex x) {
  double a = x.real(), b = x.imag();
  // |1 + x|^2 - 1 = (2 + re) re + im^2 keeps what 1 + x would round away.
  double excess = (2 + a) * a + b * b;
  bool isNear = excess > -0.5 && excess < 1;
  return {isNear ? 0.5 * std::log1p(excess) : std::log(std::hypot(1 + a, b)),
          std::atan2(b, 1 + a)};
}

static Complex expm1Complex(Complex x) {
  if (std::isinf(x.real()) && !std::isfinite(x.imag())) {
    return {kNaN, kNaN};
  }
  if (x.real() == -HUGE_VAL) {
    return -1;
  }
  Complex far = std::exp(x);
  double half = std::sin(x.imag() / 2);
  double near = std::expm1(x.real()) * std::cos(x.imag()) - 2 * half * half;
  return {x.real() > 40 || !std::isfinite(x.imag()) ? far.real() : near,
          far.imag()};
}

/// With the exponential at most 1.
static Complex logisticComplex(Complex x) {
  return x.real() < 0 ? divideComplex(std::exp(x), 1.0 + std::exp(x))
                      : divideComplex(1, 1.0 + std::exp(-x));
}

//===----------------------------------------------------------------------===//
// Tables
//===----------------------------------------------------------------------===//

#define REAL(expression) .real = [](double x) -> double { return expression; }
#define REALS(expression)                                                      \
  REAL(expression),                                                            \
      .extended = [](long double x) -> long double { return expression; }
#define COMPLEX(expression)                                                    \
  .complex = [](Complex x) -> Complex { return expression; }
#define INTEGER(expression)                                                    \
  .integer = [](ElementType t, int64_t x) -> uint64_t { return expression; }

namespace {
struct NamedUnary {
  const char *name;
  UnaryFunctions functions;
};
struct NamedBinary {
  const char *name;
  BinaryFunctions functions;
};
} // namespace

static const NamedUnary kUnary[] = {
    {"abs",
     {INTEGER(x < 0 && isSignedInteger(t) ? -uint64_t(x) : x),
      REAL(std::fabs(x))}},
    {"cbrt", {REALS(std::cbrt(x)), COMPLEX(cbrtComplex(x))}},
    {"ceil", {REAL(std::ceil(x))}},
    {"cosine", {REALS(std::cos(x)), COMPLEX(std::cos(x))}},
    {"count_leading_zeros",
     {INTEGER(std::countl_zero(ownBits(t, x)) - (64 - bitWidth(t)))}},
    {"exponential", {REALS(std::exp(x)), COMPLEX(std::exp(x))}},
    {"exponential_minus_one", {REALS(std::expm1(x)), COMPLEX(expm1Complex(x))}},
    {"floor", {REAL(std::floor(x))}},
    {"log", {REALS(std::log(x)), COMPLEX(std::log(x))}},
    {"log_plus_one", {REALS(std::log1p(x)), COMPLEX(log1pComplex(x))}},
    {"logistic", {REALS(logisticOf(x)), COMPLEX(logisticComplex(x))}},
    {"negate", {INTEGER(-uint64_t(x)), REAL(-x), COMPLEX(-x)}},
    {"not", {INTEGER(~uint64_t(x))}},
    {"popcnt", {INTEGER(std::popcount(ownBits(t, x)))}},
    {"round_nearest_afz", {REAL(roundAwayFromZero(x))}},
    {"round_nearest_even", {REAL(roundToEven(x))}},
    {"rsqrt", {REALS(rsqrtOf(x)), COMPLEX(divideComplex(1, std::sqrt(x)))}},
    {"sign",
     {INTEGER(x > 0   ? 1
              : x < 0 ? -1
                      : 0),
      REAL(signReal(x)), COMPLEX(signComplex(x))}},
    {"sine", {REALS(std::sin(x)), COMPLEX(std::sin(x))}},
    {"sqrt", {REAL(std::sqrt(x)), COMPLEX(std::sqrt(x))}},
    {"tan", {REALS(std::tan(x)), COMPLEX(std::tan(x))}},
    {"tanh", {REALS(std::tanh(x)), COMPLEX(std::tanh(x))}},
};

#undef REAL
#undef REALS
#undef COMPLEX
#undef INTEGER
#define REAL(expression)                                                       \
  .real = [](double a, double b) -> double { return expression; }
#define REALS(expression)                                                      \
  REAL(expression),                                                            \
      .extended = [](long double a, long double b) -> long double {            \
        return expression;                                                     \
      }
#define COMPLEX(expression)                                                    \
  .complex = [](Complex a, Complex b) -> Complex { return expression; }
// Unsigned arithmetic wraps; pred is one bit wide, where a + b is a | b.
#define INTEGER(expression)                                                    \
  .integer = [](ElementType t, int64_t a, int64_t b) -> uint64_t {             \
    return expression;                                                         \
  }

static const NamedBinary kBinary[] = {
    {"add",
     {INTEGER(t == ElementType::Pred ? uint64_t(a | b)
                                     : uint64_t(a) + uint64_t(b)),
      REAL(a + b), COMPLEX(a + b)}},
    {"and", {INTEGER(a & b)}},
    {"atan2", {REALS(std::atan2(a, b)), COMPLEX(atan2Complex(a, b))}},
    {"divide",
     {INTEGER(divideInteger(t, a, b)), REAL(a / b),
      COMPLEX(divideComplex(a, b))}},
    {"maximum",
     {INTEGER(lessInteger(t, a, b) ? b : a), REAL(maximumReal(a, b)),
      COMPLEX(maximumComplex(a, b))}},
    {"minimum",
     {INTEGER(lessInteger(t, a, b) ? a : b), REAL(minimumReal(a, b)),
      COMPLEX(minimumComplex(a, b))}},
    {"multiply",
     {INTEGER(uint64_t(a) * uint64_t(b)), REAL(a * b),
      COMPLEX(multiplyComplex(a, b))}},
    {"or", {INTEGER(a | b)}},
    {"power",
     {INTEGER(powerInteger(t, a, b)), REALS(std::pow(a, b)),
      COMPLEX(powerComplex(a, b))}},
    {"remainder", {INTEGER(remainderInteger(t, a, b)), REAL(std::fmod(a, b))}},
    {"shift_left", {INTEGER(shiftsOut(t, b) ? 0 : uint64_t(a) << b)}},
    {"shift_right_arithmetic", {INTEGER(shiftRightArithmetic(t, a, b))}},
    {"shift_right_logical",
     {INTEGER(shiftsOut(t, b) ? 0 : ownBits(t, a) >> b)}},
    {"subtract",
     {INTEGER(uint64_t(a) - uint64_t(b)), REAL(a - b), COMPLEX(a - b)}},
    {"xor", {INTEGER(a ^ b)}},
};

#undef REAL
#undef REALS
#undef COMPLEX
#undef INTEGER

template <typename Row, size_t size>
static std::vector<llvm::StringRef> namesOf(const Row (&rows)[size]) {
  std::vector<llvm::StringRef> names;
  for (const Row &row : rows) {
    names.push_back(row.name);
  }
  return names;
}

std::vector<llvm::StringRef> unaryNames() { return namesOf(kUnary); }
std::vector<llvm::StringRef> binaryNames() { return namesOf(kBinary); }

const UnaryFunctions *unaryFunctions(llvm::StringRef name) {
  for (const NamedUnary &entry : kUnary) {
    if (name == entry.name) {
      return &entry.functions;
    }
  }
  return nullptr;
}

const BinaryFunctions *binaryFunctions(llvm::StringRef name) {
  for (const NamedBinary &entry : kBinary) {
    if (name == entry.name) {
      return &entry.functions;
    }
  }
  return nullptr;
}

Status applyBinary(const BinaryFunctions &functions, const Tensor &a, int64_t i,
                   const Tensor &b, int64_t j, Tensor &out, int64_t position) {
  switch (kindOf(a.type())) {
  case Kind::Integer:
    if (functions.integer) {
      out.setInteger(position,
                     functions.integer(a.type(), a.integer(i), b.integer(j)));
      return okStatus();
    }
    break;
  case Kind::Float:
    if (a.type() == ElementType::F64 && functions.extended) {
      out.setReal(position, functions.extended(a.real(i), b.real(j)));
      return okStatus();
    }
    if (functions.real) {
      out.setReal(position, functions.real(a.real(i), b.real(j)));
      return okStatus();
    }
    break;
  case Kind::Complex:
    if (functions.complex) {
      out.setComplex(position, functions.complex(a.complex(i), b.complex(j)));
      return okStatus();
    }
    break;
  case Kind::Token:
    break;
  }
  return unimplemented("not defined for elements of type " +
                       std::string(name(a.type())));
}

} // namespace xla::reference
