//===- Common.h - Bits of floats, for the math library ----------*- C++ -*-===//
//
// The sources in this folder are compiled to LLVM bitcode, linked into programs
// and widened by the loop vectoriser. So a function is one straight line:
// selects instead of branches, no calls but of its own kind, no lookup but by
// gather. Contraction is off: where a fused multiply-add matters it is written.
//
//===----------------------------------------------------------------------===//

#ifndef XLA_CODEGEN_CPU_MATH_COMMON_H
#define XLA_CODEGEN_CPU_MATH_COMMON_H

#include <cstdint>

// Rows under a function make it one of the library's, xla_<name>_<suffix>. The
// build collects them in MathTable.def. The bound is the greatest error in
// units in the last place (of the modulus) that MathTest tolerates. Of a
// complex function, `type` is that of the parts.
#define XLA_MATH_UNARY(name, type, suffix, bound)
#define XLA_MATH_BINARY(name, type, suffix, bound)
#define XLA_MATH_COMPLEX_UNARY(name, type, suffix, bound)
#define XLA_MATH_COMPLEX_BINARY(name, type, suffix, bound)

namespace xla::math {

inline uint32_t bits(float x) { return __builtin_bit_cast(uint32_t, x); }
inline uint64_t bits(double x) { return __builtin_bit_cast(uint64_t, x); }
inline float fromBits(uint32_t x) { return __builtin_bit_cast(float, x); }
inline double fromBits(uint64_t x) { return __builtin_bit_cast(double, x); }

inline float fma(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
inline double fma(double a, double b, double c) {
  return __builtin_fma(a, b, c);
}
inline float abs(float x) { return __builtin_fabsf(x); }
inline double abs(double x) { return __builtin_fabs(x); }
inline float copysign(float x, float s) { return __builtin_copysignf(x, s); }
inline double copysign(double x, double s) { return __builtin_copysign(x, s); }

/// Both values are computed, and one is taken: `?:` on anything but names may
/// become a branch, which keeps loops from being widened.
template <typename T>
inline T choose(bool condition, T yes, T no) {
  return condition ? yes : no;
}

/// The value of a polynomial, lowest coefficient first, by Horner's rule.
template <typename T, int N>
__attribute__((always_inline)) inline T polynomial(T x, const T (&c)[N]) {
  T value = c[N - 1];
#pragma clang loop unroll(full)
  for (int i = N - 2; i >= 0; --i) {
    value = fma(value, x, c[i]);
  }
  return value;
}

/// The same with terms in pairs, by Horner's rule in the square (Estrin 1960):
/// as much work, but half of it waits for nothing.
template <typename T, int N>
__attribute__((always_inline)) inline T polynomialByPairs(T x, T square,
                                                          const T (&c)[N]) {
  T value = N % 2 ? c[N - 1] : fma(c[N - 1], x, c[N - 2]);
#pragma clang loop unroll(full)
  for (int i = N - 3 - (N + 1) % 2; i >= 0; i -= 2) {
    value = fma(value, square, fma(c[i + 1], x, c[i]));
  }
  return value;
}

/// What differs between the two widths.
template <typename T>
struct Traits;

template <>
struct Traits<float> {
  using Bits = uint32_t;
  using Int = int32_t;
  static constexpr int mantissa = 23;
  static constexpr Int bias = 127;
  static constexpr float shifter = 0x1.8p23f; // x + shifter rounds x
  static constexpr float log2e = 0x1.715476p+0f;
  static constexpr float ln2High = 0x1.62e4p-1f; // 15 bits: k * it is exact
  static constexpr float ln2Low = 0x1.7f7d1cp-20f;
  static constexpr float infinity = __builtin_inff();
  static constexpr float smallestNormal = 0x1p-126f;
};

template <>
struct Traits<double> {
  using Bits = uint64_t;
  using Int = int64_t;
  static constexpr int mantissa = 52;
  static constexpr Int bias = 1023;
  static constexpr double shifter = 0x1.8p52;
  static constexpr double log2e = 0x1.71547652b82fep+0;
  static constexpr double ln2High = 0x1.62e42feep-1; // 32 bits
  static constexpr double ln2Low = 0x1.a39ef35793c76p-33;
  static constexpr double infinity = __builtin_inf();
  static constexpr double smallestNormal = 0x1p-1022;
};

/// 2^n for n among the exponents of normal numbers.
template <typename T>
inline T powerOfTwo(typename Traits<T>::Int n) {
  using Bits = typename Traits<T>::Bits;
  return fromBits(static_cast<Bits>(n + Traits<T>::bias)
                  << Traits<T>::mantissa);
}

/// y * 2^n with one rounding, for y in [1/2, 2) and a result below infinity. To
/// multiply would make processors ask their microcode where the result is
/// subnormal; so the exponent is added to y's, or the last bits of such a
/// result are counted, as those of a sum with a larger number.
template <typename T>
inline T scale(T y, typename Traits<T>::Int n) {
  using Bits = typename Traits<T>::Bits;
  using Int = typename Traits<T>::Int;
  constexpr int mantissa = Traits<T>::mantissa;
  constexpr T unit = T(Bits(1) << mantissa);
  Bits shifted = bits(y) + (static_cast<Bits>(n) << mantissa);
  T power = powerOfTwo<T>(n + (Traits<T>::bias - 1 + mantissa));
  Bits counted = bits(fma(y, power, unit)) - bits(unit);
  bool isNormal =
      static_cast<Int>(shifted) >= Int(bits(Traits<T>::smallestNormal));
  return fromBits(choose(isNormal, shifted, counted));
}

/// The integer next to x, as a float and as an integer; |x| < 2^21.
template <typename T>
inline T roundToInt(T x, typename Traits<T>::Int &n) {
  T shifted = x + Traits<T>::shifter;
  n = static_cast<typename Traits<T>::Int>(bits(shifted) -
                                           bits(Traits<T>::shifter));
  return shifted - Traits<T>::shifter;
}

} // namespace xla::math

#endif // XLA_CODEGEN_CPU_MATH_COMMON_H
