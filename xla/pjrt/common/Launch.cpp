//===- Launch.cpp - One program on several devices at once ----------------===//
//
// Why no launch waits for ever. A launch joins the queues of all its devices
// while it holds the submission locks of all of them, which are taken in the
// order of the devices: of two launches with devices in common one is before
// the other in all of these queues. So "comes later in a queue" has no circle,
// nor has it together with "reads what the other makes", for a buffer exists
// once its program is in the queues. Of all launches that have not ended, take
// one that comes before all others it is related to: it is first in all its
// queues, what it reads is there, or comes from the client, and it begins. It
// then runs on threads that do nothing else; its devices wait for each other
// alone, which the LaunchGroup never lets them do in vain. So it ends.
//
//===----------------------------------------------------------------------===//

#include "xla/pjrt/common/Run.h"

#include "xla/pjrt/common/Buffer.h"
#include "xla/runtime/LaunchGroup.h"
#include "xla/runtime/ThreadPool.h"
#include "xla/runtime/peers/Peers.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace xla::pjrt {

/// Up to here the devices take turns on one thread: to wake others costs about
/// as much as they would save.
static constexpr int64_t oneThreadNanoseconds = 200'000;

namespace {
class Launch final : public JointTask {
public:
  Launch(const Request &request, std::shared_ptr<CompiledProgram> program,
         std::vector<Run> runs, std::vector<DeviceQueue *> queues, int workers,
         long inputs, std::unique_ptr<JointLaunch> shared)
      : JointTask(std::move(queues), workers, inputs),
        compiled(std::move(program)), runs(std::move(runs)),
        finished(std::make_shared<Completion>()), shared(std::move(shared)),
        launchGroup(
            static_cast<int>(this->runs.size()), workers,
            compiled->hasCollectives, compiled->signature().name,
            [this](int member) { return runMember(member); },
            partOf(*request.args.executable)),
        start(std::chrono::steady_clock::now()) {
    for (size_t i = 0; i < this->runs.size(); ++i) {
      this->runs[i].context.partition =
          request.args.executable->localIndices[i];
      this->runs[i].context.launchGroup = &launchGroup;
    }
    finished->producers.assign(this->queues.begin(), this->queues.end());
  }

  /// All of it, on the caller's thread, in no queue.
  Status runHere() {
    launchGroup.work(0);
    noteDuration();
    return launchGroup.status();
  }

  CompletionPointer completion() const { return finished; }
  std::vector<Run> &allRuns() { return runs; }

protected:
  void work(int worker) override {
    if (worker == 0) {
      start = std::chrono::steady_clock::now();
    }
    launchGroup.work(worker);
  }

  void end() override {
    noteDuration();
    for (size_t i = 0; i < runs.size(); ++i) {
      runs[i].leave(*queues[i]);
    }
    shared.reset();
    finished->set(launchGroup.status());
  }

private:
  LaunchGroupPart partOf(const PJRT_LoadedExecutable &executable) const {
    LaunchGroupPart part;
    part.launch = shared.get();
    if (shared) {
      part.indices.assign(executable.allDevices.size(), -1);
      for (size_t i = 0; i < executable.localIndices.size(); ++i) {
        part.indices[executable.localIndices[i]] = static_cast<int>(i);
      }
    }
    return part;
  }

  Status runMember(int member) {
    if (!shared) {
      return runHere(member);
    }
    Status status = shared->agree();
    if (status.ok()) {
      status = runHere(member);
    }
    if (!status.ok()) {
      shared->fail(
          status); // ends what others wait for, here and in other processes
    }
    return status;
  }

  Status runHere(int member) {
    XLA_RETURN_IF_ERROR(runs[member].awaitArguments(nullptr));
    return runs[member].runProgram();
  }

  void noteDuration() {
    compiled->noteDuration((std::chrono::steady_clock::now() - start) *
                           launchGroup.workers());
  }

  std::shared_ptr<CompiledProgram> compiled;
  std::vector<Run> runs;
  CompletionPointer finished;
  std::unique_ptr<JointLaunch> shared; ///< with other processes
  LaunchGroup launchGroup;
  std::chrono::steady_clock::time_point start;
};

/// The submission locks of some devices, in an order that is the same for all.
class SubmissionLocks {
public:
  explicit SubmissionLocks(std::vector<PJRT_Device *> devices) {
    std::sort(devices.begin(), devices.end(),
              [](const PJRT_Device *a, const PJRT_Device *b) {
                return a->localId < b->localId;
              });
    for (PJRT_Device *device : devices) {
      locks.emplace_back(device->queue.submission);
    }
  }
  void release() { locks.clear(); }

private:
  std::vector<std::unique_lock<std::mutex>> locks;
};
} // namespace

/// On how many threads the devices run.
static int chooseWorkers(const CompiledProgram &compiled, int devices,
                         bool isShared) {
  // Handlers may wait, and want a thread's own stack; so does a device that
  // waits for other processes, while another group of devices could go on.
  if (compiled.hasCalls || (isShared && compiled.hasCollectives)) {
    return devices;
  }
  int64_t expected = compiled.expectedNanoseconds.load();
  bool isShort = expected > 0 && expected < oneThreadNanoseconds;
  return isShort ? 1 : std::min(devices, ThreadPool::shared().threads());
}

