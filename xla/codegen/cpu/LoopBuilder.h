//===- LoopBuilder.h - Loops, nests and indices -----------------*- C++ -*-===//
//
// Loops over ranges, nests over shapes, shared out among threads where that is
// worth it, and the arithmetic of indices.
//
//===----------------------------------------------------------------------===//

#ifndef XLA_CODEGEN_CPU_LOOPBUILDER_H
#define XLA_CODEGEN_CPU_LOOPBUILDER_H

#include "xla/codegen/cpu/IndexArithmetic.h"
#include "xla/codegen/cpu/MemoryAccess.h"

#include <optional>

namespace xla::cpu {

class LoopBuilder : public MemoryAccess,
                    public IndexArithmetic<LoopBuilder, llvm::Value *> {
public:
  using MemoryAccess::MemoryAccess;
  using Index = xla::cpu::Index;
  using IndexValue = llvm::Value *;
  using ElementValue = Element;
  using CarryBody = llvm::function_ref<llvm::SmallVector<llvm::Value *>(
      llvm::Value *, llvm::ArrayRef<llvm::Value *>)>;

  /// for (i = begin; i < end; ++i), in this function.
  void loop(llvm::Value *begin, llvm::Value *end, Body body);
  /// The same with values carried from one round to the next.
  llvm::SmallVector<llvm::Value *> loop(llvm::Value *begin, llvm::Value *end,
                                        llvm::ArrayRef<llvm::Value *> carried,
                                        CarryBody body);
  /// Covers [0, tasks) by calls of `body`: one, or several on several threads
  /// that take at least `grain` tasks each, if that is not 0. Within a row
  /// group, covers what belongs to the rows of the block.
  void parallel(int64_t tasks, int64_t grain, RangeBody body);
  void parallel(const LoopPlan &plan, RangeBody body) {
    parallel(plan.tasks(), plan.grain, body);
  }
  /// Where code stands now.
  LoopSite site() const {
    return {programLoops > 0, rowBlock ? rowBlock->rows : 0};
  }
  /// Visits every index of `shape` without threads.
  void serialNest(llvm::ArrayRef<int64_t> shape, NestBody body);
  /// if (condition) body()
  void when(llvm::Value *condition, llvm::function_ref<void()> body);
  void copy(const BufferSlice &from, const BufferSlice &to, int64_t bytes);

  //===--- Indices and conditions -----------------------------------------===//

  llvm::Value *add(llvm::Value *x, llvm::Value *y) {
    return builder().CreateNSWAdd(x, y);
  }
  llvm::Value *subtract(llvm::Value *x, llvm::Value *y) {
    return builder().CreateNSWSub(x, y);
  }
  llvm::Value *multiply(llvm::Value *x, llvm::Value *y) {
    return builder().CreateNSWMul(x, y);
  }
  /// Of numbers that are not negative.
  llvm::Value *divide(llvm::Value *x, llvm::Value *y) {
    return builder().CreateUDiv(x, y);
  }
  llvm::Value *remainder(llvm::Value *x, llvm::Value *y) {
    return builder().CreateURem(x, y);
  }
  llvm::Value *signedDivide(llvm::Value *x, int64_t y) {
    return builder().CreateSDiv(x, constant(y));
  }
  llvm::Value *signedRemainder(llvm::Value *x, int64_t y) {
    return builder().CreateSRem(x, constant(y));
  }
  llvm::Value *least(llvm::Value *x, int64_t y) {
    return builder().CreateBinaryIntrinsic(llvm::Intrinsic::smin, x,
                                           constant(y));
  }
  llvm::Value *most(llvm::Value *x, int64_t y) {
    return builder().CreateBinaryIntrinsic(llvm::Intrinsic::smax, x,
                                           constant(y));
  }
  llvm::Value *unsignedLeast(llvm::Value *x, int64_t y) {
    return builder().CreateBinaryIntrinsic(llvm::Intrinsic::umin, x,
                                           constant(y));
  }
  llvm::Value *isAtLeast(llvm::Value *x, int64_t y) {
    return builder().CreateICmpSGE(x, constant(y));
  }
  llvm::Value *isAtMost(llvm::Value *x, int64_t y) {
    return builder().CreateICmpSLE(x, constant(y));
  }
  llvm::Value *isEqual(llvm::Value *x, int64_t y) {
    return builder().CreateICmpEQ(x, constant(y));
  }
  llvm::Value *both(llvm::Value *x, llvm::Value *y) {
    return builder().CreateAnd(x, y);
  }
  llvm::Value *truth() { return builder().getTrue(); }
  llvm::Value *chooseIndex(llvm::Value *condition, llvm::Value *x,
                           llvm::Value *y) {
    return builder().CreateSelect(condition, x, y);
  }
  Element chooseElement(llvm::Value *condition, Element x, Element y);
  Element zero(ElementType type);
  llvm::Value *widenIndex(mlir::Value indices, Element start);
  /// What is known of an index or condition when the code is emitted.
  std::optional<int64_t> knownIndex(llvm::Value *index);
  std::optional<bool> knownTruth(llvm::Value *condition);
  void noteExtent(llvm::Value *, int64_t, int64_t) {}

protected:
  int programLoops = 0; ///< around the code being emitted
};

} // namespace xla::cpu

#endif // XLA_CODEGEN_CPU_LOOPBUILDER_H
