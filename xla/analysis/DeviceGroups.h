//===- DeviceGroups.h - Who takes part in a collective ----------*- C++ -*-===//
//
// A program of one replica runs on partitions, numbered from 0. Its collectives
// say which of them exchange arrays in one of three ways; here they become
// lists of partitions.
//
//===----------------------------------------------------------------------===//

#ifndef XLA_ANALYSIS_DEVICEGROUPS_H
#define XLA_ANALYSIS_DEVICEGROUPS_H

#include "xla/support/Status.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/SmallVector.h"

#include <optional>
#include <string>

namespace xla {

/// Each group lists its partitions in the order of their ranks.
using DeviceGroups = llvm::SmallVector<llvm::SmallVector<int64_t>>;

/// What `mhlo.num_partitions` of the module says, or 1.
int64_t partitionsOf(mlir::ModuleOp module);

/// Whether devices exchange arrays here; calls of @ragged_all_to_all too.
bool isCollective(mlir::Operation *op);

/// The groups of a collective among `partitions` devices. InvalidArgument, with
/// the rule, where they name devices that do not exist or one twice, or leave
/// one out, or where types do not fit their sizes.
StatusOr<DeviceGroups> deviceGroupsOf(mlir::Operation *op, int64_t partitions);

/// From which rank each rank of a collective_permute or collective_broadcast
/// receives, or -1, among groups that `deviceGroupsOf` gave.
llvm::SmallVector<int64_t> sourcesOf(mlir::Operation *op,
                                     const DeviceGroups &groups);

/// The name of a collective and its source location, for messages.
std::string nameOfCollective(mlir::Operation *op);

} // namespace xla

#endif // XLA_ANALYSIS_DEVICEGROUPS_H
