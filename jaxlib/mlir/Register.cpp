//===- Register.cpp - The Python module of MLIR ---------------------------===//

#include "jaxlib/mlir/Register.h"

#include "jaxlib/mlir/Ir.h"

namespace jaxlib {

void registerIr(pybind11::module_ &module) {
  pybind11::module_ ir = module.def_submodule(
      "ir", "MLIR: contexts, types, attributes, operations.");
  // Bases before what derives from them or shows in signatures.
  mlir_python::bindContext(ir);
  mlir_python::bindTypes(ir);
  mlir_python::bindAttributes(ir);
  mlir_python::bindDenseElements(ir);
  mlir_python::bindValues(ir);
  mlir_python::bindBlocks(ir);
  mlir_python::bindOperations(ir);
  pybind11::module_ passes =
      ir.def_submodule("passmanager", "Running passes over operations.");
  mlir_python::bindPasses(passes);
  pybind11::module_ stablehlo =
      ir.def_submodule("stablehlo", "Attributes and types of StableHLO.");
  mlir_python::bindStablehlo(stablehlo);
  mlir_python::bindArtifacts(stablehlo);
  pybind11::module_ sdy = ir.def_submodule("sdy", "Attributes of shardings.");
  mlir_python::bindSdy(sdy);
}

} // namespace jaxlib
