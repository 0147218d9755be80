//===- Callbacks.h - Python functions that programs call --------*- C++ -*-===//
//
// A program calls Python through one FFI handler. It names the function by a
// number, its descriptor; a registration keeps the function.
//
//===----------------------------------------------------------------------===//

#ifndef JAXLIB_PY_CALLBACKS_H
#define JAXLIB_PY_CALLBACKS_H

#include <cstdint>
#include <memory>

#include <pybind11/pybind11.h>

namespace jaxlib {

/// A function that programs may call. May be let go on any thread, with or
/// without the GIL.
class Callback {
public:
  Callback(pybind11::object function, int64_t descriptor);
  ~Callback();
  Callback(const Callback &) = delete;
  Callback &operator=(const Callback &) = delete;

  const int64_t descriptor;
  PyObject *const function;
  PyObject *exception = nullptr; ///< the last one raised; guarded by the GIL
};

/// What Python holds of a callback.
struct CallbackRegistration {
  std::shared_ptr<Callback> callback;
};

/// Whether this is a thread of the plugin's, which has called Python: no signal
/// is handled there.
bool isOnPluginThread();

/// Adds `callbacks`: the handler and its registrations.
void registerCallbacks(pybind11::module_ &native);

} // namespace jaxlib

#endif // JAXLIB_PY_CALLBACKS_H
