//===- Buffer.h - Arrays on a device ----------------------------*- C++ -*-===//

#ifndef XLA_PJRT_COMMON_BUFFER_H
#define XLA_PJRT_COMMON_BUFFER_H

#include "xla/pjrt/common/Client.h"
#include "xla/pjrt/common/Event.h"
#include "xla/pjrt/common/Storage.h"
#include "xla/support/Shape.h"

#include "pjrt_c_api.h"

#include <mutex>
#include <optional>

namespace xla::pjrt {

/// The memory of a buffer and when its content is there.
struct Content {
  StoragePointer storage;
  CompletionPointer ready;
};

} // namespace xla::pjrt

/// A dense array. The memory goes when the buffer is deleted or
/// donated; shape and device stay readable until it is destroyed.
struct PJRT_Buffer {
  PJRT_Memory *const memory;
  const xla::Shape shape;
  const int64_t bytes;

  PJRT_Buffer(PJRT_Memory *memory, xla::Shape shape, int64_t bytes,
              xla::pjrt::Content content);

  PJRT_Device *device() const { return memory->device; }

  /// A hold on the content, or InvalidArgument where it is gone.
  xla::StatusOr<xla::pjrt::Content> content() const;

  /// As `content`, but without the completion where the content is there, and
  /// good: a program that runs at once counts one reference less.
  xla::StatusOr<xla::pjrt::Content> contentToAwait() const;

  /// The content's completion, also once the content is gone: then an error.
  xla::pjrt::CompletionPointer ready() const;

  bool isDeleted() const;
  void deleteContent();

  /// Gives the content away: what is returned may be overwritten, if
  /// `mayOverwrite` says so, once all earlier tasks of the device's queue are
  /// done; at once, unless the caller joins a queue.
  struct Donated {
    xla::pjrt::Content content;
    bool mayOverwrite;
  };
  xla::StatusOr<Donated> donate(xla::pjrt::DeviceQueue *joined);

  /// Undoes a donation of which nothing came.
  void takeBack(xla::pjrt::StoragePointer storage);

  /// External references pin the memory past deletion and donation.
  xla::Status addExternalReference();
  xla::Status removeExternalReference();

  /// The dimensions from minor to major.
  const int64_t *minorToMajor() const { return layout.data(); }

private:
  mutable std::mutex mutex;
  xla::pjrt::Content theContent; ///< storage is null once gone
  int64_t externalReferences = 0;
  xla::pjrt::StoragePointer pinned;
  const std::vector<int64_t> layout;
};

namespace xla::pjrt {

/// The shape from the C API's fields, checked, with its size in bytes.
struct SizedShape {
  Shape shape;
  int64_t bytes;
};
StatusOr<SizedShape> readShape(PJRT_Buffer_Type type, const int64_t *dims,
                               size_t rank);

/// The memory that exactly one of `device` and `memory` names.
StatusOr<PJRT_Memory *> chooseMemory(PJRT_Client *client, PJRT_Device *device,
                                     PJRT_Memory *memory);

/// Gives `shape` the layout that an array on the device shall have: dense, and
/// without tiles; null means row-major.
Status readLayout(const PJRT_Buffer_MemoryLayout *layout, Shape &shape);

/// The byte strides of `layout` (dense in its minor-to-major order, or as
/// given); null means row-major.
StatusOr<std::vector<int64_t>>
stridesOfLayout(const PJRT_Buffer_MemoryLayout *layout, const Shape &shape);

Status bufferIsGone();

} // namespace xla::pjrt

#endif // XLA_PJRT_COMMON_BUFFER_H
