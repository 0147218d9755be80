//===- Handlers.h - The typed FFI handlers ----------------------*- C++ -*-===//

#ifndef JAXLIB_LAPACK_HANDLERS_H
#define JAXLIB_LAPACK_HANDLERS_H

#include "xla/ffi/api/c_api.h"

#include <string>
#include <utility>
#include <vector>

namespace jaxlib::lapack {

using Registration = std::pair<std::string, XLA_FFI_Handler *>;

/// (custom call target, handler), such as ("lapack_sgetrf_ffi", ...).
std::vector<Registration> factorizationHandlers();
std::vector<Registration> spectralHandlers();

} // namespace jaxlib::lapack

#endif // JAXLIB_LAPACK_HANDLERS_H
