#include "xla/runtime/Collectives.h"

#include "xla/support/Testing.h"

#include <algorithm>
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

/// Runs a collective of one operand and one result on each of the members.
static Status run(const XlaCollective &collective, int workers,
                  std::vector<Numbers> &operands,
                  std::vector<Numbers> &results) {
  auto size = static_cast<int>(operands.size());
  LaunchGroup launchGroup(size, workers, true, "test", [&](int member) {
    void *operand = operands[member].data(), *result = results[member].data();
    return runCollective(&launchGroup, member, collective, &operand, &result,
                         combine, nullptr, location);
  });
  std::vector<std::thread> threads;
  for (int worker = 1; worker < workers; ++worker) {
    threads.emplace_back([&launchGroup, worker] { launchGroup.work(worker); });
  }
  launchGroup.work(0);
  for (std::thread &thread : threads) {
    thread.join();
  }
  return launchGroup.status();
}

static std::vector<Numbers> filled(size_t devices, int64_t count) {
  std::vector<Numbers> arrays(devices, Numbers(count));
  int32_t next = 1;
  for (Numbers &array : arrays) {
    for (int32_t &number : array) {
      number = next++;
    }
  }
  return arrays;
}

/// Groups of a random order of `devices`, `groupSize` each.
static std::vector<int64_t> randomGroups(int64_t devices,
                                         std::minstd_rand &random) {
  std::vector<int64_t> members(devices);
  std::iota(members.begin(), members.end(), 0);
  std::shuffle(members.begin(), members.end(), random);
  return members;
}

static XlaCollectiveArray lines(int64_t outer, int64_t run) {
  return {4, {outer, 1, 1}, run, {}, {}, 0, 0};
}

/// Gathers and scatters [outer, run] pieces of [outer, group, run].
static void testPieces(int64_t groupSize, int64_t groupCount, int64_t outer,
                       int64_t pieceRun, std::minstd_rand &random) {
  int64_t devices = groupSize * groupCount, piece = outer * pieceRun;
  std::vector<int64_t> members = randomGroups(devices, random);
  XlaCollectiveArray gathered = lines(outer, pieceRun);
  gathered.source_strides[0] = pieceRun;
  gathered.target_strides[0] = pieceRun * groupSize;
  gathered.target_step = pieceRun;
  XlaCollectiveArray scattered = lines(outer, pieceRun);
  scattered.source_strides[0] = pieceRun * groupSize;
  scattered.target_strides[0] = pieceRun;
  scattered.source_step = pieceRun;
  for (int workers : {1, 2, static_cast<int>(devices)}) {
    workers = std::min<int>(workers, static_cast<int>(devices));
    std::vector<Numbers> small = filled(devices, piece);
    std::vector<Numbers> large(devices, Numbers(piece * groupSize));
    XLA_CHECK(run({0, XLA_COLLECTIVE_EXCHANGE, groupCount, groupSize,
                   members.data(), nullptr, 1, &gathered},
                  workers, small, large)
                  .ok());
    std::vector<Numbers> whole = filled(devices, piece * groupSize);
    std::vector<Numbers> part(devices, Numbers(piece));
    XLA_CHECK(run({0, XLA_COLLECTIVE_REDUCE, groupCount, groupSize,
                   members.data(), nullptr, 1, &scattered},
                  workers, whole, part)
                  .ok());
    bool isRight = true;
    for (int64_t at = 0; at < devices; ++at) {
      const int64_t *group = &members[at / groupSize * groupSize];
      int64_t rank = at % groupSize;
      for (int64_t o = 0; o < outer; ++o) {
        for (int64_t i = 0; i < pieceRun; ++i) {
          for (int64_t g = 0; g < groupSize; ++g) {
            isRight &= large[members[at]][(o * groupSize + g) * pieceRun + i] ==
                       small[group[g]][o * pieceRun + i];
          }
          int64_t from = (o * groupSize + rank) * pieceRun + i;
          int32_t sum = whole[group[0]][from];
          for (int64_t g = 1; g < groupSize; ++g) {
            sum = 2 * sum + whole[group[g]][from];
          }
          isRight &= part[members[at]][o * pieceRun + i] == sum;
        }
      }
    }
    XLA_CHECK(isRight);
  }
}

