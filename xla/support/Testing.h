//===- Testing.h - Checks for C++ unit tests --------------------*- C++ -*-===//
//
// A test's main() calls its cases and returns `failedChecks()`.
//
//===----------------------------------------------------------------------===//

#ifndef XLA_SUPPORT_TESTING_H
#define XLA_SUPPORT_TESTING_H

#include <cstdio>

namespace xla::testing {

inline int &failedChecks() {
  static int count = 0;
  return count;
}

inline bool check(bool condition, const char *text, const char *file,
                  int line) {
  if (!condition) {
    std::fprintf(stderr, "%s:%d: failed: %s\n", file, line, text);
    ++failedChecks();
  }
  return condition;
}

} // namespace xla::testing

/// Counts and reports a false condition, and goes on; its value is the
/// condition's.
#define XLA_CHECK(condition)                                                   \
  ::xla::testing::check((condition), #condition, __FILE__, __LINE__)

#endif // XLA_SUPPORT_TESTING_H
