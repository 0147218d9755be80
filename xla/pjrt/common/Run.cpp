#include "xla/pjrt/common/Run.h"

#include "xla/pjrt/common/Buffer.h"
#include "xla/pjrt/common/Executable.h"
#include "xla/pjrt/common/Platform.h"
#include "xla/runtime/Allocator.h"

#include <array>
#include <cstring>

namespace xla::pjrt {

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

Run::Run(const Request &request, std::shared_ptr<CompiledProgram> program,
         PJRT_Device *device)
    : compiled(std::move(program)), userData(request.userData),
      account(device->account), isRecorded(request.isRecorded) {
  context.deviceOrdinal = device->localId;
  context.launchId = request.launchId;
  context.ffiUserData = userData.get();
}

void Run::addQueuedHolders(long change) {
  for (const StoragePointer &storage : arguments) {
    storage->queuedHolders.fetch_add(change);
  }
  for (const StoragePointer &storage : results) {
    storage->queuedHolders.fetch_add(change);
  }
}

void Run::leave(DeviceQueue &queue) {
  std::vector<StoragePointer> uncounted; // whose end may take time or call back
  std::lock_guard<std::mutex> counting(queue.holders);
  addQueuedHolders(-1);
  for (std::vector<StoragePointer> *list : {&arguments, &results}) {
    for (StoragePointer &storage : *list) {
      if (!storage->isOurs() || storage.use_count() == 1) {
        uncounted.push_back(std::move(storage));
      }
    }
    list->clear();
  }
}

/// Views of foreign memory may have any address, programs' arguments may not:
/// replaces what is not aligned, or not where a device sees it, by a copy.
Status Run::alignArguments(std::span<void *> pointers,
                           std::vector<StoragePointer> &copies) const {
  bool isSeen = platform().seesHostMemory;
  for (size_t i = 0; i < arguments.size(); ++i) {
    bool isAligned = reinterpret_cast<uintptr_t>(pointers[i]) %
                         CachingAllocator::alignment ==
                     0;
    if (isAligned && (isSeen || arguments[i]->isOurs())) {
      continue;
    }
    size_t bytes = arguments[i]->bytes();
    StatusOr<StoragePointer> copy = Storage::allocate(bytes, account);
    if (!copy.ok()) {
      return copy.status();
    }
    if (bytes > 0) {
      std::memcpy((*copy)->data(), pointers[i], bytes);
    }
    pointers[i] = (*copy)->data();
    copies.push_back(std::move(*copy));
  }
  return okStatus();
}

Status Run::awaitArguments(DeviceQueue *queue) const {
  for (const CompletionPointer &argument : unready) {
    bool holdsQueue = queue && !argument->isReady();
    if (holdsQueue) {
      queue->setWaitingForInputs(true);
    }
    Status status = argument->wait();
    if (holdsQueue) {
      queue->setWaitingForInputs(false);
    }
    XLA_RETURN_IF_ERROR(status);
  }
  return okStatus();
}

Status Run::runProgram() const {
  size_t count = arguments.size() + results.size();
  std::array<void *, 16> few;
  std::vector<void *> many(count > few.size() ? count : 0);
  std::span<void *> pointers(many.empty() ? few.data() : many.data(), count);
  for (size_t i = 0; i < arguments.size(); ++i) {
    pointers[i] = arguments[i]->data();
  }
  for (size_t i = 0; i < results.size(); ++i) {
    pointers[arguments.size() + i] = results[i]->data();
  }
  std::vector<StoragePointer> copies;
  XLA_RETURN_IF_ERROR(alignArguments(pointers, copies));
  TemporaryUse temporaries(*account, compiled->temporaryBytes);
  void **outputs = pointers.data() + arguments.size();
  if (isRecorded) {
    return runRecorded(*compiled, context, pointers.data(), outputs);
  }
  return compiled->program().run(context, pointers.data(), outputs);
}

//===----------------------------------------------------------------------===//
// Taking hold
//===----------------------------------------------------------------------===//

static void holdArgument(Run &run, size_t index, Content content) {
  const CompletionPointer &ready = content.ready;
  if (ready && !(ready->isReady() && ready->status().ok())) {
    run.unready.push_back(std::move(content.ready));
  }
  run.arguments[index] = std::move(content.storage);
}

static Status allocateResult(Run &run, size_t index) {
  StatusOr<StoragePointer> storage =
      Storage::allocate(run.compiled->resultBytes[index], run.account);
  if (!storage.ok()) {
    return storage.status();
  }
  run.results[index] = std::move(*storage);
  return okStatus();
}

/// Takes a donated argument; its result gets its memory, or other memory.
static Status takeDonated(const Request &request, Run &run, size_t index,
                          PJRT_Buffer *buffer, DeviceQueue *joined) {
  StatusOr<PJRT_Buffer::Donated> donated = buffer->donate(joined);
  if (!donated.ok()) {
    return donated.status();
  }
  auto result = static_cast<size_t>(request.resultOf(index));
  if (donated->mayOverwrite) {
    run.results[result] = donated->content.storage;
  } else if (Status status = allocateResult(run, result); !status.ok()) {
    buffer->takeBack(std::move(donated->content.storage));
    return status;
  }
  holdArgument(run, index, std::move(donated->content));
  return okStatus();
}

Status gather(const Request &request, Run &run, PJRT_Buffer *const *buffers,
              DeviceQueue *joined) {
  run.arguments.resize(request.compiled.argumentBytes.size());
  run.results.resize(request.compiled.resultBytes.size());
  for (size_t i = 0; i < run.arguments.size(); ++i) {
    if (request.resultOf(i) < 0) {
      StatusOr<Content> content = buffers[i]->contentToAwait();
      if (!content.ok()) {
        return content.status();
      }
      holdArgument(run, i, std::move(*content));
    }
  }
  const bool donates = !request.compiled.signature().donations.empty();
  std::vector<bool> awaitsDonation(donates ? run.results.size() : 0);
  for (size_t i = 0; donates && i < run.arguments.size(); ++i) {
    if (request.resultOf(i) >= 0) {
      awaitsDonation[request.resultOf(i)] = true;
    }
  }
  for (size_t i = 0; i < run.results.size(); ++i) {
    if (!donates || !awaitsDonation[i]) {
      XLA_RETURN_IF_ERROR(allocateResult(run, i));
    }
  }
  for (size_t i = 0; i < run.arguments.size(); ++i) {
    if (request.resultOf(i) < 0) {
      continue;
    }
    if (Status status = takeDonated(request, run, i, buffers[i], joined);
        !status.ok()) {
      run.arguments.resize(i);
      giveBack(request, run, buffers);
      return status;
    }
  }
  return okStatus();
}

void giveBack(const Request &request, Run &run, PJRT_Buffer *const *buffers) {
  for (size_t i = 0; i < run.arguments.size(); ++i) {
    if (request.resultOf(i) >= 0) {
      buffers[i]->takeBack(std::move(run.arguments[i]));
    }
  }
}

void makeOutputs(const Request &request, std::vector<StoragePointer> results,
                 const CompletionPointer &finished, PJRT_Device *device,
                 PJRT_Buffer **outputs) {
  const ProgramSignature &signature = request.compiled.signature();
  for (size_t i = 0; i < results.size(); ++i) {
    PJRT_Memory *memory = device->memories[request.compiled.resultMemories[i]];
    outputs[i] = new PJRT_Buffer(memory, signature.results[i],
                                 request.compiled.resultBytes[i],
                                 {std::move(results[i]), finished});
  }
}

} // namespace xla::pjrt
