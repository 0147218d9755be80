#include "xla/pjrt/common/BackgroundCompiler.h"

#include "xla/pjrt/common/Executable.h"
#include "xla/pjrt/common/Fork.h"

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
  std::atomic<bool> hasThread{false}; ///< written while the mutex is held, but
                                      ///< for the end of the process
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
//
// LLVM makes some of these objects when it first needs them, and what was made
// last is destroyed first: a function registered with `atexit` before the part
// began may run after they are gone. The objects of the main thread are
// destroyed before all static ones, so one of them does the waiting.

static std::atomic<bool> isEnding{false};

static void endCompiling() {
  // A part that takes longer is no longer waited for, and may crash.
  constexpr auto patience = std::chrono::seconds(30);
  isEnding = true;
  auto start = std::chrono::steady_clock::now();
  while (queue().hasThread &&
         std::chrono::steady_clock::now() - start < patience) {
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
}

static bool isMainThread() { return gettid() == getpid(); }

namespace {
struct EndOfThread {
  ~EndOfThread() {
    if (isMainThread()) {
      endCompiling();
    }
  }
};
} // namespace

void expectEndOfProcess() {
  static thread_local EndOfThread end;
  // Where the main thread never comes here, this is the best there is.
  static std::once_flag once;
  std::call_once(once, [] { std::atexit(endCompiling); });
}

/// Called by the compiling thread where it uses nothing of LLVM's.
static void stopAtEndOfProcess() {
  if (isEnding) {
    queue().hasThread = false;
    while (true) {
      pause();
    }
  }
}

//===----------------------------------------------------------------------===//
// The thread
//===----------------------------------------------------------------------===//

/// Compiles one part. False: there are to be no more.
static bool runStep(const std::function<Status()> &step) {
  stopAtEndOfProcess();
  NoForkHere noFork;
  Status status = step();
  if (!status.ok()) {
    std::fprintf(stderr,
                 "xla: a program stays as it was compiled first, for it could "
                 "not be optimised while it ran: %s\n",
                 status.message().c_str());
  }
  return status.ok();
}

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
  // The thread yields to the program, which may itself yield to others: on one
  // processor it has a quarter of the time.  With less, the program would
  // lose as much in all, for it would run the slower code for longer.
  constexpr int lower = 5, lowest = 19;
  const id_t thread = static_cast<id_t>(gettid());
  const int own = getpriority(PRIO_PROCESS, thread);
  setpriority(PRIO_PROCESS, thread, std::min(lowest, own + lower));
  stopAtEndOfProcess();
  while (std::shared_ptr<CompiledProgram> program = takeNext()) {
    program->optimizable()->optimize(runStep);
    program.reset();
    stopAtEndOfProcess();
  }
  return nullptr;
}

void optimizeInBackground(std::weak_ptr<CompiledProgram> program) {
  expectEndOfProcess();
  std::lock_guard<std::mutex> lock(queue().mutex);
  queue().programs.push_back(std::move(program));
  if (queue().hasThread) {
    return;
  }
  // Where no thread is to be had, the next program may find one.
  pthread_t thread;
  queue().hasThread = true;
  if (pthread_create(&thread, nullptr, compileAll, nullptr) == 0) {
    pthread_detach(thread);
  } else {
    queue().hasThread = false;
  }
}

//===----------------------------------------------------------------------===//
// Forks
//===----------------------------------------------------------------------===//

void holdBackgroundCompiler() { queue().mutex.lock(); }

void releaseBackgroundCompiler() { queue().mutex.unlock(); }

void forgetBackgroundCompiler() {
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
