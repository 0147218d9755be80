//===- Arena.h - Scratch memory of a thread ---------------------*- C++ -*-===//
//
// Workspace for kernels: each thread keeps one block that grows to what was
// last requested, so that a kernel called again pays for no fresh pages.
//
//===----------------------------------------------------------------------===//

#ifndef XLA_RUNTIME_ARENA_H
#define XLA_RUNTIME_ARENA_H

#include <cstddef>

namespace xla {

/// Borrows scratch memory of the calling thread, aligned to 64 bytes, until
/// destruction. Borrowings nest like a stack. `data()` is null where memory ran
/// out.
class ScratchMemory {
public:
  explicit ScratchMemory(size_t bytes);
  ~ScratchMemory();
  ScratchMemory(const ScratchMemory &) = delete;
  ScratchMemory &operator=(const ScratchMemory &) = delete;

  void *data() const { return start; }

private:
  void *start = nullptr;
  bool isOwnBlock = false; ///< did not fit into the thread's block
};

} // namespace xla

#endif // XLA_RUNTIME_ARENA_H
