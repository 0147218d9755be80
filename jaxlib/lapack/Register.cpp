//===- Register.cpp - The Python side of the LAPACK handlers --------------===//

#include "jaxlib/lapack/Register.h"

#include "jaxlib/lapack/Handlers.h"
#include "jaxlib/lapack/Routines.h"

#include "pybind11/pybind11.h"

#include <cstring>

#include <dlfcn.h>

namespace py = pybind11;

namespace jaxlib {

using lapack::Routine;

/// An address out of a Cython module's capsules; null where it has none. The
/// capsule's name is the C signature: 64-bit integers would not fit ours.
static void *addressIn(const py::dict &capi, const std::string &name) {
  if (!capi.contains(name)) {
    return nullptr;
  }
  PyObject *capsule = py::object(capi[name.c_str()]).ptr();
  const char *signature = PyCapsule_GetName(capsule);
  if (!signature || !std::strstr(signature, "int *")) {
    throw py::value_error(
        "SciPy's " + name + " has the C signature '" +
        (signature ? signature : "none") +
        "'; 32-bit integers are wanted. Install a SciPy wheel, or one that is "
        "built with LP64 LAPACK.");
  }
  return PyCapsule_GetPointer(capsule, signature);
}

static void initialize(const py::dict &lapackCapi, const py::dict &blasCapi) {
  for (int i = 0; i < lapack::routineCount; ++i) {
    const auto routine = static_cast<Routine>(i);
    const py::dict &capi = routine == Routine::Trsm ? blasCapi : lapackCapi;
    for (int type = 0; type < 4; ++type) {
      lapack::setAddress(routine, type,
                         addressIn(capi, lapack::routineName(routine, type)));
    }
  }
  lapack::findThreads();
}

/// Looks all routines up in SciPy's own copy of OpenBLAS, whose names have a
/// prefix and whose integers have 32 bits. False: it is another library.
static bool load(const std::string &path) {
  void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    return false;
  }
  void *found[lapack::routineCount][4];
  for (int i = 0; i < lapack::routineCount; ++i) {
    for (int type = 0; type < 4; ++type) {
      const std::string name =
          lapack::routineName(static_cast<Routine>(i), type);
      found[i][type] = dlsym(library, ("scipy_" + name + "_").c_str());
      if (!found[i][type]) {
        dlclose(library);
        return false;
      }
    }
  }
  for (int i = 0; i < lapack::routineCount; ++i) {
    for (int type = 0; type < 4; ++type) {
      lapack::setAddress(static_cast<Routine>(i), type, found[i][type]);
    }
  }
  lapack::findThreads();
  return true;
}

static py::dict registrations() {
  py::dict result;
  for (const auto &handlers :
       {lapack::factorizationHandlers(), lapack::spectralHandlers()}) {
    for (const auto &[name, handler] : handlers) {
      result[name.c_str()] = py::capsule(reinterpret_cast<void *>(handler),
                                         "xla._CUSTOM_CALL_TARGET");
    }
  }
  return result;
}

void registerLapack(py::module_ &parent) {
  py::module_ module = parent.def_submodule(
      "lapack", "Dense linear algebra by SciPy's LAPACK, as FFI handlers.");
  module.def("initialize", &initialize, py::arg("lapack_capi"),
             py::arg("blas_capi"),
             "Looks the routines up in the `__pyx_capi__` of "
             "scipy.linalg.cython_lapack and cython_blas.");
  module.def("load", &load, py::arg("path"),
             "Looks the routines up in the OpenBLAS of a SciPy wheel; False "
             "where the library at the path is none.");
  module.def("registrations", &registrations,
             "Returns custom call target -> capsule with its FFI handler.");
}

} // namespace jaxlib
