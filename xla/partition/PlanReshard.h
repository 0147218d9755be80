//===- PlanReshard.h - From one placement to another ------------*- C++ -*-===//

#ifndef XLA_PARTITION_PLANRESHARD_H
#define XLA_PARTITION_PLANRESHARD_H

#include "xla/partition/Placement.h"

#include <vector>

namespace xla::partition {

/// One movement of pieces. `axes` are the last ones of the dimension that they
/// leave, and become the last ones of the dimension that they join.
struct ReshardStep {
  enum Kind {
    Slice,         ///< Without communication: `axes` join dimension `dim`.
    Gather,        ///< `axes` leave dimension `dim`.
    AllToAll,      ///< `axes` leave dimension `dim` and join `target`.
    Permute,       ///< Devices exchange pieces of the same shape.
    AllReduce,     ///< `axes` are pending no longer.
    ReduceScatter, ///< Pending `axes` join dimension `dim`.
    Suspend, ///< Without communication: `axes` become pending; one device keeps
             ///< all.
  };
  Kind kind;
  GridAxes axes;
  int dim = -1, target = -1;
  Placement before, after;
};

struct ReshardPlan {
  std::vector<ReshardStep> steps;
  /// Bytes that each device sends.
  double cost = 0;
  /// Whether arrays were made larger than either placement asks for.
  bool gathersMore = false;
};

/// The cheapest steps. A gather of what stays divided is among them only
/// where pieces of different sizes meet no other way. The search is bounded:
/// beyond that, what differs is gathered and cut again.
ReshardPlan planReshard(const Grid &grid, llvm::ArrayRef<int64_t> shape,
                        double elementBytes, const Placement &from,
                        const Placement &to);

/// Of a permute: for each device, the device of which it takes the piece; its
/// own where it has the right one already.
llvm::SmallVector<int64_t, 0>
permutationOf(const Grid &grid, const Placement &from, const Placement &to);

} // namespace xla::partition

#endif // XLA_PARTITION_PLANRESHARD_H
