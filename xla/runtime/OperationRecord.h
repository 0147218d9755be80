//===- OperationRecord.h - What a run spent on each operation ---*- C++ -*-===//
//
// A program that was compiled with records marks where one operation ends and
// the next begins. Each mark reads the processor's counter once and adds to a
// fixed table, so a record is as large as the program and no larger, whatever
// its loops do. Of a loop with short iterations some are timed and the rest
// only counted: the record says how long the others took together.
//
//===----------------------------------------------------------------------===//

#ifndef XLA_RUNTIME_OPERATIONRECORD_H
#define XLA_RUNTIME_OPERATIONRECORD_H

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#if defined(__x86_64__)
#include <x86intrin.h>
#else
#include <ctime>
#endif

namespace xla {

/// One operation of a compiled program: a loop nest with all that is fused into
/// it, a product, a collective, a loop or a branch.
struct OperationFacts {
  std::string name;     ///< unique in its program, such as "add_tanh.3"
  std::string path;     ///< "jit(f)/scope/tanh", of the last that is fused
  std::string category; ///< as profile viewers group them
  std::string text;     ///< what is computed, and its type
  std::vector<std::string> lines; ///< "file:line", each that is fused
  double flops = 0, transcendentals = 0, bytes = 0; ///< of one execution
  int32_t parent = -1; ///< the loop or branch that holds it
  int32_t loop = -1;   ///< the number of the loop, if it is one that counts
  /// Of the only operation of a loop whose iterations are known: their number.
  /// It is not marked, for it takes what the loop takes.
  double onlyTimes = 0;
};

/// What a loop of the program counts.
struct LoopRecord {
  int64_t untilDue = 0; ///< iterations, counted down by generated code
  int64_t operation = -1;
  int64_t stride = 1; ///< iterations between two decisions
  uint64_t timed = 0, untimed = 0, sinceEntry = 0;
  uint64_t untimedTicks = 0, pausedAt = 0, enteredAt = 0;
  bool wasEntered = false; ///< while its surroundings were timed
};

/// What generated code reads of a record, which begins with it.
struct RecordHead {
  int64_t isTimed = 1;
  LoopRecord *loops = nullptr;
};

class OperationRecord : public RecordHead {
public:
  struct Times {
    uint64_t first = 0, self = 0, last = 0; ///< in ticks
    uint64_t count = 0;                     ///< executions that were timed
  };

  OperationRecord(size_t operations, const std::vector<int32_t> &loopOperations)
      : loopCount(loopOperations.size()), times(operations),
        ownedLoops(new LoopRecord[loopOperations.size()]) {
    loops = ownedLoops.get();
    for (size_t i = 0; i < loopOperations.size(); ++i) {
      loops[i].operation = loopOperations[i];
    }
  }

  static uint64_t now() {
#if defined(__x86_64__)
    return __rdtsc();
#else
    timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return uint64_t(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
#endif
  }

  void begin() { begun = lastMark = now(); }
  void end() {
    uint64_t at = now();
    close(at);
    current = -1;
    ended = at;
  }

  /// The operation that ran ends, this one begins.
  void mark(int64_t operation) {
    uint64_t at = now();
    close(at);
    current = operation;
    Times &next = times[operation];
    if (next.count++ == 0) {
      next.first = at;
    }
  }

  void enterLoop(int64_t number) {
    LoopRecord &loop = loops[number];
    loop.wasEntered = isTimed != 0;
    if (isTimed == 0) {
      loop.untilDue = INT64_MAX;
      return;
    }
    mark(loop.operation);
    loop.enteredAt = lastMark;
    loop.sinceEntry = 0;
    loop.untilDue = 1;
  }

  /// An iteration begins about which something is to be decided.
  void nextIteration(int64_t number) {
    // So many are timed before the rest is judged by them; one that takes this
    // many ticks is worth the time of its marks.
    constexpr uint64_t first = 16, longTicks = 10'000;
    constexpr int64_t stride = 32;
    LoopRecord &loop = loops[number];
    uint64_t at = now();
    if (isTimed == 0) {
      loop.untimed += loop.stride;
      loop.untimedTicks += at - loop.pausedAt;
      resume(loop, at);
    } else {
      close(at);
      current = loop.operation;
    }
    ++loop.sinceEntry;
    bool isShort = at - loop.enteredAt < loop.sinceEntry * longTicks;
    if (isShort && loop.sinceEntry > first && loop.stride == 1) {
      loop.pausedAt = at;
      loop.stride = stride;
      loop.untilDue = stride;
      isTimed = 0;
      return;
    }
    ++loop.timed;
    loop.stride = 1;
    loop.untilDue = 1;
  }

  void leaveLoop(int64_t number) {
    LoopRecord &loop = loops[number];
    if (!loop.wasEntered) {
      return;
    }
    uint64_t at = now();
    if (isTimed == 0) {
      loop.untimed += loop.stride - loop.untilDue + 1;
      loop.untimedTicks += at - loop.pausedAt;
      loop.stride = 1;
      resume(loop, at);
    }
    close(at);
    current = loop.operation;
    times[loop.operation].last = at;
  }

  size_t loopCount;
  std::vector<Times> times;
  uint64_t begun = 0, ended = 0;

private:
  void close(uint64_t at) {
    if (current >= 0) {
      times[current].self += at - lastMark;
      times[current].last = at;
    }
    lastMark = at;
  }
  void resume(LoopRecord &loop, uint64_t at) {
    isTimed = 1;
    lastMark = at;
    current = loop.operation;
  }

  std::unique_ptr<LoopRecord[]> ownedLoops;
  int64_t current = -1;
  uint64_t lastMark = 0;
};

static_assert(offsetof(RecordHead, isTimed) == 0);
static_assert(offsetof(LoopRecord, untilDue) == 0);

} // namespace xla

#endif // XLA_RUNTIME_OPERATIONRECORD_H
