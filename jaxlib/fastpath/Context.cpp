#include "jaxlib/fastpath/Context.h"

#include "jaxlib/py/Array.h"

#include <array>

using namespace jaxlib;
namespace py = pybind11;

namespace {

/// What `keyOfOverrides` said of one object.
struct RememberedConfig {
  Reference overrides;
  CallConfig config;
};

struct Installed {
  PyObject *traceVariable = nullptr;
  PyObject *overridesVariable = nullptr;
  PyObject *keyOfOverrides = nullptr;
  PyObject *errorFilter = nullptr;
  CallConfig process;
  /// Threads may run under different overrides: a few are remembered.
  std::array<RememberedConfig, 8> remembered;
};

} // namespace

/// Guarded by the GIL; never destroyed, for it holds Python objects.
static Installed &installed() {
  static auto *instance = new Installed();
  return *instance;
}

/// Reads a context variable: null for none, with an exception or without.
static Reference readVariable(PyObject *variable) {
  PyObject *value = nullptr;
  if (variable != nullptr && PyContextVar_Get(variable, Py_None, &value) == 0 &&
      value == Py_None) {
    Py_CLEAR(value);
  }
  return Reference::steal(value);
}

int jaxlib::isTracing() {
  Reference trace = readVariable(installed().traceVariable);
  if (trace) {
    return 1;
  }
  return PyErr_Occurred() != nullptr ? -1 : 0;
}

static CallConfig makeConfig(PyObject *key, int flags) {
  return {internObject(key), (flags & ConfigFlags::IsX64) != 0,
          (flags & ConfigFlags::KeepsCalls) != 0};
}

/// Asks the front end for the key of `overrides`.
static bool askConfig(PyObject *overrides, CallConfig &config) {
  Reference answer = Reference::steal(
      PyObject_CallOneArg(installed().keyOfOverrides, overrides));
  if (!answer) {
    return false;
  }
  PyObject *key;
  int flags;
  if (!PyArg_ParseTuple(answer.get(), "Oi", &key, &flags)) {
    return false;
  }
  config = makeConfig(key, flags);
  return config.key != nullptr;
}

bool jaxlib::readConfig(CallConfig &config) {
  Installed &state = installed();
  Reference overrides = readVariable(state.overridesVariable);
  if (!overrides) {
    config = state.process;
    return PyErr_Occurred() == nullptr;
  }
  size_t slot = reinterpret_cast<uintptr_t>(overrides.get()) / 64 %
                state.remembered.size();
  if (state.remembered[slot].overrides.get() == overrides.get()) {
    config = state.remembered[slot].config;
    return true;
  }
  if (!askConfig(overrides.get(), config)) {
    return false;
  }
  // The answer holds while the object lives: so it is kept alive.
  Reference forgotten = std::move(state.remembered[slot].overrides);
  state.remembered[slot].overrides = std::move(overrides);
  state.remembered[slot].config = config;
  return true;
}

static void installContext(py::object traceVariable,
                           py::object overridesVariable,
                           py::object keyOfOverrides) {
  if (!PyContextVar_CheckExact(traceVariable.ptr()) ||
      !PyContextVar_CheckExact(overridesVariable.ptr())) {
    throw py::type_error(
        "install_context takes two ContextVars and a function");
  }
  Installed &state = installed();
  auto replace = [](PyObject *&slot, py::object value) {
    Py_XDECREF(std::exchange(slot, value.release().ptr()));
  };
  replace(state.traceVariable, std::move(traceVariable));
  replace(state.overridesVariable, std::move(overridesVariable));
  replace(state.keyOfOverrides, std::move(keyOfOverrides));
  for (RememberedConfig &remembered : state.remembered) {
    Reference forgotten = std::move(remembered.overrides);
  }
}

static void setProcessConfig(py::handle key, int flags) {
  CallConfig config = makeConfig(key.ptr(), flags);
  if (config.key == nullptr) {
    throw py::error_already_set();
  }
  installed().process = config;
  // Overrides rest on the process's values.
  for (RememberedConfig &remembered : installed().remembered) {
    Reference forgotten = std::move(remembered.overrides);
  }
}

void jaxlib::filterError() {
  PyObject *filter = installed().errorFilter;
  // What ends the program (KeyboardInterrupt, SystemExit) passes as it is.
  if (filter == nullptr || !PyErr_ExceptionMatches(PyExc_Exception)) {
    return;
  }
  PyObject *type, *value, *traceback;
  PyErr_Fetch(&type, &value, &traceback);
  PyErr_NormalizeException(&type, &value, &traceback);
  if (traceback != nullptr) {
    PyException_SetTraceback(value, traceback);
  }
  Reference keepsFilter = Reference::borrow(filter);
  Reference answer = Reference::steal(PyObject_CallOneArg(filter, value));
  if (!answer) {
    PyErr_WriteUnraisable(filter);
  }
  Py_XDECREF(traceback);
  PyErr_Restore(type, value, PyException_GetTraceback(value));
}

static void setErrorFilter(py::object filter) {
  Py_XDECREF(std::exchange(installed().errorFilter, filter.release().ptr()));
}

void jaxlib::registerContext(py::module_ &module) {
  module.def("install_context", &installContext, py::arg("trace_variable"),
             py::arg("overrides_variable"), py::arg("key_of_overrides"));
  module.def("set_process_config", &setProcessConfig, py::arg("key"),
             py::arg("flags"),
             "Flags: 1, 64-bit types are kept; 2, functions are called where "
             "they would be inlined.");
  module.def("set_error_filter", &setErrorFilter, py::arg("filter"),
             "Calls filter(error) with each exception that leaves a Function.");
}
