// Collectives whose members are on several processes, here several objects in
// one: they give the bits that one process gives with all members.

#include "xla/runtime/Collectives.h"
#include "xla/runtime/peers/Peers.h"
#include "xla/support/Testing.h"

#include <algorithm>
#include <cstdio>
#include <numeric>
#include <random>
#include <thread>

using namespace xla;

using Numbers = std::vector<int32_t>;

static const std::string location = "a collective at test.py:1";

/// Not commutative, so that the order shows.
static void combine(void *, void *into, const void *from, int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    auto &sum = static_cast<int32_t *>(into)[i];
    sum = 2 * sum + static_cast<const int32_t *>(from)[i];
  }
}

namespace {
/// Operands of all members, and the results that they get.
struct Arrays {
  std::vector<std::vector<Numbers>> operands; ///< by member
  std::vector<Numbers> results;
};
} // namespace

static Status runMember(LaunchGroup &launchGroup, int member,
                        const XlaCollective &collective, Arrays &arrays) {
  std::vector<void *> operands;
  for (Numbers &operand : arrays.operands[member]) {
    operands.push_back(operand.data());
  }
  void *result = arrays.results[member].data();
  for (int turn = 0; turn < 2; ++turn) {
    XLA_RETURN_IF_ERROR(runCollective(&launchGroup, member, collective,
                                      operands.data(), &result, combine,
                                      nullptr, location));
  }
  return okStatus();
}

static Status runHere(const XlaCollective &collective, Arrays &arrays) {
  LaunchGroup launchGroup(static_cast<int>(arrays.results.size()), 1, true,
                          "test", [&](int member) {
                            return runMember(launchGroup, member, collective,
                                             arrays);
                          });
  launchGroup.work(0);
  return launchGroup.status();
}

namespace {
/// Members on processes.
struct Job {
  explicit Job(std::vector<int> placement) : placement(std::move(placement)) {
    int count =
        1 + *std::max_element(this->placement.begin(), this->placement.end());
    std::vector<Peers::Other> all;
    for (int i = 0; i < count; ++i) {
      Peers::Options options;
      options.process = i;
      options.timeoutSeconds = 240;
      processes.push_back(std::move(*Peers::create(options)));
      all.push_back({processes.back()->address(), true});
    }
    for (auto &process : processes) {
      XLA_CHECK(process->introduce(all, "0123456789abcdef").ok());
    }
  }

  Status runProcess(int process, const XlaCollective &collective,
                    Arrays &arrays) {
    LaunchGroupPart part;
    std::vector<int> members;
    for (size_t member = 0; member < placement.size(); ++member) {
      bool isHere = placement[member] == process;
      part.indices.push_back(isHere ? static_cast<int>(members.size()) : -1);
      if (isHere) {
        members.push_back(static_cast<int>(member));
      }
    }
    Clique clique;
    clique.processes = placement;
    auto launch = processes[process]->begin(clique, {5, "test"});
    if (!launch.ok()) {
      return launch.status();
    }
    part.launch = launch->get();
    auto size = static_cast<int>(members.size());
    LaunchGroup launchGroup(
        size, size, true, "test",
        [&](int here) {
          Status status = (*launch)->agree();
          if (status.ok()) {
            status = runMember(launchGroup, members[here], collective, arrays);
          }
          if (!status.ok()) {
            (*launch)->fail(status);
          }
          return status;
        },
        part);
    std::vector<std::thread> threads;
    for (int worker = 1; worker < size; ++worker) {
      threads.emplace_back(
          [&launchGroup, worker] { launchGroup.work(worker); });
    }
    if (size > 0) {
      launchGroup.work(0);
    }
    for (std::thread &thread : threads) {
      thread.join();
    }
    return launchGroup.status();
  }

  std::vector<Status> run(const XlaCollective &collective, Arrays &arrays) {
    std::vector<Status> ended(processes.size());
    std::vector<std::thread> threads;
    for (size_t i = 0; i < processes.size(); ++i) {
      threads.emplace_back([&, i] {
        ended[i] = runProcess(static_cast<int>(i), collective, arrays);
      });
    }
    for (std::thread &thread : threads) {
      thread.join();
    }
    return ended;
  }

  std::vector<int> placement;
  std::vector<std::unique_ptr<Peers>> processes;
};
} // namespace

static Arrays filled(size_t members, std::vector<int64_t> operandSizes,
                     int64_t resultSize) {
  Arrays arrays;
  int32_t next = 1;
  for (size_t member = 0; member < members; ++member) {
    std::vector<Numbers> &operands = arrays.operands.emplace_back();
    for (int64_t size : operandSizes) {
      for (int32_t &number : operands.emplace_back(size)) {
        number = next++;
      }
    }
    arrays.results.emplace_back(resultSize, -7);
  }
  return arrays;
}

static void compare(Job &job, const XlaCollective &collective,
                    const Arrays &given, const char *what) {
  Arrays alone = given, together = given;
  Status status = runHere(collective, alone);
  std::vector<Status> ended = job.run(collective, together);
  bool isRight = true;
  for (const Status &one : ended) {
    isRight &= one.ok() == status.ok();
    if (!one.ok() && status.ok()) {
      std::fprintf(stderr, "%s: %s\n", what, one.message().c_str());
    }
  }
  isRight &= !status.ok() || alone.results == together.results;
  XLA_CHECK(isRight) || std::fprintf(stderr, "  in %s\n", what);
}

