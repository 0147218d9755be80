#include "jaxlib/pjrt/Buffer.h"

#include <chrono>
#include <condition_variable>
#include <mutex>

using namespace jaxlib;

//===----------------------------------------------------------------------===//
// Events
//===----------------------------------------------------------------------===//

Event::~Event() {
  if (theHandle == nullptr) {
    return;
  }
  JAXLIB_PJRT_ARGUMENTS(PJRT_Event_Destroy_Args, arguments);
  arguments.event = theHandle;
  (void)JAXLIB_PJRT_CALL(*thePlugin, PJRT_Event_Destroy, arguments);
}

Status Event::await() {
  if (theHandle == nullptr) {
    return Status();
  }
  JAXLIB_PJRT_ARGUMENTS(PJRT_Event_Await_Args, arguments);
  arguments.event = theHandle;
  return JAXLIB_PJRT_CALL(*thePlugin, PJRT_Event_Await, arguments);
}

namespace {
/// Told by the plugin when an event is over; may outlive who waits.
struct Completion {
  std::mutex mutex;
  std::condition_variable changed;
  bool isOver = false;
};
} // namespace

/// PJRT_Event_OnReady's callback; owns `argument` and the error.
static void notifyCompletion(PJRT_Error *error, void *argument) {
  std::unique_ptr<std::pair<std::shared_ptr<Completion>, const Plugin *>> told(
      static_cast<std::pair<std::shared_ptr<Completion>, const Plugin *> *>(
          argument));
  if (error != nullptr) {
    JAXLIB_PJRT_ARGUMENTS(PJRT_Error_Destroy_Args, arguments);
    arguments.error = error;
    told->second->table().PJRT_Error_Destroy(&arguments);
  }
  std::lock_guard<std::mutex> lock(told->first->mutex);
  told->first->isOver = true;
  told->first->changed.notify_all();
}

Status Event::awaitWhile(const std::function<bool()> &goesOn) {
  StatusOr<bool> ready = isReady();
  if (!ready.ok() || *ready ||
      !thePlugin->has(offsetof(PJRT_Api, PJRT_Event_OnReady))) {
    return await(); // how it ended
  }
  auto completion = std::make_shared<Completion>();
  JAXLIB_PJRT_ARGUMENTS(PJRT_Event_OnReady_Args, arguments);
  arguments.event = theHandle;
  arguments.callback = notifyCompletion;
  arguments.user_arg =
      new std::pair<std::shared_ptr<Completion>, const Plugin *>(completion,
                                                                 thePlugin);
  XLA_RETURN_IF_ERROR(
      JAXLIB_PJRT_CALL(*thePlugin, PJRT_Event_OnReady, arguments));
  std::unique_lock<std::mutex> lock(completion->mutex);
  while (!completion->changed.wait_for(lock, std::chrono::milliseconds(50),
                                       [&] { return completion->isOver; })) {
    lock.unlock();
    if (!goesOn()) {
      return Status(xla::StatusCode::Cancelled, "the wait was interrupted");
    }
    lock.lock();
  }
  lock.unlock();
  return await();
}

StatusOr<bool> Event::isReady() const {
  if (theHandle == nullptr) {
    return true;
  }
  JAXLIB_PJRT_ARGUMENTS(PJRT_Event_IsReady_Args, arguments);
  arguments.event = theHandle;
  XLA_RETURN_IF_ERROR(
      JAXLIB_PJRT_CALL(*thePlugin, PJRT_Event_IsReady, arguments));
  return arguments.is_ready;
}

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

Buffer::~Buffer() {
  if (theHandle == nullptr) {
    return;
  }
  JAXLIB_PJRT_ARGUMENTS(PJRT_Buffer_Destroy_Args, arguments);
  arguments.buffer = theHandle;
  (void)JAXLIB_PJRT_CALL(plugin(), PJRT_Buffer_Destroy, arguments);
}

