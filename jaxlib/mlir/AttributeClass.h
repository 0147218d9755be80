//===- AttributeClass.h - Defining a Python class of attributes -*- C++ -*-===//

#ifndef JAXLIB_MLIR_ATTRIBUTECLASS_H
#define JAXLIB_MLIR_ATTRIBUTECLASS_H

#include "jaxlib/mlir/Ir.h"

#include "mlir/IR/BuiltinAttributes.h"

namespace jaxlib::mlir_python {

/// Each class of attributes is a class of its own for pybind11, without own
/// data.
template <typename AttributeClass>
struct AttributeOf : PyAttribute {
  AttributeClass get() const {
    return llvm::cast<AttributeClass>(this->attribute);
  }
};

/// A class of attributes with conversion from Attribute, and `isinstance`.
template <typename AttributeClass>
py::class_<AttributeOf<AttributeClass>, PyAttribute>
defineAttribute(py::module_ &module, const char *name) {
  using Wrapper = AttributeOf<AttributeClass>;
  addAttributeCaster(mlir::TypeID::get<AttributeClass>(),
                     [](const ContextRef &context, mlir::Attribute attribute) {
                       return py::cast(Wrapper{{context, attribute}});
                     });
  std::string ownName = name;
  py::class_<Wrapper, PyAttribute> result(module, name);
  result
      .def(py::init([ownName](const PyAttribute &attribute) {
             if (!llvm::isa<AttributeClass>(attribute.attribute)) {
               std::string text;
               llvm::raw_string_ostream(text) << attribute.attribute;
               throw py::value_error("Cannot cast attribute to " + ownName +
                                     " (from " + text + ")");
             }
             return Wrapper{{attribute.context, attribute.attribute}};
           }),
           py::arg("cast_from_attr"))
      .def_static(
          "isinstance",
          [](const PyAttribute &other) {
            return llvm::isa<AttributeClass>(other.attribute);
          },
          py::arg("other"));
  return result;
}

} // namespace jaxlib::mlir_python

#endif // JAXLIB_MLIR_ATTRIBUTECLASS_H
