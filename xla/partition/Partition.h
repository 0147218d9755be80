//===- Partition.h - One program for each of several devices ----*- C++ -*-===//
//
// A program that was written for one large device, with `sdy` shardings that
// say how its values are sharded over a mesh of devices, becomes the program
// that each of the devices runs: shapes are those of the pieces, and
// collectives carry what a device needs of its peers.
//
//===----------------------------------------------------------------------===//

#ifndef XLA_PARTITION_PARTITION_H
#define XLA_PARTITION_PARTITION_H

#include "xla/report/PartitionFacts.h"
#include "xla/support/Status.h"

#include "mlir/IR/BuiltinOps.h"

#include <string>
#include <vector>

namespace xla::partition {

struct PartitionOptions {
  /// How many devices run the program together.
  int64_t partitions = 1;

  /// Per result of `main`: whether its placement is for the compiler to choose.
  /// Otherwise the annotated one binds, and without an annotation the array is
  /// whole on every device. A shorter list is continued with its last entry; an
  /// empty one says false.
  std::vector<bool> choosesResults;
};

/// The shardings of the operands and results of a custom call about which the
/// front end asks: `InspectSharding`, `CustomSPMDPartitioning`.
struct SeenCall {
  /// What the front end calls it: its `backend_config`.
  std::string key;
  /// Serialized OpSharding messages: operands first.
  std::vector<std::string> shardings;
};

/// The shardings of the program's inputs and outputs, and those queried inside.
struct PartitionReport {
  /// Serialized OpSharding messages, one for each parameter and result of
  /// `main`. They name whole axes and divide their arrays evenly.
  std::vector<std::string> parameterShardings, resultShardings;
  report::PartitionFacts facts;
  std::vector<SeenCall> seen;
};

} // namespace xla::partition

#endif // XLA_PARTITION_PARTITION_H
