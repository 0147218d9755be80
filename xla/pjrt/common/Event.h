//===- Event.h - When something is done, and whether it worked --*- C++ -*-===//

#ifndef XLA_PJRT_COMMON_EVENT_H
#define XLA_PJRT_COMMON_EVENT_H

#include "xla/pjrt/common/Fork.h"
#include "xla/support/Status.h"

#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

namespace xla::pjrt {

/// A one-shot signal that carries a status. Whoever does the work sets it once;
/// any number of others ask, wait, or leave a callback.
class Completion {
public:
  using Callback = std::function<void(const Status &)>;

  Completion() = default;

  /// A completion that is ready and went well: one object, shared.
  static const std::shared_ptr<Completion> &done();

  /// A completion that is ready and carries `status`.
  static std::shared_ptr<Completion> of(Status status);

  bool isReady() const { return ready.load(std::memory_order_acquire); }

  /// How it went. Only when ready.
  const Status &status() const { return theStatus; }

  /// Makes it ready and runs what waits for it, on this thread. Later calls do
  /// nothing.
  void set(Status status);

  /// Blocks until ready. Where that could never be, because what makes it ready
  /// comes after the waiter's task, directly or by way of other queues, it
  /// answers so at once.
  Status wait();

  /// Calls `callback` exactly once: now if ready, else from `set`.
  void onReady(Callback callback);

  /// The queues without which it is not made ready, as their threads call
  /// themselves. Set before anyone else sees the completion.
  std::vector<const void *> producers;

  /// What comes before it: its inputs, and the tasks before it in its queues.
  /// Set before anyone else sees the completion.
  std::vector<std::weak_ptr<Completion>> after;

  /// The queue whose thread this is; null in other threads.
  static thread_local const void *currentQueue;

  /// The queues that the task of several queues holds of which this thread has
  /// a share; null on other threads.
  static thread_local const std::vector<const void *> *jointQueues;

  /// In a child made by fork(): nobody waits there.
  static void forgetWaits();

  /// Whether the task that this thread runs holds a queue: what comes later in
  /// it waits for this thread.
  static bool isHeldHere(const void *queue);

private:
  /// Whether it comes after the task that this thread runs. `waits` are those
  /// of all such threads.
  struct Waits;
  bool comesAfterWaiter(const Waits &waits);

  /// Whether the thread that would make it ready stayed behind in a fork.
  bool isLost() const { return !isReady() && madeAfterForks != forkCount(); }

  const uint32_t madeAfterForks = forkCount();
  std::atomic<bool> ready{false};
  Status theStatus;
  std::mutex mutex;
  std::condition_variable becameReady;
  std::vector<Callback> callbacks;
};

using CompletionPointer = std::shared_ptr<Completion>;

} // namespace xla::pjrt

/// What the C API calls an event: a handle on a completion.
struct PJRT_Event {
  xla::pjrt::CompletionPointer completion;
};

#endif // XLA_PJRT_COMMON_EVENT_H
