//===- Reference.h - Owning references to Python objects --------*- C++ -*-===//
//
// For code that talks to CPython directly. All of it needs the GIL.
//
//===----------------------------------------------------------------------===//

#ifndef JAXLIB_PY_REFERENCE_H
#define JAXLIB_PY_REFERENCE_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <utility>

namespace jaxlib {

/// Owns one reference, or nothing. Move-only: a copy is written out.
class Reference {
public:
  Reference() = default;
  Reference(Reference &&other) noexcept : object(other.release()) {}
  Reference &operator=(Reference &&other) noexcept {
    std::swap(object, other.object);
    return *this;
  }
  ~Reference() { Py_XDECREF(object); }

  /// Takes over a reference that the caller owns; null stands for an exception.
  static Reference steal(PyObject *object) { return Reference(object); }
  static Reference borrow(PyObject *object) {
    Py_XINCREF(object);
    return Reference(object);
  }

  Reference copy() const { return borrow(object); }
  PyObject *get() const { return object; }
  PyObject *release() { return std::exchange(object, nullptr); }
  explicit operator bool() const { return object != nullptr; }

private:
  explicit Reference(PyObject *object) : object(object) {}
  PyObject *object = nullptr;
};

} // namespace jaxlib

#endif // JAXLIB_PY_REFERENCE_H
