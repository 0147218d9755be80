//===- Register.h - The submodule `fastpath` --------------------*- C++ -*-===//

#ifndef JAXLIB_FASTPATH_REGISTER_H
#define JAXLIB_FASTPATH_REGISTER_H

#include <pybind11/pybind11.h>

namespace jaxlib {

/// Adds `fastpath`: the callable of jax.jit, and what it is told.
void registerFastpath(pybind11::module_ &native);

} // namespace jaxlib

#endif // JAXLIB_FASTPATH_REGISTER_H
