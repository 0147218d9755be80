#include "xla/pjrt/common/Buffer.h"
#include "xla/pjrt/common/Error.h"
#include "xla/pjrt/common/Executable.h"
#include "xla/pjrt/common/Ffi.h"
#include "xla/pjrt/common/Functions.h"
#include "xla/pjrt/common/Run.h"

#include <algorithm>
#include <chrono>
#include <span>
#include <utility>

namespace xla::pjrt {

//===----------------------------------------------------------------------===//
// Checking a request
//===----------------------------------------------------------------------===//

template <typename Field>
static bool reaches(const PJRT_ExecuteOptions &options, const Field &field) {
  auto end = reinterpret_cast<const char *>(&field + 1) -
             reinterpret_cast<const char *>(&options);
  return static_cast<size_t>(end) <= options.struct_size;
}

static Status readOptions(Request &request) {
  const size_t argumentCount = request.compiled.argumentBytes.size();
  if (!request.compiled.signature().donations.empty()) {
    request.donatedTo.assign(argumentCount, -1);
  }
  for (const Donation &donation : request.compiled.signature().donations) {
    request.donatedTo[donation.argument] = donation.result;
  }
  const PJRT_ExecuteOptions *options = request.args.options;
  if (!options) {
    return okStatus();
  }
  if (reaches(*options, options->num_recv_ops) &&
      (options->num_send_ops > 0 || options->num_recv_ops > 0)) {
    return unimplemented(platform().plugin() +
                         " has no send and receive callbacks; host callbacks "
                         "go through the FFI");
  }
  if (reaches(*options, options->launch_id)) {
    request.launchId = options->launch_id;
  }
  if (reaches(*options, options->num_non_donatable_input_indices)) {
    size_t count = options->num_non_donatable_input_indices;
    if (count > 0 && !options->non_donatable_input_indices) {
      return invalidArgument("PJRT_ExecuteOptions.non_donatable_input_indices "
                             "is NULL, and their number is " +
                             std::to_string(count));
    }
    for (size_t i = 0; i < count; ++i) {
      int64_t index = options->non_donatable_input_indices[i];
      if (index < 0 || index >= static_cast<int64_t>(argumentCount)) {
        return invalidArgument("argument " + std::to_string(index) +
                               " is not to be donated, and the program has " +
                               std::to_string(argumentCount));
      }
      if (!request.donatedTo.empty()) {
        request.donatedTo[index] = -1;
      }
    }
  }
  if (reaches(*options, options->context) && options->context) {
    request.userData = options->context->userData;
  }
  return okStatus();
}

/// The message for an argument that `checkArgument` refuses.
static Status badArgument(const Request &request, size_t index,
                          const std::string &why) {
  return invalidArgument("argument " + std::to_string(index) + " of \"" +
                         request.compiled.signature().name + "\" " + why);
}

/// JAX 0.10.2 begins a sequence of effects with an empty array.
static bool standsForToken(const Shape &given, const Shape &wanted) {
  return wanted.type == ElementType::Token &&
         given == Shape{ElementType::Pred, {0}};
}

static Status checkArgument(const Request &request, const PJRT_Device *device,
                            const PJRT_Buffer *buffer, size_t index) {
  const Shape &shape = request.compiled.signature().arguments[index];
  if (!buffer) {
    return badArgument(request, index, "is NULL");
  }
  if (buffer->shape != shape && !standsForToken(buffer->shape, shape)) {
    return badArgument(request, index,
                       "is " + toString(buffer->shape) +
                           ", and the program was compiled for " +
                           toString(shape));
  }
  if (buffer->device() != device) {
    return badArgument(request, index,
                       "is on " + buffer->device()->description->toString +
                           ", and the program runs on " +
                           device->description->toString +
                           "; copy it there first");
  }
  if (buffer->isDeleted()) {
    return badArgument(request, index, "is gone: " + bufferIsGone().message());
  }
  return okStatus();
}

/// A buffer that is donated must be passed once only.
static Status checkDonations(const Request &request,
                             PJRT_Buffer *const *buffers) {
  std::vector<std::pair<const PJRT_Buffer *, size_t>> sorted;
  for (size_t i = 0; i < request.args.num_args; ++i) {
    sorted.emplace_back(buffers[i], i);
  }
  std::sort(sorted.begin(), sorted.end());
  for (size_t i = 1; i < sorted.size(); ++i) {
    auto [buffer, index] = sorted[i];
    auto [previous, previousIndex] = sorted[i - 1];
    if (buffer == previous && (request.resultOf(index) >= 0 ||
                               request.resultOf(previousIndex) >= 0)) {
      return invalidArgument(
          "Attempt to use a buffer that was previously donated in the same "
          "call, as in f(donate(a), a): arguments " +
          std::to_string(previousIndex) + " and " + std::to_string(index) +
          " of \"" + request.compiled.signature().name +
          "\" are the same buffer, and one of them is donated; a donated "
          "buffer can be passed once only");
    }
  }
  return okStatus();
}

static Status checkLists(const Request &request, size_t deviceCount) {
  const PJRT_LoadedExecutable_Execute_Args &args = request.args;
  const ProgramSignature &signature = request.compiled.signature();
  if (args.num_devices != deviceCount) {
    return invalidArgument("\"" + signature.name + "\" runs on " +
                           std::to_string(deviceCount) +
                           " devices, and arguments for " +
                           std::to_string(args.num_devices) + " were given");
  }
  if (args.num_args != signature.arguments.size()) {
    return invalidArgument("\"" + signature.name + "\" takes " +
                           std::to_string(signature.arguments.size()) +
                           " arguments, and " + std::to_string(args.num_args) +
                           " were given");
  }
  bool hasResults = !signature.results.empty();
  if ((args.num_args > 0 && !args.argument_lists) ||
      (hasResults && !args.output_lists)) {
    return invalidArgument("PJRT_LoadedExecutable_Execute_Args.argument_lists "
                           "or .output_lists is NULL");
  }
  for (size_t i = 0; i < deviceCount; ++i) {
    if ((args.num_args > 0 && !args.argument_lists[i]) ||
        (hasResults && !args.output_lists[i])) {
      return invalidArgument(
          "PJRT_LoadedExecutable_Execute_Args.argument_lists or "
          ".output_lists is NULL for device " +
          std::to_string(i));
    }
  }
  return okStatus();
}

/// Everything that can be refused is refused here, before anything happens.
static Status check(const Request &request,
                    std::span<PJRT_Device *const> devices) {
  XLA_RETURN_IF_ERROR(checkLists(request, devices.size()));
  for (size_t i = 0; i < devices.size() && request.args.num_args > 0; ++i) {
    PJRT_Buffer *const *buffers = request.args.argument_lists[i];
    for (size_t j = 0; j < request.args.num_args; ++j) {
      XLA_RETURN_IF_ERROR(checkArgument(request, devices[i], buffers[j], j));
    }
    if (!request.compiled.signature().donations.empty()) {
      XLA_RETURN_IF_ERROR(checkDonations(request, buffers));
    }
  }
  return okStatus();
}

//===----------------------------------------------------------------------===//
// Submitting
//===----------------------------------------------------------------------===//

/// Takes back what the first devices were given to answer with.
static void destroyOutputs(const Request &request, size_t deviceCount) {
  PJRT_Event **events = request.args.device_complete_events;
  for (size_t i = 0; i < deviceCount && events; ++i) {
    delete events[i];
    events[i] = nullptr;
  }
  size_t count = request.compiled.resultBytes.size();
  for (size_t i = 0; i < deviceCount && count > 0; ++i) {
    for (size_t j = 0; j < count; ++j) {
      delete request.args.output_lists[i][j];
      request.args.output_lists[i][j] = nullptr;
    }
  }
}

/// Runs and takes the time, which is not taken of every run that is short: to
/// ask the clock takes about as long as to add up a few numbers.
static Status runHere(const Run &run, DeviceQueue *queue, bool isShort) {
  XLA_RETURN_IF_ERROR(run.awaitArguments(queue));
  if (isShort && !run.compiled->isTimed()) {
    return run.runProgram();
  }
  auto start = std::chrono::steady_clock::now();
  Status status = run.runProgram();
  run.compiled->noteDuration(std::chrono::steady_clock::now() - start,
                             isShort ? CompiledProgram::shortRunsTimed : 1);
  return status;
}

/// Whether all arguments are there, and good.
static bool areReady(PJRT_Buffer *const *buffers, size_t count) {
  return std::all_of(buffers, buffers + count, [](const PJRT_Buffer *buffer) {
    StatusOr<Content> content = buffer->content();
    return content.ok() && content->ready->isReady() &&
           content->ready->status().ok();
  });
}

/// Whether a program runs on its caller's thread whatever the queue does: one
/// that calls its client back. Its functions see the caller's thread, and may
/// wait for programs that other threads submit meanwhile; their failure is that
/// of the call.
static bool runsWithCaller(const Request &request, size_t position) {
  return request.compiled.callsClient && request.args.num_devices == 1 &&
         areReady(request.arguments(position), request.args.num_args);
}

/// Runs on one device, here or in its queue, and fills the outputs.
static Status submit(const Request &request, std::shared_ptr<Run> run,
                     PJRT_Device *device, size_t position) {
  const PJRT_LoadedExecutable_Execute_Args &args = request.args;
  PJRT_Buffer **outputs = request.outputs(position);
  DeviceQueue &queue = device->queue;
  std::unique_lock<std::mutex> submission(queue.submission);
  // A callback's program runs in place, for the one that called it holds the
  // queue; as does every program where the system refuses the queue a thread.
  bool isWithCaller = runsWithCaller(request, position);
  bool hasQueue = !isWithCaller && !queue.isHeldHere() && queue.start();
  XLA_RETURN_IF_ERROR(gather(request, *run, request.arguments(position),
                             hasQueue ? &queue : nullptr));
  int64_t expected = run->compiled->expectedNanoseconds.load();
  bool isShort = expected > 0 && expected < inlineNanoseconds &&
                 !run->compiled->mayTakeLong;
  bool runsHere = !hasQueue || (args.num_devices == 1 && isShort &&
                                run->unready.empty() && queue.isIdle());
  if (runsHere) {
    submission.unlock();
    Status status = runHere(*run, nullptr, isShort);
    if (isWithCaller && !status.ok()) {
      return status;
    }
    run->finished =
        status.ok() ? Completion::done() : Completion::of(std::move(status));
    makeOutputs(request, std::move(run->results), run->finished, device,
                outputs);
    return okStatus();
  }
  run->finished = std::make_shared<Completion>();
  run->finished->producers = {&queue};
  run->finished->after.assign(run->unready.begin(), run->unready.end());
  run->finished->after.push_back(std::exchange(queue.last, run->finished));
  makeOutputs(request, run->results, run->finished, device, outputs);
  run->addQueuedHolders(1);
  int64_t bytes = run->compiled->allResultBytes();
  auto task = [run, &queue] {
    Status status = runHere(*run, &queue, false);
    run->leave(queue);
    run->finished->set(std::move(status));
  };
  queue.enqueue(std::move(task), bytes);
  return okStatus();
}

static StatusOr<std::span<PJRT_Device *const>>
chooseDevices(const PJRT_LoadedExecutable_Execute_Args &args) {
  if (!args.execute_device) {
    if (args.executable->devices.empty()) {
      return otherProcessError(*args.executable->allDevices.front());
    }
    return std::span<PJRT_Device *const>(args.executable->devices);
  }
  if (args.execute_device->client != args.executable->client) {
    return invalidArgument(
        "the device to execute on belongs to another client");
  }
  if (args.executable->allDevices.size() > 1) {
    return invalidArgument("a program for " +
                           std::to_string(args.executable->allDevices.size()) +
                           " devices was to execute on one of them");
  }
  if (!args.execute_device->isAddressable()) {
    return otherProcessError(*args.execute_device);
  }
  return std::span<PJRT_Device *const>(&args.execute_device, 1);
}

static Status execute(PJRT_LoadedExecutable_Execute_Args &args) {
  if (args.executable->isDeleted) {
    return invalidArgument("the executable has been deleted");
  }
  StatusOr<std::span<PJRT_Device *const>> devices = chooseDevices(args);
  if (!devices.ok()) {
    return devices.status();
  }
  // The caller keeps the executable for as long as this takes.
  const std::shared_ptr<CompiledProgram> &compiled = args.executable->compiled;
  const bool isRecorded = isRecording.load(std::memory_order_relaxed);
  if (isRecorded) {
    compiled->makeRecorded(); // here, for fibers have too small a stack
  }
  Request request{*compiled, args, 0, isRecorded, nullptr, {}};
  XLA_RETURN_IF_ERROR(readOptions(request));
  XLA_RETURN_IF_ERROR(check(request, *devices));
  for (PJRT_Device *device : *devices) { // before anything is submitted
    if (!device->queue.isHeldHere()) {
      XLA_RETURN_IF_ERROR(device->queue.waitForRoom());
    }
  }
  if (compiled->options().partitionCount > 1) {
    return submitTogether(request, compiled,
                          {devices->begin(), devices->end()});
  }
  for (size_t i = 0; i < devices->size(); ++i) {
    PJRT_Device *device = (*devices)[i];
    auto run = std::make_shared<Run>(request, compiled, device);
    if (Status status = submit(request, run, device, i); !status.ok()) {
      destroyOutputs(request, i);
      return status;
    }
    if (args.device_complete_events) {
      args.device_complete_events[i] = new PJRT_Event{run->finished};
    }
  }
  return okStatus();
}

PJRT_Error *LoadedExecutable_Execute(PJRT_LoadedExecutable_Execute_Args *args) {
  XLA_PJRT_REQUIRE(args, PJRT_LoadedExecutable_Execute_Args, executable);
  return makeError(execute(*args));
}

} // namespace xla::pjrt
