//===- Register.h - The Python side of the LAPACK handlers ------*- C++ -*-===//

#ifndef JAXLIB_LAPACK_REGISTER_H
#define JAXLIB_LAPACK_REGISTER_H

#include "pybind11/pybind11.h"

namespace jaxlib {

/// Makes the submodule `lapack`: `initialize(lapack_capi, blas_capi)` looks the
/// routines up, `registrations()` returns target name -> handler capsule.
void registerLapack(pybind11::module_ &parent);

} // namespace jaxlib

#endif // JAXLIB_LAPACK_REGISTER_H
