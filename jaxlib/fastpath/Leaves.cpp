#include "jaxlib/fastpath/Leaves.h"

#include "jaxlib/py/Dtypes.h"

#include <array>
#include <cstring>
#include <limits>
#include <unordered_map>

using namespace jaxlib;
using xla::ElementType;

//===----------------------------------------------------------------------===//
// What a leaf is
//===----------------------------------------------------------------------===//

/// The facts of Python's numbers, made once: every call needs them.
static const FactsReference &numberFacts(ElementType type, bool isWeak) {
  static auto *made = new std::array<FactsReference, 64>();
  FactsReference &facts = (*made)[static_cast<size_t>(type)];
  if (!facts) {
    facts = internFacts(type, {}, isWeak);
  }
  return facts;
}

static LeafKind withFacts(FactsReference facts, LeafKey &key) {
  if (!facts) {
    return LeafKind::Error;
  }
  key = {std::move(facts), nullptr, false, nullptr};
  return LeafKind::Value;
}

static LeafKind classifyNumpy(PyArray_Descr *dtype,
                              std::span<const int64_t> dimensions, bool isX64,
                              LeafKey &key) {
  ElementType type = elementType(dtype);
  if (type == ElementType::Invalid) {
    return LeafKind::Foreign;
  }
  if (!isX64) {
    type = withoutX64(type);
  }
  return withFacts(internFacts(type, dimensions, false), key);
}

namespace {

/// A class whose objects stand for an array behind them.
struct ExtendedClass {
  PyTypeObject *type; ///< owned, like the names: they live for ever
  PyObject *baseName;
  PyObject *dtypeName;
};

} // namespace

static std::vector<ExtendedClass> &extendedClasses() {
  static auto *classes = new std::vector<ExtendedClass>();
  return *classes;
}

/// Python's f(array): the same elements in row-major order.
static PyObject *straightener = nullptr;

/// The key of an array. One that is in another order than programs take is
/// replaced by its copy in row-major order; the key says the order, so that
/// Python sees each order once.
static LeafKind classifyArray(Reference &leaf, LeafKey &key) {
  ArrayObject *array = asArray(leaf.get());
  PyObject *orderKey = nullptr;
  if (!array->facts->isRowMajor()) {
    Reference order =
        Reference::steal(PyObject_GetAttrString(leaf.get(), "_order"));
    orderKey = order ? internObject(order.get()) : nullptr;
    if (orderKey == nullptr) {
      return LeafKind::Error;
    }
    Reference straight =
        Reference::steal(PyObject_CallOneArg(straightener, leaf.get()));
    if (!straight) {
      return LeafKind::Error;
    }
    leaf = std::move(straight);
    array = asArray(leaf.get());
  }
  key = {array->facts, array->shardingKey.get(), array->isCommitted, orderKey};
  return LeafKind::Value;
}

/// Replaces an object of an extended class by the array behind it.
static LeafKind classifyExtended(Reference &leaf, LeafKey &key) {
  for (const ExtendedClass &extended : extendedClasses()) {
    if (extended.type != Py_TYPE(leaf.get())) {
      continue;
    }
    Reference base =
        Reference::steal(PyObject_GetAttr(leaf.get(), extended.baseName));
    Reference dtype = Reference::steal(
        base ? PyObject_GetAttr(leaf.get(), extended.dtypeName) : nullptr);
    if (!dtype) {
      return LeafKind::Error;
    }
    if (!isArray(base.get())) {
      return LeafKind::Foreign; // traced, or not on a device yet
    }
    leaf = std::move(base);
    LeafKind kind = classifyArray(leaf, key);
    key.alias = internObject(dtype.get());
    return key.alias == nullptr ? LeafKind::Error : kind;
  }
  return LeafKind::Foreign;
}

/// Python's f(type): whether objects of a class derived from NumPy's or
/// Python's are taken for what their base is.
static PyObject *classJudge = nullptr;

/// The classification, requested once per class. False, and no exception, where
/// it fails: then Python says so when it sees the object.
static bool isAsItsBase(PyTypeObject *type) {
  // Classes that were judged stay alive, so that no other gets their address.
  static auto *judged = new std::unordered_map<PyTypeObject *, bool>();
  if (auto found = judged->find(type); found != judged->end()) {
    return found->second;
  }
  auto *object = reinterpret_cast<PyObject *>(type);
  Reference answer = Reference::steal(
      classJudge ? PyObject_CallOneArg(classJudge, object) : nullptr);
  if (!answer) {
    PyErr_Clear();
    return false;
  }
  Py_INCREF(object);
  return judged->emplace(type, answer.get() == Py_True).first->second;
}

