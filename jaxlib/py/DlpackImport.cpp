//===- DlpackImport.cpp - Other libraries' arrays as ours -----------------===//
//
// Takes tensors over by the DLPack protocol: without a copy if that is
// possible, or a copy of them. What a capsule holds is not to be trusted.
//
//===----------------------------------------------------------------------===//

#include "jaxlib/py/Array.h"
#include "jaxlib/py/Dlpack.h"
#include "jaxlib/py/Errors.h"
#include "jaxlib/py/Gil.h"
#include "jaxlib/py/Transfers.h"

#include <algorithm>
#include <mutex>

using namespace jaxlib;
using namespace jaxlib::dlpack;

namespace {

/// A tensor that was taken out of its capsule, and how to give it back.
struct Taken {
  void *managed;
  bool isVersioned;

  void giveBack() const {
    if (isVersioned) {
      end(static_cast<ManagedVersioned *>(managed));
    } else {
      end(static_cast<Managed *>(managed));
    }
  }

private:
  template <typename Held>
  static void end(Held *held) {
    if (held->deleter != nullptr) {
      held->deleter(held);
    }
  }
};

/// Tensors that a thread without the GIL was done with: their owners may be
/// Python's, and a thread of a plugin must not wait for Python.
struct Waiting {
  std::mutex mutex;
  std::vector<Taken> tensors;
};

} // namespace

static Waiting &waiting() {
  static Waiting *list = new Waiting; // outlives the threads that use it
  return *list;
}

/// Needs the GIL.
static int giveBackWaiting(void *) {
  std::vector<Taken> tensors;
  {
    std::lock_guard<std::mutex> lock(waiting().mutex);
    tensors.swap(waiting().tensors);
  }
  for (const Taken &taken : tensors) {
    taken.giveBack();
  }
  return 0;
}

/// A view's memory is no longer used.
static void endView(void *, void *argument) {
  std::unique_ptr<Taken> taken(static_cast<Taken *>(argument));
  if (!Py_IsInitialized()) {
    return; // whose memory it was is gone
  }
  if (PyGILState_Check()) {
    taken->giveBack();
    return;
  }
  {
    std::lock_guard<std::mutex> lock(waiting().mutex);
    waiting().tensors.push_back(*taken);
  }
  // Where the interpreter has no room for the call, the next tensor that is
  // taken over makes it.
  (void)Py_AddPendingCall(&giveBackWaiting, nullptr);
}

//===----------------------------------------------------------------------===//
// What the tensor says
//===----------------------------------------------------------------------===//

static Tensor *tensorOf(const Taken &taken) {
  return taken.isVersioned
             ? &static_cast<ManagedVersioned *>(taken.managed)->tensor
             : &static_cast<Managed *>(taken.managed)->tensor;
}

/// What a capsule holds, still in it; false with an exception set.
static bool openCapsule(PyObject *capsule, Taken &taken) {
  if (!PyCapsule_CheckExact(capsule)) {
    PyErr_Format(PyExc_TypeError,
                 "from_dlpack: __dlpack__() returned no capsule.\n"
                 "  returned  a %s\n"
                 "The protocol hands tensors over in capsules.\n"
                 "Pass an array of a library that speaks DLPack.",
                 Py_TYPE(capsule)->tp_name);
    return false;
  }
  taken.isVersioned = PyCapsule_IsValid(capsule, versionedName) != 0;
  const char *name = taken.isVersioned ? versionedName : plainName;
  if (!PyCapsule_IsValid(capsule, name)) {
    const char *found = PyCapsule_GetName(capsule);
    PyErr_Clear(); // a capsule without a name
    PyErr_Format(PyExc_BufferError,
                 "from_dlpack: the capsule holds no tensor to take.\n"
                 "  name  %.80s\n"
                 "Capsules named \"dltensor\" or \"dltensor_versioned\" do, "
                 "and each can be taken once.\n"
                 "Ask the array for a new capsule: pass the array itself.",
                 found == nullptr ? "none" : found);
    return false;
  }
  taken.managed = PyCapsule_GetPointer(capsule, name);
  if (taken.isVersioned) {
    uint32_t major = static_cast<ManagedVersioned *>(taken.managed)->major;
    if (major != 1) {
      PyErr_Format(PyExc_BufferError,
                   "from_dlpack: the tensor is of DLPack version %u.\n"
                   "Version 1 and the form before it can be taken over.\n"
                   "Use a release of the other library that exports these.",
                   major);
      return false;
    }
  }
  return true;
}

