#include "xla/pjrt/cpu/DeviceQueue.h"

#include "xla/pjrt/cpu/Event.h"

#include <chrono>

namespace xla::pjrt {

/// Enough to keep a device busy while the client prepares the next programs.
static constexpr long maximumPending = 32;

/// Beyond this, memory for results counts: a few tasks are enough then, and
/// their results take memory that is still in the cache.
static constexpr int64_t maximumPendingBytes = int64_t(8) << 20;
static constexpr long pendingAlways = 3;

/// How long the thread looks for the next task before it sleeps: about what a
/// wake-up costs.
static constexpr std::chrono::microseconds spinTime{20};

/// How often a wait asks whether it goes on.
static constexpr std::chrono::milliseconds timeBetweenChecks{50};

DeviceQueue::~DeviceQueue() {
  {
    std::lock_guard<std::mutex> lock(mutex);
    isStopping = true;
    changed.notify_all();
  }
  if (isRunning) {
    pthread_join(thread, nullptr);
  }
}

bool DeviceQueue::start() {
  if (!isRunning) {
    auto run = [](void *queue) -> void * {
      static_cast<DeviceQueue *>(queue)->loop();
      return nullptr;
    };
    isRunning = pthread_create(&thread, nullptr, run, this) == 0;
  }
  return isRunning;
}

void DeviceQueue::enqueue(Task task, int64_t bytes) {
  std::lock_guard<std::mutex> lock(mutex);
  tasks.push_back({std::move(task), bytes});
  pendingBytes.fetch_add(bytes);
  pending.fetch_add(1);
  changed.notify_all();
}

bool DeviceQueue::isOwnThread() const {
  return Completion::currentQueue == this;
}

bool DeviceQueue::hasRoom() const {
  long count = pending.load();
  return count < pendingAlways ||
         (count < maximumPending && pendingBytes.load() < maximumPendingBytes);
}

static std::atomic<DeviceQueue::WaitCheck> waitCheck{nullptr};

void DeviceQueue::setWaitCheck(WaitCheck check) { waitCheck = check; }

Status DeviceQueue::waitForRoom() {
  if (hasRoom()) {
    return okStatus();
  }
  std::unique_lock<std::mutex> lock(mutex);
  auto mayGoOn = [&] { return hasRoom() || isWaitingForInputs; };
  while (!changed.wait_for(lock, timeBetweenChecks, mayGoOn)) {
    lock.unlock();
    WaitCheck check = waitCheck.load();
    if (check && !check()) {
      return Status(StatusCode::Cancelled,
                    "the wait for earlier programs was interrupted; this one "
                    "was not submitted");
    }
    lock.lock();
  }
  return okStatus();
}

void DeviceQueue::setWaitingForInputs(bool isWaiting) {
  std::lock_guard<std::mutex> lock(mutex);
  isWaitingForInputs = isWaiting;
  changed.notify_all();
}

void DeviceQueue::loop() {
  Completion::currentQueue = this;
  while (true) {
    auto limit = std::chrono::steady_clock::now() + spinTime;
    while (pending.load() == 0 && std::chrono::steady_clock::now() < limit) {
#if defined(__x86_64__)
      __builtin_ia32_pause();
#endif
    }
    Entry entry;
    {
      std::unique_lock<std::mutex> lock(mutex);
      changed.wait(lock, [&] { return !tasks.empty() || isStopping; });
      if (tasks.empty()) {
        return;
      }
      entry = std::move(tasks.front());
      tasks.pop_front();
    }
    entry.task();
    entry.task = nullptr; // lets go of what it holds before it counts as done
    std::lock_guard<std::mutex> lock(mutex);
    pendingBytes.fetch_sub(entry.bytes);
    pending.fetch_sub(1);
    changed.notify_all();
  }
}

} // namespace xla::pjrt
