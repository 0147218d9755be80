//===- Localize.h - The program of one device -------------------*- C++ -*-===//

#ifndef XLA_PARTITION_LOCALIZE_H
#define XLA_PARTITION_LOCALIZE_H

#include "xla/partition/Partition.h"

namespace xla::partition {

/// The last step of partitioning. Placements are those that the program names;
/// operations whose operands are not sharded as they need have them moved, so
/// any placements will do.
Status localize(mlir::ModuleOp module, const PartitionOptions &options,
                PartitionReport &report);

/// --xla-localize of xla-opt: for as many devices as the module says.
void registerLocalizePass();

} // namespace xla::partition

#endif // XLA_PARTITION_LOCALIZE_H
