//===- Attributes.cpp - The classes of attributes -------------------------===//

#include "jaxlib/mlir/AttributeClass.h"
#include "jaxlib/mlir/Ir.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/AffineMap.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallString.h"

#include <pybind11/stl.h>

namespace jaxlib::mlir_python {

static llvm::DenseMap<mlir::TypeID, AttributeCaster> &casters() {
  static auto *map = new llvm::DenseMap<mlir::TypeID, AttributeCaster>();
  return *map;
}

void addAttributeCaster(mlir::TypeID id, AttributeCaster caster) {
  casters()[id] = caster;
}

py::object toPython(const ContextRef &context, mlir::Attribute attribute) {
  if (!attribute) {
    return py::none();
  }
  auto found = casters().find(attribute.getTypeID());
  return found == casters().end() ? py::cast(PyAttribute{context, attribute})
                                  : found->second(context, attribute);
}

std::vector<mlir::Attribute> attributesFrom(const ContextRef &context,
                                            py::handle sequence,
                                            const char *what) {
  std::vector<mlir::Attribute> attributes;
  for (py::handle item : py::reinterpret_borrow<py::object>(sequence)) {
    if (!py::isinstance<PyAttribute>(item)) {
      raiseTypeError(std::string(what) + " to be attributes", item);
    }
    attributes.push_back(item.cast<PyAttribute &>().attribute);
    requireSameContext(attributes.back().getContext(), &context->context);
  }
  return attributes;
}

static std::string print(mlir::Attribute attribute) {
  std::string text;
  llvm::raw_string_ostream(text) << attribute;
  return text;
}

static void bindBase(py::module_ &module) {
  py::class_<PyNamedAttribute>(module, "NamedAttribute")
      .def_readonly("name", &PyNamedAttribute::name)
      .def_property_readonly("attr",
                             [](const PyNamedAttribute &self) {
                               return toPython(self.attribute.context,
                                               self.attribute.attribute);
                             })
      .def("__repr__", [](const PyNamedAttribute &self) {
        return "NamedAttribute(" + self.name + "=" +
               print(self.attribute.attribute) + ")";
      });
  py::class_<PyAttribute>(module, "Attribute")
      .def_static(
          "parse",
          [](const std::string &text, const py::object &given) {
            ContextRef context = resolveContext(given);
            DiagnosticCapture capture(context);
            capture.requireReadable(text, "Unable to parse attribute");
            context->keeps(4 * text.size());
            mlir::Attribute attribute =
                mlir::parseAttribute(text, &context->context);
            if (!attribute) {
              capture.raise("Unable to parse attribute");
            }
            return toPython(context, attribute);
          },
          py::arg("asm"), py::arg("context") = py::none())
      .def_readonly("context", &PyAttribute::context)
      .def_property_readonly(
          "type",
          [](const PyAttribute &self) -> py::object {
            auto typed = llvm::dyn_cast<mlir::TypedAttr>(self.attribute);
            return typed ? toPython(self.context, typed.getType())
                         : toPython(self.context,
                                    mlir::Type(mlir::NoneType::get(
                                        self.attribute.getContext())));
          })
      .def("get_named",
           [](const PyAttribute &self, const std::string &name) {
             return PyNamedAttribute{name, self};
           })
      .def("maybe_downcast",
           [](const PyAttribute &self) {
             return toPython(self.context, self.attribute);
           })
      .def("__eq__",
           [](const PyAttribute &self, py::handle other) {
             return py::isinstance<PyAttribute>(other) &&
                    self.attribute == other.cast<PyAttribute &>().attribute;
           })
      .def("__hash__",
           [](const PyAttribute &self) {
             return static_cast<Py_hash_t>(
                 reinterpret_cast<uintptr_t>(
                     self.attribute.getAsOpaquePointer()) >>
                 4);
           })
      .def("__str__",
           [](const PyAttribute &self) { return print(self.attribute); })
      .def("__repr__", [](py::object self) {
        return py::str("{}({})").format(py::type::of(self).attr("__name__"),
                                        py::str(self));
      });
}

//===----------------------------------------------------------------------===//
// Numbers and strings
//===----------------------------------------------------------------------===//

static llvm::APInt parseInteger(const py::int_ &value, unsigned width) {
  int overflow = 0;
  long long small = PyLong_AsLongLongAndOverflow(value.ptr(), &overflow);
  if (!overflow) {
    return llvm::APInt(64, static_cast<uint64_t>(small), /*isSigned=*/true)
        .sextOrTrunc(width);
  }
  std::string digits = py::str(value).cast<std::string>();
  unsigned needed = llvm::APInt::getBitsNeeded(digits, 10) + 1;
  return llvm::APInt(needed, digits, 10).sextOrTrunc(width);
}

static py::object makeInteger(const PyType &type, const py::object &number) {
  py::object index =
      py::reinterpret_steal<py::object>(PyNumber_Index(number.ptr()));
  if (!index) {
    throw py::error_already_set();
  }
  unsigned width = 64;
  if (auto integer = llvm::dyn_cast<mlir::IntegerType>(type.type)) {
    width = integer.getWidth();
  } else if (!type.type.isIndex()) {
    throw py::value_error("the type of an IntegerAttr is an integer type");
  }
  return toPython(
      type.context,
      mlir::IntegerAttr::get(type.type, parseInteger(py::int_(index), width)));
}

static py::object integerValue(const PyAttribute &self) {
  auto attribute = llvm::cast<mlir::IntegerAttr>(self.attribute);
  llvm::APInt value = attribute.getValue();
  bool isUnsigned = attribute.getType().isUnsignedInteger() ||
                    attribute.getType().isInteger(1);
  if (value.getBitWidth() <= 64) {
    return isUnsigned ? py::object(py::int_(value.getZExtValue()))
                      : py::object(py::int_(value.getSExtValue()));
  }
  llvm::SmallString<64> digits;
  value.toString(digits, 10, /*Signed=*/!isUnsigned);
  return py::int_(py::str(digits.str().str()));
}

static py::object makeFloat(const PyType &type, double value) {
  if (!llvm::isa<mlir::FloatType>(type.type)) {
    throw py::value_error("the type of a FloatAttr is a floating-point type");
  }
  return toPython(type.context, mlir::FloatAttr::get(type.type, value));
}

static void bindScalars(py::module_ &module) {
  using Integer = AttributeOf<mlir::IntegerAttr>;
  defineAttribute<mlir::IntegerAttr>(module, "IntegerAttr")
      .def_static("get", &makeInteger, py::arg("type"), py::arg("value"))
      .def_property_readonly(
          "value", [](const Integer &self) { return integerValue(self); })
      .def("__int__", [](const Integer &self) { return integerValue(self); });
  using Bool = AttributeOf<mlir::BoolAttr>;
  py::class_<Bool, PyAttribute>(module, "BoolAttr")
      .def(py::init([](const PyAttribute &attribute) {
        if (!llvm::isa<mlir::BoolAttr>(attribute.attribute)) {
          throw py::value_error("Cannot cast attribute to BoolAttr");
        }
        return Bool{{attribute.context, attribute.attribute}};
      }))
      .def_static(
          "isinstance",
          [](const PyAttribute &other) {
            return llvm::isa<mlir::BoolAttr>(other.attribute);
          },
          py::arg("other"))
      .def_static(
          "get",
          [](bool value, const py::object &given) {
            ContextRef context = resolveContext(given);
            return py::cast(
                Bool{{context, mlir::BoolAttr::get(&context->context, value)}});
          },
          py::arg("value"), py::arg("context") = py::none())
      .def_property_readonly(
          "value", [](const Bool &self) { return self.get().getValue(); })
      .def("__bool__", [](const Bool &self) { return self.get().getValue(); })
      .def("__int__",
           [](const Bool &self) { return int(self.get().getValue()); });
  // An i1 is a BoolAttr first, as in MLIR.
  addAttributeCaster(mlir::TypeID::get<mlir::IntegerAttr>(),
                     [](const ContextRef &context, mlir::Attribute attribute) {
                       return llvm::isa<mlir::BoolAttr>(attribute)
                                  ? py::cast(Bool{{context, attribute}})
                                  : py::cast(Integer{{context, attribute}});
                     });
  using Float = AttributeOf<mlir::FloatAttr>;
  auto floatValue = [](const Float &self) {
    return self.get().getValueAsDouble();
  };
  defineAttribute<mlir::FloatAttr>(module, "FloatAttr")
      .def_static(
          "get",
          [](const PyType &type, double value, const py::object &) {
            return makeFloat(type, value);
          },
          py::arg("type"), py::arg("value"), py::arg("loc") = py::none())
      .def_static(
          "get_f32",
          [](double value, const py::object &given) {
            ContextRef context = resolveContext(given);
            mlir::Type type = mlir::Float32Type::get(&context->context);
            return makeFloat(PyType{context, type}, value);
          },
          py::arg("value"), py::arg("context") = py::none())
      .def_static(
          "get_f64",
          [](double value, const py::object &given) {
            ContextRef context = resolveContext(given);
            mlir::Type type = mlir::Float64Type::get(&context->context);
            return makeFloat(PyType{context, type}, value);
          },
          py::arg("value"), py::arg("context") = py::none())
      .def_property_readonly("value", floatValue)
      .def("__float__", floatValue);
  using String = AttributeOf<mlir::StringAttr>;
  defineAttribute<mlir::StringAttr>(module, "StringAttr")
      .def_static(
          "get",
          [](const py::object &value, const py::object &given) {
            if (!PyUnicode_Check(value.ptr()) && !PyBytes_Check(value.ptr())) {
              raiseTypeError("a str or bytes", value);
            }
            ContextRef context = resolveContext(given);
            auto text = value.cast<std::string>();
            context->keeps(text.size());
            return toPython(context,
                            mlir::StringAttr::get(&context->context, text));
          },
          py::arg("value"), py::arg("context") = py::none())
      .def_static(
          "get_typed",
          [](const PyType &type, const std::string &value) {
            return toPython(type.context,
                            mlir::StringAttr::get(value, type.type));
          },
          py::arg("type"), py::arg("value"))
      .def_property_readonly(
          "value",
          [](const String &self) { return self.get().getValue().str(); })
      .def_property_readonly("value_bytes", [](const String &self) {
        return py::bytes(self.get().getValue().str());
      });
  defineAttribute<mlir::UnitAttr>(module, "UnitAttr")
      .def_static(
          "get",
          [](const py::object &given) {
            ContextRef context = resolveContext(given);
            return toPython(context, mlir::UnitAttr::get(&context->context));
          },
          py::arg("context") = py::none());
}

//===----------------------------------------------------------------------===//
// Containers and references
//===----------------------------------------------------------------------===//

static int64_t checkedIndex(int64_t index, int64_t size) {
  if (index < 0) {
    index += size;
  }
  if (index < 0 || index >= size) {
    throw py::index_error("index out of range");
  }
  return index;
}

static void bindArray(py::module_ &module) {
  using Array = AttributeOf<mlir::ArrayAttr>;
  defineAttribute<mlir::ArrayAttr>(module, "ArrayAttr")
      .def_static(
          "get",
          [](const py::object &attributes, const py::object &given) {
            ContextRef context = resolveContext(given);
            return toPython(
                context, mlir::ArrayAttr::get(
                             &context->context,
                             attributesFrom(context, attributes, "elements")));
          },
          py::arg("attributes"), py::arg("context") = py::none())
      .def("__len__", [](const Array &self) { return self.get().size(); })
      .def("__getitem__",
           [](const Array &self, int64_t index) {
             return toPython(
                 self.context,
                 self.get()[checkedIndex(index, self.get().size())]);
           })
      .def("__add__",
           [](const Array &self, const py::object &others) {
             std::vector<mlir::Attribute> all(self.get().begin(),
                                              self.get().end());
             for (mlir::Attribute other :
                  attributesFrom(self.context, others, "elements")) {
               all.push_back(other);
             }
             return toPython(
                 self.context,
                 mlir::ArrayAttr::get(self.attribute.getContext(), all));
           })
      .def("__iter__", [](const Array &self) {
        py::list list;
        for (mlir::Attribute attribute : self.get()) {
          list.append(toPython(self.context, attribute));
        }
        return py::iter(list);
      });
}

static void bindDictionary(py::module_ &module) {
  using Dictionary = AttributeOf<mlir::DictionaryAttr>;
  defineAttribute<mlir::DictionaryAttr>(module, "DictAttr")
      .def_static(
          "get",
          [](const py::dict &value, const py::object &given) {
            ContextRef context = resolveContext(given);
            mlir::NamedAttrList list;
            for (auto [key, item] : value) {
              if (!py::isinstance<PyAttribute>(item)) {
                raiseTypeError("the values of a DictAttr to be attributes",
                               item);
              }
              requireSameContext(
                  item.cast<PyAttribute &>().attribute.getContext(),
                  &context->context);
              list.set(mlir::StringAttr::get(&context->context,
                                             key.cast<std::string>()),
                       item.cast<PyAttribute &>().attribute);
            }
            return toPython(context, list.getDictionary(&context->context));
          },
          py::arg("value") = py::dict(), py::arg("context") = py::none())
      .def("__contains__",
           [](const Dictionary &self, const std::string &name) {
             return self.get().contains(name);
           })
      .def("__len__", [](const Dictionary &self) { return self.get().size(); })
      .def("__getitem__",
           [](const Dictionary &self, const std::string &name) {
             mlir::Attribute found = self.get().get(name);
             if (!found) {
               throw py::key_error("attempt to access a non-existent "
                                   "attribute " +
                                   name);
             }
             return toPython(self.context, found);
           })
      .def("__getitem__",
           [](const Dictionary &self, int64_t index) {
             mlir::NamedAttribute entry =
                 self.get().getValue()[checkedIndex(index, self.get().size())];
             return PyNamedAttribute{entry.getName().str(),
                                     {self.context, entry.getValue()}};
           })
      .def("__iter__", [](const Dictionary &self) {
        py::list list;
        for (mlir::NamedAttribute entry : self.get()) {
          list.append(PyNamedAttribute{entry.getName().str(),
                                       {self.context, entry.getValue()}});
        }
        return py::iter(list);
      });
}

static void bindReferences(py::module_ &module) {
  using TypeAttribute = AttributeOf<mlir::TypeAttr>;
  defineAttribute<mlir::TypeAttr>(module, "TypeAttr")
      .def_static(
          "get",
          [](const PyType &type, const py::object &) {
            return toPython(type.context, mlir::TypeAttr::get(type.type));
          },
          py::arg("value"), py::arg("context") = py::none())
      .def_property_readonly("value", [](const TypeAttribute &self) {
        return toPython(self.context, self.get().getValue());
      });
  using Symbol = AttributeOf<mlir::SymbolRefAttr>;
  defineAttribute<mlir::SymbolRefAttr>(module, "SymbolRefAttr")
      .def_static(
          "get",
          [](const std::vector<std::string> &names, const py::object &given) {
            if (names.empty()) {
              throw py::value_error(
                  "SymbolRefAttr must be composed of at least one symbol.");
            }
            ContextRef context = resolveContext(given);
            std::vector<mlir::FlatSymbolRefAttr> nested;
            for (size_t i = 1; i < names.size(); ++i) {
              nested.push_back(
                  mlir::FlatSymbolRefAttr::get(&context->context, names[i]));
            }
            return toPython(context, mlir::SymbolRefAttr::get(
                                         &context->context, names[0], nested));
          },
          py::arg("symbols"), py::arg("context") = py::none())
      .def_property_readonly("value", [](const Symbol &self) {
        std::vector<std::string> names = {
            self.get().getRootReference().getValue().str()};
        for (mlir::FlatSymbolRefAttr part : self.get().getNestedReferences()) {
          names.push_back(part.getValue().str());
        }
        return names;
      });
  struct Flat : PyAttribute {};
  py::class_<Flat, PyAttribute>(module, "FlatSymbolRefAttr")
      .def(py::init([](const PyAttribute &attribute) {
        if (!llvm::isa<mlir::FlatSymbolRefAttr>(attribute.attribute)) {
          throw py::value_error("Cannot cast attribute to FlatSymbolRefAttr");
        }
        return Flat{{attribute.context, attribute.attribute}};
      }))
      .def_static(
          "isinstance",
          [](const PyAttribute &other) {
            return llvm::isa<mlir::FlatSymbolRefAttr>(other.attribute);
          },
          py::arg("other"))
      .def_static(
          "get",
          [](const std::string &value, const py::object &given) {
            ContextRef context = resolveContext(given);
            return toPython(context,
                            mlir::Attribute(mlir::FlatSymbolRefAttr::get(
                                &context->context, value)));
          },
          py::arg("value"), py::arg("context") = py::none())
      .def_property_readonly("value", [](const Flat &self) {
        return llvm::cast<mlir::FlatSymbolRefAttr>(self.attribute)
            .getValue()
            .str();
      });
  addAttributeCaster(mlir::TypeID::get<mlir::SymbolRefAttr>(),
                     [](const ContextRef &context, mlir::Attribute attribute) {
                       return llvm::isa<mlir::FlatSymbolRefAttr>(attribute)
                                  ? py::cast(Flat{{context, attribute}})
                                  : py::cast(Symbol{{context, attribute}});
                     });
  defineAttribute<mlir::OpaqueAttr>(module, "OpaqueAttr");
  using Map = AttributeOf<mlir::AffineMapAttr>;
  defineAttribute<mlir::AffineMapAttr>(module, "AffineMapAttr")
      .def_static(
          "get_identity",
          [](unsigned rank, const py::object &given) {
            ContextRef context = resolveContext(given);
            return py::cast(
                Map{{context, mlir::AffineMapAttr::get(
                                  mlir::AffineMap::getMultiDimIdentityMap(
                                      rank, &context->context))}});
          },
          py::arg("rank"), py::arg("context") = py::none());
}

void bindAttributes(py::module_ &module) {
  bindBase(module);
  bindScalars(module);
  bindArray(module);
  bindDictionary(module);
  bindReferences(module);
}

} // namespace jaxlib::mlir_python
