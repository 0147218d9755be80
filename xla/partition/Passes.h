//===- Passes.h - The steps of partitioning ---------------------*- C++ -*-===//
//
// Between the steps the program itself carries the shardings: arguments and
// results of functions in their attributes, operations in `sdy.sharding`.
//
//===----------------------------------------------------------------------===//

#ifndef XLA_PARTITION_PASSES_H
#define XLA_PARTITION_PASSES_H

#include "xla/support/Status.h"

#include "mlir/IR/BuiltinOps.h"

#include <vector>

namespace xla::partition {

/// Reads the older form of shardings, text in `mhlo.sharding` and the custom
/// calls that go with it, and writes them as shardings by axes. Does nothing
/// to a program that has none. Invalid argument where they make no sense.
Status importTiles(mlir::ModuleOp module, int64_t devices);

/// Writes the groups of collectives as lists of devices where they are said by
/// axes of a mesh. Invalid argument where there is no such mesh or axis.
Status listReplicaGroups(mlir::ModuleOp module);

/// Where the caller does not leave the choice to the compiler, arguments and
/// results of `main` without a sharding are whole on every device. The last of
/// a list stands for all that follow; an empty list leaves no choice.
void bindBoundary(mlir::ModuleOp module, const std::vector<bool> &parameters,
                  const std::vector<bool> &results);

/// Brings a program with shardings into the form in which they propagate: calls
/// are expanded, each use of a constant has its own, constraints bind the
/// values that they are applied to, axes of size 1 are gone.
Status importShardings(mlir::ModuleOp module);

/// Gives every array a sharding, closed. What nothing speaks of is whole on
/// every device. Arguments and results of `main` are cut evenly along whole
/// axes.
Status propagateShardings(mlir::ModuleOp module);

/// Inserts `sdy.reshard` and `sdy.all_reduce` until the operands and results of
/// every operation are cut alike along each of its factors.
Status makeShardingsConsistent(mlir::ModuleOp module);

/// For tests: writes beside each operation what the table says of it.
void showShardingRules(mlir::ModuleOp module);

} // namespace xla::partition

#endif // XLA_PARTITION_PASSES_H
