//===- StridedCopy.h - Copies between layouts -------------------*- C++ -*-===//

#ifndef XLA_RUNTIME_STRIDEDCOPY_H
#define XLA_RUNTIME_STRIDEDCOPY_H

#include <cstddef>
#include <cstdint>
#include <span>

namespace xla {

/// Copies an array of elements of `elementBytes` (1, 2, 4, 8 or 16) between two
/// layouts: strides count bytes and may be negative or 0 (0 in the source
/// repeats). Pointers are those of the element at index 0 of every dimension,
/// and need no alignment. All spans have the rank's length; the arrays do not
/// overlap. Large copies run over the thread pool.
void copyStrided(void *destination, std::span<const int64_t> destinationStrides,
                 const void *source, std::span<const int64_t> sourceStrides,
                 std::span<const int64_t> dimensions, int64_t elementBytes);

/// memcpy, over the thread pool where that pays.
void copyBytes(void *destination, const void *source, size_t bytes);

} // namespace xla

#endif // XLA_RUNTIME_STRIDEDCOPY_H
