//===- DenseElements.cpp - Attributes that hold arrays --------------------===//

#include "jaxlib/mlir/AttributeClass.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/DialectResourceBlobManager.h"

#include <pybind11/numpy.h>
#include <pybind11/stl.h>

namespace jaxlib::mlir_python {

//===----------------------------------------------------------------------===//
// From NumPy
//===----------------------------------------------------------------------===//

using ElementTypeMaker = mlir::Type (*)(mlir::MLIRContext *);

template <unsigned bits>
static mlir::Type signlessType(mlir::MLIRContext *context) {
  return mlir::IntegerType::get(context, bits);
}
template <typename TypeClass>
static mlir::Type typeOf(mlir::MLIRContext *context) {
  return TypeClass::get(context);
}
template <typename TypeClass>
static mlir::Type complexOf(mlir::MLIRContext *context) {
  return mlir::ComplexType::get(TypeClass::get(context));
}

namespace {

struct DtypeRow {
  const char *name;
  ElementTypeMaker make;
  bool isUnsigned;
};

} // namespace

/// NumPy's and ml_dtypes' names of dtypes. ml_dtypes keeps integers and floats
/// of less than eight bits in a byte each, as MLIR does.
static constexpr DtypeRow dtypeRows[] = {
    {"bool", signlessType<1>, false},
    {"int2", signlessType<2>, false},
    {"int4", signlessType<4>, false},
    {"int8", signlessType<8>, false},
    {"int16", signlessType<16>, false},
    {"int32", signlessType<32>, false},
    {"int64", signlessType<64>, false},
    {"uint2", signlessType<2>, true},
    {"uint4", signlessType<4>, true},
    {"uint8", signlessType<8>, true},
    {"uint16", signlessType<16>, true},
    {"uint32", signlessType<32>, true},
    {"uint64", signlessType<64>, true},
    {"bfloat16", typeOf<mlir::BFloat16Type>, false},
    {"float16", typeOf<mlir::Float16Type>, false},
    {"float32", typeOf<mlir::Float32Type>, false},
    {"float64", typeOf<mlir::Float64Type>, false},
    {"float4_e2m1fn", typeOf<mlir::Float4E2M1FNType>, false},
    {"float6_e2m3fn", typeOf<mlir::Float6E2M3FNType>, false},
    {"float6_e3m2fn", typeOf<mlir::Float6E3M2FNType>, false},
    {"float8_e3m4", typeOf<mlir::Float8E3M4Type>, false},
    {"float8_e4m3", typeOf<mlir::Float8E4M3Type>, false},
    {"float8_e4m3fn", typeOf<mlir::Float8E4M3FNType>, false},
    {"float8_e4m3fnuz", typeOf<mlir::Float8E4M3FNUZType>, false},
    {"float8_e4m3b11fnuz", typeOf<mlir::Float8E4M3B11FNUZType>, false},
    {"float8_e5m2", typeOf<mlir::Float8E5M2Type>, false},
    {"float8_e5m2fnuz", typeOf<mlir::Float8E5M2FNUZType>, false},
    {"float8_e8m0fnu", typeOf<mlir::Float8E8M0FNUType>, false},
    {"complex64", complexOf<mlir::Float32Type>, false},
    {"complex128", complexOf<mlir::Float64Type>, false},
};

static mlir::Type elementTypeOf(const py::array &array, bool signless,
                                mlir::MLIRContext *context) {
  std::string name = array.dtype().attr("name").cast<std::string>();
  for (const DtypeRow &row : dtypeRows) {
    if (name == row.name) {
      mlir::Type type = row.make(context);
      if (!row.isUnsigned || signless) {
        return type;
      }
      return mlir::IntegerType::get(context, type.getIntOrFloatBitWidth(),
                                    mlir::IntegerType::Unsigned);
    }
  }
  throw py::value_error("no MLIR type for arrays of dtype " + name +
                        "; give type=");
}

static unsigned bitsOf(mlir::Type element) {
  if (auto complex = llvm::dyn_cast<mlir::ComplexType>(element)) {
    return 2 * bitsOf(complex.getElementType());
  }
  if (element.isIndex()) {
    return 64;
  }
  return element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 0;
}

/// A C-contiguous array in the machine's byte order.
static py::array contiguous(const py::object &object) {
  static auto *numpy = new py::module_(py::module_::import("numpy"));
  py::array array = numpy->attr("asarray")(object, py::arg("order") = "C");
  if (!array.dtype().attr("isnative").cast<bool>()) {
    array = array.attr("astype")(array.dtype().attr("newbyteorder")("="));
  }
  return array;
}

/// The type of an array attribute: `type` may be a tensor or an element type.
static mlir::ShapedType shapedTypeFor(const py::array &array, bool signless,
                                      const py::object &type,
                                      const py::object &shape,
                                      mlir::MLIRContext *context) {
  std::vector<int64_t> dimensions;
  if (!shape.is_none()) {
    dimensions = integersFrom(shape, "the dimensions");
  } else {
    dimensions.assign(array.shape(), array.shape() + array.ndim());
  }
  for (int64_t size : dimensions) {
    if (size < 0) {
      throw py::value_error("dimensions are not negative");
    }
  }
  mlir::Type element;
  if (!type.is_none()) {
    mlir::Type given = type.cast<PyType &>().type;
    if (auto shaped = llvm::dyn_cast<mlir::ShapedType>(given)) {
      if (!shape.is_none()) {
        throw py::value_error("Shape can only be specified explicitly when the "
                              "type is not a shaped type.");
      }
      if (!shaped.hasStaticShape()) {
        throw py::value_error("the type of an array has a static shape");
      }
      return shaped;
    }
    element = given;
  } else {
    element = elementTypeOf(array, signless, context);
  }
  if (!mlir::TensorType::isValidElementType(element) || bitsOf(element) == 0) {
    throw py::value_error("not an element type of arrays");
  }
  return mlir::RankedTensorType::get(dimensions, element);
}

/// The bits of booleans, in the order in which MLIR packs them.
static std::vector<char> packBooleans(const char *bytes, int64_t count) {
  std::vector<char> packed((count + 7) / 8, 0);
  for (int64_t i = 0; i < count; ++i) {
    packed[i / 8] |= static_cast<char>((bytes[i] != 0) << (i % 8));
  }
  return packed;
}

static bool allSame(const char *bytes, int64_t count) {
  for (int64_t i = 1; i < count; ++i) {
    if ((bytes[i] != 0) != (bytes[0] != 0)) {
      return false;
    }
  }
  return true;
}

static mlir::DenseElementsAttr fromBytes(mlir::ShapedType type,
                                         const py::array &array) {
  const char *data = static_cast<const char *>(array.data());
  int64_t count = array.size(), bytes = array.nbytes();
  mlir::Type element = type.getElementType();
  bool isBoolean = bitsOf(element) == 1;
  if (isBoolean && array.dtype().kind() == 'b') {
    if (count != type.getNumElements() && count != 1) {
      throw py::value_error("the array has " + std::to_string(count) +
                            " elements, its type has " +
                            std::to_string(type.getNumElements()));
    }
    if (count > 0 && (count == 1 || allSame(data, count))) {
      return mlir::DenseElementsAttr::get(type, data[0] != 0);
    }
    return mlir::DenseElementsAttr::getFromRawBuffer(type,
                                                     packBooleans(data, count));
  }
  bool isSplat = false;
  llvm::ArrayRef<char> raw(data, static_cast<size_t>(bytes));
  bool fits =
      isBoolean || (count > 0 ? bytes / count * 8 >= bitsOf(element) : true);
  if (!fits || !mlir::DenseElementsAttr::isValidRawBuffer(type, raw, isSplat)) {
    std::string text;
    llvm::raw_string_ostream(text) << type;
    throw py::value_error("DenseElementsAttr could not be constructed from the "
                          "given buffer: " +
                          std::to_string(bytes) + " bytes do not make " + text);
  }
  return mlir::DenseElementsAttr::getFromRawBuffer(type, raw);
}

static py::object makeDense(const py::object &object, bool signless,
                            const py::object &type, const py::object &shape,
                            const py::object &given) {
  ContextRef context =
      type.is_none() ? resolveContext(given) : type.cast<PyType &>().context;
  py::array array = contiguous(object);
  mlir::ShapedType shaped =
      shapedTypeFor(array, signless, type, shape, &context->context);
  context->keeps(static_cast<size_t>(array.nbytes()));
  return toPython(context, fromBytes(shaped, array));
}

static py::object makeFromAttributes(const py::list &attributes,
                                     const py::object &type,
                                     const py::object &) {
  if (attributes.empty() || !py::isinstance<PyAttribute>(attributes[0])) {
    throw py::value_error("Attributes list must be non-empty.");
  }
  ContextRef context = attributes[0].cast<PyAttribute &>().context;
  std::vector<mlir::Attribute> elements =
      attributesFrom(context, attributes, "elements");
  auto first = llvm::dyn_cast<mlir::TypedAttr>(elements[0]);
  mlir::ShapedType shaped;
  if (!type.is_none()) {
    shaped = llvm::dyn_cast<mlir::ShapedType>(type.cast<PyType &>().type);
  } else if (first) {
    shaped = mlir::RankedTensorType::get(
        {static_cast<int64_t>(elements.size())}, first.getType());
  }
  if (!shaped || !shaped.hasStaticShape() ||
      (elements.size() != 1 &&
       static_cast<int64_t>(elements.size()) != shaped.getNumElements())) {
    throw py::value_error(
        "Expected a static ShapedType with one element per attribute");
  }
  for (mlir::Attribute element : elements) {
    auto typed = llvm::dyn_cast<mlir::TypedAttr>(element);
    if (!llvm::isa<mlir::IntegerAttr, mlir::FloatAttr>(element) ||
        typed.getType() != shaped.getElementType()) {
      throw py::value_error(
          "All attributes must be numbers of the array's element type");
    }
  }
  context->keeps(elements.size() * sizeof(mlir::Attribute));
  return toPython(context, mlir::DenseElementsAttr::get(shaped, elements));
}

static py::object makeSplat(const PyType &type, const PyAttribute &element) {
  auto shaped = llvm::dyn_cast<mlir::ShapedType>(type.type);
  auto typed = llvm::dyn_cast<mlir::TypedAttr>(element.attribute);
  if (!shaped || !shaped.hasStaticShape()) {
    throw py::value_error("Expected a static ShapedType for the shaped_type");
  }
  if (!llvm::isa<mlir::IntegerAttr, mlir::FloatAttr>(element.attribute) ||
      typed.getType() != shaped.getElementType()) {
    throw py::value_error(
        "Shaped element type and attribute type must be equal");
  }
  return toPython(type.context,
                  mlir::DenseElementsAttr::get(shaped, element.attribute));
}

//===----------------------------------------------------------------------===//
// To NumPy
//===----------------------------------------------------------------------===//

static py::array toArray(const mlir::DenseElementsAttr &attribute) {
  static auto *numpy = new py::module_(py::module_::import("numpy"));
  mlir::Type element = attribute.getElementType();
  bool isUnsigned = element.isUnsignedInteger();
  py::object dtype;
  for (const DtypeRow &row : dtypeRows) {
    mlir::Type made = row.make(element.getContext());
    if (row.isUnsigned == isUnsigned &&
        (made == element ||
         (element.isInteger() && made.isInteger() && bitsOf(made) > 1 &&
          bitsOf(made) == bitsOf(element)))) {
      py::object scalar =
          py::hasattr(*numpy, row.name)
              ? py::object(numpy->attr(row.name))
              : py::object(py::module_::import("ml_dtypes").attr(row.name));
      dtype = numpy->attr("dtype")(scalar);
      break;
    }
  }
  if (!dtype) {
    throw py::type_error("no NumPy dtype for the elements of this attribute");
  }
  std::vector<py::ssize_t> shape(attribute.getType().getShape().begin(),
                                 attribute.getType().getShape().end());
  py::object result;
  if (bitsOf(element) == 1) {
    py::array_t<bool> booleans(shape);
    bool *data = booleans.mutable_data();
    for (bool value : attribute.getValues<bool>()) {
      *data++ = value;
    }
    return booleans;
  }
  llvm::ArrayRef<char> raw = attribute.getRawData();
  py::bytes bytes(raw.data(), raw.size());
  result = numpy->attr("frombuffer")(bytes, dtype);
  if (attribute.isSplat()) {
    result = numpy->attr("full")(shape, result.attr("__getitem__")(0), dtype);
  } else {
    result = result.attr("reshape")(shape).attr("copy")();
  }
  return result;
}

static py::object elementAt(const ContextRef &context,
                            mlir::DenseElementsAttr attribute, int64_t index) {
  int64_t count = attribute.getNumElements();
  index += index < 0 ? count : 0;
  if (index < 0 || index >= count) {
    throw py::index_error("attempt to access out of bounds element");
  }
  if (llvm::isa<mlir::ComplexType>(attribute.getElementType())) {
    throw py::type_error("complex elements: convert to a NumPy array");
  }
  mlir::Attribute element = attribute.getValues<mlir::Attribute>()[index];
  return toPython(context, element).attr("value");
}

//===----------------------------------------------------------------------===//
// Binding
//===----------------------------------------------------------------------===//

struct DenseElements : PyAttribute {
  mlir::DenseElementsAttr get() const {
    return llvm::cast<mlir::DenseElementsAttr>(attribute);
  }
};
struct DenseIntElements : DenseElements {};
struct DenseFloatElements : DenseElements {};

template <typename Wrapper, typename Class, typename Base>
static py::class_<Wrapper, Base> defineDense(py::module_ &module,
                                             const char *name) {
  return py::class_<Wrapper, Base>(module, name)
      .def(py::init([](const PyAttribute &attribute) {
        if (!llvm::isa<Class>(attribute.attribute)) {
          throw py::value_error("Cannot cast attribute to this class of dense "
                                "elements");
        }
        Wrapper wrapper;
        wrapper.context = attribute.context;
        wrapper.attribute = attribute.attribute;
        return wrapper;
      }))
      .def_static(
          "isinstance",
          [](const PyAttribute &other) {
            return llvm::isa<Class>(other.attribute);
          },
          py::arg("other"))
      .def_static("get", &makeFromAttributes, py::arg("attrs"),
                  py::arg("type") = py::none(), py::arg("context") = py::none())
      .def_static("get", &makeDense, py::arg("array"),
                  py::arg("signless") = true, py::arg("type") = py::none(),
                  py::arg("shape") = py::none(),
                  py::arg("context") = py::none())
      .def_static("get_splat", &makeSplat, py::arg("shaped_type"),
                  py::arg("element_attr"));
}

template <typename Wrapper>
static py::object castDense(const ContextRef &context,
                            mlir::Attribute attribute) {
  Wrapper wrapper;
  wrapper.context = context;
  wrapper.attribute = attribute;
  return py::cast(std::move(wrapper));
}

static void bindElements(py::module_ &module) {
  defineDense<DenseElements, mlir::DenseElementsAttr, PyAttribute>(
      module, "DenseElementsAttr")
      .def(
          "__len__",
          [](const DenseElements &self) { return self.get().getNumElements(); })
      .def("__getitem__",
           [](const DenseElements &self, int64_t index) {
             return elementAt(self.context, self.get(), index);
           })
      .def_property_readonly(
          "is_splat",
          [](const DenseElements &self) { return self.get().isSplat(); })
      .def("get_splat_value",
           [](const DenseElements &self) {
             if (!self.get().isSplat()) {
               throw py::value_error("get_splat_value called on a non-splat "
                                     "attribute");
             }
             return toPython(self.context,
                             self.get().getSplatValue<mlir::Attribute>());
           })
      .def(
          "__array__",
          [](const DenseElements &self, const py::object &dtype,
             const py::object &) -> py::object {
            py::array array = toArray(self.get());
            return dtype.is_none() ? py::object(array)
                                   : array.attr("astype")(dtype);
          },
          py::arg("dtype") = py::none(), py::arg("copy") = py::none());
  defineDense<DenseIntElements, mlir::DenseIntElementsAttr, DenseElements>(
      module, "DenseIntElementsAttr");
  defineDense<DenseFloatElements, mlir::DenseFPElementsAttr, DenseElements>(
      module, "DenseFPElementsAttr");
  addAttributeCaster(mlir::TypeID::get<mlir::DenseIntOrFPElementsAttr>(),
                     [](const ContextRef &context, mlir::Attribute attribute) {
                       if (llvm::isa<mlir::DenseIntElementsAttr>(attribute)) {
                         return castDense<DenseIntElements>(context, attribute);
                       }
                       if (llvm::isa<mlir::DenseFPElementsAttr>(attribute)) {
                         return castDense<DenseFloatElements>(context,
                                                              attribute);
                       }
                       return castDense<DenseElements>(context, attribute);
                     });
}

/// DenseI64ArrayAttr and its like: short lists of numbers.
template <typename Class, typename Number>
static void bindNumberArray(py::module_ &module, const char *name) {
  using Wrapper = AttributeOf<Class>;
  defineAttribute<Class>(module, name)
      .def_static(
          "get",
          [](const py::object &values, const py::object &given) {
            ContextRef context = resolveContext(given);
            llvm::SmallVector<Number> numbers;
            for (py::handle item : values) {
              numbers.push_back(item.cast<Number>());
            }
            return toPython(context, mlir::Attribute(Class::get(
                                         &context->context,
                                         llvm::ArrayRef<Number>(numbers))));
          },
          py::arg("values"), py::arg("context") = py::none())
      .def("__len__", [](const Wrapper &self) { return self.get().size(); })
      .def("__getitem__",
           [](const Wrapper &self, int64_t index) {
             int64_t size = self.get().size();
             index += index < 0 ? size : 0;
             if (index < 0 || index >= size) {
               throw py::index_error("DenseArray index out of range");
             }
             return py::cast(static_cast<Number>(self.get()[index]));
           })
      .def("__iter__",
           [](const Wrapper &self) {
             py::list list;
             for (Number number : self.get().asArrayRef()) {
               list.append(py::cast(number));
             }
             return py::iter(list);
           })
      .def("__add__", [](const Wrapper &self, const py::list &extras) {
        llvm::SmallVector<Number> numbers(self.get().asArrayRef());
        for (py::handle item : extras) {
          numbers.push_back(item.cast<Number>());
        }
        return toPython(self.context, mlir::Attribute(Class::get(
                                          self.attribute.getContext(),
                                          llvm::ArrayRef<Number>(numbers))));
      });
}

/// All number arrays are of one kind to MLIR; the element type distinguishes
/// them apart.
template <typename... Classes>
static py::object castNumberArray(const ContextRef &context,
                                  mlir::Attribute attribute) {
  py::object result;
  auto tryClass = [&](auto *tag) {
    using Class = std::remove_pointer_t<decltype(tag)>;
    if (!result && llvm::isa<Class>(attribute)) {
      result = py::cast(AttributeOf<Class>{{context, attribute}});
    }
  };
  (tryClass(static_cast<Classes *>(nullptr)), ...);
  return result ? result : py::cast(PyAttribute{context, attribute});
}

void bindDenseElements(py::module_ &module) {
  bindElements(module);
  bindNumberArray<mlir::DenseBoolArrayAttr, bool>(module, "DenseBoolArrayAttr");
  bindNumberArray<mlir::DenseI8ArrayAttr, int8_t>(module, "DenseI8ArrayAttr");
  bindNumberArray<mlir::DenseI16ArrayAttr, int16_t>(module,
                                                    "DenseI16ArrayAttr");
  bindNumberArray<mlir::DenseI32ArrayAttr, int32_t>(module,
                                                    "DenseI32ArrayAttr");
  bindNumberArray<mlir::DenseI64ArrayAttr, int64_t>(module,
                                                    "DenseI64ArrayAttr");
  bindNumberArray<mlir::DenseF32ArrayAttr, float>(module, "DenseF32ArrayAttr");
  bindNumberArray<mlir::DenseF64ArrayAttr, double>(module, "DenseF64ArrayAttr");
  addAttributeCaster(
      mlir::TypeID::get<mlir::DenseArrayAttr>(),
      &castNumberArray<mlir::DenseI64ArrayAttr, mlir::DenseBoolArrayAttr,
                       mlir::DenseI32ArrayAttr, mlir::DenseI8ArrayAttr,
                       mlir::DenseI16ArrayAttr, mlir::DenseF32ArrayAttr,
                       mlir::DenseF64ArrayAttr>);
  defineAttribute<mlir::DenseResourceElementsAttr>(module,
                                                   "DenseResourceElementsAttr");
}

} // namespace jaxlib::mlir_python
