#include "xla/pjrt/common/DeviceQueue.h"

#include "xla/pjrt/common/Event.h"

#include <chrono>
#include <new>
#include <utility>

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

//===----------------------------------------------------------------------===//
// Tasks of several queues
//===----------------------------------------------------------------------===//

void JointTask::arrive() {
  if (absent.fetch_sub(1) > 1) {
    return;
  }
  for (DeviceQueue *queue : queues) {
    queue->setWaitingForInputs(false);
  }
  // The last share that begins may end it all.
  std::shared_ptr<JointTask> self = shared_from_this();
  for (int worker = 0; worker < workers; ++worker) {
    queues[worker]->runShare(self, worker);
  }
}

void JointTask::runShare(int worker) {
  Completion::jointQueues = &held;
  work(worker);
  bool isLast = unfinished.fetch_sub(1) == 1;
  if (isLast) {
    end();
  }
  Completion::jointQueues = nullptr;
  if (!isLast) {
    return; // the last one may have let go of the task
  }
  for (DeviceQueue *queue : queues) {
    DeviceQueue::Entry ended;
    {
      std::lock_guard<std::mutex> lock(queue->mutex);
      ended = std::exchange(queue->joint, {});
    }
    queue->finish(std::move(ended));
  }
}

/// If it is the turn of a task of several queues, holds this one for it.
JointTask *DeviceQueue::beginJoint() {
  if (isBusy || tasks.empty() || !tasks.front().joint) {
    return nullptr;
  }
  isBusy = true;
  // Until the others and the inputs are there.
  isWaitingForInputs = true;
  joint = std::move(tasks.front());
  tasks.pop_front();
  return joint.joint.get();
}

void DeviceQueue::runShare(std::shared_ptr<JointTask> task, int worker) {
  std::lock_guard<std::mutex> lock(mutex);
  share = std::move(task);
  shareNumber = worker;
  hasShare = true;
  changed.notify_all();
}

//===----------------------------------------------------------------------===//
// The queue
//===----------------------------------------------------------------------===//

DeviceQueue::~DeviceQueue() {
  unwatchForks(this);
  {
    std::unique_lock<std::mutex> lock(mutex);
    changed.wait(lock, [&] { return pending.load() == 0; });
    isStopping = true;
    changed.notify_all();
  }
  if (isRunning) {
    pthread_join(thread, nullptr);
  }
}

void DeviceQueue::forgetThread() {
  // Constructed again in their memory, and never destroyed: their state is
  // unknown, and tasks hold what the parent's thread was at.
  new (&mutex) std::mutex();
  new (&submission) std::mutex();
  new (&holders) std::mutex();
  new (&changed) std::condition_variable();
  new (&last) std::weak_ptr<Completion>();
  new (&tasks) std::deque<Entry>();
  new (&joint) Entry();
  new (&share) std::shared_ptr<JointTask>();
  hasShare = false;
  isBusy = false;
  pending = 0;
  pendingBytes = 0;
  isWaitingForInputs = false;
  isRunning = false;
  Completion::currentQueue = nullptr;
  Completion::jointQueues = nullptr;
  Completion::forgetWaits();
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
  append({std::move(task), nullptr, bytes});
}

void DeviceQueue::enqueue(std::shared_ptr<JointTask> task, int64_t bytes) {
  append({nullptr, std::move(task), bytes});
}

void DeviceQueue::append(Entry entry) {
  JointTask *begun;
  {
    std::lock_guard<std::mutex> lock(mutex);
    pendingBytes.fetch_add(entry.bytes);
    pending.fetch_add(1);
    tasks.push_back(std::move(entry));
    begun = beginJoint();
    if (!begun) {
      changed.notify_all();
    }
  }
  if (begun) {
    begun->arrive();
  }
}

/// A task has ended; lets go of it, and goes on with the next.
void DeviceQueue::finish(Entry entry) {
  int64_t bytes = entry.bytes;
  entry = {}; // lets go of what it holds before it counts as done
  // Held: with its last task the queue may end.
  std::shared_ptr<JointTask> begun;
  {
    std::lock_guard<std::mutex> lock(mutex);
    isBusy = false;
    pendingBytes.fetch_sub(bytes);
    pending.fetch_sub(1);
    if (beginJoint()) {
      begun = joint.joint;
    }
    changed.notify_all();
  }
  if (begun) {
    begun->arrive();
  }
}

bool DeviceQueue::isHeldHere() const { return Completion::isHeldHere(this); }

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

bool DeviceQueue::mayRunNext() const {
  return !isBusy && !tasks.empty() && !tasks.front().joint;
}

void DeviceQueue::loop() {
  Completion::currentQueue = this;
  while (true) {
    auto limit = std::chrono::steady_clock::now() + spinTime;
    while (pending.load() == 0 && !hasShare.load() &&
           std::chrono::steady_clock::now() < limit) {
#if defined(__x86_64__)
      __builtin_ia32_pause();
#endif
    }
    Entry entry;
    std::shared_ptr<JointTask> ownShare;
    {
      std::unique_lock<std::mutex> lock(mutex);
      changed.wait(lock, [&] { return mayRunNext() || share || isStopping; });
      if (share) {
        ownShare = std::move(share);
        hasShare = false;
      } else if (mayRunNext()) {
        isBusy = true;
        entry = std::move(tasks.front());
        tasks.pop_front();
      } else {
        return;
      }
    }
    if (ownShare) {
      ownShare->runShare(shareNumber);
      continue;
    }
    entry.task();
    finish(std::move(entry));
  }
}

} // namespace xla::pjrt
