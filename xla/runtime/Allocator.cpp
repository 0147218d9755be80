#include "xla/runtime/Allocator.h"

#include "xla/runtime/ControlGroup.h"

#include <algorithm>
#include <bit>
#include <cstdlib>

#include <sys/mman.h>
#include <unistd.h>

namespace xla {

static constexpr size_t smallestBlock = 64;
static constexpr size_t hugePage = size_t(2) << 20;

/// From this size on blocks come from mmap, on the border of a huge page.
static constexpr size_t mappedFrom = hugePage;

int64_t availableMemory() {
  int64_t limit =
      int64_t(sysconf(_SC_PHYS_PAGES)) * int64_t(sysconf(_SC_PAGESIZE));
  std::vector<std::string> lines = controlGroupLines("memory.max");
  // Version 1 of control groups.
  lines.push_back(readFirstLine("/sys/fs/cgroup/memory/memory.limit_in_bytes"));
  for (const std::string &line : lines) {
    int64_t inGroup = std::atoll(line.c_str()); // 0 of "max"
    if (inGroup > 0) {
      limit = std::min(limit, inGroup);
    }
  }
  return limit;
}

/// Four classes per power of two: no block wastes more than a fifth.
static int sizeClassOf(size_t bytes) {
  bytes = std::max(bytes, smallestBlock);
  int log = std::bit_width(bytes - 1); // smallest with bytes <= 2^log
  size_t quarter = (size_t(1) << log) / 8;
  // bytes is in (2^(log-1), 2^log]: which quarter of that span?
  int step = static_cast<int>((bytes - 1 - 4 * quarter) / quarter);
  return (log - 6) * 4 + step;
}

static size_t bytesOfClass(int sizeClass) {
  int log = sizeClass / 4 + 6;
  size_t quarter = (size_t(1) << log) / 8;
  size_t bytes = (5 + sizeClass % 4) * quarter;
  return (bytes + smallestBlock - 1) / smallestBlock * smallestBlock;
}

/// How far what is in use and what is kept together may exceed the most that
/// was ever in use.
static constexpr int64_t pooledBeyond = 64 << 20;

static void *obtainFromSystem(size_t size) {
  if (size < mappedFrom) {
    return std::aligned_alloc(CachingAllocator::alignment, size);
  }
  // Map a huge page more than requested and cut off the ends, to get a block
  // that starts on a huge page.
  size_t mapped = size + hugePage;
  void *start = mmap(nullptr, mapped, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (start == MAP_FAILED) {
    return nullptr;
  }
  auto address = reinterpret_cast<uintptr_t>(start);
  uintptr_t aligned = (address + hugePage - 1) / hugePage * hugePage;
  if (aligned != address) {
    munmap(start, aligned - address);
  }
  uintptr_t end = aligned + size;
  if (end != address + mapped) {
    munmap(reinterpret_cast<void *>(end), address + mapped - end);
  }
  void *block = reinterpret_cast<void *>(aligned);
  madvise(block, size, MADV_HUGEPAGE); // advice only: a refusal is no failure
  return block;
}

static void giveToSystem(void *block, size_t size) {
  if (size < mappedFrom) {
    std::free(block);
  } else {
    munmap(block, size);
  }
}

void *CachingAllocator::obtain(size_t size) {
  return source ? source->obtain(source->context, size)
                : obtainFromSystem(size);
}

void CachingAllocator::giveBack(void *block, size_t size) {
  if (source) {
    source->giveBack(source->context, block);
  } else {
    giveToSystem(block, size);
  }
}

void CachingAllocator::setSource(const MemorySource &from) {
  trim();
  source = &from;
}

CachingAllocator::CachingAllocator(int64_t bytesLimit)
    : bytesLimit(bytesLimit) {}

CachingAllocator::~CachingAllocator() { trim(); }

CachingAllocator &CachingAllocator::shared() {
  // Never destroyed: arrays may outlive every static object.
  static auto *allocator = new CachingAllocator(availableMemory());
  return *allocator;
}

bool CachingAllocator::reserve(int64_t size) {
  int64_t after = bytesInUse.fetch_add(size, std::memory_order_relaxed) + size;
  if (after > bytesLimit) {
    bytesInUse.fetch_sub(size, std::memory_order_relaxed);
    return false;
  }
  int64_t most = mostInUse.load(std::memory_order_relaxed);
  while (after > most && !mostInUse.compare_exchange_weak(
                             most, after, std::memory_order_relaxed)) {
  }
  return true;
}

void *CachingAllocator::allocate(size_t bytes) {
  if (bytes > size_t(bytesLimit)) {
    return nullptr;
  }
  int sizeClass = sizeClassOf(bytes);
  auto size = static_cast<int64_t>(bytesOfClass(sizeClass));
  if (!reserve(size)) {
    return nullptr;
  }
  {
    SizeClass &entry = classes[sizeClass];
    std::lock_guard<std::mutex> lock(entry.mutex);
    if (!entry.freeBlocks.empty()) {
      void *block = entry.freeBlocks.back();
      entry.freeBlocks.pop_back();
      bytesPooled.fetch_sub(size, std::memory_order_relaxed);
      return block;
    }
  }
  // Blocks of other sizes are kept only within what was in use at most.
  int64_t footprint = bytesInUse.load() + bytesPooled.load();
  if (footprint > std::min(bytesLimit, mostInUse.load() + pooledBeyond)) {
    trim();
  }
  void *block = obtain(size);
  if (!block) {
    trim();
    block = obtain(size);
  }
  if (!block) {
    bytesInUse.fetch_sub(size, std::memory_order_relaxed);
  }
  return block;
}

void CachingAllocator::deallocate(void *block, size_t bytes) {
  if (!block) {
    return;
  }
  int sizeClass = sizeClassOf(bytes);
  auto size = static_cast<int64_t>(bytesOfClass(sizeClass));
  bytesInUse.fetch_sub(size, std::memory_order_relaxed);
  if (bytesPooled.fetch_add(size, std::memory_order_relaxed) + size >
      bytesLimit / 4) {
    bytesPooled.fetch_sub(size, std::memory_order_relaxed);
    giveBack(block, size);
    return;
  }
  SizeClass &entry = classes[sizeClass];
  std::lock_guard<std::mutex> lock(entry.mutex);
  entry.freeBlocks.push_back(block);
}

void CachingAllocator::trim() {
  for (int sizeClass = 0; sizeClass < classCount; ++sizeClass) {
    std::vector<void *> blocks;
    {
      std::lock_guard<std::mutex> lock(classes[sizeClass].mutex);
      blocks.swap(classes[sizeClass].freeBlocks);
    }
    size_t size = bytesOfClass(sizeClass);
    for (void *block : blocks) {
      giveBack(block, size);
      bytesPooled.fetch_sub(static_cast<int64_t>(size),
                            std::memory_order_relaxed);
    }
  }
}

void CachingAllocator::lockAll() {
  for (SizeClass &entry : classes) {
    entry.mutex.lock();
  }
}

void CachingAllocator::unlockAll() {
  for (SizeClass &entry : classes) {
    entry.mutex.unlock();
  }
}

CachingAllocator::Statistics CachingAllocator::statistics() const {
  return {bytesInUse.load(), bytesPooled.load(), bytesLimit};
}

} // namespace xla
