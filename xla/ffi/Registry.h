//===- Registry.h - Finding a handler ---------------------------*- C++ -*-===//
//
// Inside this folder only; registering is public, in CustomCall.h.
//
//===----------------------------------------------------------------------===//

#ifndef XLA_FFI_REGISTRY_H
#define XLA_FFI_REGISTRY_H

#include "xla/ffi/CustomCall.h"

namespace xla::custom_call {

StatusOr<HandlerBundle> findHandler(std::string_view target);

} // namespace xla::custom_call

#endif // XLA_FFI_REGISTRY_H
