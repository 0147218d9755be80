#include "xla/pjrt/common/Buffer.h"
#include "xla/pjrt/common/Error.h"
#include "xla/pjrt/common/Functions.h"
#include "xla/runtime/StridedCopy.h"

#include <cstring>

using namespace xla;
using namespace xla::pjrt;

namespace {
/// One buffer that is being filled from the host.
struct Target {
  std::unique_ptr<PJRT_Buffer> buffer; ///< until the client retrieves it
  StoragePointer storage;
  CompletionPointer ready;
  int64_t bytes;
};
} // namespace

/// Buffers that exist before their content, which arrives in pieces.
struct PJRT_AsyncHostToDeviceTransferManager {
  PJRT_Device *device;
  std::mutex mutex; ///< guards each target's `buffer`
  std::vector<Target> targets;

  /// What nobody will fill any more is an error for those who wait for it.
  ~PJRT_AsyncHostToDeviceTransferManager() {
    for (Target &target : targets) {
      target.ready->set(Status(
          StatusCode::Cancelled,
          "the transfer manager was destroyed before the last piece arrived"));
    }
  }
};

namespace xla::pjrt {

static StatusOr<Target> makeTarget(PJRT_Memory *memory,
                                   const PJRT_ShapeSpec &spec,
                                   const PJRT_Buffer_MemoryLayout *layout) {
  StatusOr<SizedShape> sized =
      readShape(spec.element_type, spec.dims, spec.num_dims);
  if (!sized.ok()) {
    return sized.status();
  }
  XLA_RETURN_IF_ERROR(readLayout(layout, sized->shape));
  StatusOr<StoragePointer> storage =
      Storage::allocate(sized->bytes, memory->device->account);
  if (!storage.ok()) {
    return storage.status();
  }
  auto ready = std::make_shared<Completion>();
  auto buffer = std::make_unique<PJRT_Buffer>(
      memory, sized->shape, sized->bytes, Content{*storage, ready});
  return Target{std::move(buffer), *storage, ready, sized->bytes};
}

PJRT_Error *Client_CreateBuffersForAsyncHostToDevice(
    PJRT_Client_CreateBuffersForAsyncHostToDevice_Args *args) {
  XLA_PJRT_REQUIRE(args, PJRT_Client_CreateBuffersForAsyncHostToDevice_Args,
                   client);
  StatusOr<PJRT_Memory *> memory =
      chooseMemory(args->client, nullptr, args->memory);
  if (!memory.ok()) {
    return makeError(memory.status());
  }
  if (args->num_shape_specs > 0 && !args->shape_specs) {
    return missingField("PJRT_Client_CreateBuffersForAsyncHostToDevice_Args",
                        "shape_specs");
  }
  bool hasLayouts = args->device_layouts && args->num_device_layouts > 0;
  if (hasLayouts && args->num_device_layouts != args->num_shape_specs) {
    return makeError(invalidArgument(
        "PJRT_Client_CreateBuffersForAsyncHostToDevice: " +
        std::to_string(args->num_shape_specs) + " shapes and " +
        std::to_string(args->num_device_layouts) + " layouts were given"));
  }
  auto manager = std::make_unique<PJRT_AsyncHostToDeviceTransferManager>();
  manager->device = (*memory)->device;
  for (size_t i = 0; i < args->num_shape_specs; ++i) {
    StatusOr<Target> target =
        makeTarget(*memory, args->shape_specs[i],
                   hasLayouts ? args->device_layouts[i] : nullptr);
    if (!target.ok()) {
      return makeError(target.status());
    }
    manager->targets.push_back(std::move(*target));
  }
  args->transfer_manager = manager.release();
  return nullptr;
}

/// The target with a number from the client, or null.
static Target *findTarget(PJRT_AsyncHostToDeviceTransferManager &manager,
                          int index) {
  return index >= 0 && static_cast<size_t>(index) < manager.targets.size()
             ? &manager.targets[index]
             : nullptr;
}

static PJRT_Error *
noSuchTarget(const PJRT_AsyncHostToDeviceTransferManager &manager, int index) {
  return makeError(invalidArgument(
      "a transfer manager of " + std::to_string(manager.targets.size()) +
      " buffers has no buffer " + std::to_string(index)));
}

PJRT_Error *AsyncHostToDeviceTransferManager_Destroy(
    PJRT_AsyncHostToDeviceTransferManager_Destroy_Args *args) {
  XLA_PJRT_REQUIRE_STRUCT(args,
                          PJRT_AsyncHostToDeviceTransferManager_Destroy_Args);
  delete args->transfer_manager;
  return nullptr;
}

PJRT_Error *AsyncHostToDeviceTransferManager_TransferData(
    PJRT_AsyncHostToDeviceTransferManager_TransferData_Args *args) {
  XLA_PJRT_REQUIRE(args,
                   PJRT_AsyncHostToDeviceTransferManager_TransferData_Args,
                   transfer_manager);
  Target *target = findTarget(*args->transfer_manager, args->buffer_index);
  if (!target) {
    return noSuchTarget(*args->transfer_manager, args->buffer_index);
  }
  if (args->offset < 0 || args->transfer_size < 0 ||
      args->offset > target->bytes ||
      args->transfer_size > target->bytes - args->offset) {
    return makeError(invalidArgument(
        "a transfer of " + std::to_string(args->transfer_size) +
        " bytes to offset " + std::to_string(args->offset) +
        " does not fit into a buffer of " + std::to_string(target->bytes)));
  }
  if (target->ready->isReady()) {
    return makeError(failedPrecondition(
        "a transfer to a buffer that is complete or failed already"));
  }
  if (args->transfer_size > 0) {
    if (!args->data) {
      return missingField(
          "PJRT_AsyncHostToDeviceTransferManager_TransferData_Args", "data");
    }
    copyBytes(static_cast<char *>(target->storage->data()) + args->offset,
              args->data, args->transfer_size);
  }
  if (args->is_last_transfer) {
    target->ready->set(okStatus());
  }
  args->done_with_h2d_transfer = new PJRT_Event{Completion::done()};
  return nullptr;
}

PJRT_Error *AsyncHostToDeviceTransferManager_RetrieveBuffer(
    PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer_Args *args) {
  XLA_PJRT_REQUIRE(args,
                   PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer_Args,
                   transfer_manager);
  Target *target = findTarget(*args->transfer_manager, args->buffer_index);
  if (!target) {
    return noSuchTarget(*args->transfer_manager, args->buffer_index);
  }
  std::lock_guard<std::mutex> lock(args->transfer_manager->mutex);
  if (!target->buffer) {
    return makeError(failedPrecondition("buffer " +
                                        std::to_string(args->buffer_index) +
                                        " was retrieved already"));
  }
  args->buffer_out = target->buffer.release();
  return nullptr;
}

PJRT_Error *AsyncHostToDeviceTransferManager_Device(
    PJRT_AsyncHostToDeviceTransferManager_Device_Args *args) {
  XLA_PJRT_REQUIRE(args, PJRT_AsyncHostToDeviceTransferManager_Device_Args,
                   transfer_manager);
  args->device_out = args->transfer_manager->device;
  return nullptr;
}

PJRT_Error *AsyncHostToDeviceTransferManager_BufferCount(
    PJRT_AsyncHostToDeviceTransferManager_BufferCount_Args *args) {
  XLA_PJRT_REQUIRE(args, PJRT_AsyncHostToDeviceTransferManager_BufferCount_Args,
                   transfer_manager);
  args->buffer_count = args->transfer_manager->targets.size();
  return nullptr;
}

PJRT_Error *AsyncHostToDeviceTransferManager_BufferSize(
    PJRT_AsyncHostToDeviceTransferManager_BufferSize_Args *args) {
  XLA_PJRT_REQUIRE(args, PJRT_AsyncHostToDeviceTransferManager_BufferSize_Args,
                   transfer_manager);
  Target *target = findTarget(*args->transfer_manager, args->buffer_index);
  if (!target) {
    return noSuchTarget(*args->transfer_manager, args->buffer_index);
  }
  args->buffer_size = static_cast<size_t>(target->bytes);
  return nullptr;
}

PJRT_Error *AsyncHostToDeviceTransferManager_SetBufferError(
    PJRT_AsyncHostToDeviceTransferManager_SetBufferError_Args *args) {
  XLA_PJRT_REQUIRE(args,
                   PJRT_AsyncHostToDeviceTransferManager_SetBufferError_Args,
                   transfer_manager);
  Target *target = findTarget(*args->transfer_manager, args->buffer_index);
  if (!target) {
    return noSuchTarget(*args->transfer_manager, args->buffer_index);
  }
  if (args->error_code <= PJRT_Error_Code_OK ||
      args->error_code > PJRT_Error_Code_UNAUTHENTICATED) {
    return makeError(invalidArgument("a buffer's error has the code " +
                                     std::to_string(args->error_code) +
                                     ", which is none of an error"));
  }
  std::string message;
  if (args->error_message) {
    message.assign(args->error_message, args->error_message_size);
  }
  target->ready->set(
      Status(static_cast<StatusCode>(args->error_code), std::move(message)));
  return nullptr;
}

PJRT_Error *AsyncHostToDeviceTransferManager_AddMetadata(
    PJRT_AsyncHostToDeviceTransferManager_AddMetadata_Args *args) {
  XLA_PJRT_REQUIRE(args, PJRT_AsyncHostToDeviceTransferManager_AddMetadata_Args,
                   transfer_manager);
  return nullptr; // notes for the transfer's log, of which there is none
}

} // namespace xla::pjrt
