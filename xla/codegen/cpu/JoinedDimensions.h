//===- JoinedDimensions.h - Fewer, longer loops -----------------*- C++ -*-===//

#ifndef XLA_CODEGEN_CPU_JOINEDDIMENSIONS_H
#define XLA_CODEGEN_CPU_JOINEDDIMENSIONS_H

#include "xla/codegen/cpu/FusionPlan.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace xla::cpu {

/// `shape`, of what is computed for `computed`, with dimensions joined with the
/// next one where nothing tells them apart and `may` allows it: the earlier one
/// has size 1 then, and the later one the product.
llvm::SmallVector<int64_t>
joinedShape(const FusionPlan &fusion, llvm::ArrayRef<int64_t> shape,
            mlir::ValueRange computed,
            llvm::function_ref<bool(int64_t first, int64_t second)> may);

} // namespace xla::cpu

#endif // XLA_CODEGEN_CPU_JOINEDDIMENSIONS_H
