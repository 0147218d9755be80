//===- Math.cpp - The elementary functions, under their C names -----------===//
//
// One function per row of MathTable.def: xla_<name>_f32 or _f64.
//
//===----------------------------------------------------------------------===//

#include "Exponential.h"
#include "Logarithm.h"
#include "Power.h"
#include "Trigonometric.h"

#define XLA_MATH_UNARY(name, type, suffix, ulp)                                \
  XLA_MATH type xla_##name##_##suffix(type x) { return xla::math::name(x); }
#define XLA_MATH_BINARY(name, type, suffix, ulp)                               \
  XLA_MATH type xla_##name##_##suffix(type x, type y) {                        \
    return xla::math::name(x, y);                                              \
  }
#include "MathTable.def"
