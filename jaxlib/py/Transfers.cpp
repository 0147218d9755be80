#include "jaxlib/py/Transfers.h"

#include "jaxlib/py/Dtypes.h"
#include "jaxlib/py/Errors.h"
#include "jaxlib/py/Gil.h"

#include <pybind11/stl.h>

#include <algorithm>
#include <memory>

using namespace jaxlib;
namespace py = pybind11;

/// Arrays below this many bytes are copied faster than the GIL is given away.
static constexpr int64_t smallBytes = 1 << 15;

bool jaxlib::findMemoryKind(Device &device, std::string_view kind,
                            Memory *&memory) {
  memory = device.defaultMemory;
  if (kind.empty()) {
    return true;
  }
  std::string known;
  for (Memory *candidate : device.memories) {
    if (candidate->kind == kind) {
      memory = candidate;
      return true;
    }
    known += (known.empty() ? "" : ", ") + candidate->kind;
  }
  PyErr_Format(PyExc_ValueError,
               "device %s has no memory of kind '%s'.\n  it has  %s",
               device.text.c_str(), std::string(kind).c_str(), known.c_str());
  return false;
}

static BufferPointer upload(const HostArray &host, int64_t bytes,
                            Device &device, Memory *memory) {
  auto run = [&] { return Buffer::fromHost(host, device, memory); };
  auto withoutGil = [&] {
    GilRelease release;
    return run();
  };
  StatusOr<BufferPointer> buffer = bytes < smallBytes ? run() : withoutGil();
  if (!buffer.ok()) {
    setError(buffer.status());
    return nullptr;
  }
  return std::move(*buffer);
}

BufferPointer jaxlib::uploadNumpy(PyArrayObject *array, xla::ElementType type,
                                  Device &device, Memory *memory) {
  Reference owner = Reference::borrow(reinterpret_cast<PyObject *>(array));
  if (elementType(PyArray_DESCR(array)) != type || !PyArray_ISALIGNED(array)) {
    PyArray_Descr *target = dtypeOf(type);
    Py_INCREF(target);
    owner = Reference::steal(PyArray_CastToType(array, target, 0));
    if (!owner) {
      return nullptr;
    }
    array = reinterpret_cast<PyArrayObject *>(owner.get());
  }
  int rank = PyArray_NDIM(array);
  // NumPy's index type is a long, ours a long long, of the same size.
  std::vector<int64_t> dimensions(PyArray_DIMS(array),
                                  PyArray_DIMS(array) + rank);
  std::vector<int64_t> strides;
  if (!PyArray_IS_C_CONTIGUOUS(array)) {
    strides.assign(PyArray_STRIDES(array), PyArray_STRIDES(array) + rank);
  }
  return upload({PyArray_DATA(array), type, dimensions, strides},
                PyArray_NBYTES(array), device, memory);
}

BufferPointer jaxlib::uploadScalar(const void *data, xla::ElementType type,
                                   Device &device) {
  return upload({data, type, {}, {}}, 16, device, device.defaultMemory);
}

//===----------------------------------------------------------------------===//
// Functions for Python
//===----------------------------------------------------------------------===//

static py::object own(PyObject *object) {
  if (object == nullptr) {
    throw py::error_already_set();
  }
  return py::reinterpret_steal<py::object>(object);
}

static ArrayObject *expectArray(py::handle object) {
  if (!isArray(object.ptr())) {
    PyErr_Format(PyExc_TypeError, "a device array was expected, not %R",
                 reinterpret_cast<PyObject *>(Py_TYPE(object.ptr())));
    throw py::error_already_set();
  }
  return asArray(object.ptr());
}

static Memory *memoryOrThrow(Device &device, const std::string &kind) {
  Memory *memory;
  if (!findMemoryKind(device, kind, memory)) {
    throw py::error_already_set();
  }
  return memory;
}

static void expectAlive(ArrayObject *array) {
  if (isDeleted(array)) {
    setDeletedError(array);
    throw py::error_already_set();
  }
}

