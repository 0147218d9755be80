#include "xla/pjrt/common/Buffer.h"
#include "xla/pjrt/common/Error.h"
#include "xla/pjrt/common/Functions.h"
#include "xla/pjrt/common/Platform.h"
#include "xla/runtime/Allocator.h"
#include "xla/runtime/StridedCopy.h"

#include <cstring>

namespace xla::pjrt {

static StatusOr<PJRT_Buffer *> makeBuffer(PJRT_Memory *memory,
                                          const SizedShape &sized,
                                          CompletionPointer ready) {
  StatusOr<StoragePointer> storage =
      Storage::allocate(sized.bytes, memory->device->account);
  if (!storage.ok()) {
    return storage.status();
  }
  return new PJRT_Buffer(memory, sized.shape, sized.bytes,
                         {*storage, std::move(ready)});
}

//===----------------------------------------------------------------------===//
// Host to device
//===----------------------------------------------------------------------===//

/// Whether a program may read the host's memory as it is.
static bool canAlias(const void *data, bool hasSameLayout,
                     PJRT_HostBufferSemantics semantics, int64_t bytes) {
  bool isOffered = semantics == PJRT_HostBufferSemantics_kImmutableZeroCopy ||
                   semantics == PJRT_HostBufferSemantics_kMutableZeroCopy;
  return isOffered && hasSameLayout && bytes > 0 && platform().seesHostMemory &&
         reinterpret_cast<uintptr_t>(data) % CachingAllocator::alignment == 0;
}

/// Whether the array has the same layout on the host as it shall have on the
/// device.
static bool hasSameLayout(const std::vector<int64_t> &strides,
                          const Shape &shape) {
  std::vector<int64_t> wanted = byteStrides(shape);
  for (size_t i = 0; i < wanted.size(); ++i) {
    if (shape.dimensions[i] > 1 && strides[i] != wanted[i]) {
      return false;
    }
  }
  return true;
}

static StatusOr<std::vector<int64_t>>
hostStrides(const PJRT_Client_BufferFromHostBuffer_Args &args,
            const Shape &shape) {
  if (args.num_byte_strides == 0) {
    return byteStrides({shape.type, shape.dimensions});
  }
  if (args.num_byte_strides != shape.dimensions.size() || !args.byte_strides) {
    return invalidArgument("PJRT_Client_BufferFromHostBuffer: an array " +
                           toString(shape) + " has " +
                           std::to_string(args.num_byte_strides) +
                           " byte strides; give one for each dimension, or "
                           "none for a dense array");
  }
  return std::vector<int64_t>(args.byte_strides,
                              args.byte_strides + args.num_byte_strides);
}

/// Shape and memory of an array to make.
struct TransferTarget {
  SizedShape sized;
  PJRT_Memory *memory;
};

static StatusOr<TransferTarget>
readTarget(StatusOr<SizedShape> sized, PJRT_Client *client, PJRT_Device *device,
           PJRT_Memory *memory, const PJRT_Buffer_MemoryLayout *layout) {
  if (!sized.ok()) {
    return sized.status();
  }
  StatusOr<PJRT_Memory *> chosen = chooseMemory(client, device, memory);
  if (!chosen.ok()) {
    return chosen.status();
  }
  XLA_RETURN_IF_ERROR(readLayout(layout, sized->shape));
  return TransferTarget{std::move(*sized), *chosen};
}

static Status fromHost(PJRT_Client_BufferFromHostBuffer_Args &args) {
  StatusOr<TransferTarget> target =
      readTarget(readShape(args.type, args.dims, args.num_dims), args.client,
                 args.device, args.memory, args.device_layout);
  if (!target.ok()) {
    return target.status();
  }
  const auto &[sized, memory] = *target;
  StatusOr<std::vector<int64_t>> strides = hostStrides(args, sized.shape);
  if (!strides.ok()) {
    return strides.status();
  }
  if (sized.bytes > 0 && !args.data) {
    return invalidArgument("PJRT_Client_BufferFromHostBuffer: the data of an "
                           "array " +
                           toString(sized.shape) + " is NULL");
  }
  if (canAlias(args.data, hasSameLayout(*strides, sized.shape),
               args.host_buffer_semantics, sized.bytes)) {
    auto released = std::make_shared<Completion>();
    StoragePointer storage =
        Storage::borrow(const_cast<void *>(args.data), sized.bytes,
                        [released] { released->set(okStatus()); });
    args.buffer = new PJRT_Buffer(memory, sized.shape, sized.bytes,
                                  {storage, Completion::done()});
    args.done_with_host_buffer = new PJRT_Event{released};
    return okStatus();
  }
  StatusOr<PJRT_Buffer *> buffer =
      makeBuffer(memory, sized, Completion::done());
  if (!buffer.ok()) {
    return buffer.status();
  }
  if (sized.bytes > 0) {
    copyStrided((*buffer)->content()->storage->data(), byteStrides(sized.shape),
                args.data, *strides, sized.shape.dimensions,
                byteWidth(sized.shape.type));
  }
  args.buffer = *buffer;
  args.done_with_host_buffer = new PJRT_Event{Completion::done()};
  return okStatus();
}

PJRT_Error *
Client_BufferFromHostBuffer(PJRT_Client_BufferFromHostBuffer_Args *args) {
  XLA_PJRT_REQUIRE(args, PJRT_Client_BufferFromHostBuffer_Args, client);
  return makeError(fromHost(*args));
}

PJRT_Error *Client_CreateUninitializedBuffer(
    PJRT_Client_CreateUninitializedBuffer_Args *args) {
  XLA_PJRT_REQUIRE(args, PJRT_Client_CreateUninitializedBuffer_Args, client);
  StatusOr<TransferTarget> target =
      readTarget(readShape(args->shape_element_type, args->shape_dims,
                           args->shape_num_dims),
                 args->client, args->device, args->memory, args->shape_layout);
  if (!target.ok()) {
    return makeError(target.status());
  }
  const auto &[sized, memory] = *target;
  StatusOr<PJRT_Buffer *> buffer =
      makeBuffer(memory, sized, Completion::done());
  if (!buffer.ok()) {
    return makeError(buffer.status());
  }
  args->buffer = *buffer;
  return nullptr;
}

PJRT_Error *Client_CreateViewOfDeviceBuffer(
    PJRT_Client_CreateViewOfDeviceBuffer_Args *args) {
  XLA_PJRT_REQUIRE(args, PJRT_Client_CreateViewOfDeviceBuffer_Args, client);
  StatusOr<TransferTarget> target =
      readTarget(readShape(args->element_type, args->dims, args->num_dims),
                 args->client, args->device, args->memory, args->layout);
  if (!target.ok()) {
    return makeError(target.status());
  }
  const auto &[sized, memory] = *target;
  if (sized.bytes > 0 && !args->device_buffer_ptr) {
    return missingField("PJRT_Client_CreateViewOfDeviceBuffer_Args",
                        "device_buffer_ptr");
  }
  std::function<void()> onRelease;
  if (args->on_delete_callback) {
    onRelease =
        [callback = args->on_delete_callback, data = args->device_buffer_ptr,
         argument = args->on_delete_callback_arg] { callback(data, argument); };
  }
  StoragePointer storage = Storage::borrow(args->device_buffer_ptr, sized.bytes,
                                           std::move(onRelease));
  args->buffer = new PJRT_Buffer(memory, sized.shape, sized.bytes,
                                 {storage, Completion::done()});
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Device to host
//===----------------------------------------------------------------------===//

/// Calls `copy` once the content is there, with a hold on it, and returns the
/// event of its end. The copy runs on this thread if the content is ready.
template <typename Copy>
static PJRT_Event *copyWhenReady(const Content &content, Copy copy) {
  if (content.ready->isReady() && content.ready->status().ok()) {
    copy(content.storage->data());
    return new PJRT_Event{Completion::done()};
  }
  auto copied = std::make_shared<Completion>();
  copied->producers = content.ready->producers;
  copied->after = {content.ready};
  content.ready->onReady(
      [copied, copy, storage = content.storage](const Status &status) {
        if (status.ok()) {
          copy(storage->data());
        }
        copied->set(status);
      });
  return new PJRT_Event{copied};
}

/// The bytes from the first to past the last element of an array with these
/// strides, none of which may be negative.
static StatusOr<int64_t> extentOf(const std::vector<int64_t> &strides,
                                  const SizedShape &sized) {
  if (sized.bytes == 0) {
    return int64_t(0);
  }
  __int128 extent = byteWidth(sized.shape.type);
  for (size_t i = 0; i < strides.size(); ++i) {
    if (strides[i] < 0) {
      return invalidArgument("PJRT_Buffer_ToHostBuffer: the host layout has a "
                             "negative stride");
    }
    extent += __int128(strides[i]) * (sized.shape.dimensions[i] - 1);
  }
  if (extent > (__int128(1) << 62)) {
    return invalidArgument(
        "PJRT_Buffer_ToHostBuffer: the host layout exceeds 2^62 bytes");
  }
  return static_cast<int64_t>(extent);
}

PJRT_Error *Buffer_ToHostBuffer(PJRT_Buffer_ToHostBuffer_Args *args) {
  XLA_PJRT_REQUIRE(args, PJRT_Buffer_ToHostBuffer_Args, src);
  const PJRT_Buffer &buffer = *args->src;
  StatusOr<std::vector<int64_t>> strides =
      stridesOfLayout(args->host_layout, buffer.shape);
  if (!strides.ok()) {
    return makeError(strides.status());
  }
  StatusOr<int64_t> needed = extentOf(*strides, {buffer.shape, buffer.bytes});
  if (!needed.ok()) {
    return makeError(needed.status());
  }
  if (!args->dst) {
    args->dst_size = static_cast<size_t>(*needed);
    return nullptr;
  }
  if (args->dst_size < static_cast<size_t>(*needed)) {
    return makeError(invalidArgument(
        "PJRT_Buffer_ToHostBuffer: an array " + toString(buffer.shape) +
        " needs " + std::to_string(*needed) + " bytes, and dst_size is " +
        std::to_string(args->dst_size)));
  }
  StatusOr<Content> content = buffer.content();
  if (!content.ok()) {
    return makeError(content.status());
  }
  args->event =
      copyWhenReady(*content, [to = args->dst, strides = std::move(*strides),
                               shape = buffer.shape](const void *from) {
        if (byteWidth(shape.type) > 0) {
          copyStrided(to, strides, from, byteStrides(shape), shape.dimensions,
                      byteWidth(shape.type));
        }
      });
  return nullptr;
}

PJRT_Error *Buffer_CopyRawToHost(PJRT_Buffer_CopyRawToHost_Args *args) {
  XLA_PJRT_REQUIRE(args, PJRT_Buffer_CopyRawToHost_Args, buffer);
  int64_t size = args->buffer->bytes;
  if (args->offset < 0 || args->transfer_size < 0 || args->offset > size ||
      args->transfer_size > size - args->offset) {
    return makeError(invalidArgument(
        "PJRT_Buffer_CopyRawToHost: bytes " + std::to_string(args->offset) +
        " to " + std::to_string(args->offset) + " + " +
        std::to_string(args->transfer_size) +
        " were requested of a buffer of " + std::to_string(size)));
  }
  if (args->transfer_size > 0 && !args->dst) {
    return missingField("PJRT_Buffer_CopyRawToHost_Args", "dst");
  }
  StatusOr<Content> content = args->buffer->content();
  if (!content.ok()) {
    return makeError(content.status());
  }
  args->event =
      copyWhenReady(*content, [to = args->dst, offset = args->offset,
                               bytes = args->transfer_size](const void *from) {
        copyBytes(to, static_cast<const char *>(from) + offset, bytes);
      });
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Device to device
//===----------------------------------------------------------------------===//

static StatusOr<PJRT_Buffer *> copyTo(const PJRT_Buffer &source,
                                      PJRT_Memory *memory) {
  StatusOr<Content> content = source.content();
  if (!content.ok()) {
    return content.status();
  }
  if (memory->device->client != source.device()->client) {
    return invalidArgument("a buffer can only be copied within its client");
  }
  auto ready = std::make_shared<Completion>();
  ready->producers = content->ready->producers;
  ready->after = {content->ready};
  StatusOr<PJRT_Buffer *> copy =
      makeBuffer(memory, {source.shape, source.bytes}, ready);
  if (!copy.ok()) {
    return copy.status();
  }
  content->ready->onReady([ready, from = content->storage,
                           to = (*copy)->content()->storage,
                           bytes = source.bytes](const Status &status) {
    if (status.ok()) {
      copyBytes(to->data(), from->data(), bytes);
    }
    ready->set(status);
  });
  return *copy;
}

PJRT_Error *Buffer_CopyToDevice(PJRT_Buffer_CopyToDevice_Args *args) {
  XLA_PJRT_REQUIRE(args, PJRT_Buffer_CopyToDevice_Args, buffer);
  if (!args->dst_device) {
    return missingField("PJRT_Buffer_CopyToDevice_Args", "dst_device");
  }
  if (!args->dst_device->isAddressable()) {
    return makeError(otherProcessError(*args->dst_device));
  }
  StatusOr<PJRT_Buffer *> copy =
      copyTo(*args->buffer, args->dst_device->memories.front());
  if (!copy.ok()) {
    return makeError(copy.status());
  }
  args->dst_buffer = *copy;
  return nullptr;
}

PJRT_Error *Buffer_CopyToMemory(PJRT_Buffer_CopyToMemory_Args *args) {
  XLA_PJRT_REQUIRE(args, PJRT_Buffer_CopyToMemory_Args, buffer);
  if (!args->dst_memory) {
    return missingField("PJRT_Buffer_CopyToMemory_Args", "dst_memory");
  }
  StatusOr<PJRT_Buffer *> copy = copyTo(*args->buffer, args->dst_memory);
  if (!copy.ok()) {
    return makeError(copy.status());
  }
  args->dst_buffer = *copy;
  return nullptr;
}

} // namespace xla::pjrt
