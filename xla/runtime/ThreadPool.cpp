#include "xla/runtime/ThreadPool.h"

#include "xla/runtime/ControlGroup.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>

#include <pthread.h>
#include <sched.h>
#include <time.h>
#include <unistd.h>

namespace xla {

/// How long a helper looks for more work before it sleeps, and a caller for
/// its helpers' end: longer than a wake-up takes, far shorter than a time
/// slice.
static constexpr std::chrono::microseconds spinTime{20};

/// Where the least piece is a multiple of it, so is where pieces begin: arrays
/// whose elements are shared out are cut between lines of the cache.
static constexpr int64_t wholePieces = 64;

/// True on a thread that is inside a piece: what it forks runs in place.
static thread_local bool isInsidePiece = false;

static void pauseProcessor() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

/// Waits until `isDone`, for `spinTime` at most; returns whether it came true.
template <typename Condition>
static bool spinUntil(Condition isDone) {
  auto limit = std::chrono::steady_clock::now() + spinTime;
  do {
    for (int i = 0; i < 32; ++i) {
      if (isDone()) {
        return true;
      }
      pauseProcessor();
    }
  } while (std::chrono::steady_clock::now() < limit);
  return isDone();
}

static int64_t nanosecondsOf(clockid_t clock) {
  timespec time;
  clock_gettime(clock, &time);
  return time.tv_sec * 1'000'000'000LL + time.tv_nsec;
}

/// Nobody feels a wait of so many nanoseconds.
static constexpr int64_t unfelt = 100'000;

static int64_t timeNow() { return nanosecondsOf(CLOCK_MONOTONIC); }

/// How long this thread has existed without having a processor, from some
/// moment on.
static int64_t timeOutside() {
  return timeNow() - nanosecondsOf(CLOCK_THREAD_CPUTIME_ID);
}

//===----------------------------------------------------------------------===//
// Available processors
//===----------------------------------------------------------------------===//

/// The tightest quota in processors, 0 where there is none. Version 1 of
/// control groups has it in one file of the process's mount.
static double processorQuota() {
  const std::string folder = "/sys/fs/cgroup/cpu/";
  double quota = std::atof(readFirstLine(folder + "cpu.cfs_quota_us").c_str());
  double period =
      std::atof(readFirstLine(folder + "cpu.cfs_period_us").c_str());
  double tightest = quota > 0 && period > 0 ? quota / period : 0;
  for (const std::string &line : controlGroupLines("cpu.max")) {
    bool isSet = std::sscanf(line.c_str(), "%lf %lf", &quota, &period) == 2;
    if (isSet && period > 0 && quota > 0) {
      double inGroup = quota / period;
      tightest = tightest > 0 ? std::min(tightest, inGroup) : inGroup;
    }
  }
  return tightest;
}

int availableProcessors() {
  int count = static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN));
  cpu_set_t mask;
  CPU_ZERO(&mask);
  if (sched_getaffinity(0, sizeof mask, &mask) == 0) {
    count = CPU_COUNT(&mask);
  }
  double quota = processorQuota();
  if (quota > 0) {
    count = std::min(count, static_cast<int>(quota + 0.999));
  }
  return std::clamp(count, 1, ThreadPool::maximumThreads);
}

//===----------------------------------------------------------------------===//
// ThreadPool
//===----------------------------------------------------------------------===//

/// One call of `parallelFor`; lives on its caller's stack.
struct ThreadPool::Job {
  Body body;
  void *context;
  int64_t count;
  int64_t grain;
  int64_t threads;
  std::atomic<int64_t> next{0};
  std::atomic<int> helpers{0}; ///< helpers inside; grows under the mutex only
  /// The most nanoseconds for which a helper inside had no processor.
  std::atomic<int64_t> stolen{0};
};

struct ThreadPool::Worker {
  ThreadPool *pool;
  int index;
  pthread_t thread;
  /// `timeOutside` when it last woke, or ended a piece that took long.
  int64_t outside = 0;
};

ThreadPool::ThreadPool(int threads)
    : wantedThreads(std::clamp(threads, 1, maximumThreads)) {}

