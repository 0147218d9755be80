#include "jaxlib/py/Errors.h"

#include "jaxlib/pjrt/StatusCodes.h"

using namespace jaxlib;

/// The class, alive as long as the process.
static PyObject *runtimeErrorClass = nullptr;

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

void jaxlib::throwIfError(const xla::Status &status) {
  if (!status.ok()) {
    setError(status);
    throw pybind11::error_already_set();
  }
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
  // jax documents a class of its own, and raises that one.
  module.def("set_runtime_error", [](pybind11::object errorClass) {
    if (!PyExceptionClass_Check(errorClass.ptr())) {
      throw pybind11::type_error("set_runtime_error takes an exception class");
    }
    Py_DECREF(std::exchange(runtimeErrorClass, errorClass.release().ptr()));
  });
}