static py::object arrayFromHost(py::handle value, Device &device,
                                const std::string &memoryKind,
                                py::handle sharding, bool committed,
                                bool weakType) {
  if (!PyArray_Check(value.ptr())) {
    PyErr_Format(PyExc_TypeError, "a NumPy array was expected, not %R",
                 reinterpret_cast<PyObject *>(Py_TYPE(value.ptr())));
    throw py::error_already_set();
  }
  auto *ndarray = reinterpret_cast<PyArrayObject *>(value.ptr());
  xla::ElementType type =
      parseDtype(reinterpret_cast<PyObject *>(PyArray_DESCR(ndarray)));
  if (type == xla::ElementType::Invalid) {
    throw py::error_already_set();
  }
  std::vector<int64_t> dimensions(
      PyArray_DIMS(ndarray), PyArray_DIMS(ndarray) + PyArray_NDIM(ndarray));
  FactsReference facts = internFacts(type, dimensions, weakType);
  if (!facts) {
    throw py::error_already_set();
  }
  BufferPointer buffer =
      uploadNumpy(ndarray, type, device, memoryOrThrow(device, memoryKind));
  if (!buffer) {
    throw py::error_already_set();
  }
  return own(newArray(std::move(facts), sharding.ptr(), committed,
                      BufferList(std::move(buffer))));
}

static py::object arrayFromShards(py::handle shape, py::handle dtype,
                                  bool weakType, py::handle sharding,
                                  bool committed, const py::list &shards) {
  FactsReference facts = parseFacts(shape.ptr(), dtype.ptr(), weakType);
  if (!facts) {
    throw py::error_already_set();
  }
  std::vector<BufferPointer> buffers;
  for (py::handle shard : shards) {
    ArrayObject *array = expectArray(shard);
    if (array->buffers.size() != 1 || array->facts->type != facts->type) {
      throw py::value_error("a shard is an array on one device, of the dtype "
                            "of the whole");
    }
    expectAlive(array);
    if (buffers.empty() && !array->facts->isRowMajor()) {
      facts = internFacts(facts->type, facts->dimensions, weakType,
                          array->facts->order);
      if (!facts) {
        throw py::error_already_set();
      }
    }
    if (array->facts->order != facts->order) {
      throw py::value_error(
          "all shards have the same order of dimensions in memory");
    }
    buffers.push_back(array->buffers[0]);
  }
  return own(newArray(std::move(facts), sharding.ptr(), committed,
                      BufferList(std::move(buffers))));
}

static py::object copyToDevice(py::handle source, Device &device,
                               const std::string &memoryKind,
                               py::handle sharding, bool committed) {
  ArrayObject *array = expectArray(source);
  expectAlive(array);
  if (array->buffers.size() != 1) {
    throw py::value_error("only an array on one device is copied as it is");
  }
  Memory *memory = memoryOrThrow(device, memoryKind);
  BufferPointer from = array->buffers[0];
  StatusOr<BufferPointer> buffer = [&]() -> StatusOr<BufferPointer> {
    GilRelease release;
    if (&from->client() == device.client) {
      return from->copyTo(device, memory);
    }
    // Another plugin's device: by way of the host.
    XLA_RETURN_IF_ERROR(from->await());
    StatusOr<xla::Shape> shape = from->shape();
    if (!shape.ok()) {
      return shape.status();
    }
    std::vector<char> bytes(
        static_cast<size_t>(xla::byteSize(*shape).value_or(0)));
    XLA_RETURN_IF_ERROR(from->copyToHost(bytes.data(), bytes.size()));
    HostArray host{bytes.data(), shape->type, shape->dimensions, {}};
    return Buffer::fromHost(host, device, memory);
  }();
  throwIfError(buffer.status());
  return own(newArray(array->facts, sharding.ptr(), committed,
                      BufferList(std::move(*buffer))));
}

