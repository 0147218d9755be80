//===- Dlpack.cpp - Arrays shared with other libraries --------------------===//
//
// Both directions of the DLPack protocol, for memory that the host sees.
//
//===----------------------------------------------------------------------===//

#include "jaxlib/py/Array.h"
#include "jaxlib/py/Errors.h"
#include "jaxlib/py/Transfers.h"

using namespace jaxlib;

//===----------------------------------------------------------------------===//
// DLPack's binary interface, version 1 and before it
//===----------------------------------------------------------------------===//

namespace {

constexpr int32_t deviceCpu = 1;

struct DlDevice {
  int32_t type;
  int32_t id;
};

struct DlDataType {
  uint8_t code;
  uint8_t bits;
  uint16_t lanes;
};

struct DlTensor {
  void *data;
  DlDevice device;
  int32_t rank;
  DlDataType type;
  int64_t *shape;
  int64_t *strides; ///< in elements; null: dense and row-major
  uint64_t byteOffset;
};

struct DlManaged {
  DlTensor tensor;
  void *context;
  void (*deleter)(DlManaged *);
};

struct DlManagedVersioned {
  uint32_t major;
  uint32_t minor;
  void *context;
  void (*deleter)(DlManagedVersioned *);
  uint64_t flags;
  DlTensor tensor;
};

constexpr uint64_t flagReadOnly = 1;

struct TypeCode {
  xla::ElementType type;
  uint8_t code;
  uint8_t bits;
};

constexpr TypeCode typeCodes[] = {
    {xla::ElementType::Pred, 6, 8},   {xla::ElementType::S8, 0, 8},
    {xla::ElementType::S16, 0, 16},   {xla::ElementType::S32, 0, 32},
    {xla::ElementType::S64, 0, 64},   {xla::ElementType::U8, 1, 8},
    {xla::ElementType::U16, 1, 16},   {xla::ElementType::U32, 1, 32},
    {xla::ElementType::U64, 1, 64},   {xla::ElementType::F16, 2, 16},
    {xla::ElementType::F32, 2, 32},   {xla::ElementType::F64, 2, 64},
    {xla::ElementType::BF16, 4, 16},  {xla::ElementType::C64, 5, 64},
    {xla::ElementType::C128, 5, 128},
};

/// What a consumer of our memory holds on to.
struct Lease {
  BufferPointer buffer;
  std::vector<int64_t> shape;
  std::vector<int64_t> strides;
  DlManaged plain;
  DlManagedVersioned versioned;
};

} // namespace

static constexpr const char *plainName = "dltensor";
static constexpr const char *versionedName = "dltensor_versioned";

//===----------------------------------------------------------------------===//
// From us
//===----------------------------------------------------------------------===//

// A consumer may let go on any thread, without the GIL: nothing here is
// Python's.
static void endLease(Lease *lease) {
  lease->buffer->unpin();
  delete lease;
}

static void dropUnusedCapsule(PyObject *capsule) {
  if (PyCapsule_IsValid(capsule, plainName)) {
    auto *managed =
        static_cast<DlManaged *>(PyCapsule_GetPointer(capsule, plainName));
    managed->deleter(managed);
  } else if (PyCapsule_IsValid(capsule, versionedName)) {
    auto *managed = static_cast<DlManagedVersioned *>(
        PyCapsule_GetPointer(capsule, versionedName));
    managed->deleter(managed);
  }
}

