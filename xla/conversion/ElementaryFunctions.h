//===- ElementaryFunctions.h - CHLO's, of real numbers ----------*- C++ -*-===//

#ifndef XLA_CONVERSION_ELEMENTARYFUNCTIONS_H
#define XLA_CONVERSION_ELEMENTARYFUNCTIONS_H

#include "xla/conversion/Arithmetic.h"

namespace xla {

// Formulas for f32 and f64. All return the sign of zero that they were given,
// and NaN outside their domain.
Expr expandAcos(Expr x);
Expr expandAcosh(Expr x);
Expr expandAsin(Expr x);
Expr expandAsinh(Expr x);
Expr expandAtan(Expr x);
Expr expandAtanh(Expr x);
Expr expandCosh(Expr x);
Expr expandSinh(Expr x);

} // namespace xla

#endif // XLA_CONVERSION_ELEMENTARYFUNCTIONS_H
