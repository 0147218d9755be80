#include "xla/pjrt/cpu/BackgroundCompiler.h"

#include "xla/pjrt/cpu/Executable.h"
#include "xla/pjrt/cpu/Fork.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <mutex>
#include <thread>

#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

namespace xla::pjrt {

namespace {
struct Queue {
  std::mutex mutex;
  std::deque<std::weak_ptr<CompiledProgram>> programs;
  std::weak_ptr<CompiledProgram> current; ///< that the thread works on
  bool hasThread = false;
};
} // namespace

/// Never destroyed: the thread may outlive static objects.
static Queue &queue() {
  static auto *theQueue = new Queue;
  return *theQueue;
}

//===----------------------------------------------------------------------===//
// The end of the process
//===----------------------------------------------------------------------===//
//
// LLVM's static objects are destroyed while the process ends, so nothing may be
// compiled then. A part that has begun is waited for: some 30 ms of the
// processor, of which a busy machine gives this thread little.

static std::atomic<bool> isEnding{false}, isCompiling{false};

static void endCompiling() {
  constexpr auto patience = std::chrono::seconds(2);
  isEnding = true;
  auto start = std::chrono::steady_clock::now();
  while (isCompiling && std::chrono::steady_clock::now() - start < patience) {
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
}

/// Compiles one part. False: there are to be no more.
static bool runStep(const std::function<Status()> &step) {
  {
    NoForkHere noFork;
    isCompiling = true;
    if (!isEnding) {
      Status status = step();
      isCompiling = false;
      if (!status.ok()) {
        std::fprintf(stderr,
                     "xla: a program stays as it was compiled first, for it "
                     "could not be optimised while it ran: %s\n",
                     status.message().c_str());
      }
      return status.ok();
    }
    isCompiling = false;
  }
  while (true) { // until the process is gone
    pause();
  }
}

//===----------------------------------------------------------------------===//
// The thread
//===----------------------------------------------------------------------===//

static std::shared_ptr<CompiledProgram> takeNext() {
  std::lock_guard<std::mutex> lock(queue().mutex);
  while (!queue().programs.empty()) {
    queue().current = std::move(queue().programs.front());
    queue().programs.pop_front();
    if (auto program = queue().current.lock()) {
      return program;
    }
  }
  queue().current.reset();
  queue().hasThread = false;
  return nullptr;
}

static void *compileAll(void *) {
  // The thread yields to the program, which may itself yield to others.
  constexpr int lower = 10, lowest = 19;
  const id_t thread = static_cast<id_t>(gettid());
  const int own = getpriority(PRIO_PROCESS, thread);
  setpriority(PRIO_PROCESS, thread, std::min(lowest, own + lower));
  while (std::shared_ptr<CompiledProgram> program = takeNext()) {
    program->optimizable()->optimize(runStep);
  }
  return nullptr;
}

void optimizeInBackground(std::weak_ptr<CompiledProgram> program) {
  static std::once_flag once;
  std::call_once(once, [] { std::atexit(endCompiling); });
  std::lock_guard<std::mutex> lock(queue().mutex);
  queue().programs.push_back(std::move(program));
  if (queue().hasThread) {
    return;
  }
  // Where no thread is to be had, the next program may find one.
  pthread_t thread;
  if (pthread_create(&thread, nullptr, compileAll, nullptr) == 0) {
    pthread_detach(thread);
    queue().hasThread = true;
  }
}

//===----------------------------------------------------------------------===//
// Forks
//===----------------------------------------------------------------------===//

void holdBackgroundCompiler() { queue().mutex.lock(); }

void releaseBackgroundCompiler() { queue().mutex.unlock(); }

void forgetBackgroundCompiler() {
  isCompiling = false;
  Queue &left = queue();
  std::deque<std::weak_ptr<CompiledProgram>> programs;
  programs.swap(left.programs);
  programs.push_back(std::move(left.current));
  left.current.reset();
  left.hasThread = false;
  left.mutex.unlock();
  for (const std::weak_ptr<CompiledProgram> &each : programs) {
    if (auto program = each.lock()) {
      program->expectOptimization();
    }
  }
}

} // namespace xla::pjrt
