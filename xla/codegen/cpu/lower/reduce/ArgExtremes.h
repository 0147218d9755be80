//===- ArgExtremes.h - Where the first extreme of a row is ------*- C++ -*-===//
//
// A fold of pairs (number, position) that keeps the largest number, or the
// smallest, the first of equals, a NaN before all else: argmax and argmin. Each
// lane of a vector keeps its own first extreme, and the lanes are compared at
// the end of the row.
//
//===----------------------------------------------------------------------===//

#ifndef XLA_CODEGEN_CPU_LOWER_REDUCE_ARGEXTREMES_H
#define XLA_CODEGEN_CPU_LOWER_REDUCE_ARGEXTREMES_H

#include "xla/codegen/cpu/Emitter.h"

namespace xla::cpu {

class ArgExtremes {
public:
  using Values = llvm::SmallVector<llvm::Value *>;

  /// For numbers of `type` in rows of `length`; of the maximum or the minimum.
  /// Or in columns of that length, `columns` of them side by side.
  ArgExtremes(Emitter &e, ElementType type, bool isMaximum, int64_t length,
              int64_t columns = 1);

  /// Whether `op` is such a fold of rows whose positions count from 0; if so,
  /// whether of the maximum.
  static std::optional<bool> recognize(stablehlo::ReduceOp op);

  /// What `fold` carries: the extremes of no elements.
  Values none();
  /// Adds `count` elements in memory, the first of them number `first` of its
  /// row. Elements may be added again. `count` is the same each time.
  Values fold(llvm::ArrayRef<llvm::Value *> extremes, llvm::Value *elements,
              llvm::Value *first, int64_t count);
  /// The position of the extreme, an i64.
  llvm::Value *position(llvm::ArrayRef<llvm::Value *> extremes);

  /// The fold of all elements of a row, in registers, by the reducer of `op`
  /// from its initial values on.
  llvm::SmallVector<Element>
  among(stablehlo::ReduceOp op,
        llvm::ArrayRef<llvm::SmallVector<Element>> elements);

  /// Whether so few columns are folded side by side.
  static bool areNarrow(int64_t length, int64_t columns);
  /// The positions of the extremes of all columns of a matrix in memory.
  Values ofColumns(llvm::Value *matrix);

private:
  void take(llvm::MutableArrayRef<llvm::Value *> ofLanes, llvm::Value *x,
            llvm::Value *here);
  llvm::Value *firstOf(llvm::Value *keys, llvm::Value *slices, int64_t column);
  llvm::Value *wins(llvm::Value *x, llvm::Value *best);
  llvm::Value *widened(llvm::Value *x);
  bool isWorst(llvm::Value *start) const;
  llvm::Type *vectorOf(llvm::Type *element);
  llvm::Value *read(llvm::Value *elements, llvm::Value *at);
  llvm::Value *keyOf(llvm::Value *x);

  Emitter &e;
  ElementType type;
  bool isMaximum, isFloating, isUnsigned;
  llvm::Type *number, *index; ///< of a lane: what is compared, and its index
  int64_t length, columns;
  int64_t lanes, chains; ///< independent ones, so that none is waited for
};

} // namespace xla::cpu

#endif // XLA_CODEGEN_CPU_LOWER_REDUCE_ARGEXTREMES_H
