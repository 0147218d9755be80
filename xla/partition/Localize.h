//===- Localize.h - The program of one device -------------------*- C++ -*-===//

#ifndef XLA_PARTITION_LOCALIZE_H
#define XLA_PARTITION_LOCALIZE_H

#include "xla/partition/Partition.h"

namespace xla::partition {

/// The last step of partitioning. Takes a verified module with its shardings,
/// and leaves the program of one device: local shapes, StableHLO collectives
/// over partition ids, nothing of `sdy`. Unimplemented, with name and source
/// location, for what has no method. A module with the attribute
/// `xla.only_shardings` is compiled for the report alone: its `main` is left
/// returning zeros. Placements are those that the program names;
/// operations whose operands are not sharded as they need have them moved, so
/// any placements will do.
Status localize(mlir::ModuleOp module, const PartitionOptions &options,
                PartitionReport &report);

} // namespace xla::partition

#endif // XLA_PARTITION_LOCALIZE_H
