//===- RowGroups.h - Steps that go row by row together ----------*- C++ -*-===//
//
// A softmax is a few steps: a maximum per row, exponentials, a sum per row, a
// quotient. One after the other, each over all rows, they read an array from
// memory again that the one before has just read or written. But row r of each
// depends on rows r of the other arrays alone, so they can go together: all
// steps for a block of rows that stays in the cache, then the next block.
//
// A *row group* is a list of such steps, elementwise loop nests and reductions
// of trailing dimensions, whose arrays all have the same number of rows: row r
// of an array is the r-th of so many equal parts of it, in row-major order. The
// group is emitted at its last step. Values that nobody else reads
// exist for one block at a time.
//
//===----------------------------------------------------------------------===//

#ifndef XLA_CODEGEN_CPU_ROWGROUPS_H
#define XLA_CODEGEN_CPU_ROWGROUPS_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

#include <memory>
#include <vector>

namespace xla::cpu {

class FusionPlan;

/// A value in memory that a step reads. `sameRow`: row r of it for row r of
/// what the step writes, and no other.
struct RowRead {
  mlir::Value value;
  bool sameIndex, sameRow;
};

struct RowMember {
  mlir::Operation *step = nullptr;
  int cost = 0; ///< of an element, in additions
  llvm::SmallVector<mlir::Value, 2> outputs;
  llvm::SmallVector<RowRead> reads;
};

struct RowGroup {
  int64_t rows = 0;
  int64_t rowsPerBlock = 1;
  double costPerRow = 0;          ///< in additions
  std::vector<RowMember> members; ///< in the order of the program

  mlir::Operation *insertionPoint() const { return members.back().step; }
  /// Whether every read of `value` in the group is of the reader's own row.
  bool readsByRow(mlir::Value value) const;
  /// Whether member `writer` may write `output` over `input`, block by block:
  /// nobody reads there what is gone.
  bool mayOverwrite(size_t writer, mlir::Value output, mlir::Value input) const;
};

class RowGroups {
public:
  RowGroups() = default; ///< none
  RowGroups(mlir::Block &body, const FusionPlan &fusion);

  /// The group that the step at `op` belongs to, if any.
  const RowGroup *groupOf(mlir::Operation *op) const {
    return groupByStep.lookup(op);
  }
  /// Whether the step at `op` is written with a later one.
  bool isPostponed(mlir::Operation *op) const {
    const RowGroup *group = groupOf(op);
    return group && group->insertionPoint() != op;
  }
  /// For a value that exists for one block of rows at a time: where, in bytes
  /// from the beginning of the block's scratch memory. Else -1.
  int64_t scratchOffset(mlir::Value value) const {
    auto found = scratch.find(value);
    return found == scratch.end() ? -1 : found->second;
  }
  llvm::ArrayRef<std::unique_ptr<RowGroup>> all() const { return groups; }

private:
  friend class RowGroupFinder;
  std::vector<std::unique_ptr<RowGroup>> groups;
  llvm::DenseMap<mlir::Operation *, const RowGroup *> groupByStep;
  llvm::DenseMap<mlir::Value, int64_t> scratch;
};

} // namespace xla::cpu

#endif // XLA_CODEGEN_CPU_ROWGROUPS_H
