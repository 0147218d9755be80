#include "jaxlib/py/Array.h"

#include "jaxlib/py/Callbacks.h"
#include "jaxlib/py/Errors.h"
#include "jaxlib/py/Gil.h"
#include "jaxlib/py/Origins.h"

#include <structmember.h>

#include <new>

using namespace jaxlib;

PyTypeObject *jaxlib::arrayType = nullptr;

// The list of arrays alive has this as its ring's seam. Guarded by the GIL.
static ArrayObject *newestArray = nullptr;

BufferList::BufferList(std::vector<BufferPointer> buffers)
    : many(std::move(buffers)) {
  if (many.size() == 1) {
    one = std::move(many.front());
    many.clear();
  }
}

//===----------------------------------------------------------------------===//
// Life
//===----------------------------------------------------------------------===//

PyObject *jaxlib::newArray(FactsReference facts, PyObject *sharding,
                           PyObject *shardingKey, bool isCommitted,
                           BufferList buffers) {
  auto *array = asArray(arrayType->tp_alloc(arrayType, 0));
  if (array == nullptr) {
    return nullptr;
  }
  array->weakReferences = nullptr;
  array->attributes = nullptr;
  new (&array->facts) FactsReference(std::move(facts));
  new (&array->sharding) Reference(Reference::borrow(sharding));
  new (&array->shardingKey) Reference(Reference::borrow(shardingKey));
  new (&array->hostValue) Reference();
  new (&array->buffers) BufferList(std::move(buffers));
  array->isCommitted = isCommitted;
  array->stack = currentStack();
  array->previous = nullptr;
  array->next = newestArray;
  if (newestArray != nullptr) {
    newestArray->previous = array;
  }
  newestArray = array;
  return reinterpret_cast<PyObject *>(array);
}

PyObject *jaxlib::newArray(FactsReference facts, PyObject *sharding,
                           bool isCommitted, BufferList buffers) {
  PyObject *key = internObject(sharding);
  if (key == nullptr) {
    return nullptr;
  }
  return newArray(std::move(facts), sharding, key, isCommitted,
                  std::move(buffers));
}

static void arrayDealloc(PyObject *self) {
  ArrayObject *array = asArray(self);
  if (array->weakReferences != nullptr) {
    PyObject_ClearWeakRefs(self);
  }
  (array->previous != nullptr ? array->previous->next : newestArray) =
      array->next;
  if (array->next != nullptr) {
    array->next->previous = array->previous;
  }
  Py_CLEAR(array->attributes);
  // Memory first: what hostValue looks at stays pinned by itself.
  array->buffers.~BufferList();
  array->hostValue.~Reference();
  array->shardingKey.~Reference();
  array->sharding.~Reference();
  array->facts.~FactsReference();
  PyTypeObject *type = Py_TYPE(self);
  type->tp_free(self);
  Py_DECREF(type);
}

PyObject *jaxlib::internObject(PyObject *object) {
  static PyObject *table = PyDict_New();
  return PyDict_SetDefault(table, object, object);
}

bool jaxlib::isDeleted(const ArrayObject *array) {
  for (size_t i = 0; i < array->buffers.size(); ++i) {
    if (array->buffers[i]->isDeleted()) {
      return true;
    }
  }
  return false;
}

void jaxlib::setDeletedError(const ArrayObject *array) {
  setDeletedError(
      "Array has been deleted with shape=" + describe(*array->facts.get()) +
      ".\n"
      "delete() frees an array at once; a jitted function with donate_argnums "
      "or donate_argnames takes the memory of the arguments it names.\n"
      "To keep the value, copy it first with jnp.copy, or do not donate it.");
}

bool jaxlib::noSignalArrived() {
  GilHold hold;
  return PyErr_CheckSignals() == 0;
}

