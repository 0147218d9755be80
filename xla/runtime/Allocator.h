//===- Allocator.h - Memory for arrays --------------------------*- C++ -*-===//
//
// Freed blocks are kept by size, for the next array of about that size: fresh
// pages cost more than most arithmetic on them. Large blocks ask for huge
// pages.
//
//===----------------------------------------------------------------------===//

#ifndef XLA_RUNTIME_ALLOCATOR_H
#define XLA_RUNTIME_ALLOCATOR_H

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

namespace xla {

/// What memory this process may use: its control group's limit or the
/// machine's, in bytes.
int64_t availableMemory();

/// Where an allocator has blocks from, where that is not the system.
struct MemorySource {
  void *(*obtain)(void *context, size_t bytes); ///< null where there is none
  void (*giveBack)(void *context, void *block);
  void *context;
};

class CachingAllocator {
public:
  struct Statistics {
    int64_t bytesInUse;  ///< in blocks that are handed out
    int64_t bytesPooled; ///< in blocks kept for later
    int64_t bytesLimit;  ///< no more than this is handed out
  };

  static constexpr size_t alignment = 64;

  /// Hands out at most `bytesLimit` at a time. Keeps at most a quarter of it
  /// for later, and with what is handed out no more than ever was.
  explicit CachingAllocator(int64_t bytesLimit);
  ~CachingAllocator();
  CachingAllocator(const CachingAllocator &) = delete;
  CachingAllocator &operator=(const CachingAllocator &) = delete;

  /// The allocator of this process, limited by `availableMemory()`.
  static CachingAllocator &shared();

  /// Blocks come from `source`, which stays. Before the first one is wanted:
  /// those of the system do not go back there.
  void setSource(const MemorySource &source);

  /// A block of at least `bytes`, aligned to 64; null where memory ran out.
  /// Its content is undefined. Safe to call from several threads.
  void *allocate(size_t bytes);

  /// Takes back a block that `allocate(bytes)` gave.
  void deallocate(void *block, size_t bytes);

  /// Gives what is pooled back to the system.
  void trim();

  Statistics statistics() const;

  /// Keep all other threads out, while the process forks.
  void lockAll();
  void unlockAll();

private:
  static constexpr int classCount = 4 * 58;

  struct SizeClass {
    std::mutex mutex;
    std::vector<void *> freeBlocks;
  };

  bool reserve(int64_t size);
  void *obtain(size_t size);
  void giveBack(void *block, size_t size);

  const int64_t bytesLimit;
  const MemorySource *source = nullptr; ///< the system where there is none
  std::atomic<int64_t> bytesInUse{0};
  std::atomic<int64_t> bytesPooled{0};
  std::atomic<int64_t> mostInUse{0};
  std::array<SizeClass, classCount> classes;
};

} // namespace xla

#endif // XLA_RUNTIME_ALLOCATOR_H
