//===- Recorder.h - Records of runs while a profile is taken ----*- C++ -*-===//

#ifndef XLA_PJRT_COMMON_RECORDER_H
#define XLA_PJRT_COMMON_RECORDER_H

#include "xla/runtime/Program.h"
#include "xla/support/Status.h"

#include "pjrt_c_api.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace xla::pjrt {

class CompiledProgram;

/// Whether a profile is being taken. All that a run costs otherwise is to read
/// this.
inline std::atomic<bool> isRecording{false};

/// One program's facts, for records that outlive it.
struct RecordedProgram {
  std::shared_ptr<const AbstractProgram> program; ///< with records
  bool marksItself = false; ///< else it is one operation, marked from outside
  std::string name;
  std::string text; ///< optimised, without source locations
  int64_t id = 0;
};

struct RecordedRun {
  std::shared_ptr<const RecordedProgram> program;
  std::unique_ptr<OperationRecord> record;
  int64_t run = 0, thread = 0;
  int32_t device = 0;
};

/// A block of memory that a device gave out or took back.
struct MemoryChange {
  uint64_t at = 0; ///< in ticks
  int64_t bytes = 0, bytesInUse = 0, peakBytes = 0, address = 0;
  int64_t thread = 0;
  int32_t device = 0;
};

/// What was recorded between `start` and `stop`.
struct Recording {
  std::vector<RecordedRun> runs;
  std::vector<MemoryChange> memory;
  uint64_t startTicks = 0, stopTicks = 0;
  int64_t startNanoseconds = 0; ///< since 1970
  int64_t nanoseconds = 0;      ///< between both
  uint64_t lost = 0;            ///< runs beyond what is kept
};

/// FailedPrecondition where a recording goes on.
Status startRecording();
/// FailedPrecondition where none goes on.
StatusOr<Recording> stopRecording();

/// Runs, with a record of what each operation took.
Status runRecorded(CompiledProgram &compiled, const RunContext &context,
                   void *const *arguments, void *const *results);

void recordMemory(const MemoryChange &change);

PJRT_Extension_Base *profilerExtension(PJRT_Extension_Base *next);

/// A recording as a serialized XSpace: what the profiler extension hands out.
std::string spaceOf(const Recording &recording);

} // namespace xla::pjrt

#endif // XLA_PJRT_COMMON_RECORDER_H
