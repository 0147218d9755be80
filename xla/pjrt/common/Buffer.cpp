#include "xla/pjrt/common/Buffer.h"

#include "xla/pjrt/common/Error.h"
#include "xla/pjrt/common/Functions.h"

#include <algorithm>
#include <utility>

using namespace xla;
using namespace xla::pjrt;

PJRT_Buffer::PJRT_Buffer(PJRT_Memory *memory, Shape shape, int64_t bytes,
                         Content content)
    : memory(memory), shape(std::move(shape)), bytes(bytes),
      theContent(std::move(content)), layout(layoutOf(this->shape)) {}

StatusOr<Content> PJRT_Buffer::content() const {
  std::lock_guard<std::mutex> lock(mutex);
  if (!theContent.storage) {
    return bufferIsGone();
  }
  return theContent;
}

StatusOr<Content> PJRT_Buffer::contentToAwait() const {
  std::lock_guard<std::mutex> lock(mutex);
  if (!theContent.storage) {
    return bufferIsGone();
  }
  const CompletionPointer &ready = theContent.ready;
  bool isThere = ready->isReady() && ready->status().ok();
  return Content{theContent.storage, isThere ? nullptr : ready};
}

CompletionPointer PJRT_Buffer::ready() const {
  std::lock_guard<std::mutex> lock(mutex);
  return theContent.storage ? theContent.ready : Completion::of(bufferIsGone());
}

bool PJRT_Buffer::isDeleted() const {
  std::lock_guard<std::mutex> lock(mutex);
  return !theContent.storage;
}

void PJRT_Buffer::deleteContent() {
  StoragePointer released; // outlives the lock: its end may call back
  std::lock_guard<std::mutex> lock(mutex);
  released = std::move(theContent.storage);
  theContent.storage = nullptr;
}

StatusOr<PJRT_Buffer::Donated> PJRT_Buffer::donate(DeviceQueue *joined) {
  std::lock_guard<std::mutex> lock(mutex);
  if (!theContent.storage) {
    return bufferIsGone();
  }
  Storage &storage = *theContent.storage;
  // Holders that are not in the queue (a copy to the host, a program that
  // runs on this thread, a pinned view) may read at any time.
  std::unique_lock<std::mutex> counting;
  long queued = 0;
  if (joined) {
    counting = std::unique_lock(joined->holders);
    queued = storage.queuedHolders.load();
  }
  long unqueued = theContent.storage.use_count() - queued;
  bool mayOverwrite =
      storage.isOurs() && externalReferences == 0 && unqueued == 1;
  Donated donated{{std::move(theContent.storage), theContent.ready},
                  mayOverwrite};
  theContent.storage = nullptr;
  return donated;
}

void PJRT_Buffer::takeBack(StoragePointer storage) {
  std::lock_guard<std::mutex> lock(mutex);
  theContent.storage = std::move(storage);
}

Status PJRT_Buffer::addExternalReference() {
  std::lock_guard<std::mutex> lock(mutex);
  if (!theContent.storage) {
    return bufferIsGone();
  }
  ++externalReferences;
  pinned = theContent.storage;
  return okStatus();
}

Status PJRT_Buffer::removeExternalReference() {
  StoragePointer released; // outlives the lock: its end may call back
  std::lock_guard<std::mutex> lock(mutex);
  if (externalReferences == 0) {
    return invalidArgument("PJRT_Buffer_DecreaseExternalReferenceCount: the "
                           "buffer has no external reference");
  }
  if (--externalReferences == 0) {
    released = std::move(pinned);
    pinned = nullptr;
  }
  return okStatus();
}

