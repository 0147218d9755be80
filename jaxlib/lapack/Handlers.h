//===- Handlers.h - The typed FFI handlers ----------------------*- C++ -*-===//

#ifndef JAXLIB_LAPACK_HANDLERS_H
#define JAXLIB_LAPACK_HANDLERS_H

#include "xla/ffi/api/c_api.h"

#include <string>
#include <utility>
#include <vector>

namespace jaxlib::lapack {

using Registration = std::pair<std::string, XLA_FFI_Handler *>;

/// The handler that `make` returns, for older runtimes too: it asks for no
/// newer interface than the runtime has. Nothing here uses what came after 0.1.
template <XLA_FFI_Handler *(*make)()>
XLA_FFI_Error *forAnyRuntime(XLA_FFI_CallFrame *frame) {
  XLA_FFI_Error *error = make()(frame);
  const XLA_FFI_Extension_Base *extension = frame->extension_start;
  if (error || !extension || extension->type != XLA_FFI_Extension_Metadata) {
    return error;
  }
  const auto *query =
      reinterpret_cast<const XLA_FFI_Metadata_Extension *>(extension);
  const int offered = frame->api->api_version.minor_version;
  int &minor = query->metadata->api_version.minor_version;
  minor = offered >= 1 && offered < minor ? offered : minor;
  return nullptr;
}

/// (custom call target, handler), such as ("lapack_sgetrf_ffi", ...).
std::vector<Registration> factorizationHandlers();
std::vector<Registration> spectralHandlers();

} // namespace jaxlib::lapack

#endif // JAXLIB_LAPACK_HANDLERS_H
