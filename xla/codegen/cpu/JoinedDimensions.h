//===- JoinedDimensions.h - Fewer, longer loops -----------------*- C++ -*-===//

#ifndef XLA_CODEGEN_CPU_JOINEDDIMENSIONS_H
#define XLA_CODEGEN_CPU_JOINEDDIMENSIONS_H

#include "xla/codegen/cpu/FusionPlan.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace xla::cpu {

/// `shape`, of what is computed for `computed`, with dimensions joined with the
/// next one where nothing distinguishes them and `may` allows it: the earlier
/// one has size 1 then, and the later one the product.
llvm::SmallVector<int64_t>
joinedShape(const FusionPlan &fusion, llvm::ArrayRef<int64_t> shape,
            mlir::ValueRange computed,
            llvm::function_ref<bool(int64_t first, int64_t second)> may);

/// Whether elements that are neighbours along the dimensions at `first` and
/// `second` of a part are so in the whole array too: the part takes all of the
/// second, and between them the array has dimensions of size 1 alone.
bool isContiguous(llvm::ArrayRef<int64_t> part, llvm::ArrayRef<int64_t> whole,
                  int64_t first, int64_t second);

} // namespace xla::cpu

#endif // XLA_CODEGEN_CPU_JOINEDDIMENSIONS_H
