#include "xla/runtime/LaunchGroup.h"

#include "xla/support/Testing.h"

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <random>
#include <thread>

using namespace xla;

static const std::string location = "all_reduce at test.py:1";

/// Runs the launch group on as many threads as it wants.
static Status run(LaunchGroup &launchGroup) {
  std::vector<std::thread> threads;
  for (int worker = 1; worker < launchGroup.workers(); ++worker) {
    threads.emplace_back([&launchGroup, worker] { launchGroup.work(worker); });
  }
  launchGroup.work(0);
  for (std::thread &thread : threads) {
    thread.join();
  }
  return launchGroup.status();
}

static std::vector<int64_t> upTo(int64_t size) {
  std::vector<int64_t> numbers(size);
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

/// Replaces each deposited number by the sum of all.
static Status addAll(void *context, void *const *deposits) {
  auto count = *static_cast<size_t *>(context);
  int64_t sum = 0;
  for (size_t i = 0; i < count; ++i) {
    sum += *static_cast<int64_t *>(deposits[i]);
  }
  for (size_t i = 0; i < count; ++i) {
    *static_cast<int64_t *>(deposits[i]) = sum;
  }
  return okStatus();
}

static Status add(LaunchGroup &launchGroup, int member,
                  std::span<const int64_t> group, int64_t number,
                  int64_t groupNumber, int64_t &value) {
  size_t count = group.size();
  auto rank = std::find(group.begin(), group.end(), member) - group.begin();
  return launchGroup.meet(member, {number, groupNumber, group, location}, rank,
                          &value, addAll, &count);
}

/// Every size and number of threads; each member adds up a few times, first
/// among all, then with its neighbours.
static void testAllMeet() {
  for (int size : {1, 2, 3, 8, 33}) {
    std::vector<int64_t> all = upTo(size);
    for (int workers = 1; workers <= std::min(size, 9); ++workers) {
      std::vector<int64_t> sums(size);
      LaunchGroup launchGroup(
          size, workers == 9 ? size : workers, true, "test", [&](int member) {
            for (int64_t turn = 0; turn < 5; ++turn) {
              int64_t value = member + turn;
              XLA_RETURN_IF_ERROR(add(launchGroup, member, all, 0, 0, value));
              int64_t even = member / 2 * 2;
              int64_t last = std::min<int64_t>(even + 1, size - 1);
              auto pair = std::span(all).subspan(even, last - even + 1);
              XLA_RETURN_IF_ERROR(
                  add(launchGroup, member, pair, 1, member / 2, value));
              sums[member] += value;
            }
            return okStatus();
          });
      XLA_CHECK(run(launchGroup).ok());
      for (int member = 0; member < size; ++member) {
        int64_t partners = std::min(2, size - member / 2 * 2);
        int64_t expected = 0;
        for (int64_t turn = 0; turn < 5; ++turn) {
          expected += (size * (size - 1) / 2 + size * turn) * partners;
        }
        XLA_CHECK(sums[member] == expected);
      }
    }
  }
}

/// One member fails, before, between or after rendezvous of the other members.
static void testFailureIsEverybodys() {
  std::vector<int64_t> all = upTo(4);
  for (int workers : {1, 2, 3, 4}) {
    for (int turns : {0, 1, 7}) {
      std::atomic<int> failures{0};
      LaunchGroup launchGroup(4, workers, true, "test", [&](int member) {
        for (int turn = 0; turn < 9; ++turn) {
          if (member == 2 && turn == turns) {
            return invalidArgument("broken");
          }
          int64_t value = 1;
          Status status = add(launchGroup, member, all, 0, 0, value);
          if (!status.ok()) {
            ++failures;
            return status;
          }
        }
        return okStatus();
      });
      Status status = run(launchGroup);
      XLA_CHECK(status.code() == StatusCode::InvalidArgument);
      XLA_CHECK(status.message() == "broken");
      XLA_CHECK(failures <= 3);
    }
  }
}

/// The work of a rendezvous fails.
static void testWorkFails() {
  std::vector<int64_t> all = upTo(3);
  for (int workers : {1, 2, 3}) {
    LaunchGroup launchGroup(3, workers, true, "test", [&](int member) {
      return launchGroup.meet(
          member, {0, 0, all, location}, member, nullptr,
          [](void *, void *const *) { return resourceExhausted("full"); },
          nullptr);
    });
    XLA_CHECK(run(launchGroup).code() == StatusCode::ResourceExhausted);
  }
}

/// Members that take different ways are told, instead of waiting for ever.
static void testWaitsInACircleEnd() {
  std::vector<int64_t> all = upTo(3);
  for (int workers : {1, 2, 3}) {
    LaunchGroup ended(3, workers, true, "test", [&](int member) {
      int64_t value = 0;
      return member == 1 ? okStatus() : add(ended, member, all, 0, 0, value);
    });
    Status status = run(ended);
    XLA_CHECK(status.code() == StatusCode::Internal);
    XLA_CHECK(status.message().find("device 1  has ended") !=
              std::string::npos);
    XLA_CHECK(status.message().find("device 2  waits at " + location) !=
              std::string::npos);
    LaunchGroup crossed(3, workers, true, "test", [&](int member) {
      int64_t value = 0;
      XLA_RETURN_IF_ERROR(add(crossed, member, all, member == 0, 0, value));
      return add(crossed, member, all, member != 0, 0, value);
    });
    XLA_CHECK(run(crossed).code() == StatusCode::Internal);
  }
}

/// A member's stack is as deep as a thread's, and keeps its values.
static void testStacksAreDeep() {
  std::vector<int64_t> all = upTo(4);
  LaunchGroup launchGroup(4, 1, true, "test", [&](int member) {
    volatile char large[4 << 20];
    for (size_t i = 0; i < sizeof large; i += 4096) {
      large[i] = static_cast<char>(member);
    }
    int64_t value = member;
    XLA_RETURN_IF_ERROR(add(launchGroup, member, all, 0, 0, value));
    for (size_t i = 0; i < sizeof large; i += 4096) {
      if (large[i] != member) {
        return internalError("a stack was written over");
      }
    }
    return value == 6 ? okStatus() : internalError("a wrong sum");
  });
  XLA_CHECK(run(launchGroup).ok());
}

/// Random groups, numbers of threads and failures, for as many rounds as told.
static void testRandomGangs(int rounds) {
  std::minstd_rand random(7);
  for (int round = 0; round < rounds; ++round) {
    int size = 1 + static_cast<int>(random() % 12);
    int workers = 1 + static_cast<int>(random() % size);
    int turns = 1 + static_cast<int>(random() % 6);
    int bad = random() % 3 ? -1 : static_cast<int>(random() % size);
    int badTurn = static_cast<int>(random() % turns);
    std::vector<std::vector<int64_t>> orders;
    std::vector<int64_t> cuts;
    for (int turn = 0; turn < turns; ++turn) {
      orders.push_back(upTo(size));
      std::shuffle(orders.back().begin(), orders.back().end(), random);
      cuts.push_back(static_cast<int64_t>(random() % (size + 1)));
    }
    LaunchGroup launchGroup(size, workers, true, "test", [&](int member) {
      for (int turn = 0; turn < turns; ++turn) {
        if (member == bad && turn == badTurn) {
          return invalidArgument("broken");
        }
        std::span<const int64_t> order(orders[turn]);
        auto first = order.first(cuts[turn]);
        bool isFirst =
            std::find(first.begin(), first.end(), member) != first.end();
        auto group = isFirst ? first : order.subspan(cuts[turn]);
        int64_t value = 1;
        XLA_RETURN_IF_ERROR(
            add(launchGroup, member, group, turn, isFirst, value));
        if (value != static_cast<int64_t>(group.size())) {
          return internalError("a wrong sum");
        }
      }
      return okStatus();
    });
    Status status = run(launchGroup);
    XLA_CHECK(status.ok() || (bad >= 0 && status.message() == "broken"));
  }
}

/// `launch_group_test COUNT SIZE WORKERS` prints what a rendezvous costs.
static int measure(char **arguments) {
  int64_t count = std::atoll(arguments[1]);
  int size = std::atoi(arguments[2]), workers = std::atoi(arguments[3]);
  std::vector<int64_t> all = upTo(size);
  LaunchGroup launchGroup(size, workers, true, "test", [&](int member) {
    for (int64_t i = 0; i < count; ++i) {
      int64_t value = 0;
      XLA_RETURN_IF_ERROR(add(launchGroup, member, all, 0, 0, value));
    }
    return okStatus();
  });
  auto start = std::chrono::steady_clock::now();
  Status status = run(launchGroup);
  std::chrono::duration<double> taken =
      std::chrono::steady_clock::now() - start;
  std::printf("%.3f us each\n",
              taken.count() / static_cast<double>(count) * 1e6);
  return status.ok() ? 0 : 1;
}

int main(int count, char **arguments) {
  if (count == 4) {
    return measure(arguments);
  }
  testAllMeet();
  testFailureIsEverybodys();
  testWorkFails();
  testWaitsInACircleEnd();
  testStacksAreDeep();
  testRandomGangs(count == 2 ? std::atoi(arguments[1]) : 1000);
  return xla::testing::failedChecks();
}
