//===- Dlpack.cpp - Our arrays for other libraries ------------------------===//
//
// Hands out memory that the host sees by the DLPack protocol.
//
//===----------------------------------------------------------------------===//

#include "jaxlib/py/Dlpack.h"
#include "jaxlib/py/Array.h"
#include "jaxlib/py/Errors.h"

using namespace jaxlib;
using namespace jaxlib::dlpack;

namespace {

/// What a consumer of our memory holds on to.
struct Lease {
  BufferPointer buffer;
  std::vector<int64_t> shape;
  std::vector<int64_t> strides;
  Managed plain;
  ManagedVersioned versioned;
};

} // namespace

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
        static_cast<Managed *>(PyCapsule_GetPointer(capsule, plainName));
    managed->deleter(managed);
  } else if (PyCapsule_IsValid(capsule, versionedName)) {
    auto *managed = static_cast<ManagedVersioned *>(
        PyCapsule_GetPointer(capsule, versionedName));
    managed->deleter(managed);
  }
}

/// A lease of an array whose contents are there; null: exception set. `isCopy`:
/// the array was made for the consumer, who may write to it.
static Lease *makeLease(ArrayObject *array, bool isCopy) {
  const TypeCode *code = nullptr;
  for (const TypeCode &candidate : typeCodes) {
    if (candidate.type == array->facts->type) {
      code = &candidate;
    }
  }
  bool isOne = array->buffers.size() == 1 && holdsWhole(array);
  if (PyErr_Occurred()) {
    return nullptr;
  }
  if (code == nullptr || !isOne) {
    PyErr_Format(
        PyExc_BufferError,
        "__dlpack__: %s on %zu device(s) of this process has no DLPack "
        "form.\n"
        "DLPack describes an array on one device, of booleans, "
        "integers, floats of 8 bits and more, or complex numbers.",
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
  const std::vector<int64_t> &order = array->facts->order;
  lease->strides.assign(rank, 1);
  int64_t step = 1;
  for (size_t i = rank; i-- > 0;) {
    size_t axis = order.empty() ? i : static_cast<size_t>(order[i]);
    lease->strides[axis] = step;
    step *= lease->shape[axis];
  }
  dlpack::Tensor tensor{const_cast<void *>(*data),
                        {deviceCpu, 0},
                        static_cast<int32_t>(rank),
                        {code->code, code->bits, 1},
                        lease->shape.data(),
                        lease->strides.data(),
                        0};
  lease->plain = {tensor, lease, [](Managed *managed) {
                    endLease(static_cast<Lease *>(managed->context));
                  }};
  lease->versioned = {1,
                      1,
                      lease,
                      [](ManagedVersioned *managed) {
                        endLease(static_cast<Lease *>(managed->context));
                      },
                      isCopy ? flagIsCopied : flagReadOnly,
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
  Lease *lease = makeLease(array, copy == Py_True);
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
                 "__dlpack_device__: the array is on %zd devices, and DLPack "
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
