#include "xla/runtime/ThreadPool.h"

#include "xla/support/Testing.h"

#include <chrono>
#include <thread>

#include <sys/wait.h>
#include <unistd.h>

using namespace xla;

/// Runs a loop that counts how often each item was visited.
static bool visitsEachOnce(ThreadPool &pool, int64_t count, int64_t grain) {
  std::vector<std::atomic<int>> visits(count);
  std::atomic<bool> areGrainsKept{true};
  pool.parallelFor(count, grain, [&](int64_t begin, int64_t end) {
    if (end - begin < grain && end != count) {
      areGrainsKept = false;
    }
    for (int64_t i = begin; i < end; ++i) {
      ++visits[i];
    }
  });
  for (std::atomic<int> &visit : visits) {
    if (visit != 1) {
      return false;
    }
  }
  return areGrainsKept;
}

static void testEveryItemIsVisitedOnce() {
  for (int threads : {1, 2, 3, 8}) {
    ThreadPool pool(threads);
    for (int64_t count : {0, 1, 2, 7, 100, 10007}) {
      for (int64_t grain : {0, 1, 3, 64, 100000}) {
        XLA_CHECK(visitsEachOnce(pool, count, grain));
      }
    }
  }
}

static void testPiecesBeginBetweenLines() {
  for (int threads : {1, 2, 3, 8}) {
    ThreadPool pool(threads);
    for (int64_t count : {1, 100, 4097, 100003}) {
      for (int64_t grain : {64, 128, 640}) {
        std::atomic<bool> areWhole{true};
        pool.parallelFor(count, grain, [&](int64_t begin, int64_t end) {
          if (begin % 64 != 0) {
            areWhole = false;
          }
        });
        XLA_CHECK(areWhole);
        XLA_CHECK(visitsEachOnce(pool, count, grain));
      }
    }
  }
}

static void testSeveralThreadsTakePart() {
  ThreadPool pool(2);
  std::atomic<int> arrived{0};
  // Each piece waits for the other: only two threads at once can finish this.
  pool.parallelFor(2, 1, [&](int64_t begin, int64_t end) {
    ++arrived;
    while (arrived < 2) {
      std::this_thread::yield();
    }
  });
  XLA_CHECK(arrived == 2);
}

static void testNestedLoopsRunInPlace() {
  ThreadPool pool(4);
  std::atomic<int64_t> sum{0};
  std::atomic<bool> isInPlace{true};
  pool.parallelFor(16, 1, [&](int64_t begin, int64_t end) {
    auto outer = std::this_thread::get_id();
    pool.parallelFor(100, 1, [&](int64_t innerBegin, int64_t innerEnd) {
      isInPlace = isInPlace && std::this_thread::get_id() == outer;
      sum += (innerEnd - innerBegin) * (end - begin);
    });
  });
  XLA_CHECK(isInPlace);
  XLA_CHECK(sum == 1600);
}

static void testManyCallersWhileTheSizeChanges() {
  ThreadPool pool(4);
  std::atomic<int> failures{0};
  std::vector<std::thread> callers;
  for (int caller = 0; caller < 6; ++caller) {
    callers.emplace_back([&] {
      for (int i = 0; i < 300; ++i) {
        failures += !visitsEachOnce(pool, 257, 2);
      }
    });
  }
  for (int i = 0; i < 200; ++i) {
    pool.setThreads(1 + i % 6);
    std::this_thread::yield();
  }
  for (std::thread &caller : callers) {
    caller.join();
  }
  XLA_CHECK(failures == 0);
}

static void testTheSizeIsClamped() {
  ThreadPool pool(-3);
  XLA_CHECK(pool.threads() == 1);
  pool.setThreads(1 << 20);
  XLA_CHECK(pool.threads() == 256);
  XLA_CHECK(availableProcessors() >= 1);
}

static void testAChildProcessGetsItsOwnPool() {
  ThreadPool &parent = ThreadPool::shared();
  ThreadPool::chooseThreads(3);
  XLA_CHECK(parent.threads() == 3);
  XLA_CHECK(visitsEachOnce(parent, 1000, 1));
  pid_t child = fork();
  if (child == 0) {
    ThreadPool &own = ThreadPool::shared();
    _exit(own.threads() == 3 && visitsEachOnce(own, 1000, 1) ? 0 : 1);
  }
  int status = -1;
  XLA_CHECK(waitpid(child, &status, 0) == child);
  XLA_CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  ThreadPool::chooseThreads(0);
  XLA_CHECK(parent.threads() == availableProcessors());
}

/// While two threads compute, a pool of two has no helper for either; when one
/// of them rests, the other one's loop goes on with one, also in the middle.
/// Pieces of a loop sleep on helpers, as where another process has their
/// processor; returns how many items helpers took.
static int64_t takenByHelpers(ThreadPool &pool,
                              std::chrono::milliseconds rest) {
  std::thread::id caller = std::this_thread::get_id();
  std::atomic<int64_t> taken{0};
  pool.parallelFor(1000, 1, [&](int64_t begin, int64_t end) {
    if (std::this_thread::get_id() != caller) {
      taken += end - begin;
      std::this_thread::sleep_for(rest);
      return;
    }
    // Helpers have the time to come, and the caller something to do.
    auto limit = std::chrono::steady_clock::now() +
                 std::chrono::microseconds(20 * (end - begin));
    while (std::chrono::steady_clock::now() < limit) {
    }
  });
  return taken;
}

static void testCallersAreAloneAfterHelpersLostTheirProcessors() {
  using std::chrono::milliseconds;
  ThreadPool pool(2);
  for (int i = 0; i < 100 && takenByHelpers(pool, milliseconds(40)) == 0; ++i) {
  }
  XLA_CHECK(takenByHelpers(pool, milliseconds(0)) == 0);
  // For a while.
  auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (takenByHelpers(pool, milliseconds(0)) == 0 &&
         std::chrono::steady_clock::now() < limit) {
  }
  XLA_CHECK(std::chrono::steady_clock::now() < limit);
}

static void testRunnersTakeTheHelpersPlace() {
  ThreadPool &pool = ThreadPool::shared();
  ThreadPool::chooseThreads(2);
  XLA_CHECK(visitsEachOnce(pool, 1000, 1)); // its helper has started
  ThreadPool::Runner self;
  auto other = std::make_unique<ThreadPool::Runner>();
  auto here = std::this_thread::get_id();
  std::atomic<bool> isAlone{true};
  pool.parallelFor(1000, 1, [&](int64_t begin, int64_t end) {
    isAlone = isAlone && std::this_thread::get_id() == here;
  });
  XLA_CHECK(isAlone);
  std::atomic<int> arrived{0};
  pool.parallelFor(2, 1, [&](int64_t begin, int64_t end) {
    if (std::this_thread::get_id() == here) {
      other->rest();
    }
    ++arrived;
    while (arrived < 2) {
      std::this_thread::yield();
    }
  });
  XLA_CHECK(arrived == 2);
  other->goOn();
  other = nullptr;
  ThreadPool::chooseThreads(0);
}

int main() {
  testEveryItemIsVisitedOnce();
  testPiecesBeginBetweenLines();
  testSeveralThreadsTakePart();
  testNestedLoopsRunInPlace();
  testManyCallersWhileTheSizeChanges();
  testTheSizeIsClamped();
  testAChildProcessGetsItsOwnPool();
  testCallersAreAloneAfterHelpersLostTheirProcessors();
  testRunnersTakeTheHelpersPlace();
  return testing::failedChecks();
}
