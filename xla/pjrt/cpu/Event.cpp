#include "xla/pjrt/cpu/Event.h"

#include "xla/pjrt/cpu/Error.h"
#include "xla/pjrt/cpu/Functions.h"

#include <algorithm>

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

Status Completion::wait() {
  if (isLost()) {
    return leftBehind();
  }
  if (!isReady()) {
    if (currentQueue &&
        std::any_of(producers.begin(), producers.end(), isHeldHere)) {
      return failedPrecondition(
          "a callback waits for an array that its device computes after the "
          "program that called it; pass the array to the program instead");
    }
    std::unique_lock<std::mutex> lock(mutex);
    becameReady.wait(lock, [&] { return isReady(); });
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
