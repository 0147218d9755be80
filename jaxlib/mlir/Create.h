//===- Create.h - Making operations -----------------------------*- C++ -*-===//

#ifndef JAXLIB_MLIR_CREATE_H
#define JAXLIB_MLIR_CREATE_H

#include "jaxlib/mlir/Ir.h"

namespace jaxlib::mlir_python {

/// What an operation is made of, as Python gives it. None stands for nothing,
/// and for `results` for types that the operation infers.
struct OperationParts {
  py::handle results = Py_None;
  py::handle operands = Py_None;
  py::handle attributes = Py_None;
  py::handle successors = Py_None;
  unsigned numRegions = 0;
  bool inferTypes = false;
};

/// Makes an operation at an insertion point, or a tree of its own without one.
PyOperation createOperation(const std::string &name,
                            const OperationParts &parts, const py::object &loc,
                            const py::object &ip);

/// The same for the classes that TableGen generates: operands and results in
/// groups, whose sizes the segment specifications describe.
PyOperation createFromOds(const std::string &name, const py::tuple &regionSpec,
                          const py::object &operandSpec,
                          const py::object &resultSpec,
                          const py::object &results, const py::object &operands,
                          const py::object &attributes,
                          const py::object &successors,
                          const py::object &regions, const py::object &loc,
                          const py::object &ip);

/// Puts what was just made at an insertion point, or into a tree of its own.
PyOperation adopt(const ContextRef &context, mlir::Operation *op,
                  const std::optional<PyInsertionPoint> &point,
                  llvm::ArrayRef<TreeRef> related);

} // namespace jaxlib::mlir_python

#endif // JAXLIB_MLIR_CREATE_H
