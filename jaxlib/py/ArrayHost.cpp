//===- ArrayHost.cpp - Arrays seen from the host --------------------------===//
//
// NumPy views and copies, Python's numbers, the buffer protocol.
//
//===----------------------------------------------------------------------===//

#include "jaxlib/py/Array.h"

#include "jaxlib/py/Errors.h"
#include "jaxlib/py/Gil.h"

using namespace jaxlib;

static PyObject *assembler = nullptr;

void jaxlib::setAssembler(Reference function) {
  Py_XDECREF(std::exchange(assembler, function.release()));
}

//===----------------------------------------------------------------------===//
// The contents as a NumPy array
//===----------------------------------------------------------------------===//

static constexpr const char *pinName = "jaxlib.pinned_buffer";

static void unpinCapsule(PyObject *capsule) {
  auto *buffer =
      static_cast<BufferPointer *>(PyCapsule_GetPointer(capsule, pinName));
  (*buffer)->unpin();
  delete buffer;
}

/// The axes, in the array's own order, of an array in the order of its memory;
/// null with an exception set. Takes the reference.
static PyObject *asCounted(const AvalFacts &facts, Reference array) {
  if (!array || facts.isRowMajor()) {
    return array.release();
  }
  std::vector<npy_intp> axes(facts.order.size());
  for (size_t i = 0; i < facts.order.size(); ++i) {
    axes[static_cast<size_t>(facts.order[i])] = static_cast<npy_intp>(i);
  }
  PyArray_Dims permutation{axes.data(), static_cast<int>(axes.size())};
  return PyArray_Transpose(reinterpret_cast<PyArrayObject *>(array.get()),
                           &permutation);
}

static std::vector<npy_intp> memoryShape(const AvalFacts &facts) {
  std::vector<int64_t> sizes = facts.memoryDimensions();
  return {sizes.begin(), sizes.end()};
}

/// A read-only view of memory that `buffer` pins; it unpins when it goes.
static PyObject *viewPinned(const AvalFacts &facts, const void *data,
                            const BufferPointer &buffer) {
  auto *owner = new BufferPointer(buffer);
  Reference capsule =
      Reference::steal(PyCapsule_New(owner, pinName, unpinCapsule));
  if (!capsule) {
    buffer->unpin();
    delete owner;
    return nullptr;
  }
  auto *descriptor = facts.dtype();
  Py_INCREF(descriptor);
  std::vector<npy_intp> shape = memoryShape(facts);
  Reference view = Reference::steal(PyArray_NewFromDescr(
      &PyArray_Type, descriptor, static_cast<int>(shape.size()), shape.data(),
      nullptr, const_cast<void *>(data), NPY_ARRAY_C_CONTIGUOUS, nullptr));
  if (!view) {
    return nullptr;
  }
  auto *ndarray = reinterpret_cast<PyArrayObject *>(view.get());
  PyArray_UpdateFlags(ndarray, NPY_ARRAY_ALIGNED);
  if (PyArray_SetBaseObject(ndarray, capsule.release()) < 0) {
    return nullptr;
  }
  return asCounted(facts, std::move(view));
}

static PyObject *copyToNumpy(const AvalFacts &facts,
                             const BufferPointer &buffer) {
  auto *descriptor = facts.dtype();
  Py_INCREF(descriptor);
  std::vector<npy_intp> shape = memoryShape(facts);
  Reference array = Reference::steal(PyArray_NewFromDescr(
      &PyArray_Type, descriptor, static_cast<int>(shape.size()), shape.data(),
      nullptr, nullptr, 0, nullptr));
  if (!array) {
    return nullptr;
  }
  auto *ndarray = reinterpret_cast<PyArrayObject *>(array.get());
  Status status;
  if (facts.byteCount > 0) {
    void *data = PyArray_DATA(ndarray);
    GilRelease release;
    status = buffer->copyToHost(data, static_cast<size_t>(facts.byteCount));
  }
  if (!status.ok()) {
    setError(status);
    return nullptr;
  }
  PyArray_CLEARFLAGS(ndarray, NPY_ARRAY_WRITEABLE);
  return asCounted(facts, std::move(array));
}

static PyObject *readBuffer(const AvalFacts &facts,
                            const BufferPointer &buffer) {
  StatusOr<const void *> data = buffer->pin();
  if (!data.ok() && data.status().code() != xla::StatusCode::Unimplemented) {
    setError(data.status());
    return nullptr;
  }
  if (data.ok() && *data != nullptr) {
    return viewPinned(facts, *data, buffer);
  }
  return copyToNumpy(facts, buffer);
}

bool jaxlib::holdsWhole(const ArrayObject *array) {
  if (array->buffers.size() == 0) {
    return false;
  }
  StatusOr<xla::Shape> shard = array->buffers[0]->shape();
  if (!shard.ok()) {
    setError(shard.status());
    return false;
  }
  return shard->dimensions == array->facts->memoryDimensions();
}

