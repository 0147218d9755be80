//===- Partition.cpp - One program for each of several devices ------------===//

#include "xla/partition/Partition.h"

#include "xla/partition/Localize.h"

namespace xla::partition {

Status partitionModule(mlir::ModuleOp module, const PartitionOptions &options,
                       PartitionReport &report) {
  return localize(module, options, report);
}

} // namespace xla::partition
