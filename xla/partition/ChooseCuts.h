//===- ChooseCuts.h - One cut for each factor -------------------*- C++ -*-===//

#ifndef XLA_PARTITION_CHOOSECUTS_H
#define XLA_PARTITION_CHOOSECUTS_H

#include "xla/partition/FactorShardings.h"

namespace xla::partition {

/// How all arrays of an operation are to be cut, so that each device computes
/// its piece.
struct CutChoice {
  int32_t mesh = -1;
  /// By factor.
  llvm::SmallVector<Axes, 4> axes;

  /// Those of the reductions.
  Axes reduced(const ShardingRule &rule) const;
  /// The sharding of one array, closed; nothing in it is unreduced.
  TensorSharding shardingOf(const TensorMapping &mapping) const;
};

/// Chooses for each factor one list of axes out of those that arrays have now,
/// so that little has to move: what more elements have wins; then what needs
/// no communication, then the finer cut. No axis serves two factors, factors
/// that need replication are not cut; their axes go to factors that pass, where
/// they divide. `tensors` are operands, then results; null where there is no
/// array.
CutChoice chooseCuts(const ShardingRule &rule,
                     llvm::ArrayRef<const TensorSharding *> tensors);

} // namespace xla::partition

#endif // XLA_PARTITION_CHOOSECUTS_H
