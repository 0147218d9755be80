//===- Reduce.h - Folding many elements into one ----------------*- C++ -*-===//

#ifndef XLA_CODEGEN_CPU_LOWER_REDUCE_REDUCE_H
#define XLA_CODEGEN_CPU_LOWER_REDUCE_REDUCE_H

#include "xla/codegen/cpu/Kernel.h"
#include "xla/codegen/cpu/TargetDescription.h"
#include "xla/codegen/cpu/lower/reduce/Folds.h"
#include "xla/dialect/stablehlo/StablehloOps.h"

namespace xla::kernel {
struct Kernel;
} // namespace xla::kernel

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
  bool fitsForm() const;

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
    index.linear = e.add(base, offset);
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

/// The kernel of a reduction by the strategy `columns`.
kernel::Kernel buildColumns(stablehlo::ReduceOp op, const FusionPlan &fusion,
                            const RowGroups &rows, const BufferPlan &buffers);

/// Its code: Reduce.cpp has the short loops, ReduceRows.cpp and
/// ReduceColumns.cpp the others.
class Reduction : ReductionPlan {
public:
  Reduction(Emitter &e, stablehlo::ReduceOp op);
  void emit();

private:
  void emitFew();
  llvm::SmallVector<Element>
  foldFew(llvm::ArrayRef<llvm::SmallVector<Element>> elements);
  void emitRows();
  void emitSplitRows();
  void emitColumns();
  llvm::SmallVector<Element> initial();
  llvm::SmallVector<Element> elementsAt(const Index &index);
  llvm::SmallVector<Element> combine(llvm::ArrayRef<Element> accumulated,
                                     llvm::ArrayRef<Element> elements);
  Index operandIndex(const Index &kept, llvm::Value *row, llvm::Value *i) {
    return cpu::operandIndex(e, *this, kept, row, i);
  }
  llvm::Value *lengthOf(llvm::Value *row);
  using Values = llvm::SmallVector<llvm::Value *>;
  Values foldParts(llvm::ArrayRef<llvm::Value *> x,
                   llvm::ArrayRef<llvm::Value *> y, bool anyOrder);
  Values widened(Element x);
  Element narrowed(llvm::ArrayRef<llvm::Value *> parts);
  Values neutral() { return Values(parts, neutralOf(e, fold, accumulator)); }
  Values foldRows(const Index &kept, llvm::Value *firstRow,
                  llvm::Value *lastRow);
  bool readsRowsAsVectors();
  bool readsLinesAsVectors();
  llvm::Value *extremeOfLines(const Index &kept, llvm::Value *firstRow,
                              llvm::Value *lastRow);
  llvm::Value *extremeOfRows(const Index &kept, llvm::Value *firstRow,
                             llvm::Value *lastRow);
  int64_t segments() const;
  using ElementAt =
      llvm::function_ref<llvm::SmallVector<Element>(llvm::Value *i)>;
  bool stages();
  llvm::SmallVector<Element> foldRow(const Index &kept,
                                     llvm::ArrayRef<Element> start);
  llvm::SmallVector<Element> foldSegments(llvm::ArrayRef<Element> start,
                                          ElementAt elementAt);
  llvm::SmallVector<Element> foldInOrder(llvm::ArrayRef<Element> start,
                                         int64_t first, ElementAt elementAt);
  bool readsRows();
  llvm::SmallVector<Element> foldArgExtreme(const Index &kept,
                                            llvm::ArrayRef<Element> start);
  void emitNarrowColumns();
  void emitColumnVectors();
  void storeResults(llvm::Value *linear, llvm::ArrayRef<Element> elements);

  Emitter &e;
  Kernel kernel;
  llvm::SmallVector<BufferSlice> slices;
};

} // namespace xla::cpu

#endif // XLA_CODEGEN_CPU_LOWER_REDUCE_REDUCE_H
