//===- MemoryTraffic.h - The bytes that a step moves ------------*- C++ -*-===//

#ifndef XLA_CODEGEN_CPU_MEMORYTRAFFIC_H
#define XLA_CODEGEN_CPU_MEMORYTRAFFIC_H

#include "xla/codegen/cpu/FusionPlan.h"

namespace xla::cpu {

/// The bytes that the step at `op` writes, and reads of values in memory: each
/// of these once, and at most one element for each element computed. Values
/// that are computed where they are needed move nothing. Caches are left out
/// of account.
double bytesMoved(mlir::Operation *op, const FusionPlan &fusion);

} // namespace xla::cpu

#endif // XLA_CODEGEN_CPU_MEMORYTRAFFIC_H
