//===- CollectiveTask.h - A collective, seen by who does it -----*- C++ -*-===//
//
// What the last member to arrive knows of all. Where ranks are those of other
// processes, these have no targets here, and no sources but what was got of
// them.
//
//===----------------------------------------------------------------------===//

#ifndef XLA_RUNTIME_COLLECTIVETASK_H
#define XLA_RUNTIME_COLLECTIVETASK_H

#include "xla/runtime/abi/Runtime.h"
#include "xla/support/Status.h"

#include <atomic>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace xla {

class JointLaunch;

/// What one thread takes at least.
inline constexpr int64_t bytesPerPiece = int64_t(1) << 18;

/// What is combined at a time: little of each operand, so that all of them are
/// read side by side, as as many streams that the processor fetches ahead. One
/// long stretch after the other takes twice as long.
inline constexpr int64_t bytesPerBlock = 512;

/// What a member leaves for the one that works.
struct CollectiveDeposit {
  void *const *operands;
  void *const *results;
};

/// A collective of one group.
struct CollectiveRequest {
  const XlaCollective &collective;
  XlaCombine combine;
  void *context;
  int64_t group;
  std::span<const int64_t> members; ///< by rank
  const std::string &name;
  JointLaunch *launch; ///< null where all members are here

  int64_t groupSize() const { return static_cast<int64_t>(members.size()); }
};

/// The same with all that its members left. Deposits are on the members'
/// stacks, which begin at equal offsets in pages and so would drive each other
/// out of the nearest cache: what they say is gathered once.
struct CollectiveTask : CollectiveRequest {
  CollectiveTask(const CollectiveRequest &request, void *const *deposits);

  char *&source(int64_t rank, int64_t array) {
    return sources[array * groupSize() + rank];
  }
  const char *source(int64_t rank, int64_t array) const {
    return sources[array * groupSize() + rank];
  }
  char *target(int64_t rank, int64_t array) const {
    return targets[array * groupSize() + rank];
  }

  void count(int64_t bytes) const {
    if (received) {
      received->fetch_add(bytes, std::memory_order_relaxed);
    }
  }

  std::vector<char *> sources, targets;
  std::atomic<int64_t> *received = nullptr; ///< bytes, where they are counted
};

/// How many operands each member has: a ragged exchange describes two arrays,
/// and takes four vectors of numbers more; it has one result.
inline int64_t operandsOf(const XlaCollective &collective) {
  return collective.kind == XLA_COLLECTIVE_RAGGED ? 5 : collective.array_count;
}

inline int64_t elementsOf(const XlaCollectiveArray &array) {
  return array.counts[0] * array.counts[1] * array.counts[2] * array.run;
}

inline int64_t bytesOf(const XlaCollectiveArray &array) {
  return elementsOf(array) * array.element_bytes;
}

/// The vectors of numbers that a ragged exchange takes, as operands.
enum RaggedOperand {
  Rows = 0,
  Rest = 1, ///< what the result keeps where nothing arrives
  InputOffsets = 2,
  SendSizes = 3,
  OutputOffsets = 4
};

/// Copies the box of one sender for one receiver; strides in elements.
void copyBox(const XlaCollectiveArray &array, char *to,
             const int64_t *targetStrides, const char *from,
             const int64_t *sourceStrides, int64_t allBytes);

/// The whole collective, where every source is there that a target needs.
Status runInMemory(const CollectiveTask &task);

/// The same where members are in several processes: JointCollectives.cpp.
Status runJointly(CollectiveTask &task);

} // namespace xla

#endif // XLA_RUNTIME_COLLECTIVETASK_H
