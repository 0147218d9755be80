//===- StatusCodes.h - The names of the codes of errors ---------*- C++ -*-===//

#ifndef JAXLIB_PJRT_STATUSCODES_H
#define JAXLIB_PJRT_STATUSCODES_H

namespace jaxlib {

/// By their numbers. Messages begin with them.
inline constexpr const char *statusCodeNames[] = {
    "OK",
    "CANCELLED",
    "UNKNOWN",
    "INVALID_ARGUMENT",
    "DEADLINE_EXCEEDED",
    "NOT_FOUND",
    "ALREADY_EXISTS",
    "PERMISSION_DENIED",
    "RESOURCE_EXHAUSTED",
    "FAILED_PRECONDITION",
    "ABORTED",
    "OUT_OF_RANGE",
    "UNIMPLEMENTED",
    "INTERNAL",
    "UNAVAILABLE",
    "DATA_LOSS",
    "UNAUTHENTICATED",
};

} // namespace jaxlib

#endif // JAXLIB_PJRT_STATUSCODES_H