namespace xla::pjrt {

Status bufferIsGone() {
  return invalidArgument("Buffer has been deleted or donated.");
}

StatusOr<SizedShape> readShape(PJRT_Buffer_Type type, const int64_t *dims,
                               size_t rank) {
  if (rank > 0 && !dims) {
    return invalidArgument("an array's dimensions are NULL, and its rank is " +
                           std::to_string(rank));
  }
  auto number = static_cast<int64_t>(type);
  if (number <= 0 || number > int64_t(ElementType::F4E2M1FN)) {
    return unimplemented(platform().plugin() +
                         " has no element type with the PJRT number " +
                         std::to_string(number));
  }
  SizedShape result;
  result.shape.type = static_cast<ElementType>(number);
  if (rank > 0) {
    result.shape.dimensions.assign(dims, dims + rank);
  }
  std::optional<int64_t> bytes = byteSize(result.shape);
  if (!bytes) {
    return invalidArgument("an array's shape is " + toString(result.shape) +
                           ": a dimension is negative, or its size exceeds "
                           "2^62 bytes");
  }
  result.bytes = *bytes;
  return result;
}

StatusOr<PJRT_Memory *> chooseMemory(PJRT_Client *client, PJRT_Device *device,
                                     PJRT_Memory *memory) {
  if (!memory && !device) {
    return invalidArgument(
        "neither a device nor a memory was named; name one of them");
  }
  if (!memory && !device->isAddressable()) {
    return otherProcessError(*device);
  }
  PJRT_Memory *chosen = memory ? memory : device->memories.front();
  if (client && chosen->device->client != client) {
    return invalidArgument("the device or memory belongs to another client");
  }
  return chosen;
}

static Status badLayout(const Shape &shape, const char *why) {
  return invalidArgument("a memory layout for " + toString(shape) + " " + why);
}

static Status readTiled(const PJRT_Buffer_MemoryLayout_Tiled &tiled,
                        Shape &shape) {
  size_t rank = shape.dimensions.size();
  if (tiled.num_tiles != 0) {
    return unimplemented(
        "a memory layout with tiles was requested; arrays of " +
        platform().plugin() + " are dense, without tiles");
  }
  if (tiled.minor_to_major_size != rank || (rank && !tiled.minor_to_major)) {
    return badLayout(shape, "has a minor_to_major of another rank");
  }
  if (!setLayout(shape, {tiled.minor_to_major, tiled.minor_to_major + rank})) {
    return badLayout(shape, "has a minor_to_major that is no permutation");
  }
  return okStatus();
}

StatusOr<std::vector<int64_t>>
stridesOfLayout(const PJRT_Buffer_MemoryLayout *layout, const Shape &shape) {
  Shape placed = {shape.type, shape.dimensions};
  if (layout && layout->type == PJRT_Buffer_MemoryLayout_Type_Tiled) {
    XLA_RETURN_IF_ERROR(readTiled(layout->tiled, placed));
  }
  if (!layout || layout->type == PJRT_Buffer_MemoryLayout_Type_Tiled) {
    return byteStrides(placed);
  }
  if (layout->type != PJRT_Buffer_MemoryLayout_Type_Strides) {
    return badLayout(shape, "is neither tiled nor strided");
  }
  size_t rank = shape.dimensions.size();
  const int64_t *strides = layout->strides.byte_strides;
  if (layout->strides.num_byte_strides != rank || (rank && !strides)) {
    return badLayout(shape, "has strides of another rank");
  }
  return std::vector<int64_t>(strides, strides + rank);
}

Status readLayout(const PJRT_Buffer_MemoryLayout *layout, Shape &shape) {
  if (layout && layout->type == PJRT_Buffer_MemoryLayout_Type_Tiled) {
    return readTiled(layout->tiled, shape);
  }
  StatusOr<std::vector<int64_t>> strides = stridesOfLayout(layout, shape);
  if (!strides.ok()) {
    return strides.status();
  }
  // By growing strides; a dimension of one element may be anywhere.
  std::vector<int64_t> minorToMajor = layoutOf(shape);
  auto isWanted = [&] {
    const std::vector<int64_t> dense = byteStrides(shape);
    for (size_t i = 0; i < dense.size(); ++i) {
      if (shape.dimensions[i] > 1 && dense[i] != (*strides)[i]) {
        return false;
      }
    }
    return true;
  };
  if (isWanted()) {
    return okStatus();
  }
  std::sort(minorToMajor.begin(), minorToMajor.end(),
            [&](int64_t a, int64_t b) {
              return std::pair((*strides)[a], b) < std::pair((*strides)[b], a);
            });
  setLayout(shape, std::move(minorToMajor));
  return isWanted()
             ? okStatus()
             : unimplemented("strides with gaps were requested for an array "
                             "on the device; arrays of " +
                             platform().plugin() + " are dense");
}

//===----------------------------------------------------------------------===//
// The C API: what a buffer is
//===----------------------------------------------------------------------===//

PJRT_Error *Buffer_Destroy(PJRT_Buffer_Destroy_Args *args) {
  XLA_PJRT_REQUIRE_STRUCT(args, PJRT_Buffer_Destroy_Args);
  delete args->buffer;
  return nullptr;
}

PJRT_Error *Buffer_ElementType(PJRT_Buffer_ElementType_Args *args) {
  XLA_PJRT_REQUIRE(args, PJRT_Buffer_ElementType_Args, buffer);
  args->type = static_cast<PJRT_Buffer_Type>(args->buffer->shape.type);
  return nullptr;
}

PJRT_Error *Buffer_Dimensions(PJRT_Buffer_Dimensions_Args *args) {
  XLA_PJRT_REQUIRE(args, PJRT_Buffer_Dimensions_Args, buffer);
  args->dims = args->buffer->shape.dimensions.data();
  args->num_dims = args->buffer->shape.dimensions.size();
  return nullptr;
}

PJRT_Error *
Buffer_UnpaddedDimensions(PJRT_Buffer_UnpaddedDimensions_Args *args) {
  XLA_PJRT_REQUIRE(args, PJRT_Buffer_UnpaddedDimensions_Args, buffer);
  args->unpadded_dims = args->buffer->shape.dimensions.data();
  args->num_dims = args->buffer->shape.dimensions.size();
  return nullptr;
}

PJRT_Error *
Buffer_DynamicDimensionIndices(PJRT_Buffer_DynamicDimensionIndices_Args *args) {
  XLA_PJRT_REQUIRE(args, PJRT_Buffer_DynamicDimensionIndices_Args, buffer);
  args->dynamic_dim_indices = nullptr;
  args->num_dynamic_dims = 0;
  return nullptr;
}

PJRT_Error *Buffer_GetMemoryLayout(PJRT_Buffer_GetMemoryLayout_Args *args) {
  XLA_PJRT_REQUIRE(args, PJRT_Buffer_GetMemoryLayout_Args, buffer);
  args->layout = {};
  args->layout.struct_size = PJRT_Buffer_MemoryLayout_STRUCT_SIZE;
  args->layout.type = PJRT_Buffer_MemoryLayout_Type_Tiled;
  PJRT_Buffer_MemoryLayout_Tiled &tiled = args->layout.tiled;
  tiled.struct_size = PJRT_Buffer_MemoryLayout_Tiled_STRUCT_SIZE;
  tiled.minor_to_major = args->buffer->minorToMajor();
  tiled.minor_to_major_size = args->buffer->shape.dimensions.size();
  return nullptr;
}

PJRT_Error *
Buffer_OnDeviceSizeInBytes(PJRT_Buffer_OnDeviceSizeInBytes_Args *args) {
  XLA_PJRT_REQUIRE(args, PJRT_Buffer_OnDeviceSizeInBytes_Args, buffer);
  args->on_device_size_in_bytes = static_cast<size_t>(args->buffer->bytes);
  return nullptr;
}

PJRT_Error *Buffer_Device(PJRT_Buffer_Device_Args *args) {
  XLA_PJRT_REQUIRE(args, PJRT_Buffer_Device_Args, buffer);
  args->device = args->buffer->device();
  return nullptr;
}

PJRT_Error *Buffer_Memory(PJRT_Buffer_Memory_Args *args) {
  XLA_PJRT_REQUIRE(args, PJRT_Buffer_Memory_Args, buffer);
  args->memory = args->buffer->memory;
  return nullptr;
}

PJRT_Error *Buffer_IsOnCpu(PJRT_Buffer_IsOnCpu_Args *args) {
  XLA_PJRT_REQUIRE(args, PJRT_Buffer_IsOnCpu_Args, buffer);
  args->is_on_cpu = true;
  return nullptr;
}

//===----------------------------------------------------------------------===//
// The C API: a buffer's content
//===----------------------------------------------------------------------===//

PJRT_Error *Buffer_Delete(PJRT_Buffer_Delete_Args *args) {
  XLA_PJRT_REQUIRE(args, PJRT_Buffer_Delete_Args, buffer);
  args->buffer->deleteContent();
  return nullptr;
}

PJRT_Error *Buffer_IsDeleted(PJRT_Buffer_IsDeleted_Args *args) {
  XLA_PJRT_REQUIRE(args, PJRT_Buffer_IsDeleted_Args, buffer);
  args->is_deleted = args->buffer->isDeleted();
  return nullptr;
}

PJRT_Error *Buffer_ReadyEvent(PJRT_Buffer_ReadyEvent_Args *args) {
  XLA_PJRT_REQUIRE(args, PJRT_Buffer_ReadyEvent_Args, buffer);
  args->event = new PJRT_Event{args->buffer->ready()};
  return nullptr;
}

PJRT_Error *Buffer_UnsafePointer(PJRT_Buffer_UnsafePointer_Args *args) {
  XLA_PJRT_REQUIRE(args, PJRT_Buffer_UnsafePointer_Args, buffer);
  StatusOr<Content> content = args->buffer->content();
  if (!content.ok()) {
    return makeError(content.status());
  }
  args->buffer_pointer = reinterpret_cast<uintptr_t>(content->storage->data());
  return nullptr;
}

PJRT_Error *Buffer_OpaqueDeviceMemoryDataPointer(
    PJRT_Buffer_OpaqueDeviceMemoryDataPointer_Args *args) {
  XLA_PJRT_REQUIRE(args, PJRT_Buffer_OpaqueDeviceMemoryDataPointer_Args,
                   buffer);
  StatusOr<Content> content = args->buffer->content();
  if (!content.ok()) {
    return makeError(content.status());
  }
  args->device_memory_ptr = content->storage->data();
  return nullptr;
}

PJRT_Error *Buffer_IncreaseExternalReferenceCount(
    PJRT_Buffer_IncreaseExternalReferenceCount_Args *args) {
  XLA_PJRT_REQUIRE(args, PJRT_Buffer_IncreaseExternalReferenceCount_Args,
                   buffer);
  return makeError(args->buffer->addExternalReference());
}

PJRT_Error *Buffer_DecreaseExternalReferenceCount(
    PJRT_Buffer_DecreaseExternalReferenceCount_Args *args) {
  XLA_PJRT_REQUIRE(args, PJRT_Buffer_DecreaseExternalReferenceCount_Args,
                   buffer);
  return makeError(args->buffer->removeExternalReference());
}

} // namespace xla::pjrt
