//===- Math.cpp - The elementary functions, under their C names -----------===//
//
// One function, or two of complex numbers, for each row in the headers.
//
//===----------------------------------------------------------------------===//

#include "Complex.h"
#include "ComplexArithmetic.h"
#include "Exponential.h"
#include "Logarithm.h"
#include "Power.h"
#include "Trigonometric.h"

#define XLA_MATH extern "C" __attribute__((visibility("default")))

#undef XLA_MATH_UNARY
#undef XLA_MATH_BINARY
#undef XLA_MATH_COMPLEX_UNARY
#undef XLA_MATH_COMPLEX_BINARY
#define XLA_MATH_UNARY(name, type, suffix, ulp)                                \
  XLA_MATH type xla_##name##_##suffix(type x) { return xla::math::name(x); }
#define XLA_MATH_BINARY(name, type, suffix, ulp)                               \
  XLA_MATH type xla_##name##_##suffix(type x, type y) {                        \
    return xla::math::name(x, y);                                              \
  }
// Two functions each, for the real and the imaginary part: what they share is
// computed once, for both are inlined where they are called.
#define XLA_MATH_COMPLEX_UNARY(name, type, suffix, ulp)                        \
  XLA_MATH type xla_##name##_re_##suffix(type a, type b) {                     \
    return static_cast<type>(xla::math::name<type>({a, b}).re);                \
  }                                                                            \
  XLA_MATH type xla_##name##_im_##suffix(type a, type b) {                     \
    return static_cast<type>(xla::math::name<type>({a, b}).im);                \
  }
#define XLA_MATH_COMPLEX_BINARY(name, type, suffix, ulp)                       \
  XLA_MATH type xla_##name##_re_##suffix(type a, type b, type c, type d) {     \
    return static_cast<type>(xla::math::name<type>({a, b}, {c, d}).re);        \
  }                                                                            \
  XLA_MATH type xla_##name##_im_##suffix(type a, type b, type c, type d) {     \
    return static_cast<type>(xla::math::name<type>({a, b}, {c, d}).im);        \
  }
#include "xla/codegen/cpu/math/MathTable.def"

XLA_MATH float xla_modulus_c64(float a, float b) {
  return static_cast<float>(xla::math::modulus<float>({a, b}));
}
XLA_MATH double xla_modulus_c128(double a, double b) {
  return xla::math::modulus<double>({a, b});
}