PyObject *jaxlib::hostValue(ArrayObject *array) {
  if (array->hostValue && !isDeleted(array)) {
    return array->hostValue.copy().release();
  }
  if (isDeleted(array)) {
    setDeletedError(array);
    return nullptr;
  }
  Reference self = Reference::borrow(reinterpret_cast<PyObject *>(array));
  if (!blockUntilReady(array)) {
    return nullptr;
  }
  // Of several buffers, which may be summands, the assembler knows the value.
  bool isHere = array->buffers.size() == 1 && holdsWhole(array);
  if (PyErr_Occurred()) {
    return nullptr;
  }
  Reference value;
  if (isHere) {
    value =
        Reference::steal(readBuffer(*array->facts.get(), array->buffers[0]));
  } else if (assembler == nullptr) {
    PyErr_SetString(PyExc_RuntimeError,
                    "a sharded array was read before jax was imported");
  } else {
    value = Reference::steal(PyObject_CallOneArg(assembler, self.get()));
  }
  if (!value) {
    return nullptr;
  }
  if (!array->hostValue) { // another thread may have been faster
    array->hostValue = value.copy();
  }
  return value.release();
}

/// Reads the optional arguments of __array__(dtype=None, copy=None).
static bool parseArrayArguments(PyObject *const *arguments, Py_ssize_t count,
                                PyObject *names, PyObject **dtype,
                                PyObject **copy) {
  PyObject **targets[] = {dtype, copy};
  if (count > 2) {
    PyErr_Format(PyExc_TypeError,
                 "__array__() takes at most 2 arguments, %zd were given",
                 count);
    return false;
  }
  for (Py_ssize_t i = 0; i < count; ++i) {
    *targets[i] = arguments[i];
  }
  Py_ssize_t nameCount = names == nullptr ? 0 : PyTuple_GET_SIZE(names);
  for (Py_ssize_t i = 0; i < nameCount; ++i) {
    PyObject *name = PyTuple_GET_ITEM(names, i);
    if (PyUnicode_CompareWithASCIIString(name, "dtype") == 0) {
      *dtype = arguments[count + i];
    } else if (PyUnicode_CompareWithASCIIString(name, "copy") == 0) {
      *copy = arguments[count + i];
    } else {
      PyErr_Format(PyExc_TypeError, "__array__() has no argument %R", name);
      return false;
    }
  }
  return true;
}

static PyObject *toNumpy(PyObject *self, PyObject *const *arguments,
                         Py_ssize_t count, PyObject *names) {
  PyObject *dtype = Py_None;
  PyObject *copy = Py_None;
  if (!parseArrayArguments(arguments, count, names, &dtype, &copy)) {
    return nullptr;
  }
  Reference value = Reference::steal(hostValue(asArray(self)));
  if (!value) {
    return nullptr;
  }
  auto *ndarray = reinterpret_cast<PyArrayObject *>(value.get());
  PyArray_Descr *wanted = nullptr;
  if (dtype != Py_None && !PyArray_DescrConverter(dtype, &wanted)) {
    return nullptr;
  }
  bool converts =
      wanted != nullptr && !PyArray_EquivTypes(wanted, PyArray_DESCR(ndarray));
  if (converts && copy == Py_False) {
    Py_DECREF(wanted);
    PyErr_Format(PyExc_ValueError,
                 "%s as a NumPy array of dtype %R needs a copy, and copy=False "
                 "was given",
                 describe(*asArray(self)->facts.get()).c_str(), dtype);
    return nullptr;
  }
  if (converts) {
    return PyArray_CastToType(ndarray, wanted, 0); // takes `wanted`
  }
  Py_XDECREF(wanted);
  if (copy != Py_None && PyObject_IsTrue(copy) == 1) {
    return PyArray_NewCopy(ndarray, NPY_CORDER);
  }
  return PyErr_Occurred() ? nullptr : value.release();
}

static PyObject *copyToHostAsync(PyObject *self, PyObject *) {
  ArrayObject *array = asArray(self);
  if (isDeleted(array)) {
    setDeletedError(array);
    return nullptr;
  }
  // A hint. Memory that the host sees needs no copy; for other devices the copy
  // is made when the value is read.
  Py_RETURN_NONE;
}

//===----------------------------------------------------------------------===//
// Python's numbers
//===----------------------------------------------------------------------===//

/// The only element as Python or NumPy has it (new reference).
static PyObject *onlyElement(ArrayObject *array) {
  Reference value = Reference::steal(hostValue(array));
  if (!value) {
    return nullptr;
  }
  auto *ndarray = reinterpret_cast<PyArrayObject *>(value.get());
  return PyArray_GETITEM(ndarray,
                         static_cast<const char *>(PyArray_DATA(ndarray)));
}

/// The element of a scalar array, or TypeError.
static PyObject *scalarElement(PyObject *self, const char *wanted) {
  ArrayObject *array = asArray(self);
  if (!array->facts->dimensions.empty()) {
    PyErr_Format(PyExc_TypeError,
                 "Only scalar arrays can be converted to a Python %s; the "
                 "argument is %s.\n"
                 "x.item() converts an array of size 1; x.tolist() one of any "
                 "size.",
                 wanted, describe(*array->facts.get()).c_str());
    return nullptr;
  }
  return onlyElement(array);
}

