//===- JointCollectives.cpp - Collectives over several processes ----------===//
//
// What the members of this process have meets in its memory; what those of
// other processes have comes as messages. Each process sends every other one
// message in a step.
//
// Small collectives: all get all operands, and do in memory what one process
// does with all members. Large ones move what is needed only. Of a large
// reduction to all, each process combines a piece, of which the others send it
// their operands, and sends what comes of it to the others: in rounds, so that
// what is combined is still in the cache. All combine in the order of ranks:
// the same bits, however the members are divided over processes.
//
//===----------------------------------------------------------------------===//

#include "xla/runtime/CollectiveTask.h"
#include "xla/runtime/StridedCopy.h"
#include "xla/runtime/ThreadPool.h"
#include "xla/runtime/peers/Peers.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <set>

namespace xla {

using peers::Piece;

/// Operands of all members together up to which all get all.
static constexpr int64_t bytesForAll = int64_t(64) << 10;

/// Of one operand in a round of a reduction.
static constexpr int64_t bytesPerRound = int64_t(1) << 19;

/// Stretches that are shorter are packed before they are sent.
static constexpr int64_t bytesOfLongRun = 4096;

namespace {
/// Memory that is needed for a while; null where there is none.
class Scratch {
public:
  explicit Scratch(int64_t bytes)
      : start(static_cast<char *>(std::aligned_alloc(
            64, (std::max<int64_t>(bytes, 1) + 63) / 64 * 64))) {}
  char *data() const { return start.get(); }

private:
  struct Free {
    void operator()(char *memory) const { std::free(memory); }
  };
  std::unique_ptr<char, Free> start;
};

/// Where the members of a group are.
struct Joint {
  explicit Joint(CollectiveTask &task);

  bool isHere(int64_t rank) const { return processes[rank] == own; }
  /// One step in which all messages go and come.
  Status exchange(std::span<const PeerMessage> sends,
                  std::span<const PeerMessage> receives);
  StatusOr<Scratch> allocate(int64_t bytes) const;

  CollectiveTask &task;
  JointLaunch &launch;
  const int own;
  std::vector<int> processes; ///< by rank
  std::vector<int64_t> here;  ///< ranks of this process
  std::vector<int> others;    ///< processes, in order
  peers::Identity step;
};
} // namespace

Joint::Joint(CollectiveTask &task)
    : task(task), launch(*task.launch), own(launch.process()) {
  for (int64_t rank = 0; rank < task.groupSize(); ++rank) {
    processes.push_back(launch.processOf(task.members[rank]));
    if (isHere(rank)) {
      here.push_back(rank);
    }
  }
  std::set<int> all(processes.begin(), processes.end());
  all.erase(own);
  others.assign(all.begin(), all.end());
  step.collective = static_cast<uint32_t>(task.collective.number);
  step.group = static_cast<uint32_t>(task.group);
}

Status Joint::exchange(std::span<const PeerMessage> sends,
                       std::span<const PeerMessage> receives) {
  int64_t bytes = 0;
  for (const PeerMessage &message : receives) {
    bytes += static_cast<int64_t>(peers::bytesOf(message.pieces));
  }
  task.count(bytes);
  Status status = launch.exchange(step, task.name, sends, receives);
  ++step.part;
  return status;
}

StatusOr<Scratch> Joint::allocate(int64_t bytes) const {
  Scratch scratch(bytes);
  if (!scratch.data()) {
    return resourceExhausted("no memory for " + std::to_string(bytes) +
                             " bytes of other processes, at " + task.name);
  }
  return scratch;
}

#define XLA_ASSIGN_SCRATCH(name, bytes)                                        \
  StatusOr<Scratch> name##OrError = (bytes);                                   \
  if (!name##OrError.ok()) {                                                   \
    return name##OrError.status();                                             \
  }                                                                            \
  char *name = name##OrError->data()

static int64_t alignUp(int64_t bytes) { return (bytes + 63) / 64 * 64; }

//===----------------------------------------------------------------------===//
// All get all
//===----------------------------------------------------------------------===//

static int64_t raggedOperandBytes(const XlaCollective &collective,
                                  int64_t number) {
  const XlaCollectiveArray &rows = collective.arrays[0];
  const XlaCollectiveArray &sizes = collective.arrays[1];
  if (number == RaggedOperand::Rows) {
    return sizes.counts[0] * rows.run * rows.element_bytes;
  }
  // Of what stays where it is, nobody else needs anything.
  return number == RaggedOperand::Rest ? 0
                                       : sizes.counts[2] * (sizes.run ? 8 : 4);
}

/// What an operand has in memory.
static int64_t operandBytes(const CollectiveTask &task, int64_t number) {
  if (task.collective.kind == XLA_COLLECTIVE_RAGGED) {
    return raggedOperandBytes(task.collective, number);
  }
  const XlaCollectiveArray &array = task.collective.arrays[number];
  if (elementsOf(array) == 0) {
    return 0;
  }
  int64_t last = array.run + (task.groupSize() - 1) * array.source_step;
  for (int i = 0; i < 3; ++i) {
    last += (array.counts[i] - 1) * array.source_strides[i];
  }
  return last * array.element_bytes;
}

static Status shareAll(Joint &joint) {
  CollectiveTask &task = joint.task;
  int64_t operands = operandsOf(task.collective);
  std::vector<int64_t> bytes;
  int64_t perMember = 0;
  for (int64_t number = 0; number < operands; ++number) {
    bytes.push_back(operandBytes(task, number));
    perMember += alignUp(bytes.back());
  }
  XLA_ASSIGN_SCRATCH(scratch, joint.allocate(perMember * task.groupSize()));
  std::vector<PeerMessage> sends, receives;
  for (int process : joint.others) {
    PeerMessage &get = receives.emplace_back(PeerMessage{process, {}});
    PeerMessage &message = sends.emplace_back(PeerMessage{process, {}});
    for (int64_t rank = 0; rank < task.groupSize(); ++rank) {
      for (int64_t number = 0; number < operands; ++number) {
        auto size = static_cast<size_t>(bytes[number]);
        if (size > 0 && joint.isHere(rank)) {
          message.pieces.push_back({task.source(rank, number), size});
        } else if (size > 0 && joint.processes[rank] == process) {
          get.pieces.push_back({scratch, size});
          task.source(rank, number) = scratch;
          scratch += alignUp(bytes[number]);
        }
      }
    }
  }
  std::atomic<int64_t> *counted = std::exchange(task.received, nullptr);
  XLA_RETURN_IF_ERROR(joint.exchange(sends, receives));
  task.received = counted;
  return runInMemory(task);
}

//===----------------------------------------------------------------------===//
// Boxes for each
//===----------------------------------------------------------------------===//

namespace {
/// The boxes of an array, stored without gaps.
struct Dense {
  explicit Dense(const XlaCollectiveArray &array)
      : strides{array.counts[1] * array.counts[2] * array.run,
                array.counts[2] * array.run, array.run} {}