/// Fills `lease` for an array whose contents are there; null: exception set.
static Lease *makeLease(ArrayObject *array) {
  const TypeCode *code = nullptr;
  for (const TypeCode &candidate : typeCodes) {
    if (candidate.type == array->facts->type) {
      code = &candidate;
    }
  }
  if (code == nullptr || array->buffers.size() != 1) {
    PyErr_Format(PyExc_BufferError,
                 "__dlpack__: %s on %zu device(s) has no DLPack form.\n"
                 "DLPack describes an array on one device, of booleans, "
                 "integers, float16 to float64, bfloat16 or complex numbers.",
                 describe(*array->facts.get()).c_str(), array->buffers.size());
    return nullptr;
  }
  StatusOr<const void *> data = array->buffers[0]->pin();
  if (!data.ok()) {
    setError(data.status());
    return nullptr;
  }
  if (*data == nullptr) {
    PyErr_SetString(PyExc_BufferError,
                    "__dlpack__: the array's memory is not a dense one that "
                    "the host can read");
    return nullptr;
  }
  auto *lease =
      new Lease{array->buffers[0], array->facts->dimensions, {}, {}, {}};
  size_t rank = lease->shape.size();
  lease->strides.assign(rank, 1);
  for (size_t i = rank; i-- > 1;) {
    lease->strides[i - 1] = lease->strides[i] * lease->shape[i];
  }
  DlTensor tensor{const_cast<void *>(*data),
                  {deviceCpu, 0},
                  static_cast<int32_t>(rank),
                  {code->code, code->bits, 1},
                  lease->shape.data(),
                  lease->strides.data(),
                  0};
  lease->plain = {tensor, lease, [](DlManaged *managed) {
                    endLease(static_cast<Lease *>(managed->context));
                  }};
  lease->versioned = {1,
                      0,
                      lease,
                      [](DlManagedVersioned *managed) {
                        endLease(static_cast<Lease *>(managed->context));
                      },
                      flagReadOnly,
                      tensor};
  return lease;
}

PyObject *jaxlib::arrayToDlpack(PyObject *self, PyObject *const *arguments,
                                Py_ssize_t count, PyObject *names) {
  PyObject *maximum = Py_None;
  PyObject *copy = Py_None;
  Py_ssize_t nameCount = names == nullptr ? 0 : PyTuple_GET_SIZE(names);
  for (Py_ssize_t i = 0; i < nameCount; ++i) {
    const char *name = PyUnicode_AsUTF8(PyTuple_GET_ITEM(names, i));
    if (name == nullptr) {
      return nullptr;
    }
    std::string_view view = name;
    if (view == "max_version") {
      maximum = arguments[count + i];
    } else if (view == "copy") {
      copy = arguments[count + i];
    } else if (view != "stream" && view != "dl_device") {
      PyErr_Format(PyExc_TypeError, "__dlpack__() has no argument '%s'", name);
      return nullptr;
    }
  }
  if (copy == Py_True) {
    PyErr_SetString(PyExc_NotImplementedError,
                    "__dlpack__(copy=True): copy the array first, with "
                    "jnp.copy(x)");
    return nullptr;
  }
  ArrayObject *array = asArray(self);
  if (isDeleted(array)) {
    setDeletedError(array);
    return nullptr;
  }
  bool isVersioned = false;
  if (PyTuple_Check(maximum) && PyTuple_GET_SIZE(maximum) == 2) {
    isVersioned = PyLong_AsLong(PyTuple_GET_ITEM(maximum, 0)) >= 1;
    if (PyErr_Occurred()) {
      return nullptr;
    }
  }
  if (!blockUntilReady(array)) {
    return nullptr;
  }
  Lease *lease = makeLease(array);
  if (lease == nullptr) {
    return nullptr;
  }
  PyObject *capsule =
      isVersioned
          ? PyCapsule_New(&lease->versioned, versionedName, dropUnusedCapsule)
          : PyCapsule_New(&lease->plain, plainName, dropUnusedCapsule);
  if (capsule == nullptr) {
    endLease(lease);
  }
  return capsule;
}

PyObject *jaxlib::arrayDlpackDevice(PyObject *self, PyObject *) {
  ArrayObject *array = asArray(self);
  if (array->buffers.size() != 1) {
    PyErr_Format(PyExc_BufferError,
                 "__dlpack_device__: the array lies on %zd devices, and DLPack "
                 "hands out one piece of memory; take one of "
                 "x.addressable_shards",
                 static_cast<Py_ssize_t>(array->buffers.size()));
    return nullptr;
  }
  if (array->buffers[0]->client().platformName() != "cpu") {
    PyErr_Format(PyExc_BufferError,
                 "__dlpack_device__: no DLPack device number is known for "
                 "platform '%s'",
                 array->buffers[0]->client().platformName().c_str());
    return nullptr;
  }
  return Py_BuildValue("(ii)", deviceCpu, 0);
}

