//===- MathTest.cpp - The math library against long double ----------------===//
//
// Every function stays within the bound that is stated under it, on a sample
// of all floats; `--exhaustive` takes every one (unary functions of f32). Those
// of complex numbers are compared by the modulus, and in every combination of
// special parts: where the truth has an infinity they have one, where it has
// a NaN they have one. On the way they meet no subnormal numbers.
//
//===----------------------------------------------------------------------===//

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <limits>
#include <random>
#include <thread>
#include <vector>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

extern "C" {
#define XLA_MATH_UNARY(name, type, suffix, bound)                              \
  type xla_##name##_##suffix(type x);
#define XLA_MATH_BINARY(name, type, suffix, bound)                             \
  type xla_##name##_##suffix(type x, type y);
#define XLA_MATH_COMPLEX_UNARY(name, type, suffix, bound)                      \
  type xla_##name##_re_##suffix(type a, type b);                               \
  type xla_##name##_im_##suffix(type a, type b);
#define XLA_MATH_COMPLEX_BINARY(name, type, suffix, bound)                     \
  type xla_##name##_re_##suffix(type a, type b, type c, type d);               \
  type xla_##name##_im_##suffix(type a, type b, type c, type d);
#include "xla/codegen/cpu/math/MathTable.def"
#undef XLA_MATH_UNARY
#undef XLA_MATH_BINARY
#undef XLA_MATH_COMPLEX_UNARY
#undef XLA_MATH_COMPLEX_BINARY
}

// The true functions, under our names.
namespace truth {
using std::atan2, std::cbrt, std::cos, std::exp, std::expm1, std::fmod,
    std::log, std::log1p, std::pow, std::sin, std::tan, std::tanh;
static long double logistic(long double x) { return 1 / (1 + exp(-x)); }
static double logistic(double x) { return 1 / (1 + exp(-x)); }

using Complex = std::complex<long double>;
using std::sinh, std::cosh, std::sqrt;
static Complex expm1(Complex z) {
  long double half = sin(z.imag() / 2);
  if (std::isinf(z.real()) && !std::isfinite(z.imag())) {
    return {NAN, NAN};
  }
  if (z.real() == -INFINITY) {
    return -1;
  }
  if (!std::isfinite(z.real()) || z.real() > 100) {
    return exp(z);
  }
  long double re = expm1(z.real()) * cos(z.imag()) - 2 * half * half;
  return {re, z.imag() == 0 ? z.imag() : exp(z.real()) * sin(z.imag())};
}
static Complex log1p(Complex z) {
  long double a = z.real(), b = z.imag();
  bool small = a > -0.3L && a < 1e10L && std::fabs(b) < 1e10L;
  Complex far = log(Complex(1 + a, b));
  return {small ? log1p(a * (2 + a) + b * b) / 2 : far.real(), far.imag()};
}
static Complex rsqrt(Complex z) {
  return std::isinf(z.real()) || std::isinf(z.imag()) ? Complex(0)
         : z == Complex(0)                            ? Complex(INFINITY, NAN)
                                                      : 1.0L / sqrt(z);
}
static Complex cbrt(Complex z) {
  return z == Complex(0) ? z : exp(log(z) / 3.0L);
}
static Complex pow(Complex z, Complex w) {
  if (w == Complex(0) || z == Complex(1)) {
    return 1;
  }
  bool isReal = w.imag() == 0;
  if (z == Complex(0)) {
    return isReal && w.real() > 0 ? Complex(0) : Complex(NAN, NAN);
  }
  // The textbook's product: Annex G's makes infinities out of NaNs.
  Complex l = log(z);
  return exp(isReal ? l * w.real()
                    : Complex(w.real() * l.real() - w.imag() * l.imag(),
                              w.real() * l.imag() + w.imag() * l.real()));
}
static Complex logistic(Complex z) {
  return z.real() > 0 ? 1.0L / (1.0L + exp(-z)) : exp(z) / (1.0L + exp(z));
}
static bool isInfinite(Complex z) {
  return std::isinf(z.real()) || std::isinf(z.imag());
}
static Complex sign(Complex z) {
  long double size = abs(z);
  if (std::isinf(z.real()) != std::isinf(z.imag())) {
    auto one = [](long double x) {
      return std::isinf(x) ? std::copysign(1.0L, x) : 0.0L;
    };
    return {one(z.real()), one(z.imag())};
  }
  return z == Complex(0) ? z : Complex(z.real() / size, z.imag() / size);
}
static Complex divide(Complex x, Complex y) {
  if (isInfinite(x) && std::isfinite(y.real()) && std::isfinite(y.imag())) {
    return {INFINITY, INFINITY}; // in some direction
  }
  if (y.imag() == 0 && !std::isinf(y.real())) {
    return {x.real() / y.real(), x.imag() / y.real()};
  }
  if (isInfinite(y)) {
    bool finite = std::isfinite(x.real()) && std::isfinite(x.imag());
    return finite ? Complex(0) : Complex(NAN, NAN);
  }
  long double a = x.real(), b = x.imag(), c = y.real(), d = y.imag();
  long double square = c * c + d * d;
  return {(a * c + b * d) / square, (b * c - a * d) / square};
}
static Complex atan2(Complex y, Complex x) {
  Complex i(0, 1);
  return -i * log((x + i * y) / sqrt(x * x + y * y));
}
} // namespace truth

