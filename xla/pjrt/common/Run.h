//===- Run.h - One run of a program on one device ---------------*- C++ -*-===//

#ifndef XLA_PJRT_COMMON_RUN_H
#define XLA_PJRT_COMMON_RUN_H

#include "xla/pjrt/common/DeviceQueue.h"
#include "xla/pjrt/common/Event.h"
#include "xla/pjrt/common/Executable.h"
#include "xla/pjrt/common/Ffi.h"
#include "xla/pjrt/common/Storage.h"
#include "xla/runtime/Program.h"

#include "pjrt_c_api.h"

#include <memory>
#include <span>
#include <vector>

namespace xla::pjrt {

/// A launch that is expected to take less runs on the caller's thread: handing
/// it over and waiting for it would cost about as much. Only one that surely
/// ends soon: nothing interrupts it there.
inline constexpr int64_t inlineNanoseconds = 40'000;

/// What one Execute call was given, as far as the caller's structures reach.
struct Request {
  CompiledProgram &compiled;
  PJRT_LoadedExecutable_Execute_Args &args;
  int64_t launchId = 0;
  bool isRecorded = false; ///< a profile is being taken
  std::shared_ptr<custom_call::UserData> userData;
  /// For each argument the result that may take its memory, or -1; empty where
  /// the program takes no memory.
  std::vector<int32_t> donatedTo;

  /// The result that may take the memory of an argument, or -1.
  int32_t resultOf(size_t argument) const {
    return donatedTo.empty() ? -1 : donatedTo[argument];
  }

  PJRT_Buffer *const *arguments(size_t device) const {
    return args.num_args > 0 ? args.argument_lists[device] : nullptr;
  }
  PJRT_Buffer **outputs(size_t device) const {
    return compiled.resultBytes.empty() ? nullptr : args.output_lists[device];
  }
};

/// One run on one device: holds all it touches until it is done.
struct Run {
  Run(const Request &request, std::shared_ptr<CompiledProgram> program,
      PJRT_Device *device);

  std::shared_ptr<CompiledProgram> compiled;
  RunContext context;
  std::shared_ptr<custom_call::UserData> userData;
  const std::shared_ptr<MemoryAccount> &account; ///< of the device
  bool isRecorded;
  std::vector<StoragePointer> arguments;
  std::vector<StoragePointer> results;
  std::vector<CompletionPointer> unready; ///< arguments still to come, or bad
  CompletionPointer finished;

  /// Waits for the arguments; `queue` is the queue that this runs in, if any.
  Status awaitArguments(DeviceQueue *queue) const;
  /// Runs, once these are there.
  Status runProgram() const;

  /// Whether this is one of the tasks in a queue that hold its arrays.
  void addQueuedHolders(long change);
  /// Lets go of what a task in the queue held, in one step for those who count.
  void leave(DeviceQueue &queue);

private:
  Status alignArguments(std::span<void *> pointers,
                        std::vector<StoragePointer> &copies) const;
};

/// Takes hold of the arguments and gives each result its memory: that of a
/// donated argument where nobody else may look at it, else fresh memory. What
/// programs in the queue still read counts as free only if this one joins it.
/// A failure leaves the arguments as they were.
Status gather(const Request &request, Run &run, PJRT_Buffer *const *buffers,
              DeviceQueue *joined);

/// Undoes that.
void giveBack(const Request &request, Run &run, PJRT_Buffer *const *buffers);

/// The buffers of a run's results, which are there when `finished` is.
void makeOutputs(const Request &request, std::vector<StoragePointer> results,
                 const CompletionPointer &finished, PJRT_Device *device,
                 PJRT_Buffer **outputs);

/// The same for several devices, all of them at once or none: see
/// docs/internals/cpu_plugin.md.
Status submitTogether(const Request &request,
                      const std::shared_ptr<CompiledProgram> &compiled,
                      const std::vector<PJRT_Device *> &devices);

} // namespace xla::pjrt

#endif // XLA_PJRT_COMMON_RUN_H
