#include "xla/runtime/Arena.h"
#include "xla/runtime/ThreadPool.h"
#include "xla/runtime/abi/Runtime.h"
#include "xla/runtime/cpu/kernels/SortOrders.h"
#include "xla/runtime/cpu/kernels/SortSlices.h"

#include <atomic>

// Numbers are sorted as unsigned keys, digit by digit from the lowest (Knuth,
// The Art of Computer Programming 3, 5.2.5), which keeps the order of equals. A
// key carries its row in the lower half of a word, unless it is all there is.

namespace xla::cpu {

static constexpr int digitBits = 8;
static constexpr int digitCount = 1 << digitBits;
static constexpr int digitsOfKey = 32 / digitBits;

/// Shorter slices are merged: counting 256 digits would cost more.
static constexpr int64_t shortestRadix = 512;

/// What a thread should have to count and move before another is woken.
static constexpr int64_t rowsPerChunk = 1 << 16;
static constexpr int64_t maximumChunks = 64;

namespace {
/// How many entries of each chunk have each digit; then where they go.
struct Counts {
  int64_t of[maximumChunks][digitCount];
};
static_assert(sizeof(Counts) == XLA_SORT_COUNT_BYTES);
} // namespace

template <typename Entry>
static unsigned digitOf(Entry entry, int digit) {
  constexpr int keyStart = 8 * int(sizeof(Entry)) - 32;
  return static_cast<unsigned>(entry >> (keyStart + digit * digitBits)) &
         (digitCount - 1);
}

/// Turns counts into places: digit by digit, and chunk by chunk within one.
/// False where one digit has all entries: they are in place already.
static bool placesFromCounts(Counts &counts, int64_t chunks, int64_t length) {
  int64_t place = 0;
  for (int digit = 0; digit < digitCount; ++digit) {
    int64_t before = place;
    for (int64_t chunk = 0; chunk < chunks; ++chunk) {
      int64_t count = counts.of[chunk][digit];
      counts.of[chunk][digit] = place;
      place += count;
    }
    if (place - before == length) {
      return false;
    }
  }
  return true;
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
            body(chunk, std::min(chunk * size, length),
                 std::min((chunk + 1) * size, length));
          }
        });
  };
  for (int digit = 0; digit < digitsOfKey; ++digit) {
    forChunks([&](int64_t chunk, int64_t begin, int64_t end) {
      int64_t *count = counts.of[chunk];
      std::fill(count, count + digitCount, 0);
      for (int64_t i = begin; i < end; ++i) {
        ++count[digitOf(entries[i], digit)];
      }
    });
    if (!placesFromCounts(counts, chunks, length)) {
      continue;
    }
    forChunks([&](int64_t chunk, int64_t begin, int64_t end) {
      int64_t *place = counts.of[chunk];
      for (int64_t i = begin; i < end; ++i) {
        spare[place[digitOf(entries[i], digit)]++] = entries[i];
      }
    });
    std::swap(entries, spare);
  }
  return entries;
}

template <typename Entry>
static Entry *sortEntries(Entry *entries, Entry *spare, int64_t length,
                          Counts &counts) {
  if (length < shortestRadix) {
    mergeSort(entries, spare, length, [](Entry x, Entry y) { return x < y; });
    return entries;
  }
  return radixSort(entries, spare, length, counts);
}

/// Sorts the only operand, if its elements can be had back from their keys.
template <typename Keys>
static bool sortAlone(const Slice &slice, uint32_t flip, uint32_t *keys,
                      Counts &counts) {
  int64_t length = slice.sort.length;
  int64_t step = slice.sort.inner;
  auto *elements = reinterpret_cast<uint32_t *>(slice.element(0, 0));
  std::atomic<bool> areExact{true};
  ThreadPool::shared().parallelFor(length, rowsPerChunk,
                                   [&](int64_t begin, int64_t end) {
                                     uint32_t lost = 0;
                                     for (int64_t i = begin; i < end; ++i) {
                                       uint32_t bits = elements[i * step];
                                       uint32_t key = Keys::toKey(bits);
                                       lost |= Keys::fromKey(key) ^ bits;
                                       keys[i] = key ^ flip;
                                     }
                                     if (lost) {
                                       areExact = false;
                                     }
                                   });
  if (!areExact) {
    return false;
  }
  const uint32_t *sorted = sortEntries(keys, keys + length, length, counts);
  ThreadPool::shared().parallelFor(
      length, rowsPerChunk, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
          elements[i * step] = Keys::fromKey(sorted[i] ^ flip);
        }
      });
  return true;
}

template <typename Keys>
static void sortWithRows(const Slice &slice, uint32_t flip, uint64_t *entries,
                         Counts &counts) {
  int64_t length = slice.sort.length;
  int64_t step = slice.sort.inner;
  auto *elements = reinterpret_cast<const uint32_t *>(slice.element(0, 0));
  ThreadPool::shared().parallelFor(
      length, rowsPerChunk, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
          uint32_t key = Keys::toKey(elements[i * step]) ^ flip;
          entries[i] = uint64_t(key) << 32 | uint64_t(i);
        }
      });
  uint64_t *sorted = sortEntries(entries, entries + length, length, counts);
  // The rows' order takes the front of the first array: each number is written
  // where entries have been read already. The second array is free then.
  auto *order = reinterpret_cast<uint32_t *>(entries);
  for (int64_t i = 0; i < length; ++i) {
    auto row = static_cast<uint32_t>(sorted[i]);
    std::memcpy(static_cast<void *>(order + i), &row, sizeof row);
  }
  for (int64_t i = 0; i < slice.sort.operand_count; ++i) {
    permute(slice, i, order, reinterpret_cast<char *>(entries + length));
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
          Slice slice(sort, number);
          if (sort.operand_count > 1 ||
              !sortAlone<Keys>(slice, flip, static_cast<uint32_t *>(arrays),
                               counts)) {
            sortWithRows<Keys>(slice, flip, static_cast<uint64_t *>(arrays),
                               counts);
          }
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