/// The error in units in the last place of the true value's neighbourhood.
template <typename T>
static double errorOf(T got, long double wanted) {
  constexpr double wrong = 1e9;
  if (std::isnan(wanted) || std::isnan(got)) {
    return std::isnan(wanted) && std::isnan(got) ? 0 : wrong;
  }
  T rounded = static_cast<T>(wanted);
  if (std::isinf(rounded) || std::isinf(got)) {
    return rounded == got ? 0 : wrong;
  }
  if (rounded == 0 && got == 0) {
    return std::signbit(got) == std::signbit(wanted) ? 0 : wrong;
  }
  int exponent;
  std::frexp(wanted, &exponent);
  using Limits = std::numeric_limits<T>;
  long double unit = std::ldexp(1.0L, std::max(exponent, Limits::min_exponent) -
                                          Limits::digits);
  return static_cast<double>(std::fabs((got - wanted) / unit));
}

namespace {
template <typename T>
struct Worst {
  double error = 0;
  T at = 0;
  void add(double other, T x) {
    if (other > error) {
      error = other;
      at = x;
    }
  }
};
} // namespace

static int failures = 0;
static bool exhaustive = false;

static void report(const char *name, double worst, double bound, double at) {
  std::printf("%-16s worst %.3f ULP, bound %.1f, at %a\n", name, worst, bound,
              at);
  failures += worst > bound;
}

/// The floats with these bits, every one or every 4093rd; against doubles,
/// whose own error is a billionth of a float's.
template <typename Truth>
static Worst<float> worstOf(float (*function)(float), Truth truth,
                            uint64_t begin, uint64_t end) {
  Worst<float> worst;
  for (uint64_t bits = begin; bits < end; bits += exhaustive ? 1 : 4093) {
    uint32_t word = static_cast<uint32_t>(bits);
    float x;
    std::memcpy(&x, &word, sizeof x);
    worst.add(errorOf(function(x), truth(static_cast<double>(x))), x);
  }
  return worst;
}

template <typename Truth>
static void checkUnary(const char *name, float (*function)(float), Truth truth,
                       double bound) {
  uint64_t count = std::max(1u, std::thread::hardware_concurrency());
  std::vector<Worst<float>> found(count);
  std::vector<std::thread> threads;
  auto begin = [&](uint64_t i) { return (i << 32) / count; };
  for (uint64_t i = 0; i < count; ++i) {
    threads.emplace_back([&, i] {
      found[i] = worstOf(function, truth, begin(i), begin(i + 1));
    });
  }
  Worst<float> worst;
  for (uint64_t i = 0; i < count; ++i) {
    threads[i].join();
    worst.add(found[i].error, found[i].at);
  }
  for (float x : {0.0f, -0.0f, 1.0f, -1.0f, INFINITY, -INFINITY, 1e-45f}) {
    worst.add(errorOf(function(x), truth(static_cast<double>(x))), x);
  }
  report(name, worst.error, bound, worst.at);
}

template <typename Truth>
static void checkUnary(const char *name, double (*function)(double),
                       Truth truth, double bound) {
  std::mt19937_64 random(7);
  Worst<double> worst;
  for (double x : {0.0, -0.0, 1.0, -1.0, 1.0 * INFINITY, -1.0 * INFINITY}) {
    worst.add(errorOf(function(x), truth(static_cast<long double>(x))), x);
  }
  for (int i = 0; i < 400000; ++i) {
    uint64_t word = random();
    double x;
    std::memcpy(&x, &word, sizeof x);
    if (i % 2 == 0) { // magnitudes from 2^-5 to 2^9
      x = std::ldexp(static_cast<double>(static_cast<int64_t>(word)),
                     static_cast<int>(random() % 14) - 68);
    }
    worst.add(errorOf(function(x), truth(static_cast<long double>(x))), x);
  }
  report(name, worst.error, bound, worst.at);
}

