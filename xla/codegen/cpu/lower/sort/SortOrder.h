//===- SortOrder.h - Comparators that are an order of numbers ---*- C++ -*-===//

#ifndef XLA_CODEGEN_CPU_LOWER_SORT_SORTORDER_H
#define XLA_CODEGEN_CPU_LOWER_SORT_SORTORDER_H

#include "xla/dialect/stablehlo/StablehloOps.h"

namespace xla::cpu {

/// A runtime entry that sorts as a comparator would, only faster.
struct SortOrder {
  const char *entry = nullptr; ///< null: no entry does
  int64_t number = 0;          ///< of the order, in the runtime's interface
  bool isDescending = false;
};

/// Recognises comparators that order operand 0 alone by its numbers: integers,
/// floats in their total order, and floats whose zeros are alike and whose NaNs
/// come last (or whose order is unspecified for NaN).
SortOrder recognizeSortOrder(stablehlo::SortOp op);

} // namespace xla::cpu

#endif // XLA_CODEGEN_CPU_LOWER_SORT_SORTORDER_H
