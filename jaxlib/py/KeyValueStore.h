//===- KeyValueStore.h - A Python object as key-value store -----*- C++ -*-===//

#ifndef JAXLIB_PY_KEYVALUESTORE_H
#define JAXLIB_PY_KEYVALUESTORE_H

#include "jaxlib/pjrt/KeyValueStore.h"

#include <memory>

#include <pybind11/pybind11.h>

namespace jaxlib {

/// Calls `object.get(key, timeout_ms)` and `object.try_get(key)`, which return
/// bytes (the latter None where there are none), and `object.put(key, value)`.
/// Keys are str. What they raise becomes a Status: with the code that its
/// message begins with, or by its class.
std::shared_ptr<AbstractKeyValueStore> keyValueStoreOf(pybind11::object object);

} // namespace jaxlib

#endif // JAXLIB_PY_KEYVALUESTORE_H
