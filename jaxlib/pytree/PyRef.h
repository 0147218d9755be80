//===- PyRef.h - An owned reference to a Python object ----------*- C++ -*-===//

#ifndef JAXLIB_PYTREE_PYREF_H
#define JAXLIB_PYTREE_PYREF_H

#include <Python.h>

#include <utility>

namespace jaxlib {

/// One owned reference, or null. Copying and destroying need the GIL.
class PyRef {
public:
  PyRef() = default;
  PyRef(const PyRef &other) : object(other.object) { Py_XINCREF(object); }
  PyRef(PyRef &&other) noexcept
      : object(std::exchange(other.object, nullptr)) {}
  PyRef &operator=(PyRef other) noexcept {
    std::swap(object, other.object);
    return *this;
  }
  ~PyRef() { Py_XDECREF(object); }

  /// Takes over a reference that the caller owns; null stays null.
  static PyRef steal(PyObject *object) {
    PyRef ref;
    ref.object = object;
    return ref;
  }
  /// Makes a reference of its own; null stays null.
  static PyRef borrow(PyObject *object) {
    Py_XINCREF(object);
    return steal(object);
  }

  PyObject *get() const { return object; }
  PyObject *release() { return std::exchange(object, nullptr); }
  explicit operator bool() const { return object != nullptr; }

private:
  PyObject *object = nullptr;
};

} // namespace jaxlib

#endif // JAXLIB_PYTREE_PYREF_H
