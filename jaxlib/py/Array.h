//===- Array.h - The native type behind jax.Array ---------------*- C++ -*-===//
//
// A Python object that holds one buffer per local device, the facts of its
// type, and its sharding. Everything here needs the GIL.
//
//===----------------------------------------------------------------------===//

#ifndef JAXLIB_PY_ARRAY_H
#define JAXLIB_PY_ARRAY_H

#include "jaxlib/py/AvalFacts.h"

#include "jaxlib/pjrt/Buffer.h"

#include <pybind11/pybind11.h>

namespace jaxlib {

using BufferPointer = std::shared_ptr<Buffer>;

/// The buffers of an array, in the order of the sharding's local devices. One
/// is the common case and takes no allocation; there is none where all devices
/// belong to other processes.
class BufferList {
public:
  explicit BufferList(BufferPointer buffer) : one(std::move(buffer)) {}
  explicit BufferList(std::vector<BufferPointer> buffers);

  size_t size() const { return many.empty() ? one != nullptr : many.size(); }
  const BufferPointer &operator[](size_t i) const {
    return many.empty() ? one : many[i];
  }

private:
  BufferPointer one;
  std::vector<BufferPointer> many;
};

/// Has no cycle collector's header: it refers to nothing that refers back.
struct ArrayObject {
  PyObject_HEAD;
  PyObject *weakReferences;
  // The attributes that a user gave it, a dict; null where there are none.
  // Arrays are not known to the garbage collector: one that leads back to
  // itself stays.
  PyObject *attributes;
  FactsReference facts;
  Reference sharding;
  /// The one object that stands for all shardings equal to this one's.
  Reference shardingKey;
  Reference hostValue; ///< a read-only NumPy array, once somebody requested it
  BufferList buffers;
  bool isCommitted;
  uint32_t stack; ///< that made it (Origins.h)
  // All arrays alive, for jax.live_arrays().
  ArrayObject *previous;
  ArrayObject *next;
};

extern PyTypeObject *arrayType;

inline bool isArray(PyObject *object) { return Py_TYPE(object) == arrayType; }
inline ArrayObject *asArray(PyObject *object) {
  return reinterpret_cast<ArrayObject *>(object);
}

/// A new array, or null with an exception set.
PyObject *newArray(FactsReference facts, PyObject *sharding,
                   PyObject *shardingKey, bool isCommitted, BufferList buffers);

/// The same, for a sharding that was not interned before.
PyObject *newArray(FactsReference facts, PyObject *sharding, bool isCommitted,
                   BufferList buffers);

/// The object that stands for all that are equal to `object` (borrowed, lives
/// for ever); null with an exception set where it cannot be hashed.
PyObject *internObject(PyObject *object);

bool isDeleted(const ArrayObject *array);

/// Sets the exception for the use of a deleted array.
void setDeletedError(const ArrayObject *array);

/// Whether the first buffer has all elements: not so where the array is split,
/// over other processes too. False with an exception set where it is lost.
bool holdsWhole(const ArrayObject *array);

/// The contents as a read-only NumPy array (new reference): waits for them, and
/// looks at them in place where that is possible.
PyObject *hostValue(ArrayObject *array);

/// Waits until all buffers are there; false with an exception set on failure.
bool blockUntilReady(const ArrayObject *array);

/// Runs the handlers of signals that came in, for a thread that waits without
/// the GIL; false where one raised.
bool noSignalArrived();

/// Gives the function that puts an array of several shards together.
void setAssembler(Reference function);

// The methods of the type, by file.
extern PyMethodDef arrayHostMethods[]; // ArrayHost.cpp: ends with a null name
PyNumberMethods arrayHostNumbers();    // conversions to Python's numbers
int arrayGetBuffer(PyObject *self, Py_buffer *view, int flags);
PyObject *arrayToDlpack(PyObject *self, PyObject *const *arguments,
                        Py_ssize_t count, PyObject *names); // Dlpack.cpp
PyObject *arrayDlpackDevice(PyObject *self, PyObject *);

/// Makes the type, and adds it and the functions on it to `module`.
void registerArray(pybind11::module_ &module);
/// Functions that make arrays (Transfers.cpp).
void registerTransfers(pybind11::module_ &module);
/// Client, Device, Memory, Executable (Devices.cpp).
void registerDevices(pybind11::module_ &module);
void registerDlpack(pybind11::module_ &module);

} // namespace jaxlib

#endif // JAXLIB_PY_ARRAY_H
