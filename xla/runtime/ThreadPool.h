//===- ThreadPool.h - Fork-join parallelism ---------------------*- C++ -*-===//
//
// The helpers that a kernel forks. One pool serves the whole process; the
// number of threads may change at any time.
//
//===----------------------------------------------------------------------===//

#ifndef XLA_RUNTIME_THREADPOOL_H
#define XLA_RUNTIME_THREADPOOL_H

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <type_traits>
#include <vector>

namespace xla {

/// The number of processors that this process may keep busy: what the affinity
/// mask and the control group's quota allow, at least 1.
int availableProcessors();

class ThreadPool {
public:
  using Body = void (*)(void *context, int64_t begin, int64_t end);
  static constexpr int maximumThreads = 256;

  /// A pool of `threads` threads, the caller of `parallelFor` included.
  explicit ThreadPool(int threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool &) = delete;
  ThreadPool &operator=(const ThreadPool &) = delete;

  /// The pool of this process, made at first use with `availableProcessors()`
  /// threads. A child made by fork() gets a fresh one, as large as was chosen.
  static ThreadPool &shared();

  /// Sets the threads of the process's pool; 0 for `availableProcessors()`.
  static void chooseThreads(int threads);

  /// How many threads take part from the next `parallelFor` on, clamped to 1
  /// ... `maximumThreads`. May be called while others are in `parallelFor`.
  void setThreads(int threads);
  int threads() const { return wantedThreads.load(std::memory_order_relaxed); }

  /// Calls `body` on disjoint pieces that together cover [0, count), on this
  /// thread and on idle helpers, and returns when all are done. A piece has at
  /// least `grain` items, save the last, and begins at a multiple of 64 where
  /// `grain` is one. Runs in place when one piece is all
  /// there is, when the pool has one thread, inside another `parallelFor`, and
  /// for a while after helpers that lost their processors held a caller up.
  /// How the range is cut depends on the number of threads: results must not
  /// depend on it. `body` must not throw.
  void parallelFor(int64_t count, int64_t grain, Body body, void *context);

  /// The same for a callable `body(begin, end)`.
  template <typename Callable>
  void parallelFor(int64_t count, int64_t grain, Callable &&body) {
    using Type = std::remove_reference_t<Callable>;
    parallelFor(
        count, grain,
        [](void *context, int64_t begin, int64_t end) {
          (*static_cast<Type *>(context))(begin, end);
        },
        const_cast<std::remove_const_t<Type> *>(&body));
  }

  /// Held by a thread that computes on its own for long, beside others like
  /// it: there are as many fewer helpers, so that no more threads compute than
  /// the pool has. When one of them ends or rests, a helper takes its place.
  class Runner {
  public:
    Runner() : pool(shared()) { goOn(); }
    ~Runner() { rest(); }
    Runner(const Runner &) = delete;
    Runner &operator=(const Runner &) = delete;

    /// Before the thread waits for others, and after that.
    void rest() { pool.changeRunners(-1); }
    void goOn() { pool.changeRunners(1); }

  private:
    ThreadPool &pool;
  };

private:
  struct Job;
  struct Worker;

  void changeRunners(int by);
  void callHelpers();

  /// How many helpers may work now: the caller, or each runner, is a thread.
  int wantedHelpers() const;

  void workerLoop(Worker &self);
  bool helpOnce(Worker &self);
  void startMissingWorkers();
  static void runPieces(Job &job);
  void waitForHelpers(const Job &job);

  std::atomic<int> wantedThreads;
  std::atomic<int> runners{0};
  std::mutex mutex; ///< guards `jobs` and `workers`
  std::vector<Job *> jobs;
  std::vector<std::unique_ptr<Worker>> workers;
  std::atomic<int> startedWorkers{0};
  std::atomic<uint32_t> workEpoch{0}; ///< grows when work or an order comes
  std::atomic<uint32_t> doneEpoch{0}; ///< grows when a helper leaves a job
  std::atomic<int> sleepers{0};
  std::atomic<int64_t> aloneUntil{0}; ///< nanoseconds: callers fork nothing
  std::atomic<bool> isStopping{false};
};

} // namespace xla

#endif // XLA_RUNTIME_THREADPOOL_H
