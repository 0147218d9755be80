//===- SortSlices.h - What all sorts share ----------------------*- C++ -*-===//
//
// A sort finds the order of the rows of each slice and then moves them.
//
//===----------------------------------------------------------------------===//

#ifndef XLA_RUNTIME_CPU_KERNELS_SORTSLICES_H
#define XLA_RUNTIME_CPU_KERNELS_SORTSLICES_H

#include "xla/runtime/Arena.h"
#include "xla/runtime/ThreadPool.h"
#include "xla/runtime/abi/Runtime.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>

namespace xla::cpu {

/// Slices shorter than this together are not worth a helper's wake-up.
inline constexpr int64_t rowsPerPiece = 4096;

inline bool isEmpty(const XlaSort &sort) {
  return sort.outer <= 0 || sort.inner <= 0 || sort.length <= 1 ||
         sort.operand_count <= 0;
}

/// What a slice needs beside the operands: given, or the thread's own.
class SortScratch {
public:
  SortScratch(const XlaSort &sort, bool hasComparator)
      : given(sort.scratch), own(given ? 0 : bytes(sort, hasComparator)) {}

  void *data() const { return given ? given : own.data(); }

private:
  static size_t bytes(const XlaSort &sort, bool hasComparator) {
    int64_t widest = *std::max_element(sort.element_bytes,
                                       sort.element_bytes + sort.operand_count);
    return static_cast<size_t>(
        xla_sort_scratch_bytes(sort.length, widest, hasComparator));
  }

  void *given;
  ScratchMemory own;
};

/// Runs this short are sorted by insertion before they are merged.
inline constexpr int64_t insertionRun = 16;

/// Sorts `order` by `isBefore`, keeping the order of equals. Reads nothing out
/// of bounds and ends, whatever `isBefore` says.
template <typename Index, typename IsBefore>
void mergeSort(Index *order, Index *spare, int64_t length, IsBefore isBefore) {
  for (int64_t start = 0; start < length; start += insertionRun) {
    int64_t end = std::min(start + insertionRun, length);
    for (int64_t i = start + 1; i < end; ++i) {
      Index moved = order[i];
      int64_t hole = i;
      while (hole > start && isBefore(moved, order[hole - 1])) {
        order[hole] = order[hole - 1];
        --hole;
      }
      order[hole] = moved;
    }
  }
  Index *from = order;
  Index *to = spare;
  for (int64_t run = insertionRun; run < length; run *= 2) {
    for (int64_t start = 0; start < length; start += 2 * run) {
      int64_t middle = std::min(start + run, length);
      int64_t end = std::min(start + 2 * run, length);
      int64_t left = start;
      int64_t right = middle;
      Index *out = to + start;
      while (left < middle && right < end) {
        *out++ =
            isBefore(from[right], from[left]) ? from[right++] : from[left++];
      }
      out = std::copy(from + left, from + middle, out);
      std::copy(from + right, from + end, out);
    }
    std::swap(from, to);
  }
  if (from != order) {
    std::copy(from, from + length, order);
  }
}

/// One slice of a sort: the address of its first row and the step between rows.
struct Slice {
  const XlaSort &sort;
  int64_t first;

  Slice(const XlaSort &sort, int64_t number)
      : sort(sort), first(number / sort.inner * sort.length * sort.inner +
                          number % sort.inner) {}

  char *element(int64_t operand, int64_t row) const {
    return static_cast<char *>(sort.operands[operand]) +
           (first + row * sort.inner) * sort.element_bytes[operand];
  }
};

/// Moves row order[r] of `operand` to r, for every r.
template <typename Index>
void permute(const Slice &slice, int64_t operand, const Index *order,
             char *copy) {
  int64_t bytes = slice.sort.element_bytes[operand];
  int64_t length = slice.sort.length;
  int64_t step = bytes * slice.sort.inner;
  char *data = slice.element(operand, 0);
  auto move = [&](auto zero) {
    using Type = decltype(zero);
    auto *gathered = reinterpret_cast<Type *>(copy);
    ThreadPool::shared().parallelFor(
        length, rowsPerPiece * 8, [&](int64_t begin, int64_t end) {
          for (int64_t row = begin; row < end; ++row) {
            std::memcpy(&gathered[row], data + order[row] * step, sizeof(Type));
          }
        });
    ThreadPool::shared().parallelFor(
        length, rowsPerPiece * 8, [&](int64_t begin, int64_t end) {
          for (int64_t row = begin; row < end; ++row) {
            std::memcpy(data + row * step, &gathered[row], sizeof(Type));
          }
        });
  };
  switch (bytes) {
  case 1:
    return move(uint8_t());
  case 2:
    return move(uint16_t());
  case 4:
    return move(uint32_t());
  case 8:
    return move(uint64_t());
  default:
    return move(static_cast<unsigned __int128>(0));
  }
}

} // namespace xla::cpu

#endif // XLA_RUNTIME_CPU_KERNELS_SORTSLICES_H