StatusOr<std::shared_ptr<Buffer>>
Buffer::fromHost(const HostArray &array, Device &device, Memory *memory) {
  XLA_RETURN_IF_ERROR(device.client->checkPresent("putting an array"));
  const Plugin &plugin = device.client->plugin();
  JAXLIB_PJRT_ARGUMENTS(PJRT_Client_BufferFromHostBuffer_Args, arguments);
  arguments.client = device.client->handle();
  arguments.data = array.data;
  arguments.type = static_cast<PJRT_Buffer_Type>(array.type);
  arguments.dims = array.dimensions.data();
  arguments.num_dims = array.dimensions.size();
  arguments.byte_strides =
      array.byteStrides.empty() ? nullptr : array.byteStrides.data();
  arguments.num_byte_strides = array.byteStrides.size();
  arguments.host_buffer_semantics =
      PJRT_HostBufferSemantics_kImmutableOnlyDuringCall;
  if (memory != nullptr) {
    arguments.memory = memory->handle;
  } else {
    arguments.device = device.handle;
  }
  XLA_RETURN_IF_ERROR(
      JAXLIB_PJRT_CALL(plugin, PJRT_Client_BufferFromHostBuffer, arguments));
  auto buffer = std::make_shared<Buffer>(device.client->shared_from_this(),
                                         arguments.buffer);
  Event done(plugin, arguments.done_with_host_buffer);
  XLA_RETURN_IF_ERROR(done.await());
  return buffer;
}

StatusOr<std::shared_ptr<Buffer>>
Buffer::viewOf(const HostArray &array, Device &device,
               void (*onRelease)(void *, void *), void *argument) {
  XLA_RETURN_IF_ERROR(device.client->checkPresent("putting an array"));
  JAXLIB_PJRT_ARGUMENTS(PJRT_Client_CreateViewOfDeviceBuffer_Args, arguments);
  arguments.client = device.client->handle();
  arguments.device_buffer_ptr = const_cast<void *>(array.data);
  arguments.element_type = static_cast<PJRT_Buffer_Type>(array.type);
  arguments.dims = array.dimensions.data();
  arguments.num_dims = array.dimensions.size();
  arguments.device = device.handle;
  arguments.on_delete_callback = onRelease;
  arguments.on_delete_callback_arg = argument;
  XLA_RETURN_IF_ERROR(JAXLIB_PJRT_CALL(device.client->plugin(),
                                       PJRT_Client_CreateViewOfDeviceBuffer,
                                       arguments));
  return std::make_shared<Buffer>(device.client->shared_from_this(),
                                  arguments.buffer);
}

StatusOr<xla::Shape> Buffer::shape() const {
  JAXLIB_PJRT_ARGUMENTS(PJRT_Buffer_ElementType_Args, type);
  type.buffer = theHandle;
  XLA_RETURN_IF_ERROR(
      JAXLIB_PJRT_CALL(plugin(), PJRT_Buffer_ElementType, type));
  JAXLIB_PJRT_ARGUMENTS(PJRT_Buffer_Dimensions_Args, dimensions);
  dimensions.buffer = theHandle;
  XLA_RETURN_IF_ERROR(
      JAXLIB_PJRT_CALL(plugin(), PJRT_Buffer_Dimensions, dimensions));
  return xla::Shape{static_cast<xla::ElementType>(type.type),
                    {dimensions.dims, dimensions.dims + dimensions.num_dims}};
}

StatusOr<Device *> Buffer::device() const {
  JAXLIB_PJRT_ARGUMENTS(PJRT_Buffer_Device_Args, arguments);
  arguments.buffer = theHandle;
  XLA_RETURN_IF_ERROR(
      JAXLIB_PJRT_CALL(plugin(), PJRT_Buffer_Device, arguments));
  Device *device = client().findDevice(arguments.device);
  if (device == nullptr) {
    return xla::internalError("the plugin " + plugin().origin() +
                              " names a buffer's device that it never listed");
  }
  return device;
}

StatusOr<Memory *> Buffer::memory() const {
  JAXLIB_PJRT_ARGUMENTS(PJRT_Buffer_Memory_Args, arguments);
  arguments.buffer = theHandle;
  Status status = JAXLIB_PJRT_CALL(plugin(), PJRT_Buffer_Memory, arguments);
  if (status.code() == xla::StatusCode::Unimplemented) {
    return static_cast<Memory *>(nullptr);
  }
  XLA_RETURN_IF_ERROR(status);
  return client().findMemory(arguments.memory);
}