/// Releases an array whose memory another one showed.
static void releaseShared(void *, void *holder) {
  auto *shared = static_cast<BufferPointer *>(holder);
  (*shared)->unpin();
  delete shared;
}

/// The alignment of our own arrays: code is made for it.
static constexpr uintptr_t alignment = 64;

/// A part of an array that is one piece of its memory.
struct Piece {
  int64_t firstByte;
  std::vector<int64_t> dimensions;
};

/// The same memory as an array of another device, where both devices see it;
/// null where the memory of the one cannot be shown by the other, or where the
/// piece begins at an address for which no code is made.
static StatusOr<BufferPointer> shareWith(const BufferPointer &from,
                                         xla::ElementType type,
                                         const Piece &piece, Device &device) {
  XLA_RETURN_IF_ERROR(from->await());
  StatusOr<const void *> memory = from->pin();
  if (!memory.ok()) {
    return memory.status();
  }
  if (*memory == nullptr) {
    return BufferPointer();
  }
  const char *data = static_cast<const char *>(*memory) + piece.firstByte;
  if (reinterpret_cast<uintptr_t>(data) % alignment != 0) {
    from->unpin();
    return BufferPointer();
  }
  auto holder = std::make_unique<BufferPointer>(from);
  StatusOr<BufferPointer> view = Buffer::viewOf(
      {data, type, piece.dimensions, {}}, device, releaseShared, holder.get());
  if (!view.ok()) {
    from->unpin();
    return view.status();
  }
  holder.release();
  return view;
}

/// Reads which elements are to be shared, from `start` on in row-major order.
static Piece pieceOf(const FactsReference &facts, int64_t start,
                     py::handle shape) {
  Piece piece{0, facts->dimensions};
  if (!shape.is_none()) {
    piece.dimensions = shape.cast<std::vector<int64_t>>();
  }
  int64_t all = 1;
  for (int64_t size : facts->dimensions) {
    all *= size;
  }
  int64_t count = 1;
  for (int64_t size : piece.dimensions) {
    if (size < 0 || (size > 0 && count > all / size)) {
      throw py::value_error("the piece is larger than the array");
    }
    count *= size;
  }
  if (start < 0 || start > all - count) {
    throw py::value_error("the piece ends after the array");
  }
  piece.firstByte = start * static_cast<int64_t>(xla::byteWidth(facts->type));
  return piece;
}

static py::object sharedOn(py::handle source, Device &device,
                           py::handle sharding, bool committed, int64_t start,
                           py::handle shape) {
  ArrayObject *array = expectArray(source);
  expectAlive(array);
  if (array->buffers.size() != 1 ||
      &array->buffers[0]->client() != device.client) {
    throw py::value_error("only an array on one device is shared, with another "
                          "device of its client");
  }
  Piece piece = pieceOf(array->facts, start, shape);
  FactsReference facts =
      internFacts(array->facts->type, piece.dimensions, array->facts->weakType);
  if (!facts) {
    throw py::error_already_set();
  }
  BufferPointer buffer = valueOrThrow(
      shareWith(array->buffers[0], array->facts->type, piece, device));
  if (!buffer) {
    return py::none();
  }
  return own(newArray(std::move(facts), sharding.ptr(), committed,
                      BufferList(std::move(buffer))));
}

static BufferList copyList(const BufferList &list) { return list; }

static py::object viewWith(py::handle source, py::handle sharding,
                           bool committed, bool weakType) {
  ArrayObject *array = expectArray(source);
  FactsReference facts =
      internFacts(array->facts->type, array->facts->dimensions, weakType,
                  array->facts->order);
  if (!facts) {
    throw py::error_already_set();
  }
  return own(newArray(std::move(facts), sharding.ptr(), committed,
                      copyList(array->buffers)));
}

