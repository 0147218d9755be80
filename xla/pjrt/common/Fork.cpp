#include "xla/pjrt/common/Fork.h"

#include "xla/pjrt/common/BackgroundCompiler.h"
#include "xla/pjrt/common/DeviceQueue.h"
#include "xla/runtime/Allocator.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <new>
#include <vector>

#include <pthread.h>

namespace xla::pjrt {

static std::atomic<uint32_t> forks{0};

namespace {
struct Watched {
  std::mutex mutex;
  std::vector<DeviceQueue *> queues;
};

/// Compilations that run, and forks that wait for them.
struct Gate {
  std::mutex mutex;
  std::condition_variable changed;
  int compiling = 0;
  int forking = 0;
};
} // namespace

/// Never destroyed: arrays and their queues may outlive every static object.
static Watched &watched() {
  static auto *all = new Watched();
  return *all;
}

uint32_t forkCount() { return forks.load(std::memory_order_relaxed); }

static Gate &gate() {
  static auto *theGate = new Gate();
  return *theGate;
}

NoForkHere::NoForkHere() {
  std::unique_lock<std::mutex> lock(gate().mutex);
  // Those that come while a fork waits stand back, or it would wait for ever.
  gate().changed.wait(lock, [] { return gate().forking == 0; });
  ++gate().compiling;
}

NoForkHere::~NoForkHere() {
  std::lock_guard<std::mutex> lock(gate().mutex);
  --gate().compiling;
  gate().changed.notify_all();
}

constexpr std::chrono::seconds patience{30};

static void beforeFork() {
  {
    std::unique_lock<std::mutex> lock(gate().mutex);
    ++gate().forking;
    gate().changed.wait_for(lock, patience,
                            [] { return gate().compiling == 0; });
  }
  holdBackgroundCompiler();
  watched().mutex.lock();
  CachingAllocator::shared().lockAll();
}

static void release() {
  CachingAllocator::shared().unlockAll();
  watched().mutex.unlock();
}

static void inParent() {
  release();
  releaseBackgroundCompiler();
  std::lock_guard<std::mutex> lock(gate().mutex);
  --gate().forking;
  gate().changed.notify_all();
}

static void inChild() {
  forks.fetch_add(1, std::memory_order_relaxed);
  for (DeviceQueue *queue : watched().queues) {
    queue->forgetThread();
  }
  release();
  // Of the threads that compile or wait to, none is here.
  new (&gate()) Gate();
  forgetBackgroundCompiler();
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
