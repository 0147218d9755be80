#include "jaxlib/py/AvalFacts.h"

#include "jaxlib/py/Dtypes.h"

#include <algorithm>
#include <cassert>
#include <functional>
#include <string>
#include <unordered_set>

using namespace jaxlib;

namespace {

/// What an AvalFacts is looked up by.
struct FactsKey {
  xla::ElementType type;
  bool weakType;
  std::span<const int64_t> dimensions;
  std::span<const int64_t> order;
};

FactsKey keyOf(const AvalFacts *facts) {
  return {facts->type, facts->weakType, facts->dimensions, facts->order};
}
FactsKey keyOf(const FactsKey &key) { return key; }

struct FactsHash {
  using is_transparent = void;
  template <typename T>
  size_t operator()(const T &item) const {
    FactsKey key = keyOf(item);
    size_t hash = static_cast<size_t>(key.type) * 2 + key.weakType;
    for (std::span<const int64_t> numbers : {key.dimensions, key.order}) {
      for (int64_t number : numbers) {
        hash = (hash ^ static_cast<size_t>(number)) * 0x9e3779b97f4a7c15u;
        hash ^= hash >> 29;
      }
    }
    return hash;
  }
};

struct FactsEqual {
  using is_transparent = void;
  template <typename A, typename B>
  bool operator()(const A &first, const B &second) const {
    FactsKey a = keyOf(first), b = keyOf(second);
    return a.type == b.type && a.weakType == b.weakType &&
           std::ranges::equal(a.dimensions, b.dimensions) &&
           std::ranges::equal(a.order, b.order);
  }
};

using FactsTable = std::unordered_set<AvalFacts *, FactsHash, FactsEqual>;

} // namespace

/// All facts that somebody owns. Never destroyed: arrays may outlive statics.
static FactsTable &table() {
  static FactsTable *instance = new FactsTable();
  return *instance;
}

static PyObject *avalMaker = nullptr;

PyArray_Descr *AvalFacts::dtype() const { return dtypeOf(type); }

std::vector<int64_t> AvalFacts::memoryDimensions() const {
  if (isRowMajor()) {
    return dimensions;
  }
  std::vector<int64_t> result;
  result.reserve(order.size());
  for (int64_t axis : order) {
    result.push_back(dimensions[static_cast<size_t>(axis)]);
  }
  return result;
}

std::vector<int64_t>
jaxlib::fromMemoryOrder(std::span<const int64_t> dimensions,
                        std::span<const int64_t> order) {
  std::vector<int64_t> result(dimensions.begin(), dimensions.end());
  for (size_t i = 0; i < order.size(); ++i) {
    result[static_cast<size_t>(order[i])] = dimensions[i];
  }
  return result;
}

FactsReference::~FactsReference() {
  if (facts != nullptr && --facts->owners == 0) {
    table().erase(facts);
    delete facts;
  }
}

FactsReference jaxlib::internFacts(xla::ElementType type,
                                   std::span<const int64_t> dimensions,
                                   bool weakType,
                                   std::span<const int64_t> order) {
  assert((order.empty() || order.size() == dimensions.size()) &&
         "an order has as many axes as its array");
  if (std::ranges::is_sorted(order)) {
    order = {}; // row-major order has one name
  }
  FactsKey key{type, weakType, dimensions, order};
  if (auto found = table().find(key); found != table().end()) {
    return FactsReference(*found);
  }
  xla::Shape shape{type, {dimensions.begin(), dimensions.end()}};
  std::optional<int64_t> elements = xla::elementCount(shape);
  std::optional<int64_t> bytes = xla::byteSize(shape);
  if (!elements || !bytes) {
    PyErr_Format(
        PyExc_ValueError,
        "an array of type %s is too large for this machine's addresses",
        xla::toString(shape).c_str());
    return {};
  }
  Reference tuple =
      Reference::steal(PyTuple_New(static_cast<Py_ssize_t>(dimensions.size())));
  if (!tuple) {
    return {};
  }
  for (size_t i = 0; i < dimensions.size(); ++i) {
    PyObject *size = PyLong_FromLongLong(dimensions[i]);
    if (size == nullptr) {
      return {};
    }
    PyTuple_SET_ITEM(tuple.get(), static_cast<Py_ssize_t>(i), size);
  }
  auto *facts = new AvalFacts{type,
                              weakType,
                              std::move(shape.dimensions),
                              {order.begin(), order.end()},
                              *elements,
                              *bytes,
                              std::move(tuple),
                              Reference(),
                              0};
  table().insert(facts);
  return FactsReference(facts);
}

FactsReference jaxlib::parseFacts(PyObject *shape, PyObject *dtype,
                                  bool weakType) {
  xla::ElementType type = parseDtype(dtype);
  if (type == xla::ElementType::Invalid) {
    return {};
  }
  Reference sequence =
      Reference::steal(PySequence_Fast(shape, "a shape is a sequence of int"));
  if (!sequence) {
    return {};
  }
  std::vector<int64_t> dimensions;
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(sequence.get()); ++i) {
    PyObject *item = PySequence_Fast_GET_ITEM(sequence.get(), i);
    Reference index = Reference::steal(PyNumber_Index(item));
    int64_t size = index ? PyLong_AsLongLong(index.get()) : -1;
    if (PyErr_Occurred()) {
      return {};
    }
    dimensions.push_back(size);
  }
  return internFacts(type, dimensions, weakType);
}

PyObject *jaxlib::avalOf(AvalFacts *facts) {
  if (facts->aval) {
    return facts->aval.copy().release();
  }
  if (avalMaker == nullptr) {
    PyErr_SetString(
        PyExc_RuntimeError,
        "the aval of an array was requested before jax was imported");
    return nullptr;
  }
  FactsReference owner(facts); // the call below may drop every array
  PyObject *weakType = facts->weakType ? Py_True : Py_False;
  PyObject *arguments[] = {facts->shape.get(),
                           reinterpret_cast<PyObject *>(facts->dtype()),
                           weakType};
  Reference aval =
      Reference::steal(PyObject_Vectorcall(avalMaker, arguments, 3, nullptr));
  if (aval && !facts->aval) {
    facts->aval = aval.copy();
  }
  return aval.release();
}

void jaxlib::setAvalMaker(Reference function) {
  Py_XDECREF(std::exchange(avalMaker, function.release()));
}

std::string jaxlib::describe(const AvalFacts &facts) {
  std::string text;
  Reference name = Reference::steal(
      PyObject_Str(reinterpret_cast<PyObject *>(facts.dtype())));
  const char *utf8 = name ? PyUnicode_AsUTF8(name.get()) : nullptr;
  if (utf8 != nullptr) {
    text = utf8;
  } else {
    PyErr_Clear();
    text = xla::name(facts.type);
  }
  text += '[';
  for (size_t i = 0; i < facts.dimensions.size(); ++i) {
    text += (i == 0 ? "" : ",") + std::to_string(facts.dimensions[i]);
  }
  return text + ']';
}
