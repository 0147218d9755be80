#include "xla/runtime/Arena.h"

#include <cstdlib>

namespace xla {

static constexpr size_t alignment = 64;

/// A thread keeps no more than this between kernels.
static constexpr size_t maximumKeptBytes = size_t(64) << 20;

namespace {
/// The block that a thread keeps. Only the outermost borrowing uses it: nested
/// ones are rare and get blocks of their own.
struct ThreadBlock {
  void *memory = nullptr;
  size_t bytes = 0;
  bool isLent = false;

  ~ThreadBlock() { std::free(memory); }
};
} // namespace

static ThreadBlock &threadBlock() {
  static thread_local ThreadBlock block;
  return block;
}

ScratchMemory::ScratchMemory(size_t bytes) {
  if (bytes > (size_t(1) << 62)) {
    return;
  }
  bytes = (bytes + alignment) / alignment * alignment;
  ThreadBlock &block = threadBlock();
  if (block.isLent || bytes > maximumKeptBytes) {
    start = std::aligned_alloc(alignment, bytes);
    isOwnBlock = true;
    return;
  }
  if (block.bytes < bytes) {
    std::free(block.memory);
    block.memory = std::aligned_alloc(alignment, bytes);
    block.bytes = block.memory ? bytes : 0;
  }
  start = block.memory;
  block.isLent = start != nullptr;
}

ScratchMemory::~ScratchMemory() {
  if (isOwnBlock) {
    std::free(start);
  } else if (start) {
    threadBlock().isLent = false;
  }
}

} // namespace xla
