#include "xla/runtime/Arena.h"
#include "xla/runtime/ThreadPool.h"
#include "xla/runtime/abi/Runtime.h"
#include "xla/runtime/cpu/kernels/SortOrders.h"
#include "xla/runtime/cpu/kernels/SortSlices.h"

#include <atomic>

// Numbers are sorted as unsigned keys, digit by digit from the lowest (Knuth,
// The Art of Computer Programming 3, 5.2.5), which keeps the order of equals. A
// key is the upper half of a word whose lower half moves along: what it is the
// key of, if that fits, or its row. A key that is all there is moves alone.

namespace xla::cpu {

static constexpr int digitBits = 8;
static constexpr int digitCount = 1 << digitBits;
static constexpr int digitsOfKey = 32 / digitBits;

/// Shorter slices are merged: counting 256 digits would cost more.
static constexpr int64_t shortestRadix = 512;

/// What a thread should have to count and move before another is woken.
static constexpr int64_t rowsPerChunk = 1 << 16;
static constexpr int64_t maximumChunks = 32;

namespace {
/// How many entries of each half of a chunk have each digit; then where they
/// go. A thread takes from both halves in turn: where many entries have one
/// digit, each must wait for the count that the one before left.
struct Counts {
  int64_t of[2 * maximumChunks][digitCount];
};
static_assert(sizeof(Counts) == XLA_SORT_COUNT_BYTES);
} // namespace

template <typename Entry>
static uint32_t keyOf(Entry entry) {
  return static_cast<uint32_t>(entry >> (8 * sizeof(Entry) - 32));
}

template <typename Entry>
static unsigned digitOf(Entry entry, int digit) {
  return keyOf(entry) >> (digit * digitBits) & (digitCount - 1);
}

/// Turns counts into offsets: digit by digit, and half by half within one.
/// False where one digit has all entries: they are in order already.
static bool offsetsFromCounts(Counts &counts, int64_t halves, int64_t length) {
  int64_t offset = 0;
  for (int digit = 0; digit < digitCount; ++digit) {
    int64_t before = offset;
    for (int64_t half = 0; half < halves; ++half) {
      int64_t count = counts.of[half][digit];
      counts.of[half][digit] = offset;
      offset += count;
    }
    if (offset - before == length) {
      return false;
    }
  }
  return true;
}

/// Calls `visit(entry, count)` for each entry of a chunk, with the count of its
/// half that its digit has.
template <typename Entry, typename Visit>
static void forEntries(Counts &counts, int64_t chunk, int digit,
                       const Entry *begin, const Entry *end, Visit visit) {
  int64_t *first = counts.of[2 * chunk];
  int64_t *second = counts.of[2 * chunk + 1];
  const int64_t half = (end - begin) / 2;
  for (const Entry *entry = begin; entry < begin + half; ++entry) {
    visit(*entry, first[digitOf(*entry, digit)]);
    visit(entry[half], second[digitOf(entry[half], digit)]);
  }
  if (begin + 2 * half < end) {
    visit(end[-1], second[digitOf(end[-1], digit)]);
  }
}

/// Sorts `entries`; returns which of the two arrays holds the result.
template <typename Entry>
static Entry *radixSort(Entry *entries, Entry *spare, int64_t length,
                        Counts &counts) {
  int64_t chunks = std::clamp<int64_t>(
      std::min<int64_t>(length / rowsPerChunk, ThreadPool::shared().threads()),
      1, maximumChunks);
  int64_t size = (length - 1) / chunks + 1;
  auto forChunks = [&](auto body) {
    ThreadPool::shared().parallelFor(
        chunks, 1, [&](int64_t begin, int64_t end) {
          for (int64_t chunk = begin; chunk < end; ++chunk) {
            body(chunk, entries + std::min(chunk * size, length),
                 entries + std::min((chunk + 1) * size, length));
          }
        });
  };
  for (int digit = 0; digit < digitsOfKey; ++digit) {
    forChunks([&](int64_t chunk, const Entry *begin, const Entry *end) {
      std::fill_n(counts.of[2 * chunk], 2 * digitCount, 0);
      forEntries(counts, chunk, digit, begin, end,
                 [](Entry, int64_t &count) { ++count; });
    });
    if (!offsetsFromCounts(counts, 2 * chunks, length)) {
      continue;
    }
    forChunks([&](int64_t chunk, const Entry *begin, const Entry *end) {
      forEntries(
          counts, chunk, digit, begin, end,
          [&](Entry entry, int64_t &offset) { spare[offset++] = entry; });
    });
    std::swap(entries, spare);
  }
  return entries;
}

template <typename Entry>
static Entry *sortEntries(Entry *entries, Entry *spare, int64_t length,
                          Counts &counts) {
  if (length < shortestRadix) {
    mergeSort(entries, spare, length,
              [](Entry x, Entry y) { return keyOf(x) < keyOf(y); });
    return entries;
  }
  return radixSort(entries, spare, length, counts);
}

/// Calls `body(begin, end)` for the rows of a slice, on several threads where
/// that pays.
template <typename Body>
static void forRows(const Slice &slice, Body body) {
  ThreadPool::shared().parallelFor(slice.sort.length, rowsPerChunk, body);
}

/// Makes an entry of each row: `entryOf(key, row)`. Returns whether the
/// elements can be had back from their keys.
template <typename Keys, typename Entry, typename EntryOf>
static bool makeEntries(const Slice &slice, uint32_t flip, Entry *entries,
                        EntryOf entryOf) {
  const int64_t step = slice.sort.inner;
  auto *elements = reinterpret_cast<const uint32_t *>(slice.element(0, 0));
  std::atomic<bool> areExact{true};
  forRows(slice, [&](int64_t begin, int64_t end) {
    uint32_t lost = 0;
    for (int64_t i = begin; i < end; ++i) {
      uint32_t bits = elements[i * step];
      uint32_t key = Keys::toKey(bits);
      lost |= Keys::fromKey(key) ^ bits;
      entries[i] = entryOf(key ^ flip, i);
    }
    if (lost) {
      areExact = false;
    }
  });
  return areExact;
}

/// Writes the elements back in the order of their entries.
template <typename Keys, typename Entry>
static void writeElements(const Slice &slice, uint32_t flip,
                          const Entry *sorted) {
  const int64_t step = slice.sort.inner;
  auto *elements = reinterpret_cast<uint32_t *>(slice.element(0, 0));
  forRows(slice, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      elements[i * step] = Keys::fromKey(keyOf(sorted[i]) ^ flip);
    }
  });
}

