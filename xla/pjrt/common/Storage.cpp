#include "xla/pjrt/common/Storage.h"

#include "xla/pjrt/common/Recorder.h"
#include "xla/runtime/Allocator.h"

namespace xla::pjrt {

static void raiseTo(std::atomic<int64_t> &maximum, int64_t value) {
  int64_t seen = maximum.load(std::memory_order_relaxed);
  while (seen < value && !maximum.compare_exchange_weak(seen, value)) {
  }
}

/// For the profile that is being taken. Apart, so that callers stay short.
[[gnu::cold, gnu::noinline]] static void record(const MemoryAccount &account,
                                                int64_t change, int64_t used,
                                                const void *block) {
  if (change != 0) {
    MemoryChange entry;
    entry.bytes = change;
    entry.bytesInUse = used;
    entry.peakBytes = account.peakBytesInUse.load(std::memory_order_relaxed);
    entry.device = account.device;
    entry.address = static_cast<int64_t>(reinterpret_cast<intptr_t>(block));
    recordMemory(entry);
  }
}

void MemoryAccount::use(int64_t bytes, const void *block) {
  int64_t used = bytesInUse.fetch_add(bytes) + bytes;
  raiseTo(peakBytesInUse, used);
  if (isRecording.load(std::memory_order_relaxed)) {
    record(*this, bytes, used, block);
  }
}

void MemoryAccount::remove(int64_t bytes, const void *block) {
  int64_t used = bytesInUse.fetch_sub(bytes) - bytes;
  if (isRecording.load(std::memory_order_relaxed)) {
    record(*this, -bytes, used, block);
  }
}

void MemoryAccount::add(int64_t bytes, const void *block) {
  use(bytes, block);
  allocations.fetch_add(1, std::memory_order_relaxed);
  raiseTo(largestAllocation, bytes);
}

StatusOr<StoragePointer>
Storage::allocate(size_t bytes, std::shared_ptr<MemoryAccount> account) {
  void *block = CachingAllocator::shared().allocate(bytes);
  if (!block) {
    CachingAllocator::Statistics statistics =
        CachingAllocator::shared().statistics();
    return resourceExhausted(
        "out of memory: an array needs " + std::to_string(bytes) + " bytes, " +
        std::to_string(statistics.bytesInUse) + " of " +
        std::to_string(statistics.bytesLimit) +
        " are in use; delete arrays that are no longer needed, or donate "
        "arguments");
  }
  // One allocation for the object and its count.
  struct Counted : Storage {
    Counted(void *start, size_t size) : Storage(start, size) {}
  };
  StoragePointer storage = std::make_shared<Counted>(block, bytes);
  account->add(static_cast<int64_t>(bytes), block);
  storage->account = std::move(account);
  return storage;
}

StoragePointer Storage::borrow(void *data, size_t bytes,
                               std::function<void()> onRelease) {
  StoragePointer storage(new Storage(data, bytes));
  storage->onRelease = std::move(onRelease);
  return storage;
}

Storage::~Storage() {
  if (account) {
    CachingAllocator::shared().deallocate(start, size);
    account->remove(static_cast<int64_t>(size), start);
  }
  if (onRelease) {
    onRelease();
  }
}

} // namespace xla::pjrt
