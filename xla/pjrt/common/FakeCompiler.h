//===- FakeCompiler.h - A compiler for tests of the plugin ------*- C++ -*-===//
//
// Stands in for the compiler: "programs" are lines of words, which say what a
// run does. The plugin's tests need programs that are slow, fail, or watch the
// memory they are given, and no parser.
//
//   args f32[4] f32[4]     types of the arguments
//   results f32[4]         types of the results
//   donate 0 1             argument 0 may become result 1
//   sleep_us 1000          how long a run takes
//   waits                  it does not begin while `holdsRuns`
//   fail                   a run ends in an error
//   fail_on 2              that of partition 2 does
//   meet 3                 partitions meet so often, and share their sums
//   calls                  it says that it calls handlers
//
// Result r is f32 and holds, element by element, the sum of all arguments plus
// r; where partitions meet, plus that of the first elements of all of them. A
// text that starts with another word does not compile.
//
//===----------------------------------------------------------------------===//

#ifndef XLA_PJRT_COMMON_FAKECOMPILER_H
#define XLA_PJRT_COMMON_FAKECOMPILER_H

#include <atomic>
#include <functional>

namespace xla::pjrt {

/// Runs that wrote a result into an argument's memory, in this process.
inline std::atomic<int> runsInPlace{0};

/// What the next run on this thread calls, as programs call the host.
inline thread_local std::function<void()> calledBack;

/// While it is true, runs of programs that say `waits` do not begin.
inline std::atomic<bool> holdsRuns{false};

} // namespace xla::pjrt

#endif // XLA_PJRT_COMMON_FAKECOMPILER_H
