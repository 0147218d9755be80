//===- Fiber.h - A function that can stop in the middle ---------*- C++ -*-===//
//
// A stack of its own for a function that waits for others of its kind: one
// thread goes from one to the next at the cost of a call, where threads would
// have to be woken.
//
//===----------------------------------------------------------------------===//

#ifndef XLA_RUNTIME_FIBER_H
#define XLA_RUNTIME_FIBER_H

#include <cstddef>

namespace xla {

/// Runs on the thread that resumes it, always the same one: what code keeps per
/// thread stays right across a pause.
class Fiber {
public:
  using Body = void (*)(void *context);

  Fiber() = default;
  ~Fiber(); ///< before the first `resume`, or after the end
  Fiber(const Fiber &) = delete;
  Fiber &operator=(const Fiber &) = delete;

  /// Gets a stack, of as much address space as a thread's; false where there is
  /// none. `body` runs from the first `resume` on.
  bool create(Body body, void *context);

  /// Runs the body until it pauses or ends.
  void resume();

  /// From the body: goes back to where `resume` was called.
  void pause();

  /// For the first function on the stack.
  void runBody();

private:
  Body body = nullptr;
  void *context = nullptr;
  char *stack = nullptr;
  void *ownPoint = nullptr;    ///< where the body goes on
  void *callerPoint = nullptr; ///< where the one that resumed goes on
  // What sanitizers know of the two stacks.
  [[maybe_unused]] void *sanitized = nullptr;
  [[maybe_unused]] void *sanitizedCaller = nullptr;
  [[maybe_unused]] void *fakeStack = nullptr;
  [[maybe_unused]] const void *callerStack = nullptr;
  [[maybe_unused]] size_t callerStackBytes = 0;
  [[maybe_unused]] bool hasEnded = false;
};

} // namespace xla

#endif // XLA_RUNTIME_FIBER_H