/// The element type; Invalid with an exception set where there is none.
static xla::ElementType typeOf(const Tensor &tensor) {
  for (const TypeCode &candidate : typeCodes) {
    if (candidate.code == tensor.type.code &&
        candidate.bits == tensor.type.bits && tensor.type.lanes == 1 &&
        tensor.device.type == deviceCpu) {
      return candidate.type;
    }
  }
  PyErr_Format(PyExc_BufferError,
               "from_dlpack: such a tensor cannot be taken over.\n"
               "  type    code %d, %d bits, %d lanes\n"
               "  device  type %d\n"
               "Tensors in the host's memory can, of booleans, integers, "
               "floats of 8 bits and more, or complex numbers.\n"
               "Convert the array, or move it to the CPU, first.",
               tensor.type.code, tensor.type.bits, tensor.type.lanes,
               tensor.device.type);
  return xla::ElementType::Invalid;
}

static bool refuse(const char *fact) {
  PyErr_Format(PyExc_BufferError,
               "from_dlpack: the tensor contradicts itself: %s.\n"
               "Use a release of the other library that fills it in.",
               fact);
  return false;
}

/// Whether shape, strides and data can be of an array; false with an exception
/// set. The memory that the pointer refers to cannot be checked.
static bool checkTensor(const Tensor &tensor, int64_t width) {
  if (tensor.rank < 0 || tensor.rank > 64) {
    return refuse("its rank is not from 0 to 64");
  }
  if (tensor.rank > 0 && tensor.shape == nullptr) {
    return refuse("it has dimensions and no shape");
  }
  constexpr __int128 most = __int128(1) << 62;
  __int128 bytes = width;
  bool isEmpty = false;
  for (int32_t i = 0; i < tensor.rank; ++i) {
    if (tensor.shape[i] < 0) {
      return refuse("a dimension is negative");
    }
    isEmpty |= tensor.shape[i] == 0;
    bytes *= std::max<int64_t>(tensor.shape[i], 1);
    if (bytes > most) {
      return refuse("it has more than 2^62 bytes");
    }
  }
  for (int32_t i = 0; i < tensor.rank && tensor.strides != nullptr; ++i) {
    __int128 reach = __int128(tensor.strides[i]) * width * tensor.shape[i];
    if (reach > most || reach < -most) {
      return refuse("its strides reach over more than 2^62 bytes");
    }
  }
  return isEmpty || tensor.data != nullptr || refuse("it has no memory");
}