static XlaCollectiveArray box(int64_t outer, int64_t run) {
  return {4, {outer, 1, 1}, run, {}, {}, 0, 0};
}

/// Groups of a random order, `groupSize` each.
static void testBoxes(Job &job, int64_t groupSize, int64_t outer, int64_t run,
                      std::minstd_rand &random) {
  auto size = static_cast<int64_t>(job.placement.size());
  std::vector<int64_t> members(size);
  std::iota(members.begin(), members.end(), 0);
  std::shuffle(members.begin(), members.end(), random);
  int64_t groups = size / groupSize, piece = outer * run;
  XlaCollectiveArray gathers = box(outer, run);
  gathers.source_strides[0] = run;
  gathers.target_strides[0] = run * groupSize;
  gathers.target_step = run;
  compare(job,
          {0, XLA_COLLECTIVE_EXCHANGE, groups, groupSize, members.data(),
           nullptr, 1, &gathers},
          filled(size, {piece}, piece * groupSize), "all_gather");
  XlaCollectiveArray scatters = box(outer, run);
  scatters.source_strides[0] = run * groupSize;
  scatters.target_strides[0] = run;
  scatters.source_step = run;
  compare(job,
          {1, XLA_COLLECTIVE_REDUCE, groups, groupSize, members.data(), nullptr,
           1, &scatters},
          filled(size, {piece * groupSize}, piece), "reduce_scatter");
  XlaCollectiveArray exchanges = box(outer, run);
  exchanges.source_strides[0] = exchanges.target_strides[0] = run * groupSize;
  exchanges.source_step = exchanges.target_step = run;
  compare(job,
          {2, XLA_COLLECTIVE_EXCHANGE, groups, groupSize, members.data(),
           nullptr, 1, &exchanges},
          filled(size, {piece * groupSize}, piece * groupSize), "all_to_all");
  XlaCollectiveArray whole = box(1, piece);
  compare(job,
          {3, XLA_COLLECTIVE_REDUCE, groups, groupSize, members.data(), nullptr,
           1, &whole},
          filled(size, {piece}, piece), "all_reduce");
  std::vector<int64_t> sources(groupSize);
  for (int64_t &source : sources) {
    source = static_cast<int64_t>(random() % (groupSize + 1)) - 1;
  }
  compare(job,
          {4, XLA_COLLECTIVE_SEND, groups, groupSize, members.data(),
           sources.data(), 1, &whole},
          filled(size, {piece}, piece), "permute");
}

/// Rows of random slices, and slices that are outside.
static void testRagged(Job &job, int64_t rowSize, bool isBroken,
                       std::minstd_rand &random) {
  auto size = static_cast<int64_t>(job.placement.size());
  std::vector<int64_t> members(size);
  std::iota(members.begin(), members.end(), 0);
  XlaCollectiveArray arrays[2] = {box(1, rowSize), {}};
  const int64_t rows = 6 * size, results = 4 * size * size;
  arrays[1].counts[0] = rows;
  arrays[1].counts[1] = results;
  arrays[1].counts[2] = size;
  Arrays given =
      filled(size, {rows * rowSize, results * rowSize, size, size, size},
             results * rowSize);
  for (int64_t member = 0; member < size; ++member) {
    for (int64_t slice = 0; slice < size; ++slice) {
      auto count = static_cast<int32_t>(random() % 4);
      given.operands[member][2][slice] = static_cast<int32_t>(slice * 3);
      given.operands[member][3][slice] = count;
      given.operands[member][4][slice] = static_cast<int32_t>(member * 4);
    }
  }
  if (isBroken) {
    given.operands[size - 1][3][0] = 1000;
  }
  compare(
      job,
      {5, XLA_COLLECTIVE_RAGGED, 1, size, members.data(), nullptr, 2, arrays},
      given, "ragged_all_to_all");
}

int main() {
  std::minstd_rand random(7);
  for (std::vector<int> placement : {std::vector<int>{0, 1},
                                     {0, 0, 0, 0, 1, 1, 1, 1},
                                     {0, 1, 0, 1, 0, 1},
                                     {2, 0, 1, 1, 0, 2},
                                     {0, 1, 2, 3},
                                     {1, 1, 0, 0, 0, 0}}) {
    Job job(placement);
    auto size = static_cast<int64_t>(placement.size());
    for (int64_t groupSize : {int64_t(1), int64_t(2), size}) {
      for (int64_t outer : {1, 5}) {
        for (int64_t run : {0, 1, 3, 1000, 20'000}) {
          testBoxes(job, groupSize, outer, run, random);
        }
      }
    }
    testBoxes(job, size, 1, 150'001, random);
    testRagged(job, 3, false, random);
    testRagged(job, 3000, false, random);
    testRagged(job, 3, true, random);
  }
  return xla::testing::failedChecks();
}