//===----------------------------------------------------------------------===//
// To us
//===----------------------------------------------------------------------===//

/// The tensor of a capsule of either kind, or null with an exception set.
static const DlTensor *tensorOf(PyObject *capsule, bool &isVersioned) {
  isVersioned = PyCapsule_IsValid(capsule, versionedName) != 0;
  if (isVersioned) {
    auto *managed = static_cast<DlManagedVersioned *>(
        PyCapsule_GetPointer(capsule, versionedName));
    if (managed->major != 1) {
      PyErr_Format(PyExc_BufferError,
                   "the tensor is of DLPack version %u, we know version 1",
                   managed->major);
      return nullptr;
    }
    return &managed->tensor;
  }
  auto *managed =
      static_cast<DlManaged *>(PyCapsule_GetPointer(capsule, plainName));
  return managed == nullptr ? nullptr : &managed->tensor;
}

/// Copies the tensor to `device`; null with an exception set on failure.
static PyObject *copyTensor(const DlTensor &tensor, Device &device,
                            PyObject *sharding) {
  const TypeCode *code = nullptr;
  for (const TypeCode &candidate : typeCodes) {
    if (candidate.code == tensor.type.code &&
        candidate.bits == tensor.type.bits && tensor.type.lanes == 1) {
      code = &candidate;
    }
  }
  if (code == nullptr || tensor.device.type != deviceCpu || tensor.rank < 0 ||
      tensor.rank > 64) {
    PyErr_Format(PyExc_BufferError,
                 "from_dlpack: a tensor of type code %d, %d bits, %d lanes on "
                 "device type %d cannot be taken over.\n"
                 "Tensors in the host's memory of NumPy's types or bfloat16 "
                 "can.",
                 tensor.type.code, tensor.type.bits, tensor.type.lanes,
                 tensor.device.type);
    return nullptr;
  }
  size_t rank = static_cast<size_t>(tensor.rank);
  std::span<const int64_t> shape(tensor.shape, rank);
  std::vector<int64_t> strides;
  if (tensor.strides != nullptr) {
    for (size_t i = 0; i < rank; ++i) {
      strides.push_back(tensor.strides[i] * xla::byteWidth(code->type));
    }
  }
  FactsReference facts = internFacts(code->type, shape, false);
  if (!facts) {
    return nullptr;
  }
  HostArray host{static_cast<const char *>(tensor.data) + tensor.byteOffset,
                 code->type, shape, strides};
  StatusOr<BufferPointer> buffer = [&] {
    GilRelease release;
    return Buffer::fromHost(host, device, device.defaultMemory);
  }();
  if (!buffer.ok()) {
    setError(buffer.status());
    return nullptr;
  }
  return newArray(std::move(facts), sharding, true,
                  BufferList(std::move(*buffer)));
}

static pybind11::object fromDlpack(pybind11::handle capsule, Device &device,
                                   pybind11::handle sharding) {
  bool isVersioned;
  const DlTensor *tensor = tensorOf(capsule.ptr(), isVersioned);
  PyObject *array =
      tensor == nullptr ? nullptr : copyTensor(*tensor, device, sharding.ptr());
  if (array == nullptr) {
    throw pybind11::error_already_set();
  }
  // The data was copied: the capsule frees its tensor when it goes.
  return pybind11::reinterpret_steal<pybind11::object>(array);
}

void jaxlib::registerDlpack(pybind11::module_ &module) {
  module.def("array_from_dlpack", &fromDlpack, pybind11::arg("capsule"),
             pybind11::arg("device"), pybind11::kw_only(),
             pybind11::arg("sharding"),
             "Copies a DLPack tensor of the host's memory to a device.");
}
