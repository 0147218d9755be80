//===- Error.h - Statuses across the C API, argument checks -----*- C++ -*-===//

#ifndef XLA_PJRT_COMMON_ERROR_H
#define XLA_PJRT_COMMON_ERROR_H

#include "xla/support/Status.h"

#include "pjrt_c_api.h"

#include <cstddef>

struct PJRT_Error {
  xla::Status status;
};

namespace xla::pjrt {

/// A new error that the caller owns; null for a status that is ok.
PJRT_Error *makeError(const Status &status);

/// Takes an error that a callback of the client's made.
Status takeError(PJRT_Error *error);

/// The error for arguments that are missing, or a structure smaller than the
/// plugin needs; null where they are fine. `structure` names its type.
PJRT_Error *checkStructure(const void *args, size_t needed,
                           const char *structure);

/// The error for a NULL where a handle or an array is needed.
PJRT_Error *missingField(const char *structure, const char *field);

} // namespace xla::pjrt

/// Returns the error from the enclosing function, if `args` is no complete
/// structure of the given type.
#define XLA_PJRT_REQUIRE_STRUCT(args, Type)                                    \
  do {                                                                         \
    if (PJRT_Error *errorOfCheck =                                             \
            ::xla::pjrt::checkStructure(args, Type##_STRUCT_SIZE, #Type)) {    \
      return errorOfCheck;                                                     \
    }                                                                          \
  } while (false)

/// The same, and its pointer `field` must not be NULL.
#define XLA_PJRT_REQUIRE(args, Type, field)                                    \
  do {                                                                         \
    XLA_PJRT_REQUIRE_STRUCT(args, Type);                                       \
    if (!(args)->field) {                                                      \
      return ::xla::pjrt::missingField(#Type, #field);                         \
    }                                                                          \
  } while (false)

#endif // XLA_PJRT_COMMON_ERROR_H
