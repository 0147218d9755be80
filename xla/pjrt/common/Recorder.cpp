#include "xla/pjrt/common/Recorder.h"

#include "xla/pjrt/common/Executable.h"
#include "xla/pjrt/common/Fork.h"

#include <chrono>
#include <unistd.h>

namespace xla::pjrt {

namespace {

/// Of records; a run beyond it is counted and no more.
constexpr size_t mostBytes = size_t(256) << 20;
constexpr size_t mostMemoryChanges = 1'000'000;

struct State {
  std::mutex lock;
  bool isOn = false;
  uint32_t forks = 0; ///< before it began
  Recording recording;
  std::chrono::steady_clock::time_point start;
  size_t bytes = 0;
};

} // namespace

/// Never destroyed: threads of the plugin may outlive static objects.
static State &state() {
  static auto *theState = new State;
  return *theState;
}

/// Whether this is the child of a fork during a recording, which is its
/// parent's; it ends here, and nothing may wait for the lock.
static bool isForked() {
  if (!isRecording.load(std::memory_order_relaxed) ||
      state().forks == forkCount()) {
    return false;
  }
  isRecording.store(false, std::memory_order_relaxed);
  new (&state()) State;
  return true;
}

static int64_t threadId() {
  static thread_local const int64_t id = gettid();
  return id;
}

Status startRecording() {
  isForked();
  State &s = state();
  std::lock_guard<std::mutex> lock(s.lock);
  if (s.isOn) {
    return failedPrecondition("a profile of this process is being taken: stop "
                              "it first, for its records are of one profile");
  }
  s.isOn = true;
  s.forks = forkCount();
  s.recording = Recording();
  s.bytes = 0;
  s.start = std::chrono::steady_clock::now();
  s.recording.startTicks = OperationRecord::now();
  s.recording.startNanoseconds =
      std::chrono::duration_cast<std::chrono::nanoseconds>(
          std::chrono::system_clock::now().time_since_epoch())
          .count();
  isRecording.store(true, std::memory_order_relaxed);
  return okStatus();
}

StatusOr<Recording> stopRecording() {
  isForked();
  State &s = state();
  std::lock_guard<std::mutex> lock(s.lock);
  if (!s.isOn) {
    return failedPrecondition("no profile of this process is being taken");
  }
  isRecording.store(false, std::memory_order_relaxed);
  s.isOn = false;
  s.recording.stopTicks = OperationRecord::now();
  s.recording.nanoseconds =
      std::chrono::duration_cast<std::chrono::nanoseconds>(
          std::chrono::steady_clock::now() - s.start)
          .count();
  return std::exchange(s.recording, Recording());
}

static void keep(RecordedRun run) {
  size_t bytes = sizeof(RecordedRun) + sizeof(OperationRecord) +
                 run.record->times.size() * sizeof(OperationRecord::Times) +
                 run.record->loopCount * sizeof(LoopRecord);
  if (isForked()) {
    return;
  }
  State &s = state();
  std::lock_guard<std::mutex> lock(s.lock);
  if (!s.isOn) {
    return;
  }
  if (s.bytes + bytes > mostBytes) {
    ++s.recording.lost;
    return;
  }
  s.bytes += bytes;
  s.recording.runs.push_back(std::move(run));
}

void recordMemory(const MemoryChange &change) {
  if (isForked()) {
    return;
  }
  State &s = state();
  std::lock_guard<std::mutex> lock(s.lock);
  if (s.isOn && s.recording.memory.size() < mostMemoryChanges) {
    s.recording.memory.push_back(change);
    s.recording.memory.back().at = OperationRecord::now();
    s.recording.memory.back().thread = threadId();
  }
}

/// The number of each loop's operation.
static std::vector<int32_t>
loopsOf(const std::vector<OperationFacts> &operations) {
  std::vector<int32_t> loops;
  for (size_t i = 0; i < operations.size(); ++i) {
    int32_t loop = operations[i].loop;
    if (loop >= 0) {
      loops.resize(std::max(loops.size(), static_cast<size_t>(loop) + 1), -1);
      loops[loop] = static_cast<int32_t>(i);
    }
  }
  return loops;
}

Status runRecorded(CompiledProgram &compiled, const RunContext &context,
                   void *const *arguments, void *const *results) {
  static std::atomic<int64_t> runs{0};
  const auto *made = compiled.recorded();
  if (!made) {
    return compiled.program().run(context, arguments, results);
  }
  std::shared_ptr<const RecordedProgram> recorded = *made;
  const auto &operations = recorded->program->operations();
  auto record =
      std::make_unique<OperationRecord>(operations.size(), loopsOf(operations));
  RunContext with = context;
  with.record = record.get();
  const AbstractProgram &program =
      recorded->marksItself ? *recorded->program : compiled.program();
  record->begin();
  if (!recorded->marksItself && !operations.empty()) {
    record->mark(0);
  }
  Status status = program.run(with, arguments, results);
  record->end();
  if (status.ok()) {
    int64_t number = runs.fetch_add(1, std::memory_order_relaxed) + 1;
    keep({std::move(recorded), std::move(record), number, threadId(),
          context.deviceOrdinal});
  }
  return status;
}

} // namespace xla::pjrt