StatusOr<int64_t> Buffer::sizeOnDevice() const {
  JAXLIB_PJRT_ARGUMENTS(PJRT_Buffer_OnDeviceSizeInBytes_Args, arguments);
  arguments.buffer = theHandle;
  XLA_RETURN_IF_ERROR(
      JAXLIB_PJRT_CALL(plugin(), PJRT_Buffer_OnDeviceSizeInBytes, arguments));
  return static_cast<int64_t>(arguments.on_device_size_in_bytes);
}

StatusOr<uintptr_t> Buffer::unsafePointer() const {
  JAXLIB_PJRT_ARGUMENTS(PJRT_Buffer_UnsafePointer_Args, arguments);
  arguments.buffer = theHandle;
  XLA_RETURN_IF_ERROR(
      JAXLIB_PJRT_CALL(plugin(), PJRT_Buffer_UnsafePointer, arguments));
  return arguments.buffer_pointer;
}

bool Buffer::isDeleted() const {
  JAXLIB_PJRT_ARGUMENTS(PJRT_Buffer_IsDeleted_Args, arguments);
  arguments.buffer = theHandle;
  Status status = JAXLIB_PJRT_CALL(plugin(), PJRT_Buffer_IsDeleted, arguments);
  return !status.ok() || arguments.is_deleted;
}

Status Buffer::free() {
  JAXLIB_PJRT_ARGUMENTS(PJRT_Buffer_Delete_Args, arguments);
  arguments.buffer = theHandle;
  return JAXLIB_PJRT_CALL(plugin(), PJRT_Buffer_Delete, arguments);
}

StatusOr<Event> Buffer::readyEvent() const {
  JAXLIB_PJRT_ARGUMENTS(PJRT_Buffer_ReadyEvent_Args, arguments);
  arguments.buffer = theHandle;
  XLA_RETURN_IF_ERROR(
      JAXLIB_PJRT_CALL(plugin(), PJRT_Buffer_ReadyEvent, arguments));
  return Event(plugin(), arguments.event);
}

Status Buffer::await() const {
  StatusOr<Event> event = readyEvent();
  return event.ok() ? event->await() : event.status();
}

StatusOr<bool> Buffer::isReady() const {
  StatusOr<Event> event = readyEvent();
  if (!event.ok()) {
    return event.status();
  }
  return event->isReady();
}

StatusOr<std::shared_ptr<Buffer>> Buffer::copyTo(Device &device,
                                                 Memory *memory) const {
  XLA_RETURN_IF_ERROR(device.client->checkPresent("copying an array"));
  Memory *target = memory != nullptr ? memory : device.defaultMemory;
  if (target != nullptr) {
    JAXLIB_PJRT_ARGUMENTS(PJRT_Buffer_CopyToMemory_Args, arguments);
    arguments.buffer = theHandle;
    arguments.dst_memory = target->handle;
    XLA_RETURN_IF_ERROR(
        JAXLIB_PJRT_CALL(plugin(), PJRT_Buffer_CopyToMemory, arguments));
    return std::make_shared<Buffer>(theClient, arguments.dst_buffer);
  }
  JAXLIB_PJRT_ARGUMENTS(PJRT_Buffer_CopyToDevice_Args, arguments);
  arguments.buffer = theHandle;
  arguments.dst_device = device.handle;
  XLA_RETURN_IF_ERROR(
      JAXLIB_PJRT_CALL(plugin(), PJRT_Buffer_CopyToDevice, arguments));
  return std::make_shared<Buffer>(theClient, arguments.dst_buffer);
}

Status Buffer::copyToHost(void *destination, size_t size) const {
  StatusOr<xla::Shape> facts = shape();
  if (!facts.ok()) {
    return facts.status();
  }
  size_t rank = facts->dimensions.size();
  std::vector<int64_t> minorToMajor(rank);
  for (size_t i = 0; i < rank; ++i) {
    minorToMajor[i] = static_cast<int64_t>(rank - 1 - i);
  }
  PJRT_Buffer_MemoryLayout layout;
  __builtin_memset(&layout, 0, sizeof(layout));
  layout.struct_size = PJRT_Buffer_MemoryLayout_STRUCT_SIZE;
  layout.type = PJRT_Buffer_MemoryLayout_Type_Tiled;
  layout.tiled.struct_size = PJRT_Buffer_MemoryLayout_Tiled_STRUCT_SIZE;
  layout.tiled.minor_to_major = minorToMajor.data();
  layout.tiled.minor_to_major_size = rank;

  JAXLIB_PJRT_ARGUMENTS(PJRT_Buffer_ToHostBuffer_Args, arguments);
  arguments.src = theHandle;
  arguments.host_layout = &layout;
  arguments.dst = destination;
  arguments.dst_size = size;
  XLA_RETURN_IF_ERROR(
      JAXLIB_PJRT_CALL(plugin(), PJRT_Buffer_ToHostBuffer, arguments));
  return Event(plugin(), arguments.event).await();
}

