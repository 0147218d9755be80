#define JAXLIB_FILLS_NUMPY_TABLE
#include "jaxlib/py/Dtypes.h"

#include "jaxlib/py/Reference.h"

#include <pybind11/pybind11.h>

#include <unordered_map>

using namespace jaxlib;
using xla::ElementType;

namespace {

struct DtypeName {
  ElementType type;
  const char *module;
  const char *name;
};

} // namespace

static constexpr DtypeName dtypeNames[] = {
    {ElementType::Pred, "numpy", "bool"},
    {ElementType::S8, "numpy", "int8"},
    {ElementType::S16, "numpy", "int16"},
    {ElementType::S32, "numpy", "int32"},
    {ElementType::S64, "numpy", "int64"},
    {ElementType::U8, "numpy", "uint8"},
    {ElementType::U16, "numpy", "uint16"},
    {ElementType::U32, "numpy", "uint32"},
    {ElementType::U64, "numpy", "uint64"},
    {ElementType::F16, "numpy", "float16"},
    {ElementType::F32, "numpy", "float32"},
    {ElementType::F64, "numpy", "float64"},
    {ElementType::C64, "numpy", "complex64"},
    {ElementType::C128, "numpy", "complex128"},
    {ElementType::BF16, "ml_dtypes", "bfloat16"},
    {ElementType::F8E5M2, "ml_dtypes", "float8_e5m2"},
    {ElementType::F8E4M3FN, "ml_dtypes", "float8_e4m3fn"},
    {ElementType::F8E4M3B11FNUZ, "ml_dtypes", "float8_e4m3b11fnuz"},
    {ElementType::F8E5M2FNUZ, "ml_dtypes", "float8_e5m2fnuz"},
    {ElementType::F8E4M3FNUZ, "ml_dtypes", "float8_e4m3fnuz"},
    {ElementType::F8E4M3, "ml_dtypes", "float8_e4m3"},
    {ElementType::F8E3M4, "ml_dtypes", "float8_e3m4"},
    {ElementType::F8E8M0FNU, "ml_dtypes", "float8_e8m0fnu"},
    {ElementType::F4E2M1FN, "ml_dtypes", "float4_e2m1fn"},
    {ElementType::S4, "ml_dtypes", "int4"},
    {ElementType::U4, "ml_dtypes", "uint4"},
    {ElementType::S2, "ml_dtypes", "int2"},
    {ElementType::U2, "ml_dtypes", "uint2"},
};

// Filled once at import, read under the GIL.
static PyArray_Descr *dtypesByType[64];
static std::unordered_map<int, ElementType> *typesByNumber;

void jaxlib::initialiseDtypes() {
  if (_import_array() < 0) {
    throw pybind11::error_already_set();
  }
  typesByNumber = new std::unordered_map<int, ElementType>();
  pybind11::object makeDtype = pybind11::module_::import("numpy").attr("dtype");
  for (const DtypeName &entry : dtypeNames) {
    pybind11::module_ module = pybind11::module_::import(entry.module);
    if (!pybind11::hasattr(module, entry.name)) {
      continue; // an older ml_dtypes
    }
    pybind11::object dtype = makeDtype(module.attr(entry.name));
    auto *descriptor = reinterpret_cast<PyArray_Descr *>(dtype.release().ptr());
    dtypesByType[static_cast<int>(entry.type)] = descriptor;
    (*typesByNumber)[descriptor->type_num] = entry.type;
  }
  // C has two names for some widths, and NumPy a number for each.
  auto alias = [](int number, int size, ElementType four, ElementType eight) {
    typesByNumber->emplace(number, size == 4 ? four : eight);
  };
  alias(NPY_INT, sizeof(int), ElementType::S32, ElementType::S64);
  alias(NPY_LONG, sizeof(long), ElementType::S32, ElementType::S64);
  alias(NPY_LONGLONG, sizeof(long long), ElementType::S32, ElementType::S64);
  alias(NPY_UINT, sizeof(int), ElementType::U32, ElementType::U64);
  alias(NPY_ULONG, sizeof(long), ElementType::U32, ElementType::U64);
  alias(NPY_ULONGLONG, sizeof(long long), ElementType::U32, ElementType::U64);
}

ElementType jaxlib::elementType(const PyArray_Descr *dtype) {
  if (!PyArray_ISNBO(dtype->byteorder)) {
    return ElementType::Invalid;
  }
  auto found = typesByNumber->find(dtype->type_num);
  return found == typesByNumber->end() ? ElementType::Invalid : found->second;
}

PyArray_Descr *jaxlib::dtypeOf(ElementType type) {
  return dtypesByType[static_cast<int>(type) & 63];
}

ElementType jaxlib::withoutX64(ElementType type) {
  switch (type) {
  case ElementType::S64:
    return ElementType::S32;
  case ElementType::U64:
    return ElementType::U32;
  case ElementType::F64:
    return ElementType::F32;
  case ElementType::C128:
    return ElementType::C64;
  default:
    return type;
  }
}

ElementType jaxlib::parseDtype(PyObject *object) {
  PyArray_Descr *descriptor = nullptr;
  if (!PyArray_DescrConverter(object, &descriptor)) {
    return ElementType::Invalid;
  }
  Reference owner = Reference::steal(reinterpret_cast<PyObject *>(descriptor));
  ElementType type = elementType(descriptor);
  if (type == ElementType::Invalid) {
    PyErr_Format(PyExc_TypeError,
                 "%R is no dtype of arrays on a device.\n"
                 "Booleans, integers, floating-point and complex numbers are.",
                 object);
  }
  return type;
}
