//===- Stopwatch.h - How long the phases of a compilation take --*- C++ -*-===//

#ifndef XLA_SUPPORT_STOPWATCH_H
#define XLA_SUPPORT_STOPWATCH_H

#include <cstdio>
#include <cstdlib>
#include <ctime>

namespace xla {

/// For people who look into the compiler: prints to standard error, where
/// XLA_TIME_COMPILE is set, the processor time that this thread spent since the
/// last phase.
class Stopwatch {
public:
  void phase(const char *name) {
    if (!wanted()) {
      return;
    }
    double time = now();
    std::fprintf(stderr, "%-24s %9.3f ms\n", name, 1e3 * (time - last));
    last = time;
  }

private:
  static bool wanted() {
    static const bool isSet = std::getenv("XLA_TIME_COMPILE") != nullptr;
    return isSet;
  }
  static double now() {
    if (!wanted()) {
      return 0;
    }
    timespec time = {};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) +
           1e-9 * static_cast<double>(time.tv_nsec);
  }

  double last = now();
};

} // namespace xla

#endif // XLA_SUPPORT_STOPWATCH_H
