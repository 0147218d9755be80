//===- Register.h - The submodule `client` ----------------------*- C++ -*-===//

#ifndef JAXLIB_PY_REGISTER_H
#define JAXLIB_PY_REGISTER_H

#include <pybind11/pybind11.h>

namespace jaxlib {

/// Adds `client`: plugins, devices, executables, arrays.
void registerClient(pybind11::module_ &native);

} // namespace jaxlib

#endif // JAXLIB_PY_REGISTER_H
