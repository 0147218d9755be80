//===- Register.h - The Python module of pytrees ----------------*- C++ -*-===//

#ifndef JAXLIB_PYTREE_REGISTER_H
#define JAXLIB_PYTREE_REGISTER_H

#include <pybind11/pybind11.h>

namespace jaxlib {

/// Adds the submodule `pytree` to `module`. To be called once per process.
void registerPytree(pybind11::module_ &module);

} // namespace jaxlib

#endif // JAXLIB_PYTREE_REGISTER_H
