//===- StreamingStores.h - Writing past the caches --------------*- C++ -*-===//
//
// What is written is as a rule first read, a line of the cache at a time. Large
// arrays that are not read again soon need neither that nor cache lines.
//
//===----------------------------------------------------------------------===//

#ifndef XLA_RUNTIME_STREAMINGSTORES_H
#define XLA_RUNTIME_STREAMINGSTORES_H

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace xla {

/// memcpy past the caches; others see it after `finishStreams` alone.
inline void streamBytes(char *to, const char *from, size_t bytes) {
  typedef float Part __attribute__((vector_size(16)));
  typedef float LoosePart __attribute__((vector_size(16), aligned(1)));
  constexpr size_t line = 64;
  size_t head = std::min(bytes, -reinterpret_cast<uintptr_t>(to) % line);
  std::memcpy(to, from, head);
  size_t at = head;
  for (; at + line <= bytes; at += line) {
#pragma clang loop unroll(full)
    for (size_t i = 0; i < line; i += sizeof(Part)) {
      __builtin_nontemporal_store(
          Part(*reinterpret_cast<const LoosePart *>(from + at + i)),
          reinterpret_cast<Part *>(to + at + i));
    }
  }
  std::memcpy(to + at, from + at, bytes - at);
}

/// Whoever this thread lets go on from now on sees what it has streamed.
inline void finishStreams() {
  std::atomic_thread_fence(std::memory_order_seq_cst);
}

} // namespace xla

#endif // XLA_RUNTIME_STREAMINGSTORES_H
