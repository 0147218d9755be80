//===- FactorShardings.h - Shardings in terms of factors --------*- C++ -*-===//
//
// The axes of each dimension, dealt to the factors that a rule makes it of; and
// how the arrays of one operation get cuts of each other.
//
//===----------------------------------------------------------------------===//

#ifndef XLA_PARTITION_FACTORSHARDINGS_H
#define XLA_PARTITION_FACTORSHARDINGS_H

#include "xla/partition/Sharding.h"
#include "xla/partition/ShardingRules.h"

namespace xla::partition {

/// How one array is cut along one factor.
struct FactorSharding {
  int32_t factor = 0;
  Axes axes;
  /// Axes of the dimension that fit neither this factor nor what is minor to
  /// it.
  Axes overflow;
  bool isClosed = false;
  /// Whether nothing else of the dimension is minor to it: then it may be cut
  /// unevenly.
  bool isMinorMost = true;
};

/// One array: all factors of all dimensions, in order.
struct TensorFactors {
  llvm::SmallVector<FactorSharding, 4> factors;
  Axes replicated, unreduced;

  FactorSharding *find(int32_t factor);
  const FactorSharding *find(int32_t factor) const;
};

/// Deals the axes of each dimension to its factors, major first. A factor that
/// is not the minor most of its dimension takes what divides it; the rest of an
/// axis goes on to the next.
TensorFactors project(const TensorSharding &sharding,
                      const TensorMapping &mapping, const ShardingRule &rule);

/// The axes of one dimension, from those of its factors. What follows a factor
/// that is not cut into single elements cannot be expressed, and is left out.
Axes dimensionAxes(const TensorFactors &factors, const DimMapping &mapping,
                   const ShardingRule &rule);

/// Along which way cuts may spread.
enum class Direction { None, Forward, Backward, Both };

inline bool allowsForward(Direction direction) {
  return direction == Direction::Forward || direction == Direction::Both;
}
inline bool allowsBackward(Direction direction) {
  return direction == Direction::Backward || direction == Direction::Both;
}

/// One step: the arrays of an operation take cuts of each other, along each
/// factor in its direction. `tensors` are the operands, then the results; one
/// that has no array is null. What changed has its bit set in the answer.
///
/// Along a factor arrays agree on the longest list of axes that each of them
/// begins with, or that begins with all of it. Each then takes as much of that
/// list as it can: not what it keeps replicated or unreduced, what another
/// factor of it is cut along, more than divides a major factor, nor anything
/// where the dimension is closed. Factors come in this order: those whose axes
/// come from the larger array; of pointwise operations, those cut into more
/// pieces; then by position.
llvm::SmallVector<bool>
spreadCuts(const ShardingRule &rule, bool isPointwise,
           llvm::ArrayRef<Direction> directions,
           llvm::MutableArrayRef<TensorSharding *> tensors);

} // namespace xla::partition

#endif // XLA_PARTITION_FACTORSHARDINGS_H
