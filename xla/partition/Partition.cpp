//===- Partition.cpp - One program for each of several devices ------------===//

#include "xla/partition/Partition.h"

namespace xla::partition {

Status partitionModule(mlir::ModuleOp module, const PartitionOptions &options,
                       PartitionReport &report) {
  return unimplemented("programs cannot be divided among " +
                       std::to_string(options.partitions) + " devices yet");
}

} // namespace xla::partition