template <typename Truth>
static void checkBinary(const char *name, float (*function)(float, float),
                        Truth truth, double bound) {
  constexpr float special[] = {
      0.0f,     -0.0f,     1.0f, -1.0f, 2.0f,   -3.0f, 0.5f,       -0.5f,
      INFINITY, -INFINITY, NAN,  4.0f,  1e-45f, 3e38f, 16777216.f, -16777215.f};
  std::mt19937_64 random(11);
  double worst = 0;
  float at = 0;
  auto check = [&](float x, float y) {
    double error = errorOf(function(x, y), truth(static_cast<long double>(x),
                                                 static_cast<long double>(y)));
    if (error > worst) {
      worst = error;
      at = x;
    }
  };
  for (float x : special) {
    for (float y : special) {
      check(x, y);
    }
  }
  for (int i = 0; i < 400000; ++i) {
    uint64_t word = random();
    float x, y;
    uint32_t low = static_cast<uint32_t>(word);
    std::memcpy(&x, &low, sizeof x);
    y = std::ldexp(static_cast<float>(static_cast<int32_t>(word >> 32)),
                   static_cast<int>(random() % 14) - 33);
    check(x, i % 4 ? y : std::trunc(y));
  }
  report(name, worst, bound, at);
}

//===----------------------------------------------------------------------===//
// Complex functions
//===----------------------------------------------------------------------===//

/// The distance in units in the last place of the modulus. Parts that are zero
/// must be so with the right sign only where that decides a branch, which the
/// distance shows.
template <typename T>
static double errorOf(std::complex<T> got, std::complex<long double> wanted) {
  constexpr double wrong = 1e9;
  auto hasNan = [](auto z) {
    return std::isnan(z.real()) || std::isnan(z.imag());
  };
  auto hasInfinity = [](auto z) {
    return std::isinf(z.real()) || std::isinf(z.imag());
  };
  std::complex<T> rounded(static_cast<T>(wanted.real()),
                          static_cast<T>(wanted.imag()));
  if (hasInfinity(rounded) || hasInfinity(got)) {
    return hasInfinity(rounded) == hasInfinity(got) ? 0 : wrong;
  }
  if (hasNan(wanted) || hasNan(got)) {
    return hasNan(wanted) == hasNan(got) ? 0 : wrong;
  }
  using Limits = std::numeric_limits<T>;
  int exponent;
  std::frexp(abs(wanted), &exponent);
  long double unit = std::ldexp(1.0L, std::max(exponent, Limits::min_exponent) -
                                          Limits::digits);
  std::complex<long double> difference(got.real() - wanted.real(),
                                       got.imag() - wanted.imag());
  return static_cast<double>(abs(difference) / unit);
}

template <typename T>
class Numbers {
public:
  static constexpr std::array<T, 9> special = {
      T(0.0),  T(-0.0),     T(1.0),       T(-1.0), T(0.5),
      T(-3.0), T(INFINITY), T(-INFINITY), T(NAN)};
  /// Magnitudes from 2^-20 to 2^11, if wanted some 0 and some of the whole
  /// range.
  T next(bool wantsWide) {
    uint64_t word = random();
    if (wantsWide && word % 16 == 0) {
      return T(0);
    }
    bool wide = wantsWide && word % 16 == 1;
    int range = wide ? std::numeric_limits<T>::max_exponent : 16;
    int exponent = static_cast<int>(random() % (2 * range)) - range;
    T value =
        std::ldexp(static_cast<T>(static_cast<int64_t>(word)), exponent - 67);
    return value;
  }

private:
  std::mt19937_64 random{13};
};

template <typename T, typename Got, typename Truth>
static void checkComplex(const char *name, int operands, Got got, Truth truth,
                         double bound) {
  Numbers<T> numbers;
  double worst = 0;
  std::complex<T> at, other;
  auto check = [&](std::complex<T> x, std::complex<T> y) {
    std::complex<long double> wideX(x), wideY(y);
    double error = errorOf<T>(got(x, y), truth(wideX, wideY));
    if (error > worst) {
      worst = error;
      at = x;
      other = y;
    }
  };
  for (T a : numbers.special) {
    for (T b : numbers.special) {
      check({a, b}, {T(2), T(0)});
      check({a, b}, {T(-1), T(0.5)});
    }
  }
  for (int i = 0; i < 100000; ++i) {
    // The error of a power grows with the exponent.
    bool wide = operands == 1;
    T a = numbers.next(wide), b = numbers.next(wide);
    if (i % 8 == 0) { // near the unit circle
      T size = std::sqrt(a * a + b * b);
      a = a / size;
      b = b / size;
    }
    T c = numbers.next(wide), d = operands > 1 ? numbers.next(wide) : T(0);
    check({a, b}, {c / T(256), d / T(256)});
  }
  std::printf("%-16s worst %.3f ULP, bound %.1f, at (%a, %a)", name, worst,
              bound, static_cast<double>(at.real()),
              static_cast<double>(at.imag()));
  if (operands > 1) {
    std::printf(", (%a, %a)", static_cast<double>(other.real()),
                static_cast<double>(other.imag()));
  }
  std::printf("\n");
  failures += !(worst <= bound);
}

