//===- BufferPlan.h - Allocation slices of values ---------------*- C++ -*-===//
//
// Gives every value of Form::Buffer a slice: an argument, a result, a constant,
// or an offset in the arena that one run of the program uses. Values share a
// slice where their lifetimes allow it, first of all where that saves a copy: a
// loop's carry and the value that the body yields for it, the operand and the
// result of an update, a value and the program's result.
//
//===----------------------------------------------------------------------===//

#ifndef XLA_CODEGEN_CPU_BUFFERPLAN_H
#define XLA_CODEGEN_CPU_BUFFERPLAN_H

#include "xla/codegen/cpu/FusionPlan.h"
#include "xla/codegen/cpu/RowGroups.h"
#include "xla/runtime/Program.h"

#include "llvm/ADT/ArrayRef.h"

#include <vector>

namespace xla::cpu {

struct BufferSlice {
  /// Rows: of the block that a row group computes, in its scratch memory.
  enum Kind : uint8_t { Arena, Argument, Result, Constant, Rows };
  Kind kind = Arena;
  int64_t index = 0; ///< offset in memory, number of argument or result
  mlir::Value constant = {};

  bool operator==(const BufferSlice &other) const {
    return kind == other.kind && index == other.index &&
           constant == other.constant;
  }
};

/// What a report says of a value in memory: its allocation, and when it is in
/// it. Step p, counted through all blocks, reads at tick 2p and writes at
/// 2p + 1.
struct PlannedValue {
  BufferSlice slice;
  int64_t bytes = 0;      ///< of the allocation
  mlir::Value value = {}; ///< null: memory that a step needs besides arrays
  mlir::Operation *writer = nullptr;                       ///< null: the caller
  llvm::SmallVector<std::pair<int64_t, int64_t>, 2> ticks; ///< first to last
};

struct PlannedMemory {
  std::vector<PlannedValue> values; ///< in the order of the program
  std::vector<mlir::Operation *> steps;
  int64_t arenaBytes = 0;
};

/// The same plan, for people.
PlannedMemory listMemory(mlir::Block &body, const FusionPlan &fusion,
                         const RowGroups &rows,
                         llvm::ArrayRef<Donation> donations);

class BufferPlan {
public:
  BufferPlan() = default; ///< of no values
  BufferPlan(mlir::Block &body, const FusionPlan &fusion, const RowGroups &rows,
             llvm::ArrayRef<Donation> donations);

  BufferSlice sliceOf(mlir::Value value) const;
  /// For those who plan memory themselves.
  void setSlice(mlir::Value value, const BufferSlice &slice) {
    classOf[value] = static_cast<int>(slices.size());
    slices.push_back(slice);
  }
  /// The step's scratch memory, in the arena.
  BufferSlice scratchOf(mlir::Operation *op) const;
  /// Where the loop's carry `number` waits while carries change over.
  BufferSlice swapSpaceOf(mlir::Operation *loop, unsigned number) const;
  /// Whether operand `number` of the program's end is an argument over which
  /// the caller may have laid a result that is written before: it waits too.
  bool waits(mlir::Operation *end, unsigned number) const {
    return swaps.contains({end, number});
  }

  int64_t arenaBytes() const { return arenaSize; }

private:
  friend class BufferPlanner;
  friend PlannedMemory listMemory(mlir::Block &, const FusionPlan &,
                                  const RowGroups &, llvm::ArrayRef<Donation>);
  llvm::DenseMap<mlir::Value, int> classOf;
  llvm::DenseMap<mlir::Operation *, int> scratch;
  llvm::DenseMap<std::pair<mlir::Operation *, unsigned>, int> swaps;
  llvm::SmallVector<BufferSlice> slices; // by class
  int64_t arenaSize = 0;
};

} // namespace xla::cpu

#endif // XLA_CODEGEN_CPU_BUFFERPLAN_H
