//===- Types.cpp - The classes of types -----------------------------------===//

#include "jaxlib/mlir/Ir.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/DenseMap.h"

#include <pybind11/stl.h>

namespace jaxlib::mlir_python {

/// Each class of types is a class of its own for pybind11, without own data.
template <typename TypeClass>
struct TypeOf : PyType {
  TypeClass get() const { return llvm::cast<TypeClass>(this->type); }
};

struct PyShapedType : PyType {
  mlir::ShapedType get() const { return llvm::cast<mlir::ShapedType>(type); }
};
template <typename TypeClass>
struct ShapedTypeOf : PyShapedType {
  TypeClass get() const { return llvm::cast<TypeClass>(this->type); }
};
struct PyFloatType : PyType {
  mlir::FloatType get() const { return llvm::cast<mlir::FloatType>(type); }
};
template <typename TypeClass>
struct FloatTypeOf : PyFloatType {};

static llvm::DenseMap<mlir::TypeID, TypeCaster> &casters() {
  static auto *map = new llvm::DenseMap<mlir::TypeID, TypeCaster>();
  return *map;
}

void addTypeCaster(mlir::TypeID id, TypeCaster caster) {
  casters()[id] = caster;
}

py::object toPython(const ContextRef &context, mlir::Type type) {
  if (!type) {
    return py::none();
  }
  auto found = casters().find(type.getTypeID());
  return found == casters().end() ? py::cast(PyType{context, type})
                                  : found->second(context, type);
}

void raiseTypeError(const std::string &what, py::handle found) {
  throw py::type_error("expected " + what + ", got " +
                       std::string(Py_TYPE(found.ptr())->tp_name) + ": " +
                       py::repr(found).cast<std::string>());
}

void requireSameContext(mlir::MLIRContext *a, mlir::MLIRContext *b) {
  if (a != b) {
    throw py::value_error("the parts belong to different contexts");
  }
}

std::vector<mlir::Type> typesFrom(const ContextRef &context,
                                  py::handle sequence, const char *what) {
  std::vector<mlir::Type> types;
  for (py::handle item : py::reinterpret_borrow<py::object>(sequence)) {
    if (!py::isinstance<PyType>(item)) {
      raiseTypeError(std::string(what) + " to be types", item);
    }
    types.push_back(item.cast<PyType &>().type);
    requireSameContext(types.back().getContext(), &context->context);
  }
  return types;
}

std::vector<int64_t> integersFrom(py::handle sequence, const char *what) {
  std::vector<int64_t> integers;
  for (py::handle item : py::reinterpret_borrow<py::object>(sequence)) {
    py::object index =
        py::reinterpret_steal<py::object>(PyNumber_Index(item.ptr()));
    if (!index) {
      PyErr_Clear();
      raiseTypeError(std::string(what) + " to be integers", item);
    }
    integers.push_back(index.cast<int64_t>());
  }
  return integers;
}

//===----------------------------------------------------------------------===//
// Binding
//===----------------------------------------------------------------------===//

/// Defines a class of types: conversion, `isinstance`, `static_typeid`.
template <typename Wrapper, typename TypeClass, typename Base>
static py::class_<Wrapper, Base> defineType(py::module_ &module,
                                            const char *name) {
  addTypeCaster(mlir::TypeID::get<TypeClass>(),
                [](const ContextRef &context, mlir::Type type) {
                  Wrapper wrapper;
                  wrapper.context = context;
                  wrapper.type = type;
                  return py::cast(std::move(wrapper));
                });
  std::string ownName = name;
  py::class_<Wrapper, Base> result(module, name);
  result
      .def(py::init([ownName](const PyType &type) {
             if (!llvm::isa<TypeClass>(type.type)) {
               std::string text;
               llvm::raw_string_ostream(text) << type.type;
               throw py::value_error("Cannot cast type to " + ownName +
                                     " (from " + text + ")");
             }
             Wrapper wrapper;
             wrapper.context = type.context;
             wrapper.type = type.type;
             return wrapper;
           }),
           py::arg("cast_from_type"))
      .def_static(
          "isinstance",
          [](const PyType &type) { return llvm::isa<TypeClass>(type.type); },
          py::arg("other"));
  return result;
}

/// A class of one type: it has no parameters.
template <typename Wrapper, typename TypeClass, typename Base>
static void defineConstant(py::module_ &module, const char *name) {
  defineType<Wrapper, TypeClass, Base>(module, name)
      .def_static(
          "get",
          [](const py::object &given) {
            ContextRef context = resolveContext(given);
            return toPython(context, TypeClass::get(&context->context));
          },
          py::arg("context") = py::none());
}

template <typename TypeClass>
static void defineFloat(py::module_ &module, const char *name) {
  defineConstant<FloatTypeOf<TypeClass>, TypeClass, PyFloatType>(module, name);
}

template <typename TypeClass>
static void defineSimple(py::module_ &module, const char *name) {
  defineConstant<TypeOf<TypeClass>, TypeClass, PyType>(module, name);
}

static void bindBase(py::module_ &module) {
  py::class_<PyType>(module, "Type")
      .def_static(
          "parse",
          [](const std::string &text, const py::object &given) {
            ContextRef context = resolveContext(given);
            DiagnosticCapture capture(context);
            capture.requireReadable(text, "Unable to parse type");
            context->keeps(4 * text.size());
            mlir::Type type = mlir::parseType(text, &context->context);
            if (!type) {
              capture.raise("Unable to parse type");
            }
            return toPython(context, type);
          },
          py::arg("asm"), py::arg("context") = py::none())
      .def_readonly("context", &PyType::context)
      .def("maybe_downcast",
           [](const PyType &self) { return toPython(self.context, self.type); })
      .def("__eq__",
           [](const PyType &self, py::handle other) {
             return py::isinstance<PyType>(other) &&
                    self.type == other.cast<PyType &>().type;
           })
      .def("__hash__",
           [](const PyType &self) {
             return static_cast<Py_hash_t>(
                 reinterpret_cast<uintptr_t>(self.type.getAsOpaquePointer()) >>
                 4);
           })
      .def("__str__",
           [](const PyType &self) {
             std::string text;
             llvm::raw_string_ostream(text) << self.type;
             return text;
           })
      .def("__repr__", [](py::object self) {
        return py::str("{}({})").format(py::type::of(self).attr("__name__"),
                                        py::str(self));
      });
}

static void bindScalars(py::module_ &module) {
  using Signedness = mlir::IntegerType::SignednessSemantics;
  using Integer = TypeOf<mlir::IntegerType>;
  auto integer =
      defineType<Integer, mlir::IntegerType, PyType>(module, "IntegerType");
  py::enum_<Signedness>(integer, "Signedness")
      .value("SIGNLESS", Signedness::Signless)
      .value("SIGNED", Signedness::Signed)
      .value("UNSIGNED", Signedness::Unsigned)
      .export_values();
  auto make = [](unsigned width, Signedness signedness,
                 const py::object &given) {
    ContextRef context = resolveContext(given);
    if (width > mlir::IntegerType::kMaxWidth) {
      throw py::value_error("an integer type has at most " +
                            std::to_string(mlir::IntegerType::kMaxWidth) +
                            " bits");
    }
    return toPython(
        context, mlir::IntegerType::get(&context->context, width, signedness));
  };
  auto makeAs = [=](Signedness signedness) {
    return [=](unsigned width, const py::object &given) {
      return make(width, signedness, given);
    };
  };
  integer
      .def_static("get", make, py::arg("width"),
                  py::arg("signedness") = Signedness::Signless,
                  py::arg("context") = py::none())
      .def_static("get_signless", makeAs(Signedness::Signless),
                  py::arg("width"), py::arg("context") = py::none())
      .def_static("get_signed", makeAs(Signedness::Signed), py::arg("width"),
                  py::arg("context") = py::none())
      .def_static("get_unsigned", makeAs(Signedness::Unsigned),
                  py::arg("width"), py::arg("context") = py::none())
      .def_property_readonly(
          "width", [](const Integer &self) { return self.get().getWidth(); })
      .def_property_readonly(
          "signedness",
          [](const Integer &self) { return self.get().getSignedness(); })
      .def_property_readonly(
          "is_signless",
          [](const Integer &self) { return self.get().isSignless(); })
      .def_property_readonly(
          "is_signed",
          [](const Integer &self) { return self.get().isSigned(); })
      .def_property_readonly("is_unsigned", [](const Integer &self) {
        return self.get().isUnsigned();
      });

  py::class_<PyFloatType, PyType>(module, "FloatType")
      .def_static("isinstance",
                  [](const PyType &type) {
                    return llvm::isa<mlir::FloatType>(type.type);
                  })
      .def_property_readonly("width", [](const PyFloatType &self) {
        return self.get().getWidth();
      });
  defineFloat<mlir::Float16Type>(module, "F16Type");
  defineFloat<mlir::BFloat16Type>(module, "BF16Type");
  defineFloat<mlir::Float32Type>(module, "F32Type");
  defineFloat<mlir::Float64Type>(module, "F64Type");
  defineFloat<mlir::FloatTF32Type>(module, "FloatTF32Type");
  defineFloat<mlir::Float4E2M1FNType>(module, "Float4E2M1FNType");
  defineFloat<mlir::Float6E2M3FNType>(module, "Float6E2M3FNType");
  defineFloat<mlir::Float6E3M2FNType>(module, "Float6E3M2FNType");
  defineFloat<mlir::Float8E3M4Type>(module, "Float8E3M4Type");
  defineFloat<mlir::Float8E4M3Type>(module, "Float8E4M3Type");
  defineFloat<mlir::Float8E4M3FNType>(module, "Float8E4M3FNType");
  defineFloat<mlir::Float8E4M3FNUZType>(module, "Float8E4M3FNUZType");
  defineFloat<mlir::Float8E4M3B11FNUZType>(module, "Float8E4M3B11FNUZType");
  defineFloat<mlir::Float8E5M2Type>(module, "Float8E5M2Type");
  defineFloat<mlir::Float8E5M2FNUZType>(module, "Float8E5M2FNUZType");
  defineFloat<mlir::Float8E8M0FNUType>(module, "Float8E8M0FNUType");
}

static py::list typeList(const ContextRef &context, mlir::TypeRange types) {
  py::list list;
  for (mlir::Type type : types) {
    list.append(toPython(context, type));
  }
  return list;
}

static void bindCompounds(py::module_ &module) {
  defineSimple<mlir::IndexType>(module, "IndexType");
  defineSimple<mlir::NoneType>(module, "NoneType");
  using Complex = TypeOf<mlir::ComplexType>;
  defineType<Complex, mlir::ComplexType, PyType>(module, "ComplexType")
      .def_static(
          "get",
          [](const PyType &element) {
            if (!element.type.isIntOrFloat() && !element.type.isIndex()) {
              throw py::value_error(
                  "the parts of a complex type are integers or floats");
            }
            return toPython(element.context,
                            mlir::ComplexType::get(element.type));
          },
          py::arg("element_type"))
      .def_property_readonly("element_type", [](const Complex &self) {
        return toPython(self.context, self.get().getElementType());
      });
  using Tuple = TypeOf<mlir::TupleType>;
  auto makeTuple = [](const py::object &elements, const py::object &given) {
    ContextRef context = resolveContext(given);
    return toPython(context, mlir::TupleType::get(
                                 &context->context,
                                 typesFrom(context, elements, "elements")));
  };
  defineType<Tuple, mlir::TupleType, PyType>(module, "TupleType")
      .def_static("get_tuple", makeTuple, py::arg("elements"),
                  py::arg("context") = py::none())
      .def_static("get", makeTuple, py::arg("elements"),
                  py::arg("context") = py::none())
      .def("get_type",
           [](const Tuple &self, size_t position) {
             if (position >= self.get().size()) {
               throw py::index_error("no such element of the tuple type");
             }
             return toPython(self.context, self.get().getType(position));
           })
      .def_property_readonly(
          "num_types", [](const Tuple &self) { return self.get().size(); });
  using Function = TypeOf<mlir::FunctionType>;
  defineType<Function, mlir::FunctionType, PyType>(module, "FunctionType")
      .def_static(
          "get",
          [](const py::object &inputs, const py::object &results,
             const py::object &given) {
            ContextRef context = resolveContext(given);
            return toPython(context,
                            mlir::FunctionType::get(
                                &context->context,
                                typesFrom(context, inputs, "inputs"),
                                typesFrom(context, results, "results")));
          },
          py::arg("inputs"), py::arg("results"),
          py::arg("context") = py::none())
      .def_property_readonly("inputs",
                             [](const Function &self) {
                               return typeList(self.context,
                                               self.get().getInputs());
                             })
      .def_property_readonly("results", [](const Function &self) {
        return typeList(self.context, self.get().getResults());
      });
  using Opaque = TypeOf<mlir::OpaqueType>;
  defineType<Opaque, mlir::OpaqueType, PyType>(module, "OpaqueType")
      .def_property_readonly("dialect_namespace",
                             [](const Opaque &self) {
                               return self.get().getDialectNamespace().str();
                             })
      .def_property_readonly("data", [](const Opaque &self) {
        return self.get().getTypeData().str();
      });
}

//===----------------------------------------------------------------------===//
// Shaped types
//===----------------------------------------------------------------------===//

static void requireRank(const PyShapedType &self) {
  if (!self.get().hasRank()) {
    throw py::value_error("calling this method requires that the type has a "
                          "rank.");
  }
}

static int64_t checkedDimension(const PyShapedType &self, int64_t dimension) {
  requireRank(self);
  if (dimension < 0 || dimension >= self.get().getRank()) {
    throw py::index_error("dimension out of range");
  }
  return dimension;
}

static py::object makeRankedTensor(const py::object &shape,
                                   const PyType &element,
                                   const py::object &encoding,
                                   const py::object &loc) {
  mlir::Attribute encodingAttribute =
      encoding.is_none() ? mlir::Attribute()
                         : encoding.cast<PyAttribute &>().attribute;
  mlir::Location location =
      loc.is_none() ? mlir::UnknownLoc::get(element.type.getContext())
                    : loc.cast<PyLocation &>().location;
  requireSameContext(element.type.getContext(), location.getContext());
  if (encodingAttribute) {
    requireSameContext(element.type.getContext(),
                       encodingAttribute.getContext());
  }
  DiagnosticCapture capture(element.context);
  auto type = mlir::RankedTensorType::getChecked(
      location, integersFrom(shape, "the dimensions"), element.type,
      encodingAttribute);
  if (!type) {
    capture.raise("Invalid type");
  }
  return toPython(element.context, type);
}

/// Whether each dimension of a vector is scalable, of two ways to state it.
static llvm::SmallVector<bool> scalableFrom(size_t rank,
                                            const py::object &flags,
                                            const py::object &dimensions) {
  if (!flags.is_none() && !dimensions.is_none()) {
    throw py::value_error(
        "'scalable' and 'scalable_dims' kwargs are mutually exclusive.");
  }
  llvm::SmallVector<bool> scalable(rank, false);
  if (!flags.is_none()) {
    auto list = py::cast<std::vector<bool>>(flags);
    if (list.size() != rank) {
      throw py::value_error("Expected len(scalable) == len(shape).");
    }
    llvm::copy(list, scalable.begin());
  }
  if (!dimensions.is_none()) {
    for (int64_t dimension : py::cast<std::vector<int64_t>>(dimensions)) {
      if (dimension < 0 || static_cast<size_t>(dimension) >= rank) {
        throw py::value_error("Scalable dimension index out of bounds.");
      }
      scalable[dimension] = true;
    }
  }
  return scalable;
}

static mlir::Location locationOr(const PyType &type, const py::object &loc) {
  mlir::Location location = loc.is_none()
                                ? mlir::UnknownLoc::get(type.type.getContext())
                                : loc.cast<PyLocation &>().location;
  requireSameContext(type.type.getContext(), location.getContext());
  return location;
}

static py::object makeVector(const py::object &shape, const PyType &element,
                             const py::object &scalable,
                             const py::object &scalableDims,
                             const py::object &loc) {
  auto sizes = integersFrom(shape, "the dimensions");
  auto flags = scalableFrom(sizes.size(), scalable, scalableDims);
  DiagnosticCapture capture(element.context);
  auto type = mlir::VectorType::getChecked(locationOr(element, loc), sizes,
                                           element.type, flags);
  if (!type) {
    capture.raise("Invalid type");
  }
  return toPython(element.context, type);
}

static py::object makeMemRef(const py::object &shape, const PyType &element,
                             const py::object &layout, const py::object &space,
                             const py::object &loc) {
  auto sizes = integersFrom(shape, "the dimensions");
  auto attributeOr = [&](const py::object &given) {
    if (given.is_none()) {
      return mlir::Attribute();
    }
    mlir::Attribute attribute = given.cast<PyAttribute &>().attribute;
    requireSameContext(element.type.getContext(), attribute.getContext());
    return attribute;
  };
  mlir::MemRefLayoutAttrInterface order;
  if (mlir::Attribute given = attributeOr(layout)) {
    order = llvm::dyn_cast<mlir::MemRefLayoutAttrInterface>(given);
    if (!order) {
      throw py::value_error("the layout is no layout of a memref");
    }
  }
  DiagnosticCapture capture(element.context);
  auto type = mlir::MemRefType::getChecked(
      locationOr(element, loc), sizes, element.type, order, attributeOr(space));
  if (!type) {
    capture.raise("Invalid type");
  }
  return toPython(element.context, type);
}

static void bindShaped(py::module_ &module) {
  constexpr int64_t dynamic = mlir::ShapedType::kDynamic;
  py::class_<PyShapedType, PyType>(module, "ShapedType")
      .def(py::init([](const PyType &type) {
        if (!llvm::isa<mlir::ShapedType>(type.type)) {
          throw py::value_error("Cannot cast type to ShapedType");
        }
        return PyShapedType{{type.context, type.type}};
      }))
      .def_static("isinstance",
                  [](const PyType &type) {
                    return llvm::isa<mlir::ShapedType>(type.type);
                  })
      .def_property_readonly("element_type",
                             [](const PyShapedType &self) {
                               return toPython(self.context,
                                               self.get().getElementType());
                             })
      .def_property_readonly(
          "has_rank",
          [](const PyShapedType &self) { return self.get().hasRank(); })
      .def_property_readonly("rank",
                             [](const PyShapedType &self) {
                               requireRank(self);
                               return self.get().getRank();
                             })
      .def_property_readonly(
          "has_static_shape",
          [](const PyShapedType &self) { return self.get().hasStaticShape(); })
      .def_property_readonly("shape",
                             [](const PyShapedType &self) {
                               requireRank(self);
                               py::list list;
                               for (int64_t size : self.get().getShape()) {
                                 list.append(size);
                               }
                               return list;
                             })
      .def("is_dynamic_dim",
           [](const PyShapedType &self, int64_t dimension) {
             return self.get().isDynamicDim(checkedDimension(self, dimension));
           })
      .def("is_static_dim",
           [](const PyShapedType &self, int64_t dimension) {
             return !self.get().isDynamicDim(checkedDimension(self, dimension));
           })
      .def("get_dim_size",
           [](const PyShapedType &self, int64_t dimension) {
             return self.get().getDimSize(checkedDimension(self, dimension));
           })
      .def_static("is_dynamic_size",
                  [](int64_t size) { return size == dynamic; })
      .def_static("is_static_size",
                  [](int64_t size) { return size != dynamic; })
      .def_static("get_dynamic_size", []() { return dynamic; });

  using Ranked = ShapedTypeOf<mlir::RankedTensorType>;
  defineType<Ranked, mlir::RankedTensorType, PyShapedType>(module,
                                                           "RankedTensorType")
      .def_static("get", &makeRankedTensor, py::arg("shape"),
                  py::arg("element_type"), py::arg("encoding") = py::none(),
                  py::arg("loc") = py::none())
      .def_property_readonly("encoding", [](const Ranked &self) -> py::object {
        return toPython(self.context, self.get().getEncoding());
      });
  using Unranked = ShapedTypeOf<mlir::UnrankedTensorType>;
  defineType<Unranked, mlir::UnrankedTensorType, PyShapedType>(
      module, "UnrankedTensorType")
      .def_static(
          "get",
          [](const PyType &element, const py::object &) {
            if (!mlir::TensorType::isValidElementType(element.type)) {
              throw py::value_error("not an element type of tensors");
            }
            return toPython(element.context,
                            mlir::UnrankedTensorType::get(element.type));
          },
          py::arg("element_type"), py::arg("loc") = py::none());
  using Vector = ShapedTypeOf<mlir::VectorType>;
  defineType<Vector, mlir::VectorType, PyShapedType>(module, "VectorType")
      .def_static("get", &makeVector, py::arg("shape"), py::arg("element_type"),
                  py::kw_only(), py::arg("scalable") = py::none(),
                  py::arg("scalable_dims") = py::none(),
                  py::arg("loc") = py::none())
      .def_property_readonly(
          "scalable",
          [](const Vector &self) { return self.get().isScalable(); })
      .def_property_readonly("scalable_dims", [](const Vector &self) {
        py::list list;
        for (bool is : self.get().getScalableDims()) {
          list.append(is);
        }
        return list;
      });
  using MemRef = ShapedTypeOf<mlir::MemRefType>;
  defineType<MemRef, mlir::MemRefType, PyShapedType>(module, "MemRefType")
      .def_static("get", &makeMemRef, py::arg("shape"), py::arg("element_type"),
                  py::arg("layout") = py::none(),
                  py::arg("memory_space") = py::none(),
                  py::arg("loc") = py::none())
      .def_property_readonly("layout",
                             [](const MemRef &self) -> py::object {
                               return toPython(
                                   self.context,
                                   mlir::Attribute(self.get().getLayout()));
                             })
      .def_property_readonly(
          "memory_space", [](const MemRef &self) -> py::object {
            return toPython(self.context, self.get().getMemorySpace());
          });
}

void bindTypes(py::module_ &module) {
  bindBase(module);
  bindScalars(module);
  bindCompounds(module);
  bindShaped(module);
}

} // namespace jaxlib::mlir_python