static bool isDense(const Tensor &tensor) {
  int64_t stride = 1;
  for (int32_t i = tensor.rank; i-- > 0 && tensor.strides != nullptr;) {
    if (tensor.shape[i] == 0) {
      return true;
    }
    if (tensor.shape[i] != 1 && tensor.strides[i] != stride) {
      return false;
    }
    stride *= tensor.shape[i];
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Taking it over
//===----------------------------------------------------------------------===//

/// The alignment of our own arrays: code is made for it.
static constexpr uintptr_t alignment = 64;

/// Why the tensor's memory cannot be shared; null where it can.
static const char *whyNotShared(const Tensor &tensor, const void *data) {
  if (std::find(tensor.shape, tensor.shape + tensor.rank, 0) !=
      tensor.shape + tensor.rank) {
    return nullptr; // it has no elements
  }
  if (!isDense(tensor)) {
    return "its elements are not dense in row-major order";
  }
  if (reinterpret_cast<uintptr_t>(data) % alignment != 0) {
    return "its memory is not aligned to 64 bytes";
  }
  return nullptr;
}

static StatusOr<BufferPointer>
copyTensor(const Tensor &tensor, const HostArray &array, Device &device) {
  std::vector<int64_t> strides;
  for (int32_t i = 0; i < tensor.rank && !isDense(tensor); ++i) {
    strides.push_back(tensor.strides[i] * xla::byteWidth(array.type));
  }
  HostArray strided = array;
  strided.byteStrides = strides;
  GilRelease release;
  return Buffer::fromHost(strided, device, device.defaultMemory);
}

/// The array of a tensor; null with an exception set, and then the capsule
/// still holds it.
static PyObject *takeTensor(PyObject *capsule, Device &device,
                            PyObject *sharding, PyObject *copy) {
  Taken taken;
  if (!openCapsule(capsule, taken)) {
    return nullptr;
  }
  const Tensor &tensor = *tensorOf(taken);
  xla::ElementType type = typeOf(tensor);
  if (type == xla::ElementType::Invalid ||
      !checkTensor(tensor, xla::byteWidth(type))) {
    return nullptr;
  }
  std::span<const int64_t> shape(tensor.shape,
                                 static_cast<size_t>(tensor.rank));
  const char *data = static_cast<const char *>(tensor.data) + tensor.byteOffset;
  const char *obstacle = whyNotShared(tensor, data);
  if (copy == Py_False && obstacle != nullptr) {
    PyErr_Format(PyExc_ValueError,
                 "from_dlpack(copy=False): the tensor cannot be used where it "
                 "is.\n  reason  %s\n"
                 "Without a copy, arrays share memory that is laid out as "
                 "ours is.\n"
                 "Leave copy out to copy where that is necessary.",
                 obstacle);
    return nullptr;
  }
  FactsReference facts = internFacts(type, shape, false);
  if (!facts) {
    return nullptr;
  }
  // An empty tensor may be anywhere; plugins want an aligned address still.
  alignas(alignment) static char nowhere;
  bool isEmpty = std::find(shape.begin(), shape.end(), 0) != shape.end();
  HostArray array{isEmpty ? &nowhere : data, type, shape, {}};
  bool isView = obstacle == nullptr && copy != Py_True;
  auto held = std::make_unique<Taken>(taken);
  StatusOr<BufferPointer> buffer =
      isView ? Buffer::viewOf(array, device, &endView, held.get())
             : copyTensor(tensor, array, device);
  if (!buffer.ok()) {
    setError(buffer.status());
    return nullptr;
  }
  if (isView) {
    (void)held.release(); // endView's
  }
  PyCapsule_SetName(capsule,
                    taken.isVersioned ? usedVersionedName : usedPlainName);
  PyObject *result = newArray(std::move(facts), sharding, true,
                              BufferList(std::move(*buffer)));
  if (!isView) {
    taken.giveBack();
  }
  return result;
}

static pybind11::object fromDlpack(pybind11::handle capsule, Device &device,
                                   pybind11::handle sharding,
                                   pybind11::handle copy) {
  giveBackWaiting(nullptr);
  PyObject *array =
      takeTensor(capsule.ptr(), device, sharding.ptr(), copy.ptr());
  if (array == nullptr) {
    throw pybind11::error_already_set();
  }
  return pybind11::reinterpret_steal<pybind11::object>(array);
}

void jaxlib::registerDlpack(pybind11::module_ &module) {
  module.def(
      "array_from_dlpack", &fromDlpack, pybind11::arg("capsule"),
      pybind11::arg("device"), pybind11::kw_only(), pybind11::arg("sharding"),
      pybind11::arg("copy"),
      "The array of a DLPack tensor in the host's memory: in place, or a "
      "copy where copy is True, or None and that is impossible.");
}
