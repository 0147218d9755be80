//===- Interface.h - What is behind the FFI's opaque structs ----*- C++ -*-===//
//
// Inside this folder only.
//
//===----------------------------------------------------------------------===//

#ifndef XLA_FFI_INTERFACE_H
#define XLA_FFI_INTERFACE_H

#include "xla/ffi/CustomCall.h"

#include "xla/ffi/api/c_api.h"

#include <condition_variable>
#include <mutex>
#include <string>

struct XLA_FFI_Error {
  xla::Status status;
  std::string message; ///< with a terminating NUL, as the interface wants it
};

/// The answer of a handler that goes on after its function returned.
struct XLA_FFI_Future {
  std::mutex mutex;
  std::condition_variable changed;
  bool isReady = false;
  xla::Status status;
};

namespace xla::custom_call {

/// A handler's own object, deleted by the type's deleter.
struct State {
  int64_t typeId = 0;
  void *object = nullptr;
};

/// The deleter that a type was registered with; null for none.
void (*deleterOf(int64_t typeId))(void *);

/// The table that every call frame points to.
const XLA_FFI_Api *interfaceTable();

/// Takes a handler's answer: null is success; an error is freed.
Status takeError(XLA_FFI_Error *error);

} // namespace xla::custom_call

struct XLA_FFI_ExecutionContext {
  const xla::RunContext *run = nullptr;
  xla::custom_call::State *instanceState = nullptr;
};

#endif // XLA_FFI_INTERFACE_H