ThreadPool::~ThreadPool() {
  isStopping = true;
  workEpoch.fetch_add(1);
  workEpoch.notify_all();
  for (std::unique_ptr<Worker> &worker : workers) {
    pthread_join(worker->thread, nullptr);
  }
}

/// What `chooseThreads` was last called with; 0 for what the machine offers.
static std::atomic<int> chosenThreads{0};

static std::atomic<ThreadPool *> &sharedSlot() {
  static std::atomic<ThreadPool *> slot{nullptr};
  return slot;
}

ThreadPool &ThreadPool::shared() {
  std::atomic<ThreadPool *> &slot = sharedSlot();
  if (ThreadPool *pool = slot.load(std::memory_order_acquire)) {
    return *pool;
  }
  // The pool is never destroyed: helpers may still run while the process ends.
  const int chosen = chosenThreads.load(std::memory_order_relaxed);
  auto *made = new ThreadPool(chosen > 0 ? chosen : availableProcessors());
  ThreadPool *expected = nullptr;
  if (!slot.compare_exchange_strong(expected, made)) {
    delete made;
    return *expected;
  }
  // fork() copies no threads: forget the parent's pool in the child.
  static std::once_flag once;
  std::call_once(once, [] {
    pthread_atfork(nullptr, nullptr, [] { sharedSlot() = nullptr; });
  });
  return *made;
}

void ThreadPool::chooseThreads(int threads) {
  chosenThreads = std::max(threads, 0);
  shared().setThreads(threads > 0 ? threads : availableProcessors());
}

void ThreadPool::setThreads(int threads) {
  wantedThreads = std::clamp(threads, 1, maximumThreads);
  aloneUntil = 0;
}

int ThreadPool::wantedHelpers() const {
  return threads() - std::max(runners.load(std::memory_order_relaxed), 1);
}

void ThreadPool::callHelpers() {
  if (wantedHelpers() > 0) {
    workEpoch.fetch_add(1);
    if (sleepers.load() > 0) {
      workEpoch.notify_all();
    }
  }
}

void ThreadPool::changeRunners(int by) {
  runners.fetch_add(by);
  if (by < 0) { // there may be jobs that nobody was told of
    callHelpers();
  }
}

/// Threads are made when first needed, and kept: surplus ones stay asleep when
/// the number shrinks. Where the system refuses a thread, callers do its work.
void ThreadPool::startMissingWorkers() {
  std::lock_guard<std::mutex> lock(mutex);
  int wanted = threads() - 1;
  while (static_cast<int>(workers.size()) < wanted) {
    auto worker = std::make_unique<Worker>();
    worker->pool = this;
    worker->index = static_cast<int>(workers.size());
    auto start = [](void *argument) -> void * {
      auto *self = static_cast<Worker *>(argument);
      self->pool->workerLoop(*self);
      return nullptr;
    };
    if (pthread_create(&worker->thread, nullptr, start, worker.get()) != 0) {
      return;
    }
    workers.push_back(std::move(worker));
    startedWorkers = static_cast<int>(workers.size());
  }
}

/// Pieces are a fraction of what is left (Polychronopoulos and Kuck, "Guided
/// self-scheduling", 1987): large ones first, small ones at the end, so that
/// threads finish together whatever else the machine is doing.
void ThreadPool::runPieces(Job &job) {
  int64_t begin = job.next.load(std::memory_order_relaxed);
  while (begin < job.count) {
    int64_t left = job.count - begin;
    int64_t piece = std::max(job.grain, left / (2 * job.threads));
    if (job.grain % wholePieces == 0) {
      piece -= piece % wholePieces;
    }
    int64_t end = begin + std::min(piece, left);
    if (job.next.compare_exchange_weak(begin, end, std::memory_order_relaxed)) {
      job.body(job.context, begin, end);
      begin = job.next.load(std::memory_order_relaxed);
    }
  }
}

