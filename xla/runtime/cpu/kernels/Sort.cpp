#include "xla/runtime/Arena.h"
#include "xla/runtime/ThreadPool.h"
#include "xla/runtime/abi/Runtime.h"
#include "xla/runtime/cpu/kernels/SortSlices.h"

#include <algorithm>
#include <atomic>
#include <numeric>

namespace xla::cpu {

/// Calls `sortSlice(slice, order, spare)` for each slice, which fails where
/// memory ran out, then moves the operands' rows as `order` says.
template <typename Index, typename SortSlice>
static int32_t sortSlices(const XlaSort &sort, SortSlice sortSlice) {
  std::atomic<int32_t> result{XLA_RUNTIME_OK};
  int64_t grain = std::max<int64_t>(rowsPerPiece / sort.length, 1);
  ThreadPool::shared().parallelFor(
      sort.outer * sort.inner, grain, [&](int64_t begin, int64_t end) {
        SortScratch copy(sort, true);
        if (!copy.data()) {
          result = XLA_RUNTIME_OUT_OF_MEMORY;
          return;
        }
        auto *values = static_cast<char *>(copy.data());
        auto *order = reinterpret_cast<Index *>(values + sort.length * 16);
        for (int64_t number = begin; number < end; ++number) {
          Slice slice(sort, number);
          std::iota(order, order + sort.length, Index(0));
          if (!sortSlice(slice, order, order + sort.length)) {
            result = XLA_RUNTIME_OUT_OF_MEMORY;
            return;
          }
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
      sort, [&](const Slice &slice, Index *order, Index *spare) {
        static constexpr int64_t inlineOperands = 8;
        const void *onStack[2 * inlineOperands];
        ScratchMemory heap(sort.operand_count > inlineOperands
                               ? sort.operand_count * 2 * sizeof(void *)
                               : 0);
        const void **pairs = sort.operand_count > inlineOperands
                                 ? static_cast<const void **>(heap.data())
                                 : onStack;
        if (!pairs) {
          return false;
        }
        mergeSort(order, spare, sort.length, [&](Index first, Index second) {
          for (int64_t i = 0; i < sort.operand_count; ++i) {
            pairs[2 * i] = slice.element(i, first);
            pairs[2 * i + 1] = slice.element(i, second);
          }
          return comparator(context, pairs) != 0;
        });
        return true;
      });
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