static LeafKind classifyNdarray(PyObject *leaf, bool isX64, LeafKey &key) {
  auto *array = reinterpret_cast<PyArrayObject *>(leaf);
  static_assert(sizeof(npy_intp) == sizeof(int64_t));
  return classifyNumpy(PyArray_DESCR(array),
                       {reinterpret_cast<const int64_t *>(PyArray_DIMS(array)),
                        static_cast<size_t>(PyArray_NDIM(array))},
                       isX64, key);
}

/// An object of a class derived from those that are known, as `numpy.memmap`.
static LeafKind classifyDerived(PyObject *leaf, bool isX64, LeafKey &key) {
  bool isArray = PyArray_Check(leaf);
  if (!isArray && !PyFloat_Check(leaf) && !PyLong_Check(leaf) &&
      !PyComplex_Check(leaf)) {
    return LeafKind::Foreign;
  }
  if (!isAsItsBase(Py_TYPE(leaf))) {
    return LeafKind::Foreign;
  }
  if (isArray) {
    return classifyNdarray(leaf, isX64, key);
  }
  ElementType narrow = PyFloat_Check(leaf)  ? ElementType::F32
                       : PyLong_Check(leaf) ? ElementType::S32
                                            : ElementType::C64;
  ElementType wide = PyFloat_Check(leaf)  ? ElementType::F64
                     : PyLong_Check(leaf) ? ElementType::S64
                                          : ElementType::C128;
  return withFacts(numberFacts(isX64 ? wide : narrow, true), key);
}

LeafKind jaxlib::classifyLeaf(Reference &owner, bool isX64, LeafKey &key) {
  PyObject *leaf = owner.get();
  if (isArray(leaf)) {
    return classifyArray(owner, key);
  }
  if (PyFloat_CheckExact(leaf)) {
    return withFacts(
        numberFacts(isX64 ? ElementType::F64 : ElementType::F32, true), key);
  }
  if (PyLong_CheckExact(leaf)) {
    return withFacts(
        numberFacts(isX64 ? ElementType::S64 : ElementType::S32, true), key);
  }
  if (PyBool_Check(leaf)) {
    return withFacts(numberFacts(ElementType::Pred, false), key);
  }
  if (PyComplex_CheckExact(leaf)) {
    return withFacts(
        numberFacts(isX64 ? ElementType::C128 : ElementType::C64, true), key);
  }
  if (PyArray_CheckExact(leaf)) {
    return classifyNdarray(leaf, isX64, key);
  }
  if (PyArray_IsScalar(leaf, Generic)) {
    PyArray_Descr *dtype = PyArray_DescrFromScalar(leaf);
    if (dtype == nullptr) {
      return LeafKind::Error;
    }
    Reference owner = Reference::steal(reinterpret_cast<PyObject *>(dtype));
    return classifyNumpy(dtype, {}, isX64, key);
  }
  LeafKind kind = classifyDerived(leaf, isX64, key);
  return kind == LeafKind::Foreign ? classifyExtended(owner, key) : kind;
}

void jaxlib::registerLeaves(pybind11::module_ &module) {
  module.def(
      "set_straightener",
      [](pybind11::object function) {
        Py_XDECREF(std::exchange(straightener, function.release().ptr()));
      },
      "Gives the function that copies an array into row-major order.");
  module.def(
      "set_class_judge",
      [](pybind11::object function) {
        Py_XDECREF(std::exchange(classJudge, function.release().ptr()));
      },
      "Gives the function that says whether objects of a class are taken for "
      "what its base class is, one of NumPy's or Python's.");
  module.def(
      "register_extended_class",
      [](pybind11::type type, pybind11::str base, pybind11::str dtype) {
        extendedClasses().push_back(
            {reinterpret_cast<PyTypeObject *>(type.release().ptr()),
             base.release().ptr(), dtype.release().ptr()});
      },
      pybind11::arg("type"), pybind11::arg("base_attribute"),
      pybind11::arg("dtype_attribute"),
      "Says that objects of a class stand for the array in an attribute.");
}

//===----------------------------------------------------------------------===//
// Upload
//===----------------------------------------------------------------------===//

