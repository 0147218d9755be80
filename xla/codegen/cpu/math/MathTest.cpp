//===- MathTest.cpp - The math library against long double ----------------===//
//
// Every function stays within the bound that MathTable.def states, on a sample
// of all floats; `--exhaustive` takes every one (unary functions of f32).
//
//===----------------------------------------------------------------------===//

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <limits>
#include <random>

extern "C" {
#define XLA_MATH_UNARY(name, type, suffix, bound)                              \
  type xla_##name##_##suffix(type x);
#define XLA_MATH_BINARY(name, type, suffix, bound)                             \
  type xla_##name##_##suffix(type x, type y);
#include "xla/codegen/cpu/math/MathTable.def"
}

// The true functions, under our names.
namespace truth {
using std::atan2, std::cbrt, std::cos, std::exp, std::expm1, std::log,
    std::log1p, std::pow, std::sin, std::tan, std::tanh;
static long double logistic(long double x) { return 1 / (1 + exp(-x)); }
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

static int failures = 0;
static bool exhaustive = false;

static void report(const char *name, double worst, double bound, double at) {
  std::printf("%-16s worst %.3f ULP, bound %.1f, at %a\n", name, worst, bound,
              at);
  failures += worst > bound;
}

template <typename Truth>
static void checkUnary(const char *name, float (*function)(float), Truth truth,
                       double bound) {
  double worst = 0;
  float at = 0;
  for (uint64_t bits = 0; bits < (uint64_t(1) << 32);
       bits += exhaustive ? 1 : 4093) {
    uint32_t word = static_cast<uint32_t>(bits);
    float x;
    std::memcpy(&x, &word, sizeof x);
    double error = errorOf(function(x), truth(static_cast<long double>(x)));
    if (error > worst) {
      worst = error;
      at = x;
    }
  }
  report(name, worst, bound, at);
}

template <typename Truth>
static void checkUnary(const char *name, double (*function)(double),
                       Truth truth, double bound) {
  std::mt19937_64 random(7);
  double worst = 0, at = 0;
  for (int i = 0; i < 400000; ++i) {
    uint64_t word = random();
    double x;
    std::memcpy(&x, &word, sizeof x);
    if (i % 2 == 0) { // magnitudes from 2^-5 to 2^9
      x = std::ldexp(static_cast<double>(static_cast<int64_t>(word)),
                     static_cast<int>(random() % 14) - 68);
    }
    double error = errorOf(function(x), truth(static_cast<long double>(x)));
    if (error > worst) {
      worst = error;
      at = x;
    }
  }
  report(name, worst, bound, at);
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

int main(int argc, char **argv) {
  exhaustive = argc > 1 && std::strcmp(argv[1], "--exhaustive") == 0;
#define XLA_MATH_UNARY(name, type, suffix, bound)                              \
  checkUnary(                                                                  \
      #name "_" #suffix, xla_##name##_##suffix,                                \
      [](long double x) { return truth::name(x); }, bound);
#define XLA_MATH_BINARY(name, type, suffix, bound)                             \
  checkBinary(                                                                 \
      #name "_" #suffix, xla_##name##_##suffix,                                \
      [](long double x, long double y) { return truth::name(x, y); }, bound);
#include "xla/codegen/cpu/math/MathTable.def"
  return failures;
}
