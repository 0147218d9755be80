//===- Buffer.h - An array in a device's memory -----------------*- C++ -*-===//
//
// Buffers and events of a plugin behind handles that own them.
//
//===----------------------------------------------------------------------===//

#ifndef JAXLIB_PJRT_BUFFER_H
#define JAXLIB_PJRT_BUFFER_H

#include "jaxlib/pjrt/Client.h"

#include "xla/support/Shape.h"

#include <functional>
#include <span>

namespace jaxlib {

/// Something that a plugin will finish. Move-only.
class Event {
public:
  Event() = default;
  Event(const Plugin &plugin, PJRT_Event *handle)
      : thePlugin(&plugin), theHandle(handle) {}
  Event(Event &&other) noexcept { swap(other); }
  Event &operator=(Event &&other) noexcept {
    swap(other);
    return *this;
  }
  ~Event();

  /// Blocks until it is over and says how it ended. No event: over, and well.
  Status await();
  /// The same, but asks `goesOn` every 50 ms and gives up with Cancelled when
  /// it says no. What was waited for goes on.
  Status awaitWhile(const std::function<bool()> &goesOn);
  StatusOr<bool> isReady() const;

private:
  void swap(Event &other) {
    std::swap(thePlugin, other.thePlugin);
    std::swap(theHandle, other.theHandle);
  }

  const Plugin *thePlugin = nullptr;
  PJRT_Event *theHandle = nullptr;
};

/// An array in the host's memory, of any strides.
struct HostArray {
  const void *data = nullptr;
  xla::ElementType type = xla::ElementType::Invalid;
  std::span<const int64_t> dimensions;
  std::span<const int64_t> byteStrides; ///< empty: dense and row-major
};

/// A buffer on one device. Owns the plugin's handle; any thread may use it.
class Buffer {
public:
  Buffer(std::shared_ptr<Client> client, PJRT_Buffer *handle)
      : theClient(std::move(client)), theHandle(handle) {}
  ~Buffer();
  Buffer(const Buffer &) = delete;
  Buffer &operator=(const Buffer &) = delete;

  /// Copies before it returns. `memory` may be null: the device's default.
  static StatusOr<std::shared_ptr<Buffer>>
  fromHost(const HostArray &array, Device &device, Memory *memory);

  /// Shows somebody else's memory, dense and row-major, in place. `onRelease`
  /// gets the address and `argument` when nobody reads it any more, on any
  /// thread; never where this fails. `array.byteStrides` is not looked at.
  static StatusOr<std::shared_ptr<Buffer>>
  viewOf(const HostArray &array, Device &device,
         void (*onRelease)(void *data, void *argument), void *argument);

  Client &client() const { return *theClient; }
  PJRT_Buffer *handle() const { return theHandle; }
  const Plugin &plugin() const { return theClient->plugin(); }

  StatusOr<xla::Shape> shape() const;
  StatusOr<Device *> device() const;
  /// Null where the plugin has no memories.
  StatusOr<Memory *> memory() const;
  StatusOr<int64_t> sizeOnDevice() const;
  StatusOr<uintptr_t> unsafePointer() const;

  bool isDeleted() const;
  /// Frees the memory; the handle stays, and says that it is deleted.
  Status free();

  StatusOr<Event> readyEvent() const;
  /// Blocks until the contents are there; fails if making them failed.
  Status await() const;
  StatusOr<bool> isReady() const;

  StatusOr<std::shared_ptr<Buffer>> copyTo(Device &device,
                                           Memory *memory) const;

  /// Copies to `destination`, dense and row-major. Blocks.
  Status copyToHost(void *destination, size_t size) const;

  /// The address of the contents, if the host can read them in place, dense and
  /// row-major; else null. They stay there until `unpin`. Call after `await`.
  StatusOr<const void *> pin() const;
  void unpin() const;

private:
  StatusOr<bool> isRowMajorOnHost() const;

  std::shared_ptr<Client> theClient;
  PJRT_Buffer *theHandle;
};

} // namespace jaxlib

#endif // JAXLIB_PJRT_BUFFER_H