#if defined(__x86_64__)
/// Programs wait long for operations that read or give a subnormal number
/// (docs/compiler/floors.md), and masks are exponentials of -1e9 and -infinity:
/// of numbers that are no smaller than 2^-40, or 0, no function meets one on
/// the way to a result, be that subnormal itself.
template <typename T, typename Function>
static void checkNoSubnormals(const char *name, Function function) {
  constexpr unsigned operand = 1 << 1, tiny = 1 << 4; // flags of MXCSR
  unsigned control = _mm_getcsr() & ~(operand | tiny);
  auto meets = [&](T x) {
    _mm_setcsr(control);
    volatile T result = function(x);
    static_cast<void>(result);
    return (_mm_getcsr() & (operand | tiny)) != 0;
  };
  int met = 0;
  for (T size = 0; size < std::numeric_limits<T>::infinity();
       size = size == 0 ? T(0x1p-40) : size * T(1.01)) {
    for (T x : {size, -size}) {
      if (meets(x) && met++ == 0) {
        std::printf("%-16s meets a subnormal number at %a\n", name,
                    static_cast<double>(x));
      }
    }
  }
  T infinity = std::numeric_limits<T>::infinity();
  failures += met > 0 || meets(infinity) || meets(-infinity);
}

static void checkNoSubnormals() {
  if (!__builtin_cpu_supports("fma")) {
    return; // the library's fma has steps of its own
  }
#define XLA_NO_SUBNORMALS(name)                                                \
  checkNoSubnormals<float>(#name "_f32", xla_##name##_f32);                    \
  checkNoSubnormals<double>(#name "_f64", xla_##name##_f64);
  XLA_NO_SUBNORMALS(exp)
  XLA_NO_SUBNORMALS(expm1)
  XLA_NO_SUBNORMALS(logistic)
  XLA_NO_SUBNORMALS(log)
  XLA_NO_SUBNORMALS(log1p)
  XLA_NO_SUBNORMALS(cbrt)
#undef XLA_NO_SUBNORMALS
}
#else
static void checkNoSubnormals() {}
#endif

int main(int argc, char **argv) {
  exhaustive = argc > 1 && std::strcmp(argv[1], "--exhaustive") == 0;
#define XLA_MATH_UNARY(name, type, suffix, bound)                              \
  checkUnary(                                                                  \
      #name "_" #suffix, xla_##name##_##suffix,                                \
      [](auto x) { return truth::name(x); }, bound);
#define XLA_MATH_BINARY(name, type, suffix, bound)                             \
  checkBinary(                                                                 \
      #name "_" #suffix, xla_##name##_##suffix,                                \
      [](long double x, long double y) { return truth::name(x, y); }, bound);
#define XLA_MATH_COMPLEX_UNARY(name, type, suffix, bound)                      \
  checkComplex<type>(                                                          \
      #name "_" #suffix, 1,                                                    \
      [](std::complex<type> x, std::complex<type>) {                           \
        return std::complex<type>(                                             \
            xla_##name##_re_##suffix(x.real(), x.imag()),                      \
            xla_##name##_im_##suffix(x.real(), x.imag()));                     \
      },                                                                       \
      [](truth::Complex x, truth::Complex) { return truth::name(x); }, bound);
#define XLA_MATH_COMPLEX_BINARY(name, type, suffix, bound)                     \
  checkComplex<type>(                                                          \
      #name "_" #suffix, 2,                                                    \
      [](std::complex<type> x, std::complex<type> y) {                         \
        return std::complex<type>(                                             \
            xla_##name##_re_##suffix(x.real(), x.imag(), y.real(), y.imag()),  \
            xla_##name##_im_##suffix(x.real(), x.imag(), y.real(), y.imag())); \
      },                                                                       \
      [](truth::Complex x, truth::Complex y) { return truth::name(x, y); },    \
      bound);
#include "xla/codegen/cpu/math/MathTable.def"
  checkNoSubnormals();
  return failures;
}
