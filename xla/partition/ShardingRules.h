//===- ShardingRules.h - The dimensions that may be sharded -----*- C++ -*-===//
//
// One table for propagation and partitioning. The rule of an operation names
// *factors*: independent loops of which the sizes of its arrays are made. Each
// dimension of each operand and result is a list of factors, major first.
// Dimensions that share a factor are cut alike, and what it takes to cut it is
// the factor's kind.
//
//   dot_general   ([b, i, k], [b, k, j]) -> [b, i, j]     k is a reduction
//   reshape       ([ij]) -> [i, j]
//
//===----------------------------------------------------------------------===//

#ifndef XLA_PARTITION_SHARDINGRULES_H
#define XLA_PARTITION_SHARDINGRULES_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>

namespace mlir {
class Operation;
class Value;
} // namespace mlir

namespace xla::partition {

enum class FactorKind {
  /// Each device computes its own piece.
  PassThrough,
  /// Each device has a summand of the result.
  Reduction,
  /// Every device needs all of it.
  NeedReplication,
  /// Each device computes its own piece, of its own and its neighbours' data.
  Permutation,
};

struct Factor {
  int64_t size = 1;
  FactorKind kind = FactorKind::PassThrough;
  /// Cuts do not spread along it, though they may be there.
  bool isBlocked = false;
};

/// The factors of one dimension, major first.
using DimMapping = llvm::SmallVector<int32_t, 1>;
/// One for each dimension of an array; none for what is no array.
using TensorMapping = llvm::SmallVector<DimMapping, 4>;

struct ShardingRule {
  llvm::SmallVector<Factor, 4> factors;
  llvm::SmallVector<TensorMapping, 3> operands, results;
  /// Written in the program, for an operation that the compiler does not know.
  bool isCustom = false;

  size_t tensorCount() const { return operands.size() + results.size(); }
  /// Operands first.
  const TensorMapping &tensor(size_t index) const {
    return index < operands.size() ? operands[index]
                                   : results[index - operands.size()];
  }
  /// As in the dialect: `([i, k], [k, j])->([i, j]) {i=2, k=3} reduction={k}`.
  std::string toString() const;
};

/// How the partitioner is to treat an operation.
enum class OpRole {
  /// By its factors.
  Factors,
  /// Any piece of the result is computed where it is wanted.
  InPlace,
  /// Values flow through it unchanged: loops, branches, calls, barriers.
  DataFlow,
  /// Operands and results are whole on every device.
  Whole,
  /// Ends a region, declares something, or marks a value.
  Structure,
};

OpRole roleOf(mlir::Operation *op);

/// The rule of an operation whose role is Factors, and none otherwise: also
/// where its types keep it from having one.
std::optional<ShardingRule> ruleOf(mlir::Operation *op);

/// Whether each element of the results comes of the same elements of operands.
bool isPointwise(mlir::Operation *op);

/// Whether the operation only moves elements about, or is pointwise, so that
/// shardings spread through it before they spread through others.
bool isPassThrough(mlir::Operation *op);

/// The same for the names of operations: whether the table has a row.
bool isInTable(llvm::StringRef operation);

} // namespace xla::partition

#endif // XLA_PARTITION_SHARDINGRULES_H