  bool isSame(const XlaCollectiveArray &array, const int64_t *others) const {
    bool isSame = true;
    for (int i = 0; i < 3; ++i) {
      isSame &= array.counts[i] == 1 || others[i] == strides[i];
    }
    return isSame;
  }

  int64_t strides[3];
};
} // namespace

/// The boxes that one process has for another, in an order that both know: by
/// sender, and by receiver where each gets its own.
template <typename Each>
static void forEachBox(const Joint &joint, bool isForAll, int from, int to,
                       Each &&each) {
  int64_t size = joint.task.groupSize();
  for (int64_t sender = 0; sender < size; ++sender) {
    bool isTaken = false;
    for (int64_t receiver = 0; receiver < size; ++receiver) {
      if (joint.processes[sender] == from && joint.processes[receiver] == to &&
          !(isForAll && isTaken)) {
        isTaken = true;
        each(sender, receiver);
      }
    }
  }
}

/// Sends the boxes of one array, and puts those that come where they belong.
static Status exchangeBoxes(Joint &joint, int64_t number) {
  CollectiveTask &task = joint.task;
  const XlaCollectiveArray &array = task.collective.arrays[number];
  const int64_t bytes = array.element_bytes, boxBytes = bytesOf(array);
  const bool isForAll = array.source_step == 0;
  const Dense dense(array);
  const bool packs = !dense.isSame(array, array.source_strides);
  const bool unpacks = !dense.isSame(array, array.target_strides);
  auto sourceOf = [&](int64_t sender, int64_t receiver) {
    return task.source(sender, number) + receiver * array.source_step * bytes;
  };
  auto targetOf = [&](int64_t sender, int64_t receiver) {
    return task.target(receiver, number) + sender * array.target_step * bytes;
  };
  int64_t sent = 0, got = 0;
  for (int process : joint.others) {
    forEachBox(joint, isForAll, joint.own, process,
               [&](int64_t, int64_t) { sent += packs; });
    forEachBox(joint, isForAll, process, joint.own,
               [&](int64_t, int64_t) { got += unpacks; });
  }
  XLA_ASSIGN_SCRATCH(room, joint.allocate((sent + got) * boxBytes));
  std::vector<PeerMessage> sends, receives;
  struct Arrival {
    int64_t sender, receiver;
    char *from;
  };
  std::vector<Arrival> arrivals;
  for (int process : joint.others) {
    PeerMessage &message = sends.emplace_back(PeerMessage{process, {}});
    forEachBox(joint, isForAll, joint.own, process,
               [&](int64_t sender, int64_t receiver) {
                 char *from = sourceOf(sender, receiver);
                 if (packs) {
                   copyBox(array, room, dense.strides, from,
                           array.source_strides, boxBytes);
                   from = std::exchange(room, room + boxBytes);
                 }
                 message.pieces.push_back(
                     {from, static_cast<size_t>(boxBytes)});
               });
    PeerMessage &get = receives.emplace_back(PeerMessage{process, {}});
    forEachBox(joint, isForAll, process, joint.own,
               [&](int64_t sender, int64_t receiver) {
                 char *to = unpacks ? std::exchange(room, room + boxBytes)
                                    : targetOf(sender, receiver);
                 get.pieces.push_back({to, static_cast<size_t>(boxBytes)});
                 arrivals.push_back({sender, receiver, to});
               });
  }
  XLA_RETURN_IF_ERROR(joint.exchange(sends, receives));
  for (const Arrival &arrival : arrivals) {
    for (int64_t receiver : joint.here) {
      char *to = targetOf(arrival.sender, receiver);
      bool isMeant = isForAll || receiver == arrival.receiver;
      if (isMeant && to != arrival.from) {
        copyBox(array, to, array.target_strides, arrival.from, dense.strides,
                boxBytes);
      }
    }
  }
  for (int64_t sender : joint.here) {
    for (int64_t receiver : joint.here) {
      copyBox(array, targetOf(sender, receiver), array.target_strides,
              sourceOf(sender, receiver), array.source_strides, boxBytes);
    }
  }
  return okStatus();
}

/// Of a permutation or a broadcast: whole arrays.
static Status sendArrays(Joint &joint, int64_t number) {
  CollectiveTask &task = joint.task;
  int64_t bytes = bytesOf(task.collective.arrays[number]);
  const int64_t *sources = task.collective.sources;
  std::vector<PeerMessage> sends, receives;
  for (int process : joint.others) {
    PeerMessage &message = sends.emplace_back(PeerMessage{process, {}});
    PeerMessage &get = receives.emplace_back(PeerMessage{process, {}});
    for (int64_t receiver = 0; receiver < task.groupSize(); ++receiver) {
      int64_t sender = sources[receiver];
      if (sender < 0) {
        continue;
      }
      auto size = static_cast<size_t>(bytes);
      if (joint.isHere(sender) && joint.processes[receiver] == process) {
        message.pieces.push_back({task.source(sender, number), size});
      } else if (joint.isHere(receiver) && joint.processes[sender] == process) {
        get.pieces.push_back({task.target(receiver, number), size});
      }
    }
  }
  XLA_RETURN_IF_ERROR(joint.exchange(sends, receives));
  for (int64_t receiver : joint.here) {
    int64_t sender = sources[receiver];
    if (sender < 0) {
      std::memset(task.target(receiver, number), 0, bytes);
    } else if (joint.isHere(sender)) {
      copyBytes(task.target(receiver, number), task.source(sender, number),
                bytes);
    }
  }
  return okStatus();
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

namespace {
/// Elements of a result, as its receivers number them, that one process
/// combines.
struct Share {
  int owner;
  int64_t receiver; ///< whose operand pieces these are; 0 where all get them
  int64_t begin, end;
};

/// A reduction of one array in rounds.
class Reduction {
public:
  Reduction(Joint &joint, int64_t number);
  Status run();

private:
  struct Range {
    int64_t begin, end;
    int64_t count() const { return end - begin; }
  };
  Range rangeOf(const Share &share, int64_t round) const;
  void addOperand(std::vector<Piece> &pieces, const Share &share, int64_t rank,
                  Range range);
  void addMessages(int64_t round, std::vector<PeerMessage> &sends,
                   std::vector<PeerMessage> &receives);
  void addResults(int64_t round, int process, PeerMessage &message,
                  PeerMessage &get);
  void combine(const Share &share, size_t index, int64_t round);
  void combineRange(const Share &share, const char *const *others,
                    int64_t first, int64_t begin, int64_t end);
  void copyResults(int64_t round);
  char *bufferOf(size_t share, int64_t rank) const {
    return buffers + (static_cast<int64_t>(share) * task.groupSize() + rank) *
                         alignUp(block * bytes);
  }

  Joint &joint;
  CollectiveTask &task;
  const int64_t number;
  const XlaCollectiveArray &array;
  const int64_t bytes;
  const bool isForAll;
  const bool packs; ///< operands are sent as copies without gaps
  int64_t block;    ///< elements of a share in a round
  std::vector<Share> shares;
  size_t ownShares = 0;
  char *buffers = nullptr; ///< of other processes' operands
  std::vector<char> packed;
  size_t packedBytes = 0;
};
} // namespace

Reduction::Reduction(Joint &joint, int64_t number)
    : joint(joint), task(joint.task), number(number),
      array(task.collective.arrays[number]), bytes(array.element_bytes),
      isForAll(array.source_step == 0),
      packs(array.run * bytes < bytesOfLongRun && array.counts[0] > 1) {
  int64_t count = elementsOf(array);
  block = std::min(count, std::max<int64_t>(1, bytesPerRound / bytes));
  if (!isForAll) {
    for (int64_t rank = 0; rank < task.groupSize(); ++rank) {
      shares.push_back({joint.processes[rank], rank, 0, count});
    }
    return;
  }
  std::vector<int> owners = joint.others;
  owners.insert(std::upper_bound(owners.begin(), owners.end(), joint.own),
                joint.own);
  auto size = static_cast<int64_t>(owners.size());
  for (int64_t i = 0; i < size; ++i) {
    // Whole cache lines, so that no two write the same one.
    auto cut = [&](int64_t at) {
      int64_t line = std::max<int64_t>(1, 64 / bytes);
      return at == size ? count : count / size * at / line * line;
    };
    shares.push_back({owners[i], 0, cut(i), cut(i + 1)});
  }
}

Reduction::Range Reduction::rangeOf(const Share &share, int64_t round) const {
  if (round < 0) {
    return {share.begin, share.begin};
  }
  int64_t begin = std::min(share.end, share.begin + round * block);
  return {begin, std::min(share.end, begin + block)};
}

/// Appends what a member of this process has of a range: in the array itself,
/// or packed.
void Reduction::addOperand(std::vector<Piece> &pieces, const Share &share,
                           int64_t rank, Range range) {
  if (packs && range.count() > 0) {
    pieces.push_back({packed.data() + packedBytes,
                      static_cast<size_t>(range.count() * bytes)});
  }
  for (int64_t at = range.begin; at < range.end;) {
    int64_t row = at / array.run, column = at % array.run;
    int64_t count = std::min(array.run - column, range.end - at);
    char *from = task.source(rank, number) +
                 (row * array.source_strides[0] +
                  share.receiver * array.source_step + column) *
                     bytes;
    auto size = static_cast<size_t>(count * bytes);
    if (packs) {
      std::memcpy(packed.data() + packedBytes, from, size);
      packedBytes += size;
    } else {
      pieces.push_back({from, size});
    }
    at += count;
  }
}

void Reduction::addMessages(int64_t round, std::vector<PeerMessage> &sends,
                            std::vector<PeerMessage> &receives) {
  packedBytes = 0;
  for (int process : joint.others) {
    PeerMessage &message = sends.emplace_back(PeerMessage{process, {}});
    PeerMessage &get = receives.emplace_back(PeerMessage{process, {}});
    size_t own = 0;
    for (const Share &share : shares) {
      Range range = rangeOf(share, round);
      size_t index = share.owner == joint.own ? own++ : 0;
      for (int64_t rank = 0; rank < task.groupSize(); ++rank) {
        if (share.owner == process && joint.isHere(rank)) {
          addOperand(message.pieces, share, rank, range);
        } else if (share.owner == joint.own &&
                   joint.processes[rank] == process && range.count() > 0) {
          get.pieces.push_back({bufferOf(index, rank),
                                static_cast<size_t>(range.count() * bytes)});
        }
      }
    }
    if (isForAll) {
      addResults(round - 1, process, message, get);
    }
  }
}

/// What has been combined in a round goes to all.
void Reduction::addResults(int64_t round, int process, PeerMessage &message,
                           PeerMessage &get) {
  for (const Share &share : shares) {
    Range range = rangeOf(share, round);
    if (range.count() == 0) {
      continue;
    }
    char *at = task.target(joint.here.front(), number) + range.begin * bytes;
    auto size = static_cast<size_t>(range.count() * bytes);
    if (share.owner == joint.own) {
      message.pieces.push_back({at, size});
    } else if (share.owner == process) {
      get.pieces.push_back({at, size});
    }
  }
}

/// Elements [begin, end) of a result; those of `others` begin at `first`.
void Reduction::combineRange(const Share &share, const char *const *others,
                             int64_t first, int64_t begin, int64_t end) {
  alignas(64) char sum[bytesPerBlock];
  while (begin < end) {
    int64_t row = begin / array.run, column = begin % array.run;
    int64_t count =
        std::min({bytesPerBlock / bytes, end - begin, array.run - column});
    int64_t at = (row * array.source_strides[0] +
                  share.receiver * array.source_step + column) *
                 bytes;
    for (int64_t rank = 0; rank < task.groupSize(); ++rank) {
      const char *from = others[rank] ? others[rank] + (begin - first) * bytes
                                      : task.source(rank, number) + at;
      if (rank == 0) {
        std::memcpy(sum, from, count * bytes);
      } else {
        task.combine(task.context, sum, from, count);
      }
    }
    for (int64_t rank : joint.here) {
      if (isForAll || rank == share.receiver) {
        std::memcpy(task.target(rank, number) + begin * bytes, sum,
                    count * bytes);
      }
    }
    begin += count;
  }
}

void Reduction::combine(const Share &share, size_t index, int64_t round) {
  Range range = rangeOf(share, round);
  std::vector<const char *> others(task.groupSize());
  for (int64_t rank = 0; rank < task.groupSize(); ++rank) {
    others[rank] = joint.isHere(rank) ? nullptr : bufferOf(index, rank);
  }
  int64_t grain =
      std::max<int64_t>(1, bytesPerPiece / (bytes * (task.groupSize() + 1)));
  ThreadPool::shared().parallelFor(
      range.count(), grain, [&](int64_t begin, int64_t end) {
        combineRange(share, others.data(), range.begin, range.begin + begin,
                     range.begin + end);
      });
}

/// What the other processes combined in a round, for all members of this one.
void Reduction::copyResults(int64_t round) {
  for (const Share &share : shares) {
    Range range = rangeOf(share, round);
    const char *from =
        task.target(joint.here.front(), number) + range.begin * bytes;
    for (size_t i = 1; i < joint.here.size() && share.owner != joint.own; ++i) {
      copyBytes(task.target(joint.here[i], number) + range.begin * bytes, from,
                range.count() * bytes);
    }
  }
}

Status Reduction::run() {
  int64_t rounds = 0, sent = 0;
  for (const Share &share : shares) {
    rounds = std::max(rounds, (share.end - share.begin + block - 1) / block);
    ownShares += share.owner == joint.own;
    sent += share.owner != joint.own;
  }
  int64_t buffer = alignUp(block * bytes);
  XLA_ASSIGN_SCRATCH(room, joint.allocate(static_cast<int64_t>(ownShares) *
                                          task.groupSize() * buffer));
  buffers = room;
  auto here = static_cast<int64_t>(joint.here.size());
  packed.resize(packs ? static_cast<size_t>(sent * here * block * bytes) : 0);
  for (int64_t round = 0; round < rounds + isForAll; ++round) {
    std::vector<PeerMessage> sends, receives;
    addMessages(round, sends, receives);
    XLA_RETURN_IF_ERROR(joint.exchange(sends, receives));
    size_t own = 0;
    for (const Share &share : shares) {
      if (share.owner == joint.own) {
        combine(share, own++, round);
      }
    }
    if (isForAll) {
      copyResults(round - 1);
    }
  }
  return okStatus();
}

//===----------------------------------------------------------------------===//
// runJointly
//===----------------------------------------------------------------------===//

Status runJointly(CollectiveTask &task) {
  Joint joint(task);
  if (joint.others.empty()) {
    return runInMemory(task);
  }
  joint.step.execution =
      joint.launch.countExecution(task.collective.number, task.group);
  int64_t all = 0;
  for (int64_t number = 0; number < operandsOf(task.collective); ++number) {
    all += operandBytes(task, number) * task.groupSize();
  }
  if (all <= bytesForAll || task.collective.kind == XLA_COLLECTIVE_RAGGED) {
    return shareAll(joint);
  }
  for (int64_t number = 0; number < task.collective.array_count; ++number) {
    if (bytesOf(task.collective.arrays[number]) == 0) {
      continue;
    }
    switch (task.collective.kind) {
    case XLA_COLLECTIVE_EXCHANGE:
      XLA_RETURN_IF_ERROR(exchangeBoxes(joint, number));
      break;
    case XLA_COLLECTIVE_REDUCE:
      XLA_RETURN_IF_ERROR(Reduction(joint, number).run());
      break;
    case XLA_COLLECTIVE_SEND:
      XLA_RETURN_IF_ERROR(sendArrays(joint, number));
      break;
    default:
      return internalError("a collective is of no known kind");
    }
  }
  return okStatus();
}

} // namespace xla