static void fillOutputs(const Request &request, std::vector<Run> &runs,
                        const std::vector<PJRT_Device *> &devices,
                        const CompletionPointer &finished) {
  for (size_t i = 0; i < devices.size(); ++i) {
    runs[i].finished = finished;
    makeOutputs(request, runs[i].results, finished, devices[i],
                request.outputs(i));
    if (request.args.device_complete_events) {
      request.args.device_complete_events[i] = new PJRT_Event{finished};
    }
  }
}

/// Takes hold of all devices' arguments, or of none.
static Status gatherAll(const Request &request, std::vector<Run> &runs,
                        const std::vector<PJRT_Device *> &devices, bool joins) {
  for (size_t i = 0; i < devices.size(); ++i) {
    Status status = gather(request, runs[i], request.arguments(i),
                           joins ? &devices[i]->queue : nullptr);
    if (!status.ok()) {
      for (size_t j = 0; j < i; ++j) {
        giveBack(request, runs[j], request.arguments(j));
      }
      return status;
    }
  }
  return okStatus();
}

/// The part of other processes in the launch; null where all devices are here.
static StatusOr<std::unique_ptr<JointLaunch>>
beginShared(const Request &request, CompiledProgram &compiled, bool joins) {
  const PJRT_LoadedExecutable &executable = *request.args.executable;
  if (!executable.spansProcesses()) {
    return std::unique_ptr<JointLaunch>();
  }
  const std::string &name = compiled.signature().name;
  if (!joins) {
    return failedPrecondition(
        "\"" + name +
        "\" has devices of several processes, and its devices have no threads "
        "to wait for these: a callback of one of them called it, or the system "
        "refuses more threads");
  }
  auto text = [&compiled] { return compiled.sharedText(); };
  return executable.client->peers->begin(
      executable.clique, {compiled.sharedFingerprint(), name, text});
}

Status submitTogether(const Request &request,
                      const std::shared_ptr<CompiledProgram> &compiled,
                      const std::vector<PJRT_Device *> &devices) {
  auto size = static_cast<int>(devices.size());
  std::vector<Run> runs;
  runs.reserve(devices.size());
  for (PJRT_Device *device : devices) {
    runs.emplace_back(request, compiled, device);
  }
  SubmissionLocks locks(devices);
  bool isShared = request.args.executable->spansProcesses();
  int workers = chooseWorkers(*compiled, size, isShared);
  auto isOwn = [](PJRT_Device *device) { return device->queue.isHeldHere(); };
  bool isCallback = std::any_of(devices.begin(), devices.end(), isOwn);
  bool joins = !isCallback;
  for (int i = 0; joins && i < workers; ++i) {
    joins = devices[i]->queue.start();
  }
  if (!joins && compiled->hasCalls && compiled->hasCollectives) {
    return failedPrecondition(
        "\"" + compiled->signature().name +
        "\" has callbacks and collectives, and its devices have no threads for "
        "both: a callback of one of them called it, or the system refuses "
        "more threads");
  }
  StatusOr<std::unique_ptr<JointLaunch>> shared =
      beginShared(request, *compiled, joins);
  if (!shared.ok()) {
    return shared.status();
  }
  if (Status status = gatherAll(request, runs, devices, joins); !status.ok()) {
    if (isShared) {
      (*shared)->fail(status);
    }
    return status;
  }
  int64_t expected = compiled->expectedNanoseconds.load();
  long inputs = 0;
  bool areIdle = true;
  for (int i = 0; i < size; ++i) {
    inputs += static_cast<long>(runs[i].unready.size());
    areIdle &= devices[i]->queue.isIdle();
  }
  bool runsHere =
      !joins ||
      (!isShared && expected > 0 && expected < inlineNanoseconds &&
       !compiled->mayTakeLong && !compiled->hasCalls && inputs == 0 && areIdle);
  std::vector<DeviceQueue *> queues;
  for (PJRT_Device *device : devices) {
    queues.push_back(&device->queue);
  }
  if (runsHere) {
    locks.release();
    Launch launch(request, compiled, std::move(runs), std::move(queues), 1, 0,
                  nullptr);
    Status status = launch.runHere();
    fillOutputs(request, launch.allRuns(), devices,
                status.ok() ? Completion::done()
                            : Completion::of(std::move(status)));
    return okStatus();
  }
  std::vector<CompletionPointer> awaited;
  for (Run &run : runs) {
    run.addQueuedHolders(1);
    awaited.insert(awaited.end(), run.unready.begin(), run.unready.end());
  }
  auto launch =
      std::make_shared<Launch>(request, compiled, std::move(runs), queues,
                               workers, inputs, std::move(*shared));
  std::vector<std::weak_ptr<Completion>> &after = launch->completion()->after;
  after.assign(awaited.begin(), awaited.end());
  for (DeviceQueue *queue : queues) {
    after.push_back(std::exchange(queue->last, launch->completion()));
  }
  fillOutputs(request, launch->allRuns(), devices, launch->completion());
  for (DeviceQueue *queue : queues) {
    queue->enqueue(launch, compiled->allResultBytes());
  }
  locks.release();
  for (const CompletionPointer &input : awaited) {
    input->onReady([launch](const Status &) { launch->arrive(); });
  }
  launch->arrive();
  return okStatus();
}

} // namespace xla::pjrt
