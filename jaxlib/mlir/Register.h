//===- Register.h - The Python module of MLIR -------------------*- C++ -*-===//

#ifndef JAXLIB_MLIR_REGISTER_H
#define JAXLIB_MLIR_REGISTER_H

#include <pybind11/pybind11.h>

namespace jaxlib {

/// Adds the submodule `ir` to `module`, with `passmanager` and `stablehlo`
/// inside. To be called once per process.
void registerIr(pybind11::module_ &module);

} // namespace jaxlib

#endif // JAXLIB_MLIR_REGISTER_H
