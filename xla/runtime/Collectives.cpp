#include "xla/runtime/Collectives.h"

#include "xla/runtime/CollectiveTask.h"
#include "xla/runtime/StreamingStores.h"
#include "xla/runtime/StridedCopy.h"
#include "xla/runtime/ThreadPool.h"
#include "xla/runtime/Traffic.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <vector>

namespace xla {

/// Results that are larger together are written past the caches: until they are
/// read again most would have left these anyway.
static constexpr int64_t bytesPastCaches = int64_t(32) << 20;

using Task = CollectiveTask;

static int64_t resultsOf(const XlaCollective &collective) {
  return collective.kind == XLA_COLLECTIVE_RAGGED ? 1 : collective.array_count;
}

CollectiveTask::CollectiveTask(const CollectiveRequest &request,
                               void *const *deposits)
    : CollectiveRequest(request) {
  auto list = [&](int64_t count, void *const *CollectiveDeposit::*arrays) {
    int64_t size = groupSize();
    std::vector<char *> pointers(count * size);
    for (int64_t i = 0; i < count * size; ++i) {
      auto *deposit =
          static_cast<const CollectiveDeposit *>(deposits[i % size]);
      if (deposit) {
        pointers[i] = static_cast<char *>((deposit->*arrays)[i / size]);
      }
    }
    return pointers;
  };
  sources = list(operandsOf(collective), &CollectiveDeposit::operands);
  targets = list(resultsOf(collective), &CollectiveDeposit::results);
}

//===----------------------------------------------------------------------===//
// Exchanging
//===----------------------------------------------------------------------===//

/// Copies `bytes` of results that are `allBytes` together.
static void copyRun(char *to, const char *from, int64_t bytes,
                    int64_t allBytes) {
  if (allBytes < bytesPastCaches) {
    copyBytes(to, from, bytes);
    return;
  }
  ThreadPool::shared().parallelFor(
      bytes, bytesPerPiece, [&](int64_t begin, int64_t end) {
        streamBytes(to + begin, from + begin, end - begin);
        finishStreams();
      });
}

void copyBox(const XlaCollectiveArray &array, char *to,
             const int64_t *targetStrides, const char *from,
             const int64_t *sourceStrides, int64_t allBytes) {
  int64_t bytes = array.element_bytes;
  if (array.counts[0] * array.counts[1] * array.counts[2] == 1) {
    copyRun(to, from, array.run * bytes, allBytes);
    return;
  }
  int64_t source[4], target[4];
  for (int i = 0; i < 3; ++i) {
    source[i] = sourceStrides[i] * bytes;
    target[i] = targetStrides[i] * bytes;
  }
  source[3] = target[3] = bytes;
  const int64_t counts[] = {array.counts[0], array.counts[1], array.counts[2],
                            array.run};
  copyStrided(to, target, from, source, counts, bytes);
}

/// Copies what `sender` has for `receiver`.
static void send(const Task &task, int64_t number, int64_t sender,
                 int64_t receiver) {
  const XlaCollectiveArray &array = task.collective.arrays[number];
  if (!task.target(receiver, number)) {
    return;
  }
  int64_t bytes = array.element_bytes;
  const char *from =
      task.source(sender, number) + receiver * array.source_step * bytes;
  char *to = task.target(receiver, number) + sender * array.target_step * bytes;
  if (sender != receiver) {
    task.count(bytesOf(array));
  }
  copyBox(array, to, array.target_strides, from, array.source_strides,
          task.groupSize() * task.groupSize() * bytesOf(array));
}

/// Calls `each(i)` for [0, count), which is `bytes` of memory each: over the
/// pool where there are enough for all, else one after the other, and each may
/// use the pool.
template <typename Each>
static void forEach(int64_t count, int64_t bytes, Each &&each) {
  ThreadPool &pool = ThreadPool::shared();
  bool isShared = count >= 4 * pool.threads();
  int64_t grain = isShared ? bytesPerPiece / std::max<int64_t>(bytes, 1) + 1
                           : std::max<int64_t>(count, 1);
  pool.parallelFor(isShared ? count : 0, grain,
                   [&](int64_t begin, int64_t end) {
                     for (int64_t i = begin; i < end; ++i) {
                       each(i);
                     }
                   });
  for (int64_t i = 0; !isShared && i < count; ++i) {
    each(i);
  }
}

static void exchange(const Task &task) {
  int64_t size = task.groupSize();
  for (int64_t number = 0; number < task.collective.array_count; ++number) {
    int64_t bytes = bytesOf(task.collective.arrays[number]);
    if (bytes == 0) {
      continue;
    }
    // One receiver after the other: what is written is contiguous.
    forEach(size * size, bytes, [&](int64_t pair) {
      send(task, number, pair % size, pair / size);
    });
  }
}

static void sendEach(const Task &task) {
  for (int64_t number = 0; number < task.collective.array_count; ++number) {
    int64_t bytes = bytesOf(task.collective.arrays[number]);
    if (bytes == 0) {
      continue;
    }
    forEach(task.groupSize(), bytes, [&](int64_t receiver) {
      int64_t sender = task.collective.sources[receiver];
      if (!task.target(receiver, number)) {
        return;
      }
      if (sender >= 0) {
        task.count(sender != receiver ? bytes : 0);
        copyRun(task.target(receiver, number), task.source(sender, number),
                bytes, task.groupSize() * bytes);
      } else {
        std::memset(task.target(receiver, number), 0, bytes);
      }
    });
  }
}

//===----------------------------------------------------------------------===//
// Reducing
//===----------------------------------------------------------------------===//

/// Combines `count` elements, from `first` of the operands on, into `block`.
static void combineBlock(const Task &task, int64_t number, int64_t first,
                         int64_t count, char *block) {
  int64_t bytes = task.collective.arrays[number].element_bytes;
  std::memcpy(block, task.source(0, number) + first * bytes, count * bytes);
  for (int64_t rank = 1; rank < task.groupSize(); ++rank) {
    task.combine(task.context, block, task.source(rank, number) + first * bytes,
                 count);
  }
}

/// Elements [begin, end) of those that each of the receivers [first, last)
/// gets, numbered in the order of its result. They get the same where the
/// operands have no pieces of their own for each.
static void reducePart(const Task &task, int64_t number, int64_t first,
                       int64_t last, int64_t begin, int64_t end) {
  const XlaCollectiveArray &array = task.collective.arrays[number];
  const int64_t bytes = array.element_bytes;
  const bool streams = task.groupSize() * bytesOf(array) >= bytesPastCaches;
  task.count((task.groupSize() + last - first - 2) * (end - begin) * bytes);
  alignas(64) char block[bytesPerBlock];
  while (begin < end) {
    int64_t row = begin / array.run, at = begin % array.run;
    int64_t count =
        std::min({bytesPerBlock / bytes, end - begin, array.run - at});
    combineBlock(task, number,
                 row * array.source_strides[0] + first * array.source_step + at,
                 count, block);
    for (int64_t receiver = first; receiver < last; ++receiver) {
      if (!task.target(receiver, number)) {
        continue;
      }
      char *to = task.target(receiver, number) + begin * bytes;
      streams ? streamBytes(to, block, count * bytes)
              : void(std::memcpy(to, block, count * bytes));
    }
    begin += count;
  }
  if (streams) {
    finishStreams();
  }
}

static void reduce(const Task &task) {
  ThreadPool &pool = ThreadPool::shared();
  for (int64_t number = 0; number < task.collective.array_count; ++number) {
    const XlaCollectiveArray &array = task.collective.arrays[number];
    int64_t count = elementsOf(array);
    int64_t grain = std::max<int64_t>(
        1, bytesPerPiece / (array.element_bytes * (task.groupSize() + 1)));
    bool isForAll = array.source_step == 0;
    for (int64_t rank = 0; rank < (isForAll ? 1 : task.groupSize()); ++rank) {
      if (!isForAll && !task.target(rank, number)) {
        continue;
      }
      int64_t last = isForAll ? task.groupSize() : rank + 1;
      pool.parallelFor(count, grain, [&](int64_t begin, int64_t end) {
        reducePart(task, number, rank, last, begin, end);
      });
    }
  }
}

//===----------------------------------------------------------------------===//
// Ragged exchange
//===----------------------------------------------------------------------===//

static int64_t readNumber(const void *numbers, int64_t at, bool isWide) {
  if (isWide) {
    int64_t value;
    std::memcpy(&value, static_cast<const char *>(numbers) + at * 8, 8);
    return value;
  }
  int32_t value;
  std::memcpy(&value, static_cast<const char *>(numbers) + at * 4, 4);
  return value;
}

/// Slice k of a sender goes to rank k / (slices / group size). Numbers come
/// from the program's data: rows outside of the arrays are an error.
static Status exchangeRagged(const Task &task) {
  const XlaCollectiveArray &rows = task.collective.arrays[0];
  const XlaCollectiveArray &sizes = task.collective.arrays[1];
  int64_t rowBytes = rows.run * rows.element_bytes;
  int64_t operandRows = sizes.counts[0], resultRows = sizes.counts[1];
  int64_t slices = sizes.counts[2];
  bool isWide = sizes.run != 0;
  for (int64_t rank = 0; rank < task.groupSize(); ++rank) {
    if (task.target(rank, 0)) {
      copyBytes(task.target(rank, 0), task.source(rank, Rest),
                resultRows * rowBytes);
    }
  }
  for (int64_t rank = 0; rank < task.groupSize(); ++rank) {
    for (int64_t slice = 0; slice < slices; ++slice) {
      auto number = [&](RaggedOperand operand) {
        return readNumber(task.source(rank, operand), slice, isWide);
      };
      int64_t from = number(InputOffsets), count = number(SendSizes);
      int64_t to = number(OutputOffsets);
      bool fits = count >= 0 && count <= operandRows && from >= 0 &&
                  from <= operandRows - count && count <= resultRows &&
                  to >= 0 && to <= resultRows - count;
      if (!fits) {
        return invalidArgument(
            "ragged_all_to_all: slice " + std::to_string(slice) + " of rank " +
            std::to_string(rank) + " is outside of the arrays\n  rows     " +
            std::to_string(count) + " from " + std::to_string(from) + " of " +
            std::to_string(operandRows) + " to " + std::to_string(to) + " of " +
            std::to_string(resultRows));
      }
      int64_t receiver = slice / (slices / task.groupSize());
      if (!task.target(receiver, 0)) {
        continue;
      }
      task.count(receiver != rank ? count * rowBytes : 0);
      copyBytes(task.target(receiver, 0) + to * rowBytes,
                task.source(rank, Rows) + from * rowBytes, count * rowBytes);
    }
  }
  return okStatus();
}

//===----------------------------------------------------------------------===//
// runCollective
//===----------------------------------------------------------------------===//

Status runInMemory(const CollectiveTask &task) {
  switch (task.collective.kind) {
  case XLA_COLLECTIVE_EXCHANGE:
    exchange(task);
    return okStatus();
  case XLA_COLLECTIVE_REDUCE:
    reduce(task);
    return okStatus();
  case XLA_COLLECTIVE_SEND:
    sendEach(task);
    return okStatus();
  case XLA_COLLECTIVE_RAGGED:
    return exchangeRagged(task);
  default:
    return internalError("a collective is of no known kind");
  }
}

static Status runTask(void *context, void *const *deposits) {
  Task task(*static_cast<const CollectiveRequest *>(context), deposits);
  auto run = [&] { return task.launch ? runJointly(task) : runInMemory(task); };
  if (!isTrafficCounted()) {
    return run();
  }
  std::atomic<int64_t> received{0};
  task.received = &received;
  Status status = run();
  addTraffic(task.name, received);
  return status;
}

Status runCollective(LaunchGroup *launchGroup, int member,
                     const XlaCollective &collective, void *const *operands,
                     void *const *results, XlaCombine combine, void *context,
                     const std::string &name) {
  for (int64_t group = 0; group < collective.group_count; ++group) {
    std::span<const int64_t> members(collective.members +
                                         group * collective.group_size,
                                     collective.group_size);
    while (!members.empty() && members.back() < 0) {
      members = members.first(members.size() - 1);
    }
    auto found = std::find(members.begin(), members.end(), member);
    if (found == members.end()) {
      continue;
    }
    CollectiveDeposit deposit{operands, results};
    CollectiveRequest request{collective,
                              combine,
                              context,
                              group,
                              members,
                              name,
                              launchGroup ? launchGroup->jointLaunch()
                                          : nullptr};
    if (!launchGroup && members.size() == 1) {
      void *deposits[] = {&deposit};
      return runTask(&request, deposits);
    }
    if (!launchGroup) {
      return internalError("the program was run for one device alone, and it "
                           "has a collective: " +
                           name);
    }
    return launchGroup->meet(member, {collective.number, group, members, name},
                             found - members.begin(), &deposit, runTask,
                             &request);
  }
  return internalError("device " + std::to_string(member) +
                       " is in no group of " + name);
}

} // namespace xla