static py::object shardOf(py::handle source, size_t index,
                          py::handle sharding) {
  ArrayObject *array = expectArray(source);
  expectAlive(array);
  if (index >= array->buffers.size()) {
    throw py::index_error("the array has only " +
                          std::to_string(array->buffers.size()) + " shards");
  }
  BufferPointer buffer = array->buffers[index];
  xla::Shape shape = valueOrThrow(buffer->shape());
  const std::vector<int64_t> &order = array->facts->order;
  FactsReference facts =
      internFacts(shape.type, fromMemoryOrder(shape.dimensions, order),
                  array->facts->weakType, order);
  if (!facts) {
    throw py::error_already_set();
  }
  return own(newArray(std::move(facts), sharding.ptr(), true,
                      BufferList(std::move(buffer))));
}

static py::object withOrder(py::handle source,
                            const std::vector<int64_t> &order) {
  ArrayObject *array = expectArray(source);
  expectAlive(array);
  std::vector<int64_t> sizes = array->facts->memoryDimensions();
  std::vector<int64_t> axes = order;
  std::sort(axes.begin(), axes.end());
  bool isPermutation = axes.size() == sizes.size();
  for (size_t i = 0; i < axes.size() && isPermutation; ++i) {
    isPermutation = axes[i] == static_cast<int64_t>(i);
  }
  if (!isPermutation || array->buffers.size() != 1) {
    throw py::value_error("an order is a permutation of the axes of an array "
                          "on one device");
  }
  FactsReference facts =
      internFacts(array->facts->type, fromMemoryOrder(sizes, order),
                  array->facts->weakType, order);
  if (!facts) {
    throw py::error_already_set();
  }
  return own(newArray(std::move(facts), array->sharding.get(),
                      array->isCommitted, copyList(array->buffers)));
}

static py::list devicesOf(py::handle source) {
  ArrayObject *array = expectArray(source);
  py::list devices;
  for (size_t i = 0; i < array->buffers.size(); ++i) {
    const BufferPointer &buffer = array->buffers[i];
    Device *device = valueOrThrow(buffer->device());
    devices.append(py::cast(
        std::shared_ptr<Device>(buffer->client().shared_from_this(), device)));
  }
  return devices;
}

void jaxlib::registerTransfers(py::module_ &module) {
  module.def("array_from_host", &arrayFromHost, py::arg("value"),
             py::arg("device"), py::arg("memory_kind") = "", py::kw_only(),
             py::arg("sharding"), py::arg("committed"),
             py::arg("weak_type") = false,
             "Copies a NumPy array to a device, with its dtype.");
  module.def("array_from_shards", &arrayFromShards, py::kw_only(),
             py::arg("shape"), py::arg("dtype"), py::arg("weak_type") = false,
             py::arg("sharding"), py::arg("committed"), py::arg("shards"),
             "One array from arrays on one device each, which it shares.");
  module.def("copy_to_device", &copyToDevice, py::arg("array"),
             py::arg("device"), py::arg("memory_kind") = "", py::kw_only(),
             py::arg("sharding"), py::arg("committed"),
             "A copy of an array of one shard in a device's memory.");
  module.def("shared_on", &sharedOn, py::arg("array"), py::arg("device"),
             py::kw_only(), py::arg("sharding"), py::arg("committed"),
             py::arg("start") = 0, py::arg("shape") = py::none(),
             "An array of one shard on another device that sees its memory, "
             "which both share: all of it, or the elements of `shape` from "
             "`start` on. None where they cannot share it.");
  module.def("view_with", &viewWith, py::arg("array"), py::kw_only(),
             py::arg("sharding"), py::arg("committed"), py::arg("weak_type"),
             "The same memory as an array with other facts.");
  module.def("shard_of", &shardOf, py::arg("array"), py::arg("index"),
             py::kw_only(), py::arg("sharding"),
             "One shard, which shares its memory, as an array.");
  module.def(
      "with_order", &withOrder, py::arg("array"), py::arg("order"),
      "The memory of an array on one device, without a copy, as an array "
      "whose axes are in the order of memory.");
  module.def("devices_of", &devicesOf, py::arg("array"),
             "The devices of the shards, in their order.");
}
