//===- Module.cpp - The extension module jaxlib._native -------------------===//
//
// One extension holds all native code. Each part adds a submodule of its own
// through the function that its header declares.
//
//===----------------------------------------------------------------------===//

#include "jaxlib/fastpath/Register.h"
#include "jaxlib/lapack/Register.h"
#include "jaxlib/mlir/Register.h"
#include "jaxlib/py/Callbacks.h"
#include "jaxlib/py/Interface.h"
#include "jaxlib/py/Register.h"
#include "jaxlib/pytree/Register.h"

#include <pybind11/pybind11.h>

PYBIND11_MODULE(_native, native) {
  native.doc() = "The native half of jax; see docs/internals/boundaries.md.";
  native.attr("version") = jaxlib::nativeVersion;
  native.attr("interface") = jaxlib::nativeInterface;
  native.attr("build_identity") = jaxlib::buildIdentity;
  jaxlib::registerClient(native);
  jaxlib::registerCallbacks(native);
  jaxlib::registerPytree(native);
  jaxlib::registerFastpath(native);
  jaxlib::registerIr(native);
  jaxlib::registerLapack(native);
}
