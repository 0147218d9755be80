//===- Partition.cpp - One program for each of several devices ------------===//

#include "xla/partition/Partition.h"

#include "xla/partition/Localize.h"
#include "xla/partition/Passes.h"

namespace xla::partition {

Status partitionModule(mlir::ModuleOp module, const PartitionOptions &options,
                       PartitionReport &report) {
  bindBoundary(module, options.choosesParameters, options.choosesResults);
  XLA_RETURN_IF_ERROR(importShardings(module));
  XLA_RETURN_IF_ERROR(propagateShardings(module));
  XLA_RETURN_IF_ERROR(makeShardingsConsistent(module));
  return localize(module, options, report);
}

} // namespace xla::partition
