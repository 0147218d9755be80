//===- Reduce.h - Folding many elements into one ----------------*- C++ -*-===//

#ifndef XLA_CODEGEN_CPU_LOWER_REDUCE_REDUCE_H
#define XLA_CODEGEN_CPU_LOWER_REDUCE_REDUCE_H

#include "xla/codegen/cpu/Kernel.h"
#include "xla/codegen/cpu/TargetDescription.h"
#include "xla/codegen/cpu/lower/reduce/Folds.h"
#include "xla/dialect/stablehlo/StablehloOps.h"

namespace xla::cpu {

class Slots;

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
  Index operandIndex(const Index &kept, llvm::Value *row, llvm::Value *i);
  llvm::Value *startOf(llvm::Value *row);
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
  int64_t rowsTogether() const;
  int64_t pieceLength() const;
  int64_t piecesOfRow() const;
  int64_t rowsOfPiece() const;
  /// Neighbouring columns, whose results stay in the first-level cache.
  struct Stretch {
    Index keptIndex; ///< of the column at hand
    llvm::Value *first, *count;
    int64_t most;
    llvm::ArrayRef<mlir::Value> streams; ///< arrays that are fetched ahead
  };
  static constexpr int64_t columnsAtATime = 64; ///< that are fetched ahead
  void eachColumn(Stretch &stretch,
                  llvm::function_ref<void(llvm::Value *j)> body,
                  llvm::function_ref<void(llvm::Value *j)> prepare = {});
  void prefetch(const Stretch &stretch, llvm::Value *row, llvm::Value *i,
                int64_t count, llvm::Value *j);
  llvm::SmallVector<Element> loadColumn(const Stretch &stretch, llvm::Value *j,
                                        Slots *slots);
  void storeColumn(const Stretch &stretch, llvm::Value *j, Slots *slots,
                   llvm::ArrayRef<Element> elements);
  void foldColumn(const Stretch &stretch, llvm::Value *row, llvm::Value *i,
                  int64_t count, llvm::Value *j, Slots *slots);
  void foldPiece(Stretch &stretch, llvm::Value *piece, Slots *slots);
  void foldColumns(Stretch &stretch);
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