static int toBool(PyObject *self) {
  ArrayObject *array = asArray(self);
  if (array->facts->elementCount != 1) {
    if (array->facts->elementCount == 0) {
      PyErr_Format(PyExc_ValueError,
                   "The truth value of an empty array is ambiguous: it is %s.\n"
                   "Use x.size > 0 to ask whether it has elements.",
                   describe(*array->facts.get()).c_str());
    } else {
      PyErr_Format(PyExc_ValueError,
                   "The truth value of an array with more than one element is "
                   "ambiguous: it is %s.\n"
                   "Use x.any() or x.all().",
                   describe(*array->facts.get()).c_str());
    }
    return -1;
  }
  Reference element = Reference::steal(onlyElement(array));
  return element ? PyObject_IsTrue(element.get()) : -1;
}

static PyObject *toInt(PyObject *self) {
  Reference element = Reference::steal(scalarElement(self, "int"));
  return element ? PyNumber_Long(element.get()) : nullptr;
}

static PyObject *toFloat(PyObject *self) {
  Reference element = Reference::steal(scalarElement(self, "float"));
  return element ? PyNumber_Float(element.get()) : nullptr;
}

static bool isInteger(xla::ElementType type) {
  switch (type) {
  case xla::ElementType::S2:
  case xla::ElementType::S4:
  case xla::ElementType::S8:
  case xla::ElementType::S16:
  case xla::ElementType::S32:
  case xla::ElementType::S64:
  case xla::ElementType::U2:
  case xla::ElementType::U4:
  case xla::ElementType::U8:
  case xla::ElementType::U16:
  case xla::ElementType::U32:
  case xla::ElementType::U64:
    return true;
  default:
    return false;
  }
}

static PyObject *toIndex(PyObject *self) {
  ArrayObject *array = asArray(self);
  if (!array->facts->dimensions.empty() || !isInteger(array->facts->type)) {
    PyErr_Format(PyExc_TypeError,
                 "Only integer scalar arrays can be converted to a scalar "
                 "index; the argument is %s",
                 describe(*array->facts.get()).c_str());
    return nullptr;
  }
  Reference element = Reference::steal(onlyElement(array));
  return element ? PyNumber_Long(element.get()) : nullptr;
}

static PyObject *toComplex(PyObject *self, PyObject *) {
  Reference element = Reference::steal(scalarElement(self, "complex"));
  return element
             ? PyObject_CallOneArg(
                   reinterpret_cast<PyObject *>(&PyComplex_Type), element.get())
             : nullptr;
}

PyNumberMethods jaxlib::arrayHostNumbers() {
  PyNumberMethods numbers{};
  numbers.nb_bool = toBool;
  numbers.nb_int = toInt;
  numbers.nb_float = toFloat;
  numbers.nb_index = toIndex;
  return numbers;
}

PyMethodDef jaxlib::arrayHostMethods[] = {
    {"__array__",
     reinterpret_cast<PyCFunction>(reinterpret_cast<void *>(toNumpy)),
     METH_FASTCALL | METH_KEYWORDS,
     "The contents as a NumPy array, read-only and in place where possible."},
    {"__complex__", toComplex, METH_NOARGS, nullptr},
    {"copy_to_host_async", copyToHostAsync, METH_NOARGS,
     "Says that the host will soon ask for the contents."},
    {nullptr, nullptr, 0, nullptr},
};

//===----------------------------------------------------------------------===//
// The buffer protocol
//===----------------------------------------------------------------------===//

/// The error that is set as a BufferError, which exporters raise.
static void turnIntoBufferError(const char *after) {
  PyObject *kind = nullptr, *error = nullptr, *traceback = nullptr;
  PyErr_Fetch(&kind, &error, &traceback);
  PyErr_NormalizeException(&kind, &error, &traceback);
  PyErr_Format(PyExc_BufferError, "%S%s", error, after);
  Py_XDECREF(kind);
  Py_XDECREF(error);
  Py_XDECREF(traceback);
}

int jaxlib::arrayGetBuffer(PyObject *self, Py_buffer *view, int flags) {
  view->obj = nullptr;
  Reference value = Reference::steal(hostValue(asArray(self)));
  if (!value) {
    if (PyErr_ExceptionMatches(PyExc_KeyboardInterrupt)) {
      // NumPy drops whatever is raised here and asks for __array__ next: the
      // signal comes again there.
      PyErr_Clear();
      PyErr_SetInterrupt();
      PyErr_SetString(PyExc_BufferError,
                      "the wait for the array was interrupted");
    } else if (PyErr_ExceptionMatches(PyExc_RuntimeError)) {
      turnIntoBufferError("");
    }
    return -1;
  }
  // The view belongs to the NumPy array, which keeps the memory.
  if (PyObject_GetBuffer(value.get(), view, flags) == 0) {
    return 0;
  }
  if (PyErr_ExceptionMatches(PyExc_ValueError)) {
    turnIntoBufferError(
        "\nArrays of this dtype are not supported by the Python buffer "
        "protocol, "
        "which has no name for it.\nAs a NumPy array: numpy.asarray(x).");
  }
  return -1;
}
