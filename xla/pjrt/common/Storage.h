//===- Storage.h - The memory behind a buffer -------------------*- C++ -*-===//

#ifndef XLA_PJRT_COMMON_STORAGE_H
#define XLA_PJRT_COMMON_STORAGE_H

#include "xla/support/Status.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

namespace xla::pjrt {

/// What one device's arrays occupy, and programs beside them while they run,
/// counted in the bytes that were requested.
struct MemoryAccount {
  std::atomic<int64_t> bytesInUse{0};
  std::atomic<int64_t> peakBytesInUse{0};
  std::atomic<int64_t> allocations{0};
  std::atomic<int64_t> largestAllocation{0};

  /// `block` distinguishes what is in use at once, for records.
  void use(int64_t bytes, const void *block);
  void add(int64_t bytes, const void *block);
  void remove(int64_t bytes, const void *block);

  int32_t device = 0; ///< which records of memory name
};

/// Counts memory that is no array's as used until destruction.
class TemporaryUse {
public:
  TemporaryUse(MemoryAccount &account, int64_t bytes)
      : account(account), bytes(bytes) {
    if (bytes > 0) {
      account.use(bytes, this);
    }
  }
  ~TemporaryUse() {
    if (bytes > 0) {
      account.remove(bytes, this);
    }
  }
  TemporaryUse(const TemporaryUse &) = delete;
  TemporaryUse &operator=(const TemporaryUse &) = delete;

private:
  MemoryAccount &account;
  int64_t bytes;
};

/// One block of memory, shared by the buffer that shows it and by whoever reads
/// or writes it at the moment; given back when the last of them lets go.
class Storage {
public:
  /// Memory of our own, content undefined; ResourceExhausted if there is none.
  static StatusOr<std::shared_ptr<Storage>>
  allocate(size_t bytes, std::shared_ptr<MemoryAccount> account);

  /// Somebody else's memory, to be left alone once `onRelease` was called.
  static std::shared_ptr<Storage> borrow(void *data, size_t bytes,
                                         std::function<void()> onRelease);

  ~Storage();
  Storage(const Storage &) = delete;
  Storage &operator=(const Storage &) = delete;

  void *data() const { return start; }
  size_t bytes() const { return size; }

  /// Whether it may become the memory of a result: borrowed memory may not.
  bool isOurs() const { return account != nullptr; }

  /// Holders among the tasks in the device's queue, which are done before
  /// whatever is put into the queue now.
  std::atomic<long> queuedHolders{0};

private:
  Storage(void *data, size_t bytes) : start(data), size(bytes) {}

  void *start;
  size_t size;
  std::shared_ptr<MemoryAccount> account;
  std::function<void()> onRelease;
};

using StoragePointer = std::shared_ptr<Storage>;

} // namespace xla::pjrt

#endif // XLA_PJRT_COMMON_STORAGE_H
