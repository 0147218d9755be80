//===- StatusMacros.h - Leaving a function with an error --------*- C++ -*-===//

#ifndef XLA_SUPPORT_STATUSMACROS_H
#define XLA_SUPPORT_STATUSMACROS_H

#include "xla/support/Status.h"

/// Names the value of a StatusOr, or leaves the function with its error.
#define XLA_ASSIGN_OR_RETURN_CAT(a, b) a##b
#define XLA_ASSIGN_OR_RETURN_NAME(a, b) XLA_ASSIGN_OR_RETURN_CAT(a, b)
#define XLA_ASSIGN_OR_RETURN(declaration, expression)                          \
  auto XLA_ASSIGN_OR_RETURN_NAME(statusOr, __LINE__) = (expression);           \
  if (!XLA_ASSIGN_OR_RETURN_NAME(statusOr, __LINE__).ok()) {                   \
    return XLA_ASSIGN_OR_RETURN_NAME(statusOr, __LINE__).status();             \
  }                                                                            \
  declaration = std::move(*XLA_ASSIGN_OR_RETURN_NAME(statusOr, __LINE__))

#endif // XLA_SUPPORT_STATUSMACROS_H