/// Joins one job that still has pieces to give; false where there is none.
bool ThreadPool::helpOnce(Worker &self) {
  Job *job = nullptr;
  {
    std::lock_guard<std::mutex> lock(mutex);
    for (Job *candidate : jobs) {
      if (candidate->next.load(std::memory_order_relaxed) < candidate->count) {
        job = candidate;
        // Counted under the mutex: the caller takes the job off the list under
        // it too, so that no helper enters after the caller has looked.
        job->helpers.fetch_add(1, std::memory_order_relaxed);
        break;
      }
    }
  }
  if (!job) {
    return false;
  }
  int64_t begin = timeNow();
  runPieces(*job);
  // A thread's own clock is a call of the system, which costs as much as a
  // short piece: it is read where the caller may have waited only.
  if (int64_t taken = timeNow() - begin; taken > unfelt) {
    int64_t outside = timeOutside();
    int64_t stolen = std::min(outside - self.outside, taken);
    self.outside = outside;
    int64_t most = job->stolen.load(std::memory_order_relaxed);
    while (stolen > most && !job->stolen.compare_exchange_weak(
                                most, stolen, std::memory_order_relaxed)) {
    }
  }
  // The caller may return, and the job end, as soon as the count drops.
  job->helpers.fetch_sub(1, std::memory_order_release);
  doneEpoch.fetch_add(1);
  doneEpoch.notify_all();
  return true;
}

void ThreadPool::workerLoop(Worker &self) {
  isInsidePiece = true;
  self.outside = timeOutside();
  while (!isStopping.load(std::memory_order_relaxed)) {
    uint32_t seen = workEpoch.load();
    bool isWanted = self.index < wantedHelpers();
    if (isWanted && helpOnce(self)) {
      continue;
    }
    auto hasNews = [&] { return workEpoch.load() != seen; };
    if (isWanted && spinUntil(hasNews)) {
      continue;
    }
    sleepers.fetch_add(1);
    workEpoch.wait(seen);
    sleepers.fetch_sub(1);
    self.outside = timeOutside();
  }
}

/// A helper whose processor is given to another process in the middle of a
/// piece holds its caller up until it has one again, which on a busy machine is
/// time slices for microseconds of work. Then callers stay alone for some times
/// as long: so the loss is a fraction of the time, and help is tried again
/// before long.
void ThreadPool::waitForHelpers(const Job &job) {
  constexpr int64_t times = 8, longest = 500'000'000;
  auto isDone = [&] {
    return job.helpers.load(std::memory_order_acquire) == 0;
  };
  if (spinUntil(isDone)) {
    return;
  }
  int64_t begin = timeNow();
  for (uint32_t seen = doneEpoch.load(); !isDone(); seen = doneEpoch.load()) {
    doneEpoch.wait(seen);
  }
  int64_t end = timeNow(), waited = end - begin;
  int64_t stolen = job.stolen.load(std::memory_order_relaxed);
  if (waited > unfelt && stolen > waited / 2) {
    aloneUntil.store(end + std::min(longest, times * waited),
                     std::memory_order_relaxed);
  }
}

void ThreadPool::parallelFor(int64_t count, int64_t grain, Body body,
                             void *context) {
  if (count <= 0) {
    return;
  }
  grain = std::max<int64_t>(grain, 1);
  int threadCount = threads();
  if (count <= grain || threadCount <= 1 || isInsidePiece) {
    body(context, 0, count);
    return;
  }
  int64_t alone = aloneUntil.load(std::memory_order_relaxed);
  if (alone > 0 && timeNow() < alone) {
    body(context, 0, count);
    return;
  }
  if (startedWorkers.load(std::memory_order_relaxed) < threadCount - 1) {
    startMissingWorkers();
  }
  Job job{body, context, count, grain, threadCount};
  {
    std::lock_guard<std::mutex> lock(mutex);
    jobs.push_back(&job);
  }
  callHelpers();

  isInsidePiece = true;
  runPieces(job);
  isInsidePiece = false;

  {
    std::lock_guard<std::mutex> lock(mutex);
    jobs.erase(std::find(jobs.begin(), jobs.end(), &job));
  }
  waitForHelpers(job);
}

} // namespace xla
