#include "xla/pjrt/common/RecordTimes.h"

#include <algorithm>

namespace xla::pjrt {

std::vector<OperationTime>
timesOf(const OperationRecord &record,
        const std::vector<OperationFacts> &operations) {
  size_t count = operations.size();
  std::vector<OperationTime> result(count);
  std::vector<double> timed(count), total(count), scale(count, 1),
      runs(count, 1), next(count);
  std::vector<bool> repeats(count); // within a loop
  for (size_t i = 0; i < count; ++i) {
    timed[i] = static_cast<double>(record.times[i].self);
  }
  // What an operation holds has a higher number.
  for (size_t i = count; i-- > 0;) {
    total[i] = timed[i];
    if (operations[i].loop >= 0) {
      total[i] +=
          static_cast<double>(record.loops[operations[i].loop].untimedTicks);
    }
    if (operations[i].parent >= 0) {
      timed[operations[i].parent] += total[i];
    }
  }
  for (size_t i = 0; i < count; ++i) {
    const OperationRecord::Times &times = record.times[i];
    int32_t parent = operations[i].parent;
    auto begin = static_cast<double>(times.first);
    if (parent >= 0) {
      scale[i] = scale[parent];
      runs[i] = runs[parent];
      repeats[i] = repeats[parent];
      if (int32_t number = operations[parent].loop; number >= 0) {
        const LoopRecord &loop = record.loops[number];
        repeats[i] = true;
        scale[i] *= timed[parent] > 0 ? total[parent] / timed[parent] : 1;
        runs[i] *= loop.timed > 0 ? 1 + static_cast<double>(loop.untimed) /
                                            static_cast<double>(loop.timed)
                                  : 1;
      }
    }
    OperationTime &time = result[i];
    if (operations[i].onlyTimes > 0) {
      time = result[parent]; // it is all that the loop does
      time.count *= operations[i].onlyTimes;
      continue;
    }
    time.count = static_cast<double>(times.count) * runs[i];
    time.duration = total[i] * scale[i];
    time.start = repeats[i] ? next[parent] : begin;
    next[i] = time.start;
    if (repeats[i]) {
      next[parent] += time.duration;
    }
  }
  return result;
}

} // namespace xla::pjrt
