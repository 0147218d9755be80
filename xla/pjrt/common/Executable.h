//===- Executable.h - Compiled programs -------------------------*- C++ -*-===//

#ifndef XLA_PJRT_COMMON_EXECUTABLE_H
#define XLA_PJRT_COMMON_EXECUTABLE_H

#include "xla/pjrt/common/Client.h"
#include "xla/pjrt/common/Options.h"
#include "xla/pjrt/common/Recorder.h"
#include "xla/runtime/OptimizableProgram.h"

#include "pjrt_c_api.h"

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace xla::pjrt {

/// Serialized messages, as the C API shows them.
struct ShardingBytes {
  std::vector<const char *> bytes;
  std::vector<size_t> sizes;
};

/// A program with all that the C API reports about it. Shared by the handles on
/// it and by its runs.
class CompiledProgram : public std::enable_shared_from_this<CompiledProgram> {
public:
  static StatusOr<std::shared_ptr<CompiledProgram>>
  compile(std::string_view code, std::string_view serializedOptions,
          Backend backend, std::string_view image = {});

  const AbstractProgram &program() const { return *theProgram; }
  const ProgramSignature &signature() const { return theProgram->signature(); }
  const ExecutableOptions &options() const { return theOptions; }

  /// The optimised program's text and report, made at first use.
  const ProgramDescription &description();

  /// That text without what may differ between processes that run the same, and
  /// its hash.
  const std::string &sharedText();
  uint64_t sharedFingerprint();

  /// What `deserialize` makes the program from again: its machine code, and its
  /// source for other builds and processors, which compile it anew.
  std::string serialize() const;
  static StatusOr<std::shared_ptr<CompiledProgram>>
  deserialize(std::string_view bytes, std::string_view overriddenOptions);

  /// How long a run takes, in nanoseconds: a maximum that decays. Before the
  /// first run an estimate of what is short, or 0.
  std::atomic<int64_t> expectedNanoseconds{0};
  std::atomic<uint32_t> shortRuns{0};

  /// Of one run, or of a launch on several devices on one thread; of so many,
  /// where the others' time is not taken.
  void noteDuration(std::chrono::nanoseconds taken, int64_t runs = 1);

  /// Whether the time of this run is taken though it is short: every eighth.
  static constexpr uint32_t shortRunsTimed = 8;
  bool isTimed() {
    return shortRuns.fetch_add(1, std::memory_order_relaxed) % shortRunsTimed ==
           0;
  }

  /// The program, where its code can be replaced; else null.
  OptimizableProgram *optimizable() const { return optimized; }
  /// Lets runs request that once more, of a process that has lost the thread.
  void expectOptimization();

  /// Compiles the program that records what its operations take, once: machine
  /// code as that of this one, with marks between the operations.
  void makeRecorded();
  /// It, or null where it was not made.
  const std::shared_ptr<const RecordedProgram> *recorded() const {
    return isRecorded.load(std::memory_order_acquire) ? &theRecorded : nullptr;
  }

  /// Whether a run may take much longer than that.
  bool mayTakeLong = false;

  // Of the program: see ProgramStatistics.
  bool hasCollectives = false;
  bool hasCalls = false;
  bool callsClient = false;

  /// Of a run, beside arguments and results.
  int64_t temporaryBytes = 0;

  int64_t allResultBytes() const;

  // As the C API shows them.
  std::vector<int64_t> argumentBytes;
  std::vector<int64_t> resultBytes;
  std::vector<PJRT_Buffer_Type> resultTypes;
  std::vector<int64_t> resultDimensions; ///< of all results, one after another
  std::vector<size_t> resultRanks;
  std::vector<size_t> resultMemories; ///< each the number of a description
  std::vector<const char *> resultMemoryKinds;
  std::vector<size_t> resultMemoryKindSizes;
  ShardingBytes argumentShardings;
  ShardingBytes resultShardings;
  std::vector<PJRT_NamedValue> costs;
  std::string fingerprint;

private:
  Status describe();
  /// A run has taken longer than the others may.
  void optimizeNow();

  std::unique_ptr<AbstractProgram> theProgram;
  OptimizableProgram *optimized = nullptr; ///< the same
  ExecutableOptions theOptions;
  Backend backend = Backend::Native;
  std::string code;
  std::string serializedOptions;
  std::once_flag descriptionOnce, sharedOnce, recordedOnce;
  std::shared_ptr<const RecordedProgram> theRecorded;
  std::atomic<bool> isRecorded{false};
  /// What runs may still take before the code is optimised; 0 or less: they may
  /// take any time.
  std::atomic<int64_t> nanosecondsLeft{0};
  ProgramDescription theDescription;
  std::string shared;
  uint64_t sharedHash = 0;
};

} // namespace xla::pjrt

struct PJRT_Layouts_MemoryLayout; // of the Layouts extension

struct PJRT_Executable {
  std::shared_ptr<xla::pjrt::CompiledProgram> compiled;
  /// Arrays that the Layouts extension handed out; what they point at is the
  /// caller's.
  std::vector<PJRT_Layouts_MemoryLayout *> outputLayouts = {};
  std::vector<PJRT_Layouts_MemoryLayout *> parameterLayouts = {};
};

struct PJRT_LoadedExecutable {
  PJRT_Client *client;
  std::shared_ptr<xla::pjrt::CompiledProgram> compiled;
  /// Of all processes, replica by replica.
  std::vector<PJRT_Device *> allDevices;
  /// Those of this process, in the same order, and the indices that they have
  /// among all.
  std::vector<PJRT_Device *> devices;
  std::vector<int> localIndices;
  /// Of the devices of all, for other processes.
  xla::Clique clique;
  std::atomic<bool> isDeleted{false};

  bool spansProcesses() const { return devices.size() < allDevices.size(); }
};

#endif // XLA_PJRT_COMMON_EXECUTABLE_H