bool jaxlib::blockUntilReady(const ArrayObject *array) {
  Status status;
  const bool mayBeInterrupted = !isOnPluginThread();
  {
    // The list belongs to the array, which the caller keeps alive.
    GilRelease release;
    for (size_t i = 0; i < array->buffers.size() && status.ok(); ++i) {
      StatusOr<Event> ready = array->buffers[i]->readyEvent();
      if (!ready.ok()) {
        status = ready.status();
      } else if (mayBeInterrupted) {
        status = ready->awaitWhile(noSignalArrived);
      } else {
        status = ready->await(); // which sees where it would wait for itself
      }
    }
  }
  if (status.ok()) {
    return true;
  }
  if (PyErr_Occurred()) {
    return false; // KeyboardInterrupt, or what a signal's handler raised
  }
  if (isDeleted(array)) {
    setDeletedError(array);
  } else {
    setError(status);
  }
  return false;
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

static PyObject *getShape(PyObject *self, void *) {
  return asArray(self)->facts->shape.copy().release();
}

static PyObject *getDtype(PyObject *self, void *) {
  return Py_NewRef(reinterpret_cast<PyObject *>(asArray(self)->facts->dtype()));
}

static PyObject *getNdim(PyObject *self, void *) {
  return PyLong_FromSize_t(asArray(self)->facts->dimensions.size());
}

static PyObject *getSize(PyObject *self, void *) {
  return PyLong_FromLongLong(asArray(self)->facts->elementCount);
}

static PyObject *getNbytes(PyObject *self, void *) {
  return PyLong_FromLongLong(asArray(self)->facts->byteCount);
}

static PyObject *getItemsize(PyObject *self, void *) {
  return PyLong_FromLongLong(xla::byteWidth(asArray(self)->facts->type));
}

static PyObject *getWeakType(PyObject *self, void *) {
  return PyBool_FromLong(asArray(self)->facts->weakType);
}

static PyObject *getSharding(PyObject *self, void *) {
  return asArray(self)->sharding.copy().release();
}

static PyObject *getCommitted(PyObject *self, void *) {
  return PyBool_FromLong(asArray(self)->isCommitted);
}

/// A tuple of int (new reference).
static PyObject *tupleOf(const std::vector<int64_t> &numbers) {
  Reference tuple =
      Reference::steal(PyTuple_New(static_cast<Py_ssize_t>(numbers.size())));
  for (size_t i = 0; tuple && i < numbers.size(); ++i) {
    PyObject *number = PyLong_FromLongLong(numbers[i]);
    if (number == nullptr) {
      return nullptr;
    }
    PyTuple_SET_ITEM(tuple.get(), static_cast<Py_ssize_t>(i), number);
  }
  return tuple.release();
}

static PyObject *getOrder(PyObject *self, void *) {
  const AvalFacts &facts = *asArray(self)->facts.get();
  return facts.isRowMajor() ? Py_NewRef(Py_None) : tupleOf(facts.order);
}

static PyObject *getAval(PyObject *self, void *) {
  return avalOf(asArray(self)->facts.get());
}

static PyObject *getValue(PyObject *self, void *) {
  return hostValue(asArray(self));
}

static PyObject *getKnownValue(PyObject *self, void *) {
  const ArrayObject *array = asArray(self);
  return array->hostValue ? array->hostValue.copy().release()
                          : Py_NewRef(Py_None);
}

static PyGetSetDef arrayAttributes[] = {
    {"shape", getShape, nullptr, "The sizes of the axes.", nullptr},
    {"dtype", getDtype, nullptr, "The dtype, as NumPy has it.", nullptr},
    {"ndim", getNdim, nullptr, "The number of axes.", nullptr},
    {"size", getSize, nullptr, "The number of elements.", nullptr},
    {"nbytes", getNbytes, nullptr, "The size of the elements in bytes.",
     nullptr},
    {"itemsize", getItemsize, nullptr, "The size of an element in bytes.",
     nullptr},
    {"weak_type", getWeakType, nullptr,
     "Whether the dtype gives way to others in promotion, as that of a Python "
     "number does.",
     nullptr},
    {"sharding", getSharding, nullptr, "How the array is divided over devices.",
     nullptr},
    {"committed", getCommitted, nullptr,
     "Whether its device was chosen on purpose.", nullptr},
    {"_committed", getCommitted, nullptr, nullptr, nullptr},
    {"_order", getOrder, nullptr,
     "The axes in the order in which memory stores them, from the one with the "
     "largest step; "
     "None: in row-major order.",
     nullptr},
    {"aval", getAval, nullptr, "Its type, as traces see it.", nullptr},
    {"_value", getValue, nullptr, "Its contents as a read-only NumPy array.",
     nullptr},
    {"_npy_value", getKnownValue, nullptr,
     "Its contents, if they were read already; else None.", nullptr},
    {"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict,
     "The attributes that were given to it.", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};

static PyMemberDef arrayMembers[] = {
    {"__weaklistoffset__", T_PYSSIZET, offsetof(ArrayObject, weakReferences),
     READONLY, nullptr},
    {"__dictoffset__", T_PYSSIZET, offsetof(ArrayObject, attributes), READONLY,
     nullptr},
    {nullptr, 0, 0, 0, nullptr},
};

//===----------------------------------------------------------------------===//
// Methods
//===----------------------------------------------------------------------===//

static PyObject *isDeletedMethod(PyObject *self, PyObject *) {
  return PyBool_FromLong(isDeleted(asArray(self)));
}

static PyObject *deleteMethod(PyObject *self, PyObject *) {
  ArrayObject *array = asArray(self);
  Status status;
  {
    GilRelease release;
    for (size_t i = 0; i < array->buffers.size() && status.ok(); ++i) {
      status = array->buffers[i]->free();
    }
  }
  array->hostValue = Reference();
  if (!status.ok()) {
    setError(status);
    return nullptr;
  }
  Py_RETURN_NONE;
}

static PyObject *blockMethod(PyObject *self, PyObject *) {
  return blockUntilReady(asArray(self)) ? Py_NewRef(self) : nullptr;
}

static PyObject *isReadyMethod(PyObject *self, PyObject *) {
  ArrayObject *array = asArray(self);
  if (isDeleted(array)) {
    setDeletedError(array);
    return nullptr;
  }
  for (size_t i = 0; i < array->buffers.size(); ++i) {
    StatusOr<bool> ready = array->buffers[i]->isReady();
    if (!ready.ok()) {
      setError(ready.status());
      return nullptr;
    }
    if (!*ready) {
      Py_RETURN_FALSE;
    }
  }
  Py_RETURN_TRUE;
}

static PyObject *unsafePointerMethod(PyObject *self, PyObject *) {
  ArrayObject *array = asArray(self);
  if (isDeleted(array)) {
    setDeletedError(array);
    return nullptr;
  }
  if (array->buffers.size() != 1) {
    PyErr_Format(PyExc_ValueError,
                 "unsafe_buffer_pointer(): the array has %zu shards, each with "
                 "an address of its own.\n"
                 "Ask a shard: x.addressable_shards[i].data",
                 array->buffers.size());
    return nullptr;
  }
  StatusOr<uintptr_t> pointer = array->buffers[0]->unsafePointer();
  if (!pointer.ok()) {
    setError(pointer.status());
    return nullptr;
  }
  return PyLong_FromSize_t(*pointer);
}

/// An array's memory on its device; keeps the array.
struct RawBuffer {
  pybind11::object array;
  size_t address;
};

static PyObject *rawBufferMethod(PyObject *self, PyObject *) {
  PyObject *address = unsafePointerMethod(self, nullptr);
  if (address == nullptr) {
    return nullptr;
  }
  pybind11::object holder =
      pybind11::reinterpret_steal<pybind11::object>(address);
  try {
    return pybind11::cast(
               RawBuffer{pybind11::reinterpret_borrow<pybind11::object>(self),
                         holder.cast<size_t>()})
        .release()
        .ptr();
  } catch (pybind11::error_already_set &error) {
    error.restore();
    return nullptr;
  }
}

static PyObject *onDeviceSizeMethod(PyObject *self, PyObject *) {
  ArrayObject *array = asArray(self);
  int64_t total = 0;
  for (size_t i = 0; i < array->buffers.size(); ++i) {
    StatusOr<int64_t> size = array->buffers[i]->sizeOnDevice();
    if (!size.ok()) {
      setError(size.status());
      return nullptr;
    }
    total += *size;
  }
  return PyLong_FromLongLong(total);
}

static std::vector<PyMethodDef> &arrayMethods() {
  static auto *methods = new std::vector<PyMethodDef>{
      {"is_deleted", isDeletedMethod, METH_NOARGS,
       "Whether its memory was freed or donated."},
      {"delete", deleteMethod, METH_NOARGS, "Frees its memory now."},
      {"block_until_ready", blockMethod, METH_NOARGS,
       "Waits until the contents are computed, and returns the array."},
      {"is_ready", isReadyMethod, METH_NOARGS,
       "Whether the contents are computed."},
      {"unsafe_buffer_pointer", unsafePointerMethod, METH_NOARGS,
       "The address of the contents. It is valid while the array lives."},
      {"unsafe_raw_buffer", rawBufferMethod, METH_NOARGS,
       "The memory itself, with its address as `ptr`. It keeps the array."},
      {"on_device_size_in_bytes", onDeviceSizeMethod, METH_NOARGS,
       "The memory taken on all local devices."},
      {"__dlpack__",
       reinterpret_cast<PyCFunction>(reinterpret_cast<void *>(arrayToDlpack)),
       METH_FASTCALL | METH_KEYWORDS, "The contents as a DLPack capsule."},
      {"__dlpack_device__", arrayDlpackDevice, METH_NOARGS,
       "The device as DLPack numbers it."},
  };
  return *methods;
}

static Py_hash_t refuseHash(PyObject *) {
  PyErr_SetString(
      PyExc_TypeError,
      "unhashable type: an Array was used as the key of a dict, in a set, or "
      "as a static argument.\n"
      "Its contents live on a device and compare elementwise. Use "
      "x.item() or tuple(x.tolist()) as a key.");
  return -1;
}

static PyTypeObject *makeArrayType() {
  std::vector<PyMethodDef> &methods = arrayMethods();
  for (PyMethodDef *method = arrayHostMethods; method->ml_name != nullptr;
       ++method) {
    methods.push_back(*method);
  }
  methods.push_back({nullptr, nullptr, 0, nullptr});
  PyNumberMethods numbers = arrayHostNumbers();
  auto slot = [](auto *function) { return reinterpret_cast<void *>(function); };
  PyType_Slot slots[] = {
      {Py_tp_dealloc, slot(arrayDealloc)},
      {Py_tp_getset, arrayAttributes},
      {Py_tp_members, arrayMembers},
      {Py_tp_methods, methods.data()},
      {Py_tp_hash, slot(refuseHash)},
      {Py_nb_bool, slot(numbers.nb_bool)},
      {Py_nb_int, slot(numbers.nb_int)},
      {Py_nb_float, slot(numbers.nb_float)},
      {Py_nb_index, slot(numbers.nb_index)},
      {Py_bf_getbuffer, slot(arrayGetBuffer)},
      {Py_tp_doc,
       const_cast<char *>("An array on one or more devices; isinstance(x, "
                          "jax.Array) is true of it.")},
      {0, nullptr},
  };
  PyType_Spec spec = {"jaxlib._jax.ArrayImpl", sizeof(ArrayObject), 0,
                      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                      slots};
  return reinterpret_cast<PyTypeObject *>(PyType_FromSpec(&spec));
}

static pybind11::list liveArrays() {
  pybind11::list arrays;
  for (ArrayObject *array = newestArray; array != nullptr;
       array = array->next) {
    if (Py_REFCNT(array) > 0 && !isDeleted(array)) {
      arrays.append(pybind11::handle(reinterpret_cast<PyObject *>(array)));
    }
  }
  return arrays;
}

static void markStacks(std::vector<bool> &isUsed) {
  for (ArrayObject *array = newestArray; array != nullptr;
       array = array->next) {
    isUsed[array->stack] = true;
  }
}

/// Where an array was made: the frames, innermost first.
static pybind11::list originOf(pybind11::handle array) {
  if (!isArray(array.ptr())) {
    throw pybind11::type_error("origin_of takes an Array");
  }
  return framesOf(asArray(array.ptr())->stack);
}

void jaxlib::registerArray(pybind11::module_ &module) {
  arrayType = makeArrayType();
  if (arrayType == nullptr) {
    throw pybind11::error_already_set();
  }
  module.attr("Array") =
      pybind11::handle(reinterpret_cast<PyObject *>(arrayType));
  pybind11::class_<RawBuffer>(module, "RawBuffer",
                              "An array's memory on its device.")
      .def_readonly("ptr", &RawBuffer::address, "Its address.")
      .def("__repr__", [](const RawBuffer &buffer) {
        return "<RawBuffer at " + std::to_string(buffer.address) + ">";
      });
  module.def("live_arrays", &liveArrays,
             "The arrays that are alive and not deleted, newest first.");
  setStackMarker(&markStacks);
  module.def("origin_of", &originOf,
             "The frames of Python that made an array, innermost first: (file, "
             "function, line, line where the function begins).");
  module.def("set_aval_maker", [](pybind11::object function) {
    setAvalMaker(Reference::steal(function.release().ptr()));
  });
  module.def("set_assembler", [](pybind11::object function) {
    setAssembler(Reference::steal(function.release().ptr()));
  });
}
