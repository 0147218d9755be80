//===- SpecialFunctions.h - Error function, gamma function and kin -*- C++
//-*-===//

#ifndef XLA_CONVERSION_SPECIALFUNCTIONS_H
#define XLA_CONVERSION_SPECIALFUNCTIONS_H

#include "xla/conversion/Arithmetic.h"

namespace xla {

// Formulas for f64; those of the error function and its kin also for f32.
Expr expandBesselI1e(Expr x);
Expr expandDigamma(Expr x);
Expr expandErf(Expr x);
Expr expandErfInv(Expr x);
Expr expandErfc(Expr x);
Expr expandLgamma(Expr x);
Expr expandPolygamma(Expr n, Expr x, bool throughLogarithms);
Expr expandZeta(Expr s, Expr q, bool throughLogarithms);

} // namespace xla

#endif // XLA_CONVERSION_SPECIALFUNCTIONS_H
