//===- ComplexFunctions.h - CHLO's functions of complex numbers -*- C++ -*-===//

#ifndef XLA_CONVERSION_COMPLEXFUNCTIONS_H
#define XLA_CONVERSION_COMPLEXFUNCTIONS_H

#include "xla/conversion/Arithmetic.h"

namespace xla {

/// The function of CHLO with this name, of a complex `x`; failure where there
/// is none.
mlir::FailureOr<Expr> expandComplex(llvm::StringRef name, Expr x);

} // namespace xla

#endif // XLA_CONVERSION_COMPLEXFUNCTIONS_H
