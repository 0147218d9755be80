#include "jaxlib/py/Errors.h"

#include "jaxlib/pjrt/StatusCodes.h"

using namespace jaxlib;

/// The class, alive as long as the process.
static PyObject *runtimeErrorClass = nullptr;
/// The class for the use of an array that is deleted, alive as long.
static PyObject *deletedErrorClass = nullptr;

void jaxlib::setError(const xla::Status &status) {
  size_t code = static_cast<size_t>(status.code());
  const char *name =
      code < std::size(statusCodeNames) ? statusCodeNames[code] : "UNKNOWN";
  std::string text = std::string(name) + ": " + status.message();
  // A plugin's message may be no UTF-8.
  PyObject *message = PyUnicode_DecodeUTF8(
      text.data(), static_cast<Py_ssize_t>(text.size()), "replace");
  if (message != nullptr) {
    PyErr_SetObject(runtimeErrorClass, message);
    Py_DECREF(message);
  }
}

void jaxlib::setDeletedError(const std::string &message) {
  PyErr_SetString(deletedErrorClass, message.c_str());
}

void jaxlib::throwIfError(const xla::Status &status) {
  if (!status.ok()) {
    setError(status);
    throw pybind11::error_already_set();
  }
}

/// Stores an exception class, which stays alive, in place of another.
static void replaceClass(PyObject *&held, const char *function,
                         pybind11::object errorClass) {
  if (!PyExceptionClass_Check(errorClass.ptr())) {
    throw pybind11::type_error(std::string(function) +
                               " takes an exception class");
  }
  Py_DECREF(std::exchange(held, errorClass.release().ptr()));
}

void jaxlib::registerErrors(pybind11::module_ &module) {
  runtimeErrorClass = PyErr_NewExceptionWithDoc(
      "jax.errors.JaxRuntimeError",
      "A failure of the compiler or of a device: a code and what it says.",
      PyExc_RuntimeError, nullptr);
  if (runtimeErrorClass == nullptr) {
    throw pybind11::error_already_set();
  }
  module.attr("JaxRuntimeError") = pybind11::handle(runtimeErrorClass);
  deletedErrorClass = Py_NewRef(PyExc_RuntimeError);
  // jax documents classes of its own, and raises those.
  module.def("set_runtime_error", [](pybind11::object errorClass) {
    replaceClass(runtimeErrorClass, "set_runtime_error", std::move(errorClass));
  });
  module.def("set_deleted_error", [](pybind11::object errorClass) {
    replaceClass(deletedErrorClass, "set_deleted_error", std::move(errorClass));
  });
}