/// Sorts the only operand, if its elements can be had back from their keys.
template <typename Keys>
static bool sortAlone(const Slice &slice, uint32_t flip, uint32_t *keys,
                      Counts &counts) {
  const int64_t length = slice.sort.length;
  if (!makeEntries<Keys>(slice, flip, keys,
                         [](uint32_t key, int64_t) { return key; })) {
    return false;
  }
  writeElements<Keys>(slice, flip,
                      sortEntries(keys, keys + length, length, counts));
  return true;
}

/// Sorts two operands of 32 bits, likewise: the second moves with the keys.
template <typename Keys>
static bool sortPair(const Slice &slice, uint32_t flip, uint64_t *entries,
                     Counts &counts) {
  const int64_t length = slice.sort.length;
  const int64_t step = slice.sort.inner;
  auto *payload = reinterpret_cast<uint32_t *>(slice.element(1, 0));
  if (!makeEntries<Keys>(slice, flip, entries, [&](uint32_t key, int64_t i) {
        return uint64_t(key) << 32 | payload[i * step];
      })) {
    return false;
  }
  uint64_t *sorted = sortEntries(entries, entries + length, length, counts);
  writeElements<Keys>(slice, flip, sorted);
  forRows(slice, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      payload[i * step] = static_cast<uint32_t>(sorted[i]);
    }
  });
  return true;
}

template <typename Keys>
static void sortWithRows(const Slice &slice, uint32_t flip, uint64_t *entries,
                         Counts &counts) {
  const int64_t length = slice.sort.length;
  const bool areExact =
      makeEntries<Keys>(slice, flip, entries, [](uint32_t key, int64_t i) {
        return uint64_t(key) << 32 | uint64_t(i);
      });
  uint64_t *sorted = sortEntries(entries, entries + length, length, counts);
  if (areExact) {
    writeElements<Keys>(slice, flip, sorted);
  }
  // The rows' order takes the front of the first array: each number is written
  // where entries have been read already. The second array is free then.
  auto *order = reinterpret_cast<uint32_t *>(entries);
  for (int64_t i = 0; i < length; ++i) {
    auto row = static_cast<uint32_t>(sorted[i]);
    std::memcpy(static_cast<void *>(order + i), &row, sizeof row);
  }
  for (int64_t i = areExact ? 1 : 0; i < slice.sort.operand_count; ++i) {
    permute(slice, i, order, reinterpret_cast<char *>(entries + length));
  }
}

/// Sorts a slice in the way that its operands allow.
template <typename Keys>
static void sortSlice(const Slice &slice, uint32_t flip, void *arrays,
                      Counts &counts) {
  const XlaSort &sort = slice.sort;
  auto *entries = static_cast<uint64_t *>(arrays);
  bool isSorted = false;
  if (sort.operand_count == 1) {
    isSorted =
        sortAlone<Keys>(slice, flip, static_cast<uint32_t *>(arrays), counts);
  } else if (sort.operand_count == 2 && sort.element_bytes[1] == 4) {
    isSorted = sortPair<Keys>(slice, flip, entries, counts);
  }
  if (!isSorted) {
    sortWithRows<Keys>(slice, flip, entries, counts);
  }
}

template <typename Keys>
static int32_t sortKeys(const XlaSort &sort, bool isDescending) {
  if (isEmpty(sort)) {
    return XLA_RUNTIME_OK;
  }
  uint32_t flip = isDescending ? ~uint32_t(0) : 0;
  // Two arrays of entries; `permute` borrows the second for what it moves.
  std::atomic<int32_t> result{XLA_RUNTIME_OK};
  int64_t grain = std::max<int64_t>(rowsPerPiece / sort.length, 1);
  ThreadPool::shared().parallelFor(
      sort.outer * sort.inner, grain, [&](int64_t begin, int64_t end) {
        SortScratch scratch(sort, false);
        if (!scratch.data()) {
          result = XLA_RUNTIME_OUT_OF_MEMORY;
          return;
        }
        auto &counts = *static_cast<Counts *>(scratch.data());
        void *arrays = &counts + 1;
        for (int64_t number = begin; number < end; ++number) {
          sortSlice<Keys>(Slice(sort, number), flip, arrays, counts);
        }
      });
  return result;
}

} // namespace xla::cpu

using namespace xla::cpu;

int32_t xla_sort_f32(const XlaSort *sort, int64_t descending) {
  return sortKeys<FloatKeys>(*sort, descending != 0);
}

int32_t xla_sort_f32_total(const XlaSort *sort, int64_t descending) {
  return sortKeys<TotalFloatKeys>(*sort, descending != 0);
}

int32_t xla_sort_s32(const XlaSort *sort, int64_t descending) {
  return sortKeys<SignedKeys>(*sort, descending != 0);
}

int32_t xla_sort_u32(const XlaSort *sort, int64_t descending) {
  return sortKeys<UnsignedKeys>(*sort, descending != 0);
}
