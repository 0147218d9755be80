//===- Reduce.h - Folding many elements into one ----------------*- C++ -*-===//

#ifndef XLA_CODEGEN_CPU_LOWER_REDUCE_REDUCE_H
#define XLA_CODEGEN_CPU_LOWER_REDUCE_REDUCE_H

#include "xla/codegen/cpu/Kernel.h"
#include "xla/codegen/cpu/TargetDescription.h"
#include "xla/codegen/cpu/lower/reduce/Folds.h"
#include "xla/dialect/stablehlo/StablehloOps.h"

namespace xla::cpu {

/// One operation that folds: which dimensions are folded, as what, and how the
/// loops are cut.
struct ReductionPlan {
  ReductionPlan(stablehlo::ReduceOp op, const FusionPlan &fusion,
                const RowGroups &rowGroups);
  Kernel choose(LoopSite site);

  /// Elements that are worth more than one thread.
  static constexpr int64_t muchWork = 2 * cpuTarget.worthSharing;

  void setRows(int64_t length);
  int64_t partials() const;
  int64_t columnsTogether() const;
  bool isFew() const;
  bool keepsLast() const;

  stablehlo::ReduceOp op;
  const FusionPlan &fusion;
  llvm::ArrayRef<int64_t> shape;
  llvm::SmallVector<int64_t> kept, reduced; ///< dimensions
  llvm::SmallVector<int64_t> keptShape, reducedShape;
  int64_t results = 1, perResult = 1;
  int64_t lines = 1, lineLength = 1; ///< of what is contiguous, or a dimension
  int64_t rows = 1, rowLength = 1, rowsOfLine = 1;
  bool trailing = false, flat = false;
  Fold fold = Fold::Other;
  std::optional<bool> argMaximum; ///< the fold is ArgExtremes'
  ElementType type, accumulator;  ///< of a part, where sums are complex
  unsigned parts = 1;

private:
  Strategy strategy() const;
  bool splits() const;
  bool fitsForm() const;
  bool hasNarrowColumns() const;
  bool hasColumnVectors() const;
};

/// Where row `row` starts in its line.
template <typename B, typename V>
V startOf(B &e, const ReductionPlan &plan, V row) {
  V piece = e.remainder(row, e.constant(plan.rowsOfLine));
  return e.multiply(piece, e.constant(plan.rowLength));
}

/// The operand's index of element `i` of row `row` of what is folded into the
/// result at `keptIndex`. `e` emits LLVM IR or builds the kernel form.
template <typename B, typename V>
IndexOf<V> operandIndex(B &e, const ReductionPlan &plan,
                        const IndexOf<V> &keptIndex, V row, V i) {
  IndexOf<V> index;
  V offset = i, line = row;
  if (plan.rowsOfLine > 1) {
    line = e.divide(row, e.constant(plan.rowsOfLine));
    offset = e.add(startOf(e, plan, row), i);
  }
  if (plan.flat) {
    V base = e.multiply(e.linearOf(keptIndex, plan.keptShape),
                        e.constant(plan.perResult));
    index.linear = e.sumOf(base, offset);
    return index;
  }
  index.dims.assign(plan.shape.size(), e.constant(0));
  auto keptDims = e.dimsOf(keptIndex, plan.keptShape);
  for (auto [d, at] : llvm::zip_equal(plan.kept, keptDims)) {
    index.dims[d] = at;
  }
  if (plan.reduced.empty()) {
    return index;
  }
  if (plan.lines > 1) {
    IndexOf<V> lineIndex;
    lineIndex.linear = line;
    auto dims =
        e.dimsOf(lineIndex, llvm::ArrayRef(plan.reducedShape).drop_back());
    for (auto [n, at] : llvm::enumerate(dims)) {
      index.dims[plan.reduced[n]] = at;
    }
  }
  index.dims[plan.reduced.back()] = offset;
  return index;
}

/// The code of reductions that are no kernels: by vectors of their own, or with
/// computations that the kernel form has no steps for.
class Reduction : ReductionPlan {
public:
  Reduction(Emitter &e, stablehlo::ReduceOp op);
  void emit();

private:
  llvm::SmallVector<Element> initial();
  llvm::SmallVector<Element> elementsAt(const Index &index);
  llvm::SmallVector<Element> combine(llvm::ArrayRef<Element> accumulated,
                                     llvm::ArrayRef<Element> elements);
  Index operandIndex(const Index &kept, llvm::Value *row, llvm::Value *i) {
    return cpu::operandIndex(e, *this, kept, row, i);
  }
  bool readsRows();
  llvm::SmallVector<Element> foldPositions(const Index &kept);
  void emitPositions();
  void emitNarrowColumns();
  void emitColumnVectors();
  void emitInOrder();
  void storeResults(llvm::Value *linear, llvm::ArrayRef<Element> elements);

  Emitter &e;
  Kernel kernel;
  llvm::SmallVector<BufferSlice> slices;
};

} // namespace xla::cpu

#endif // XLA_CODEGEN_CPU_LOWER_REDUCE_REDUCE_H
