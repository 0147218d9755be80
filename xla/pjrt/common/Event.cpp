#include "xla/pjrt/common/Event.h"

#include "xla/pjrt/common/Error.h"
#include "xla/pjrt/common/Functions.h"

#include <algorithm>
#include <new>
#include <set>

namespace xla::pjrt {

const CompletionPointer &Completion::done() {
  // Leaked: events may be created while the process ends.
  static const auto *completion = new CompletionPointer(of(okStatus()));
  return *completion;
}

CompletionPointer Completion::of(Status status) {
  auto completion = std::make_shared<Completion>();
  completion->set(std::move(status));
  return completion;
}

void Completion::set(Status status) {
  std::vector<Callback> waiting;
  {
    std::lock_guard<std::mutex> lock(mutex);
    if (ready.load(std::memory_order_relaxed)) {
      return;
    }
    theStatus = std::move(status);
    ready.store(true, std::memory_order_release);
    waiting.swap(callbacks);
    becameReady.notify_all();
  }
  for (Callback &callback : waiting) {
    callback(theStatus);
  }
}

thread_local const void *Completion::currentQueue = nullptr;
thread_local const std::vector<const void *> *Completion::jointQueues = nullptr;

bool Completion::isHeldHere(const void *queue) {
  if (queue == currentQueue) {
    return true;
  }
  return jointQueues && std::find(jointQueues->begin(), jointQueues->end(),
                                  queue) != jointQueues->end();
}

static Status leftBehind() {
  return failedPrecondition(
      "the array was still being computed when this process was forked, and "
      "the parent alone goes on with it; call jax.block_until_ready on it "
      "before the fork, or start processes by the method 'spawn'");
}

/// The threads that run a task of queues, and wait for a completion.
struct Completion::Waits {
  struct Wait {
    std::vector<const void *> held;
    Completion *awaited;
  };
  std::mutex mutex;
  std::vector<Wait> list;

  /// Leaked: queues may outlive what is static.
  static Waits &all() {
    static auto *waits = new Waits;
    return *waits;
  }
};

void Completion::forgetWaits() { new (&Waits::all()) Waits; }

bool Completion::comesAfterWaiter(const Waits &waits) {
  std::vector<Completion *> open{this};
  std::vector<CompletionPointer> alive;
  std::set<const Completion *> seen;
  while (!open.empty()) {
    Completion *next = open.back();
    open.pop_back();
    if (next->isReady() || !seen.insert(next).second) {
      continue;
    }
    for (const void *queue : next->producers) {
      if (isHeldHere(queue)) {
        return true;
      }
      for (const Waits::Wait &other : waits.list) {
        if (std::find(other.held.begin(), other.held.end(), queue) !=
            other.held.end()) {
          open.push_back(other.awaited);
        }
      }
    }
    for (const std::weak_ptr<Completion> &before : next->after) {
      if (CompletionPointer pointer = before.lock()) {
        open.push_back(pointer.get());
        alive.push_back(std::move(pointer));
      }
    }
  }
  return false;
}

Status Completion::wait() {
  if (isReady()) {
    return theStatus;
  }
  if (isLost()) {
    return leftBehind();
  }
  Waits &waits = Waits::all();
  const bool holdsQueues = currentQueue != nullptr;
  if (holdsQueues) {
    std::lock_guard<std::mutex> lock(waits.mutex);
    if (comesAfterWaiter(waits)) {
      return failedPrecondition(
          "a callback waits for an array that its device computes after the "
          "program that called it; pass the array to the program instead");
    }
    Waits::Wait own{{currentQueue}, this};
    if (jointQueues) {
      own.held.insert(own.held.end(), jointQueues->begin(), jointQueues->end());
    }
    waits.list.push_back(std::move(own));
  }
  {
    std::unique_lock<std::mutex> lock(mutex);
    becameReady.wait(lock, [&] { return isReady(); });
  }
  if (holdsQueues) {
    std::lock_guard<std::mutex> lock(waits.mutex);
    const void *queue = currentQueue;
    waits.list.erase(std::find_if(
        waits.list.begin(), waits.list.end(),
        [&](const Waits::Wait &wait) { return wait.held.front() == queue; }));
  }
  return theStatus;
}

void Completion::onReady(Callback callback) {
  if (isLost()) {
    callback(leftBehind());
    return;
  }
  {
    std::lock_guard<std::mutex> lock(mutex);
    if (!ready.load(std::memory_order_relaxed)) {
      callbacks.push_back(std::move(callback));
      return;
    }
  }
  callback(theStatus);
}

//===----------------------------------------------------------------------===//
// The C API
//===----------------------------------------------------------------------===//

PJRT_Error *Event_Destroy(PJRT_Event_Destroy_Args *args) {
  XLA_PJRT_REQUIRE_STRUCT(args, PJRT_Event_Destroy_Args);
  delete args->event;
  return nullptr;
}

PJRT_Error *Event_IsReady(PJRT_Event_IsReady_Args *args) {
  XLA_PJRT_REQUIRE(args, PJRT_Event_IsReady_Args, event);
  args->is_ready = args->event->completion->isReady();
  return nullptr;
}

PJRT_Error *Event_Error(PJRT_Event_Error_Args *args) {
  XLA_PJRT_REQUIRE(args, PJRT_Event_Error_Args, event);
  Completion &completion = *args->event->completion;
  if (!completion.isReady()) {
    return makeError(failedPrecondition(
        "PJRT_Event_Error: the event is not ready; ask PJRT_Event_IsReady "
        "first, or wait with PJRT_Event_Await"));
  }
  return makeError(completion.status());
}

PJRT_Error *Event_Await(PJRT_Event_Await_Args *args) {
  XLA_PJRT_REQUIRE(args, PJRT_Event_Await_Args, event);
  CompletionPointer completion = args->event->completion;
  return makeError(completion->wait());
}

PJRT_Error *Event_OnReady(PJRT_Event_OnReady_Args *args) {
  XLA_PJRT_REQUIRE(args, PJRT_Event_OnReady_Args, event);
  if (!args->callback) {
    return makeError(
        invalidArgument("PJRT_Event_OnReady: the field `callback` is NULL"));
  }
  CompletionPointer completion = args->event->completion;
  completion->onReady([callback = args->callback,
                       argument = args->user_arg](const Status &status) {
    callback(makeError(status), argument);
  });
  return nullptr;
}

} // namespace xla::pjrt
