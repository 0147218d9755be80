//===- Status.h - Errors as values ------------------------------*- C++ -*-===//
//
// A Status says whether something worked, and if not: which kind of failure
// (the PJRT C API's codes, number for number) and a message for the user. A
// StatusOr<T> holds a T or the Status that explains its absence.
//
//===----------------------------------------------------------------------===//

#ifndef XLA_SUPPORT_STATUS_H
#define XLA_SUPPORT_STATUS_H

#include <cassert>
#include <optional>
#include <string>
#include <utility>

namespace xla {

enum class StatusCode : int {
  Ok = 0,
  Cancelled = 1,
  Unknown = 2,
  InvalidArgument = 3,
  DeadlineExceeded = 4,
  NotFound = 5,
  AlreadyExists = 6,
  PermissionDenied = 7,
  ResourceExhausted = 8,
  FailedPrecondition = 9,
  Aborted = 10,
  OutOfRange = 11,
  Unimplemented = 12,
  Internal = 13,
  Unavailable = 14,
  DataLoss = 15,
  Unauthenticated = 16,
};

class [[nodiscard]] Status {
public:
  Status() = default;
  Status(StatusCode code, std::string message)
      : theCode(code), theMessage(std::move(message)) {}

  bool ok() const { return theCode == StatusCode::Ok; }
  StatusCode code() const { return theCode; }
  const std::string &message() const { return theMessage; }

private:
  StatusCode theCode = StatusCode::Ok;
  std::string theMessage;
};

inline Status okStatus() { return Status(); }
inline Status invalidArgument(std::string message) {
  return Status(StatusCode::InvalidArgument, std::move(message));
}
inline Status unimplemented(std::string message) {
  return Status(StatusCode::Unimplemented, std::move(message));
}
inline Status notFound(std::string message) {
  return Status(StatusCode::NotFound, std::move(message));
}
inline Status resourceExhausted(std::string message) {
  return Status(StatusCode::ResourceExhausted, std::move(message));
}
inline Status failedPrecondition(std::string message) {
  return Status(StatusCode::FailedPrecondition, std::move(message));
}
inline Status internalError(std::string message) {
  return Status(StatusCode::Internal, std::move(message));
}

template <typename T>
class [[nodiscard]] StatusOr {
public:
  StatusOr(T value) : theValue(std::move(value)) {}
  StatusOr(Status status) : theStatus(std::move(status)) {
    assert(!theStatus.ok() && "a StatusOr without a value needs an error");
  }

  bool ok() const { return theValue.has_value(); }
  const Status &status() const { return theStatus; }
  T &operator*() { return *theValue; }
  const T &operator*() const { return *theValue; }
  T *operator->() { return &*theValue; }
  const T *operator->() const { return &*theValue; }

private:
  std::optional<T> theValue;
  Status theStatus;
};

} // namespace xla

/// Leaves the function with the error, if `expression` is one.
#define XLA_RETURN_IF_ERROR(expression)                                        \
  do {                                                                         \
    if (::xla::Status statusOfExpression = (expression);                       \
        !statusOfExpression.ok()) {                                            \
      return statusOfExpression;                                               \
    }                                                                          \
  } while (false)

#endif // XLA_SUPPORT_STATUS_H
