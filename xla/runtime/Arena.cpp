#include "xla/runtime/Arena.h"

#include <cstdlib>

namespace xla {

static constexpr size_t alignment = 64;

/// A thread keeps no more than this between kernels.
static constexpr size_t maximumKeptBytes = size_t(64) << 20;

/// Borrowings that nest deeper than this get blocks of their own.
static constexpr int keptDepth = 4;

namespace {
/// The blocks that a thread keeps, one for each depth of nesting.
struct ThreadBlocks {
  struct Block {
    void *memory = nullptr;
    size_t bytes = 0;
  };
  Block blocks[keptDepth];
  int depth = 0;

  ~ThreadBlocks() {
    for (Block &block : blocks) {
      std::free(block.memory);
    }
  }
};
} // namespace

static ThreadBlocks &threadBlocks() {
  static thread_local ThreadBlocks blocks;
  return blocks;
}

ScratchMemory::ScratchMemory(size_t bytes) {
  ThreadBlocks &kept = threadBlocks();
  int depth = kept.depth++;
  if (bytes > (size_t(1) << 62)) {
    return;
  }
  bytes = (bytes + alignment) / alignment * alignment;
  if (depth >= keptDepth || bytes > maximumKeptBytes) {
    start = std::aligned_alloc(alignment, bytes);
    isOwnBlock = true;
    return;
  }
  ThreadBlocks::Block &block = kept.blocks[depth];
  if (block.bytes < bytes) {
    std::free(block.memory);
    block.memory = std::aligned_alloc(alignment, bytes);
    block.bytes = block.memory ? bytes : 0;
  }
  start = block.memory;
}

ScratchMemory::~ScratchMemory() {
  --threadBlocks().depth;
  if (isOwnBlock) {
    std::free(start);
  }
}

} // namespace xla
