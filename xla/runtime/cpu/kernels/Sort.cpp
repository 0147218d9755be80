#include "xla/runtime/Arena.h"
#include "xla/runtime/ThreadPool.h"
#include "xla/runtime/abi/Runtime.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstring>
#include <numeric>

namespace xla::cpu {

/// Slices shorter than this are not worth a helper's wake-up.
static constexpr int64_t rowsPerPiece = 4096;

/// Runs this short are sorted by insertion before they are merged.
static constexpr int64_t insertionRun = 16;

/// Sorts `order` by `isBefore`, keeping the order of equals. Reads nothing out
/// of bounds and ends, whatever `isBefore` says.
template <typename Index, typename IsBefore>
static void mergeSort(Index *order, Index *spare, int64_t length,
                      IsBefore isBefore) {
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

namespace {
/// One slice of a sort: where its first row lies and how rows follow.
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
} // namespace

/// Moves row order[r] of `operand` to r, for every r.
template <typename Index>
static void permute(const Slice &slice, int64_t operand, const Index *order,
                    char *copy) {
  int64_t bytes = slice.sort.element_bytes[operand];
  int64_t length = slice.sort.length;
  int64_t step = bytes * slice.sort.inner;
  char *data = slice.element(operand, 0);
  auto move = [&](auto zero) {
    using Type = decltype(zero);
    auto *gathered = reinterpret_cast<Type *>(copy);
    for (int64_t row = 0; row < length; ++row) {
      std::memcpy(&gathered[row], data + order[row] * step, sizeof(Type));
    }
    for (int64_t row = 0; row < length; ++row) {
      std::memcpy(data + row * step, &gathered[row], sizeof(Type));
    }
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

/// Calls `sortSlice(slice, order, spare, copy)` for each slice with scratch for
/// `length` rows, then moves the operands' rows as `order` says.
template <typename Index, typename SortSlice>
static int32_t sortSlices(const XlaSort &sort, SortSlice sortSlice) {
  std::atomic<int32_t> result{XLA_RUNTIME_OK};
  int64_t grain = std::max<int64_t>(rowsPerPiece / sort.length, 1);
  ThreadPool::shared().parallelFor(
      sort.outer * sort.inner, grain, [&](int64_t begin, int64_t end) {
        size_t indexBytes = sort.length * sizeof(Index);
        ScratchMemory copy(sort.length * 16 + 2 * indexBytes);
        if (!copy.data()) {
          result = XLA_RUNTIME_OUT_OF_MEMORY;
          return;
        }
        auto *values = static_cast<char *>(copy.data());
        auto *order = reinterpret_cast<Index *>(values + sort.length * 16);
        for (int64_t number = begin; number < end; ++number) {
          Slice slice(sort, number);
          std::iota(order, order + sort.length, Index(0));
          sortSlice(slice, order, order + sort.length, values);
          for (int64_t i = 0; i < sort.operand_count; ++i) {
            permute(slice, i, order, values);
          }
        }
      });
  return result;
}

template <typename Index>
static int32_t sortByComparator(const XlaSort &sort,
                                XlaSortComparator comparator, void *context) {
  return sortSlices<Index>(
      sort, [&](const Slice &slice, Index *order, Index *spare, char *) {
        static constexpr int64_t inlineOperands = 8;
        const void *onStack[2 * inlineOperands];
        ScratchMemory heap(sort.operand_count > inlineOperands
                               ? sort.operand_count * 2 * sizeof(void *)
                               : 0);
        const void **pairs = sort.operand_count > inlineOperands
                                 ? static_cast<const void **>(heap.data())
                                 : onStack;
        if (!pairs) {
          return;
        }
        mergeSort(order, spare, sort.length, [&](Index first, Index second) {
          for (int64_t i = 0; i < sort.operand_count; ++i) {
            pairs[2 * i] = slice.element(i, first);
            pairs[2 * i + 1] = slice.element(i, second);
          }
          return comparator(context, pairs) != 0;
        });
      });
}

/// Sorts by unsigned keys: `toKey` maps an element of operand 0 to a number
/// that orders as the element does.
template <typename Index, typename ToKey>
static int32_t sortByKey(const XlaSort &sort, ToKey toKey) {
  return sortSlices<Index>(
      sort, [&](const Slice &slice, Index *order, Index *spare, char *values) {
        auto *keys = reinterpret_cast<uint32_t *>(values);
        for (int64_t row = 0; row < sort.length; ++row) {
          uint32_t bits;
          std::memcpy(&bits, slice.element(0, row), sizeof bits);
          keys[row] = toKey(bits);
        }
        mergeSort(order, spare, sort.length, [&](Index first, Index second) {
          return keys[first] < keys[second];
        });
      });
}

static bool isEmpty(const XlaSort &sort) {
  return sort.outer <= 0 || sort.inner <= 0 || sort.length <= 1 ||
         sort.operand_count <= 0;
}

static constexpr uint32_t signBit = uint32_t(1) << 31;

/// The key of a float in the total order: NaN last, the zeros alike.
static uint32_t floatKey(uint32_t bits) {
  uint32_t magnitude = bits & ~signBit;
  if (magnitude > 0x7f800000u) {
    return ~uint32_t(0);
  }
  if (magnitude == 0) {
    return signBit;
  }
  return bits & signBit ? ~bits : bits | signBit;
}

template <typename ToKey>
static int32_t sortNumbers(const XlaSort &sort, bool isDescending,
                           ToKey toKey) {
  if (isEmpty(sort)) {
    return XLA_RUNTIME_OK;
  }
  auto directed = [&](uint32_t bits) {
    return isDescending ? ~toKey(bits) : toKey(bits);
  };
  return sort.length <= int64_t(UINT32_MAX)
             ? sortByKey<uint32_t>(sort, directed)
             : sortByKey<uint64_t>(sort, directed);
}

} // namespace xla::cpu

using namespace xla::cpu;

int32_t xla_sort(const XlaSort *sort, XlaSortComparator comparator,
                 void *context) {
  if (isEmpty(*sort)) {
    return XLA_RUNTIME_OK;
  }
  return sort->length <= int64_t(UINT32_MAX)
             ? sortByComparator<uint32_t>(*sort, comparator, context)
             : sortByComparator<uint64_t>(*sort, comparator, context);
}

int32_t xla_sort_f32(const XlaSort *sort, int64_t descending) {
  return sortNumbers(*sort, descending != 0, floatKey);
}

int32_t xla_sort_s32(const XlaSort *sort, int64_t descending) {
  return sortNumbers(*sort, descending != 0,
                     [](uint32_t bits) { return bits ^ signBit; });
}

int32_t xla_sort_u32(const XlaSort *sort, int64_t descending) {
  return sortNumbers(*sort, descending != 0,
                     [](uint32_t bits) { return bits; });
}
