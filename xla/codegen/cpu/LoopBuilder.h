//===- LoopBuilder.h - Loops, nests and indices -----------------*- C++ -*-===//
//
// Loops over ranges, nests over shapes, shared out among threads where that is
// worth it, and the arithmetic of indices.
//
//===----------------------------------------------------------------------===//

#ifndef XLA_CODEGEN_CPU_LOOPBUILDER_H
#define XLA_CODEGEN_CPU_LOOPBUILDER_H

#include "xla/codegen/cpu/MemoryAccess.h"

#include <optional>

namespace xla::cpu {

class LoopBuilder : public MemoryAccess {
public:
  using MemoryAccess::MemoryAccess;

  using Body = llvm::function_ref<void(llvm::Value *)>;
  using RangeBody = llvm::function_ref<void(llvm::Value *, llvm::Value *)>;
  using NestBody = llvm::function_ref<void(const Index &)>;
  using CarryBody = llvm::function_ref<llvm::SmallVector<llvm::Value *>(
      llvm::Value *, llvm::ArrayRef<llvm::Value *>)>;

  /// for (i = begin; i < end; ++i), in this function.
  void loop(llvm::Value *begin, llvm::Value *end, Body body);
  /// The same with values carried from one round to the next.
  llvm::SmallVector<llvm::Value *> loop(llvm::Value *begin, llvm::Value *end,
                                        llvm::ArrayRef<llvm::Value *> carried,
                                        CarryBody body);
  /// Covers [0, count) by calls of `body`: one, or several on several threads
  /// if `count` times `cost` (in additions) is worth it. Within a row group,
  /// covers what belongs to the rows of the block.
  void parallel(int64_t count, double cost, RangeBody body);
  /// Whether work of so many additions is given to several threads.
  static bool isWorthSharing(double additions);
  /// Visits every index of `shape`; in row-major order within a thread.
  /// The innermost loop is cut at `breaks`.
  void nest(llvm::ArrayRef<int64_t> shape, bool linear, double cost,
            NestBody body, llvm::ArrayRef<int64_t> breaks = {},
            int64_t code = 1);
  void segmentedLoop(llvm::Value *begin, llvm::Value *end, int64_t size,
                     llvm::ArrayRef<int64_t> breaks, Body body);
  /// Visits every index of `shape` without threads.
  void serialNest(llvm::ArrayRef<int64_t> shape, NestBody body);
  /// if (condition) body()
  void when(llvm::Value *condition, llvm::function_ref<void()> body);
  void copy(const BufferSlice &from, const BufferSlice &to, int64_t bytes);

  //===--- Indices --------------------------------------------------------===//

  llvm::Value *linearOf(const Index &index, llvm::ArrayRef<int64_t> shape);
  llvm::SmallVector<llvm::Value *, 4> dimsOf(const Index &index,
                                             llvm::ArrayRef<int64_t> shape);
  Index reshapeIndex(const Index &index, llvm::ArrayRef<int64_t> from,
                     llvm::ArrayRef<int64_t> to);
  /// A start index, sign- or zero-extended to 64 bits by its element type, and
  /// clamped to [0, most].
  llvm::Value *clampedStart(mlir::Value indices, Element start, int64_t most);
  llvm::Value *widenIndex(mlir::Value indices, Element start);
  /// The least and the greatest number that an index can be, where known.
  std::optional<std::pair<int64_t, int64_t>> extentOf(llvm::Value *index) const;
  /// index + offset, and size - 1 - index.
  llvm::Value *shiftIndex(llvm::Value *index, int64_t offset);
  /// The sum of two indices; no instruction where one of them is 0.
  llvm::Value *sumOf(llvm::Value *first, llvm::Value *second);
  llvm::Value *timesOf(llvm::Value *index, int64_t factor);
  llvm::Value *mirrorIndex(llvm::Value *index, int64_t size);

protected:
  llvm::DenseMap<llvm::Value *, std::pair<int64_t, int64_t>> extents;
  int programLoops = 0; ///< around the code being emitted
};

} // namespace xla::cpu

#endif // XLA_CODEGEN_CPU_LOOPBUILDER_H