StatusOr<bool> Buffer::isRowMajorOnHost() const {
  JAXLIB_PJRT_ARGUMENTS(PJRT_Buffer_IsOnCpu_Args, onCpu);
  onCpu.buffer = theHandle;
  Status status = JAXLIB_PJRT_CALL(plugin(), PJRT_Buffer_IsOnCpu, onCpu);
  if (!status.ok() || !onCpu.is_on_cpu) {
    return false;
  }
  JAXLIB_PJRT_ARGUMENTS(PJRT_Buffer_GetMemoryLayout_Args, arguments);
  arguments.buffer = theHandle;
  status = JAXLIB_PJRT_CALL(plugin(), PJRT_Buffer_GetMemoryLayout, arguments);
  const PJRT_Buffer_MemoryLayout &layout = arguments.layout;
  if (!status.ok() || layout.type != PJRT_Buffer_MemoryLayout_Type_Tiled ||
      layout.tiled.num_tiles != 0) {
    return false;
  }
  size_t rank = layout.tiled.minor_to_major_size;
  for (size_t i = 0; i < rank; ++i) {
    if (layout.tiled.minor_to_major[i] != static_cast<int64_t>(rank - 1 - i)) {
      return false;
    }
  }
  return true;
}

/// Whether a device may hold elements of this type packed, several in a byte.
static bool mayBePacked(xla::ElementType type) {
  switch (type) {
  case xla::ElementType::S2:
  case xla::ElementType::U2:
  case xla::ElementType::S4:
  case xla::ElementType::U4:
  case xla::ElementType::F4E2M1FN:
    return true;
  default:
    return false;
  }
}

StatusOr<const void *> Buffer::pin() const {
  JAXLIB_PJRT_ARGUMENTS(PJRT_Buffer_ElementType_Args, type);
  type.buffer = theHandle;
  XLA_RETURN_IF_ERROR(
      JAXLIB_PJRT_CALL(plugin(), PJRT_Buffer_ElementType, type));
  StatusOr<bool> inPlace = isRowMajorOnHost();
  if (!inPlace.ok()) {
    return inPlace.status();
  }
  if (!*inPlace || mayBePacked(static_cast<xla::ElementType>(type.type))) {
    return static_cast<const void *>(nullptr);
  }
  JAXLIB_PJRT_ARGUMENTS(PJRT_Buffer_IncreaseExternalReferenceCount_Args, hold);
  hold.buffer = theHandle;
  XLA_RETURN_IF_ERROR(JAXLIB_PJRT_CALL(
      plugin(), PJRT_Buffer_IncreaseExternalReferenceCount, hold));
  JAXLIB_PJRT_ARGUMENTS(PJRT_Buffer_OpaqueDeviceMemoryDataPointer_Args,
                        address);
  address.buffer = theHandle;
  Status status = JAXLIB_PJRT_CALL(
      plugin(), PJRT_Buffer_OpaqueDeviceMemoryDataPointer, address);
  if (!status.ok() || address.device_memory_ptr == nullptr) {
    unpin();
    XLA_RETURN_IF_ERROR(status);
  }
  return static_cast<const void *>(address.device_memory_ptr);
}

void Buffer::unpin() const {
  JAXLIB_PJRT_ARGUMENTS(PJRT_Buffer_DecreaseExternalReferenceCount_Args, drop);
  drop.buffer = theHandle;
  (void)JAXLIB_PJRT_CALL(plugin(), PJRT_Buffer_DecreaseExternalReferenceCount,
                         drop);
}
