#include "xla/pjrt/cpu/Fork.h"

#include "xla/pjrt/cpu/DeviceQueue.h"
#include "xla/runtime/Allocator.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <vector>

#include <pthread.h>

namespace xla::pjrt {

static std::atomic<uint32_t> forks{0};

namespace {
struct Watched {
  std::mutex mutex;
  std::vector<DeviceQueue *> queues;
};
} // namespace

/// Never destroyed: arrays and their queues may outlive every static object.
static Watched &watched() {
  static auto *all = new Watched();
  return *all;
}

uint32_t forkCount() { return forks.load(std::memory_order_relaxed); }

static void beforeFork() {
  watched().mutex.lock();
  CachingAllocator::shared().lockAll();
}

static void inParent() {
  CachingAllocator::shared().unlockAll();
  watched().mutex.unlock();
}

static void inChild() {
  forks.fetch_add(1, std::memory_order_relaxed);
  for (DeviceQueue *queue : watched().queues) {
    queue->forgetThread();
  }
  inParent();
}

void watchForks(DeviceQueue *queue) {
  static std::once_flag once;
  std::call_once(once, [] { pthread_atfork(beforeFork, inParent, inChild); });
  std::lock_guard<std::mutex> lock(watched().mutex);
  watched().queues.push_back(queue);
}

void unwatchForks(DeviceQueue *queue) {
  std::lock_guard<std::mutex> lock(watched().mutex);
  std::erase(watched().queues, queue);
}

} // namespace xla::pjrt
