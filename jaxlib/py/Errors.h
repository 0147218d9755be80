//===- Errors.h - From a Status to a Python exception -----------*- C++ -*-===//

#ifndef JAXLIB_PY_ERRORS_H
#define JAXLIB_PY_ERRORS_H

#include "xla/support/Status.h"

#include <pybind11/pybind11.h>

#include <string>

namespace jaxlib {

/// Sets the Python exception for a failure: JaxRuntimeError, "CODE: message".
void setError(const xla::Status &status);

/// Sets the Python exception for the use of an array that is deleted.
void setDeletedError(const std::string &message);

/// As `setError`, thrown: for code behind pybind11.
void throwIfError(const xla::Status &status);

template <typename T>
T valueOrThrow(xla::StatusOr<T> result) {
  throwIfError(result.status());
  return std::move(*result);
}

/// Adds the exception classes to `module`.
void registerErrors(pybind11::module_ &module);

} // namespace jaxlib

#endif // JAXLIB_PY_ERRORS_H