namespace {

/// A scalar's bytes, padded with zeros.
struct ScalarBytes {
  std::array<char, 16> bytes{};

  template <typename T>
  void set(T value) {
    std::memcpy(bytes.data(), &value, sizeof(value));
  }
};

struct SharedScalar {
  ScalarBytes value;
  ElementType type = ElementType::Invalid;
  Device *device = nullptr;
  BufferPointer buffer;
};

using ScalarTable = std::array<SharedScalar, 256>;

} // namespace

/// Scalars uploaded lately: `x + 1` in a loop uploads its 1 only once.
static ScalarTable &scalarTable() {
  static auto *table = new ScalarTable();
  return *table;
}

void jaxlib::clearScalars() {
  for (SharedScalar &entry : scalarTable()) {
    entry = SharedScalar();
  }
}

static BufferPointer shareScalar(const ScalarBytes &value, ElementType type,
                                 Device &device) {
  uint64_t halves[2];
  std::memcpy(halves, value.bytes.data(), sizeof(halves));
  uint64_t hash = (halves[0] ^ halves[1] * 31) * 0x9e3779b97f4a7c15u +
                  static_cast<uint64_t>(type) * 7 +
                  static_cast<uint64_t>(device.id) * 1021;
  SharedScalar &entry = scalarTable()[hash >> 32 & 255];
  if (entry.buffer && entry.type == type && entry.device == &device &&
      entry.value.bytes == value.bytes && !entry.buffer->isDeleted()) {
    return entry.buffer;
  }
  BufferPointer buffer = uploadScalar(value.bytes.data(), type, device);
  if (buffer) {
    entry = {value, type, &device, buffer};
  }
  return buffer;
}

/// A Python number's bytes; false with an exception set.
static bool scalarBytes(PyObject *leaf, ElementType type, ScalarBytes &value) {
  switch (type) {
  case ElementType::Pred:
    value.set<uint8_t>(leaf == Py_True);
    return true;
  case ElementType::F32:
    value.set(static_cast<float>(PyFloat_AS_DOUBLE(leaf)));
    return true;
  case ElementType::F64:
    value.set(PyFloat_AS_DOUBLE(leaf));
    return true;
  case ElementType::C64: {
    Py_complex number = PyComplex_AsCComplex(leaf);
    float parts[2] = {static_cast<float>(number.real),
                      static_cast<float>(number.imag)};
    std::memcpy(value.bytes.data(), parts, sizeof(parts));
    return true;
  }
  case ElementType::C128: {
    Py_complex number = PyComplex_AsCComplex(leaf);
    std::memcpy(value.bytes.data(), &number, sizeof(number));
    return true;
  }
  default:
    break;
  }
  int overflow = 0;
  long long number = PyLong_AsLongLongAndOverflow(leaf, &overflow);
  bool fits =
      overflow == 0 && (type == ElementType::S64 ||
                        (number >= std::numeric_limits<int32_t>::min() &&
                         number <= std::numeric_limits<int32_t>::max()));
  if (!fits) {
    PyErr_Format(PyExc_OverflowError,
                 "Python int %R does not fit into %s.\n"
                 "Give it a wider dtype, as np.int64(...) under "
                 "jax_enable_x64, or a floating-point one.",
                 leaf, type == ElementType::S64 ? "int64" : "int32");
    return false;
  }
  if (type == ElementType::S64) {
    value.set<int64_t>(number);
  } else {
    value.set<int32_t>(static_cast<int32_t>(number));
  }
  return true;
}

BufferPointer jaxlib::uploadLeaf(PyObject *leaf, const AvalFacts &facts,
                                 Device &device, bool mayShare) {
  if (PyArray_Check(leaf)) {
    return uploadNumpy(reinterpret_cast<PyArrayObject *>(leaf), facts.type,
                       device, device.defaultMemory);
  }
  if (PyArray_IsScalar(leaf, Generic)) {
    Reference array = Reference::steal(PyArray_FromScalar(leaf, nullptr));
    return array ? uploadNumpy(reinterpret_cast<PyArrayObject *>(array.get()),
                               facts.type, device, device.defaultMemory)
                 : nullptr;
  }
  ScalarBytes value;
  if (!scalarBytes(leaf, facts.type, value)) {
    return nullptr;
  }
  return mayShare ? shareScalar(value, facts.type, device)
                  : uploadScalar(value.bytes.data(), facts.type, device);
}
