//===- RecordTimes.h - When each operation of a run ran ---------*- C++ -*-===//

#ifndef XLA_PJRT_COMMON_RECORDTIMES_H
#define XLA_PJRT_COMMON_RECORDTIMES_H

#include "xla/runtime/OperationRecord.h"

#include <vector>

namespace xla::pjrt {

/// In ticks, estimated where iterations of a loop were counted and not timed.
struct OperationTime {
  double start = 0, duration = 0; ///< with what it holds
  double count = 0;               ///< executions
};

/// One for each operation of the program. What a loop ran many times is one
/// span, as long as all executions together; the spans of a loop follow each
/// other from its beginning.
std::vector<OperationTime>
timesOf(const OperationRecord &record,
        const std::vector<OperationFacts> &operations);

} // namespace xla::pjrt

#endif // XLA_PJRT_COMMON_RECORDTIMES_H
