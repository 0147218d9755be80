#include "xla/runtime/Arena.h"
#include "xla/runtime/ThreadPool.h"
#include "xla/runtime/abi/Runtime.h"
#include "xla/runtime/cpu/kernels/SortOrders.h"
#include "xla/runtime/cpu/kernels/SortSlices.h"

#include <atomic>

// The first rows of a sort without the sort: rows that come before the last of
// the best so far are collected; when there are as many again, all but the best
// are thrown away (quickselect, Hoare 1961), which costs constant time per row
// collected. Few best are kept in order instead: a row that belongs to them is
// inserted. Most rows are only compared, many at a time.

namespace xla::cpu {

/// Rows looked at together; only blocks with a candidate are looked at again.
static constexpr int64_t blockOfRows = 64;

/// Where a block has a candidate, its parts are looked at first.
static constexpr int64_t partOfRows = 16;

/// At most so many are kept in order: insertion costs time with their number.
static constexpr int64_t mostInOrder = 16;

template <typename Keys>
static uint32_t smallestKey(const uint32_t *elements, uint32_t flip,
                            int64_t count = blockOfRows) {
  uint32_t smallest = ~uint32_t(0);
  for (int64_t i = 0; i < count; ++i) {
    uint32_t key = Keys::toKey(elements[i]) ^ flip;
    smallest = key < smallest ? key : smallest;
  }
  return smallest;
}

/// Writes the rows of a slice that `best` names, in its order. The keys are
/// read before their slice is written: it may be the same.
static void writeFirst(const XlaSelectFirst &select, int64_t slice,
                       const uint64_t *best, uint64_t *space) {
  auto *elements =
      static_cast<const uint32_t *>(select.keys) + slice * select.length;
  auto *values = static_cast<uint32_t *>(select.values) + slice * select.length;
  for (int64_t i = 0; i < select.count; ++i) {
    space[i] = elements[static_cast<uint32_t>(best[i])];
  }
  for (int64_t i = 0; i < select.count; ++i) {
    values[i] = static_cast<uint32_t>(space[i]);
  }
  if (select.rows) {
    int32_t *rows = select.rows + slice * select.length;
    for (int64_t i = 0; i < select.count; ++i) {
      rows[i] = static_cast<int32_t>(best[i]);
    }
  }
}

/// Few rows, in order all the time.
template <typename Keys>
static void keepFirstOfSlice(const XlaSelectFirst &select, int64_t slice,
                             uint64_t *best, uint32_t flip) {
  const int64_t wanted = select.count, length = select.length;
  auto *elements = static_cast<const uint32_t *>(select.keys) + slice * length;
  int64_t held = 0;
  uint64_t limit = ~uint64_t(0); // keys below it are candidates
  auto insert = [&](int64_t row) {
    uint32_t key = Keys::toKey(elements[row]) ^ flip;
    if (key >= limit) {
      return;
    }
    held += held < wanted;
    uint64_t added = uint64_t(key) << 32 | uint64_t(row);
    int64_t i = held - 1;
    for (; i > 0 && best[i - 1] > added; --i) {
      best[i] = best[i - 1];
    }
    best[i] = added;
    if (held == wanted) {
      limit = best[wanted - 1] >> 32;
    }
  };
  int64_t row = 0;
  for (; row + partOfRows <= length;) {
    if (row + blockOfRows <= length && held == wanted &&
        limit <= smallestKey<Keys>(elements + row, flip)) {
      row += blockOfRows;
      continue;
    }
    int64_t end = std::min(row + blockOfRows, length - length % partOfRows);
    for (; row < end; row += partOfRows) {
      if (smallestKey<Keys>(elements + row, flip, partOfRows) < limit) {
        for (int64_t i = row; i < row + partOfRows; ++i) {
          insert(i);
        }
      }
    }
  }
  for (; row < length; ++row) {
    insert(row);
  }
  writeFirst(select, slice, best, best + wanted);
}

template <typename Keys>
static void selectFromSlice(const XlaSelectFirst &select, int64_t slice,
                            uint64_t *best, uint32_t flip) {
  const int64_t wanted = select.count, capacity = 2 * wanted + blockOfRows;
  const uint32_t *elements =
      static_cast<const uint32_t *>(select.keys) + slice * select.length;
  int64_t held = 0;
  uint64_t limit = ~uint64_t(0); // keys below it are candidates
  auto add = [&](int64_t row) {
    uint32_t key = Keys::toKey(elements[row]) ^ flip;
    if (key < limit) {
      best[held++] = uint64_t(key) << 32 | uint64_t(row);
    }
  };
  auto keepBest = [&] {
    if (held > wanted) {
      std::nth_element(best, best + wanted - 1, best + held);
      held = wanted;
    }
    if (held == wanted) {
      // Later rows with this key come later: they are no candidates.
      limit = best[wanted - 1] >> 32;
      for (int64_t i = 0; i < wanted; ++i) {
        limit = std::max(limit, best[i] >> 32);
      }
    }
  };
  int64_t row = 0;
  for (; row + blockOfRows <= select.length; row += blockOfRows) {
    if (limit <= smallestKey<Keys>(elements + row, flip)) {
      continue;
    }
    for (int64_t i = row; i < row + blockOfRows; ++i) {
      add(i);
    }
    if (held + blockOfRows > capacity) {
      keepBest();
    }
  }
  for (; row < select.length; ++row) {
    add(row);
  }
  keepBest();
  std::sort(best, best + wanted);
  writeFirst(select, slice, best, best + capacity);
}

template <typename Keys>
static int32_t selectFirst(const XlaSelectFirst &select) {
  if (select.outer <= 0 || select.count <= 0) {
    return XLA_RUNTIME_OK;
  }
  uint32_t flip = select.descending ? ~uint32_t(0) : 0;
  std::atomic<int32_t> result{XLA_RUNTIME_OK};
  int64_t grain = std::max<int64_t>(rowsPerPiece * 8 / select.length, 1);
  ThreadPool::shared().parallelFor(
      select.outer, grain, [&](int64_t begin, int64_t end) {
        ScratchMemory scratch((3 * select.count + blockOfRows) *
                              sizeof(uint64_t));
        if (!scratch.data()) {
          result = XLA_RUNTIME_OUT_OF_MEMORY;
          return;
        }
        auto *best = static_cast<uint64_t *>(scratch.data());
        for (int64_t slice = begin; slice < end; ++slice) {
          if (select.count <= mostInOrder) {
            keepFirstOfSlice<Keys>(select, slice, best, flip);
          } else {
            selectFromSlice<Keys>(select, slice, best, flip);
          }
        }
      });
  return result;
}

} // namespace xla::cpu

using namespace xla::cpu;

int32_t xla_select_first(const XlaSelectFirst *select) {
  switch (select->order) {
  case XLA_ORDER_F32:
    return selectFirst<FloatKeys>(*select);
  case XLA_ORDER_F32_TOTAL:
    return selectFirst<TotalFloatKeys>(*select);
  case XLA_ORDER_S32:
    return selectFirst<SignedKeys>(*select);
  default:
    return selectFirst<UnsignedKeys>(*select);
  }
}