/// All devices get the same sum, in groups of different sizes too.
static void testAllReduce(int64_t count) {
  // Ranks 3, 0, 2 and 1, 4; -1 fills the second row.
  const int64_t members[] = {3, 0, 2, 1, 4, -1};
  XlaCollectiveArray array = lines(1, count);
  for (int workers : {1, 2, 5}) {
    std::vector<Numbers> operands = filled(5, count);
    std::vector<Numbers> results(5, Numbers(count));
    XLA_CHECK(run({0, XLA_COLLECTIVE_REDUCE, 2, 3, members, nullptr, 1, &array},
                  workers, operands, results)
                  .ok());
    bool isRight = true;
    for (int64_t i = 0; i < count; ++i) {
      int32_t first =
          (operands[3][i] * 2 + operands[0][i]) * 2 + operands[2][i];
      int32_t second = operands[1][i] * 2 + operands[4][i];
      for (int64_t device : {0, 2, 3}) {
        isRight &= results[device][i] == first;
      }
      isRight &= results[1][i] == second && results[4][i] == second;
    }
    XLA_CHECK(isRight);
  }
}

static void testSend(int64_t count) {
  const int64_t members[] = {0, 1, 2, 3};
  const int64_t sources[] = {2, 0, -1, 3};
  XlaCollectiveArray array = lines(1, count);
  for (int workers : {1, 2, 4}) {
    std::vector<Numbers> operands = filled(4, count);
    std::vector<Numbers> results(4, Numbers(count, 7));
    XLA_CHECK(run({0, XLA_COLLECTIVE_SEND, 1, 4, members, sources, 1, &array},
                  workers, operands, results)
                  .ok());
    XLA_CHECK(results[0] == operands[2] && results[1] == operands[0] &&
              results[2] == Numbers(count, 0) && results[3] == operands[3]);
  }
}

static void testOutsidersAreTold() {
  const int64_t members[] = {0, 1};
  XlaCollectiveArray array = lines(1, 1);
  std::vector<Numbers> operands = filled(3, 1), results = filled(3, 1);
  Status status =
      run({0, XLA_COLLECTIVE_REDUCE, 1, 2, members, nullptr, 1, &array}, 1,
          operands, results);
  XLA_CHECK(status.message().find("device 2 is in no group") !=
            std::string::npos);
}

/// Without a launch group there is one device: it exchanges with itself.
static void testOneDevice() {
  const int64_t alone[] = {0}, two[] = {0, 1};
  XlaCollectiveArray array = lines(1, 3);
  Numbers from{1, 2, 3}, to(3);
  void *operand = from.data(), *result = to.data();
  auto runOn = [&](int64_t size, const int64_t *members) {
    return runCollective(
        nullptr, 0,
        {0, XLA_COLLECTIVE_EXCHANGE, 1, size, members, nullptr, 1, &array},
        &operand, &result, combine, nullptr, location);
  };
  XLA_CHECK(runOn(1, alone).ok() && to == from);
  XLA_CHECK(runOn(2, two).message().find("run for one device alone") !=
            std::string::npos);
}

int main() {
  std::minstd_rand random(3);
  for (int64_t groupSize : {1, 2, 3, 8}) {
    for (int64_t outer : {0, 1, 5}) {
      for (int64_t pieceRun : {0, 1, 3, 1000}) {
        testPieces(groupSize, 1 + outer % 3, outer, pieceRun, random);
      }
    }
  }
  testPieces(4, 2, 3, 70'000, random);
  for (int64_t count : {0, 1, 5, 4097, 300'000}) {
    testAllReduce(count);
    testSend(count);
  }
  // Results that are written past the caches, lines of these cut anywhere.
  testPieces(8, 1, 1, 140'001, random);
  testAllReduce(3'000'001);
  testSend(3'000'001);
  testOutsidersAreTold();
  testOneDevice();
  return xla::testing::failedChecks();
}
