//===- ReduceColumns.cpp - Reductions that keep the last dimension --------===//
//
// Rows are folded into a stretch of the result that stays in the first-level
// cache.
//
//===----------------------------------------------------------------------===//

#include "xla/codegen/cpu/TargetDescription.h"
#include "xla/codegen/cpu/lower/reduce/ArgExtremes.h"
#include "xla/codegen/cpu/lower/reduce/FloatExtremes.h"
#include "xla/codegen/cpu/lower/reduce/ReductionKernel.h"

#include <cmath>

namespace xla::cpu {

using namespace stablehlo;
using mlir::Value;

/// How many columns go together: they stay in the first-level cache, and if
/// there is much to do, leave work for a few threads.
int64_t ReductionPlan::columnsTogether() const {
  constexpr int64_t narrowest = 128, widest = cpuTarget.firstCache / 32,
                    fewTasks = 4;
  int64_t width = keptShape.back();
  bool shares = results * perResult >= muchWork;
  int64_t tile =
      shares ? std::clamp(results / fewTasks, narrowest, widest) : widest;
  int64_t tiles = (width + tile - 1) / tile;
  // Loops of one length are less code than those of two.
  for (int64_t even = tiles; even <= 2 * tiles && even < tiles + 64; ++even) {
    if (width % even == 0) {
      return width / even;
    }
  }
  return (width + tiles - 1) / tiles;
}

namespace {

/// Builds the kernel of a reduction that keeps the last dimension, by the
/// strategy `columns`.
class ColumnReduction : public ReductionKernel {
public:
  ColumnReduction(stablehlo::ReduceOp op, const FusionPlan &fusion,
                  const RowGroups &rows, const BufferPlan &buffers);

private:
  void fill() override;

  /// Neighbouring columns, whose results stay in the first-level cache.
  struct Stretch {
    Index keptIndex; ///< of the column at hand
    StepRef first, count;
  };
  static constexpr int64_t columnsAtATime = 64; ///< that are fetched ahead

  void foldTask(StepRef task);
  void foldColumns(Stretch &stretch);
  void foldPiece(Stretch &stretch, StepRef piece, const Buffers &slots);
  void foldGroups(Stretch &stretch, StepRef row, StepRef begin, StepRef from,
                  StepRef to, int64_t count, const Buffers &slots);
  void foldColumn(const Stretch &stretch, StepRef row, StepRef i, int64_t count,
                  StepRef j, const Buffers &slots);
  void eachColumn(Stretch &stretch, Body body, Body prepare = {});
  void fetch(const Stretch &stretch, StepRef row, StepRef i, int64_t count,
             StepRef j);
  void collectStreams();
  void collectStreams(Value value, int64_t elements);
  Refs loadColumn(const Stretch &stretch, StepRef j, const Buffers &slots);
  void storeColumn(const Stretch &stretch, StepRef j, const Buffers &slots,
                   llvm::ArrayRef<StepRef> elements);
  Refs foldAll(Refs accumulated, llvm::MutableArrayRef<Refs> elements);

  int64_t rowsTogether() const;
  int64_t pieceLength() const;
  int64_t piecesOfRow() const;
  int64_t rowsOfPiece() const;

  int64_t tile;                     ///< columns of a stretch
  Buffers results;                  ///< of the program
  llvm::SmallVector<Value> streams; ///< arrays that are fetched ahead
};

} // namespace

ColumnReduction::ColumnReduction(stablehlo::ReduceOp op,
                                 const FusionPlan &fusion,
                                 const RowGroups &rows,
                                 const BufferPlan &buffers)
    : ReductionKernel(op, fusion, rows, buffers), tile(chosen.size("tile")) {
  plan.setRows(plan.lineLength); // columns are cut into pieces
  collectStreams();
}

/// How many rows are folded into a result before it is stored again: some,
/// unless they are much to compute.
int64_t ColumnReduction::rowsTogether() const {
  constexpr int littleCode = 8;
  return plan.fold != Fold::Other && fusion.codeAt(op) <= littleCode ? 4 : 1;
}

/// How many elements of a column are folded one after the other: of sums few,
/// since a chain of additions loses digits as it grows; of other folds all.
int64_t ColumnReduction::pieceLength() const {
  constexpr int64_t longestChain = 64;
  bool isRounded = plan.fold == Fold::Add && isFloat(plan.type);
  return isRounded ? std::min(longestChain * rowsTogether(), plan.perResult)
                   : plan.perResult;
}

/// Pieces are parts of rows, or some short rows.
int64_t ColumnReduction::piecesOfRow() const {
  return (plan.rowLength + pieceLength() - 1) / pieceLength();
}

int64_t ColumnReduction::rowsOfPiece() const {
  return std::max<int64_t>(1, pieceLength() / plan.rowLength);
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

/// Finds the arrays in memory that have an element for each one of `value`,
/// which is computed from them.
void ColumnReduction::collectStreams(Value value, int64_t elements) {
  mlir::Operation *computed = value.getDefiningOp();
  if (fusion.formOf(value) == Form::Buffer) {
    if (llvm::product_of(shapeOf(value)) == elements &&
        !llvm::is_contained(streams, value)) {
      streams.push_back(value);
    }
  } else if (computed && isElementwise(computed)) {
    for (Value operand : computed->getOperands()) {
      collectStreams(operand, elements);
    }
  }
}

/// Rows of a stretch are apart, so processors do not fetch one while elements
/// of another are computed. Several rows together are.
void ColumnReduction::collectStreams() {
  int64_t elements = plan.results * plan.perResult;
  if (rowsTogether() == 1 &&
      elements * byteWidth(plan.type) >= 2 * cpuTarget.lastCacheShare) {
    for (Value input : op.getInputs()) {
      collectStreams(input, elements);
    }
  }
}

/// Fetches the columns from the j-th on, as many as a stretch has at a time, of
/// the `count` elements from the i-th on.
void ColumnReduction::fetch(const Stretch &stretch, StepRef row, StepRef i,
                            int64_t count, StepRef j) {
  Index kept = stretch.keptIndex;
  kept.dims.back() = add(stretch.first, j);
  for (int64_t k = 0; k < count; ++k) {
    StepRef at = sumOf(i, constant(k));
    StepRef linear =
        linearOf(operandIndex(*this, plan, kept, row, at), plan.shape);
    for (Value stream : streams) {
      prefetch(bufferOf(elementTypeOf(stream.getType()), shapeOf(stream),
                        buffers.sliceOf(stream), false),
               linear, columnsAtATime);
    }
  }
}

/// What `slots` hold for column j, or without slots the stored result.
ColumnReduction::Refs ColumnReduction::loadColumn(const Stretch &stretch,
                                                  StepRef j,
                                                  const Buffers &slots) {
  bool isResult = slots.empty();
  return loadAll(isResult ? results : slots,
                 isResult ? linearOf(stretch.keptIndex, plan.keptShape) : j);
}

void ColumnReduction::storeColumn(const Stretch &stretch, StepRef j,
                                  const Buffers &slots,
                                  llvm::ArrayRef<StepRef> elements) {
  bool isResult = slots.empty();
  storeAll(isResult ? results : slots,
           isResult ? linearOf(stretch.keptIndex, plan.keptShape) : j,
           elements);
}

//===----------------------------------------------------------------------===//
// Folding
//===----------------------------------------------------------------------===//

/// Calls `body` for each column; `prepare` for some at a time, from the j-th
/// on, where the reduction has streams.
void ColumnReduction::eachColumn(Stretch &stretch, Body body, Body prepare) {
  auto range = [&](StepRef first, StepRef last) {
    loop(first, last, [&](StepRef j) {
      stretch.keptIndex.dims.back() = sumOf(stretch.first, j);
      body(j);
    });
  };
  StepRef zero = constant(0);
  if (!prepare || streams.empty()) {
    range(zero, stretch.count);
    return;
  }
  StepRef together = constant(columnsAtATime);
  StepRef whole = divide(stretch.count, together);
  loop(zero, whole, [&](StepRef n) {
    StepRef first = multiply(n, together);
    prepare(first);
    range(first, add(first, together));
  });
  range(multiply(whole, together), stretch.count);
}

ColumnReduction::Refs
ColumnReduction::foldAll(Refs accumulated,
                         llvm::MutableArrayRef<Refs> elements) {
  if (isNarrow(plan.type) && plan.fold != Fold::Other) {
    // Extremes: no sums of narrow floats come here.
    for (const Refs &x : elements) {
      accumulated.push_back(x.front());
    }
    return {extreme(plan.fold == Fold::Maximum, accumulated)};
  }
  if (plan.fold == Fold::Add && elements.size() == 4) {
    // In pairs: the chain is short, and the processor takes two at once.
    Refs first = combine(elements[0], elements[1]);
    elements.front() = combine(first, combine(elements[2], elements[3]));
    elements = elements.take_front();
  }
  for (const Refs &x : elements) {
    accumulated = combine(accumulated, x);
  }
  return accumulated;
}

/// Folds `count` elements from the i-th of the row on into column j.
void ColumnReduction::foldColumn(const Stretch &stretch, StepRef row, StepRef i,
                                 int64_t count, StepRef j,
                                 const Buffers &slots) {
  Refs accumulated = loadColumn(stretch, j, slots);
  llvm::SmallVector<Refs> elements;
  for (int64_t k = 0; k < count; ++k) {
    elements.push_back(
        elementsAt(stretch.keptIndex, row, sumOf(i, constant(k))));
  }
  storeColumn(stretch, j, slots, foldAll(std::move(accumulated), elements));
}

/// Folds elements of a row, from the one at `begin` on: the groups [from, to)
/// of `count` each.
void ColumnReduction::foldGroups(Stretch &stretch, StepRef row, StepRef begin,
                                 StepRef from, StepRef to, int64_t count,
                                 const Buffers &slots) {
  loop(from, to, [&](StepRef n) {
    StepRef i = sumOf(begin, timesOf(n, count));
    eachColumn(
        stretch,
        [&](StepRef j) { foldColumn(stretch, row, i, count, j, slots); },
        [&](StepRef j) {
          fetch(stretch, row, add(i, constant(count)), count, j);
        });
  });
}

/// Folds one piece of each column.
void ColumnReduction::foldPiece(Stretch &stretch, StepRef piece,
                                const Buffers &slots) {
  int64_t length = std::min(pieceLength(), plan.rowLength);
  int64_t perRow = piecesOfRow(), perPiece = rowsOfPiece();
  int64_t together = rowsTogether();
  StepRef begin = constant(0), count = constant(length);
  StepRef first = timesOf(piece, perPiece);
  if (perRow > 1) {
    first = divide(piece, constant(perRow));
    begin = multiply(remainder(piece, constant(perRow)), count);
    if (plan.rowLength % length != 0) {
      count = least(subtract(constant(plan.rowLength), begin), length);
    }
  }
  StepRef last = sumOf(first, constant(perPiece));
  if (plan.rows % perPiece != 0) {
    last = least(last, plan.rows);
  }
  loop(first, last, [&](StepRef row) {
    StepRef groups = together == 1 ? count : divide(count, constant(together));
    foldGroups(stretch, row, begin, constant(0), groups, together, slots);
    if (together > 1 &&
        (length % together != 0 || plan.rowLength % together != 0)) {
      foldGroups(stretch, row, begin, timesOf(groups, together), count, 1,
                 slots);
    }
  });
}

/// Folds columns whole. Sums of pieces are added in blocks, and those of blocks
/// at last, so that no chain of additions is long.
void ColumnReduction::foldColumns(Stretch &stretch) {
  constexpr int64_t fewPieces = 64;
  int64_t pieces =
      piecesOfRow() * ((plan.rows + rowsOfPiece() - 1) / rowsOfPiece());
  if (pieces <= 1) {
    foldPiece(stretch, constant(0), {});
    return;
  }
  ElementType type = elementTypeOf(op.getResult(0).getType());
  StepRef none = neutral(onlyOperation(op.getBody(), type), type);
  auto addUp = [&](const Buffers &from, const Buffers &to,
                   llvm::function_ref<void()> fill) {
    eachColumn(stretch, [&](StepRef j) { storeTo(from.front(), j, none); });
    fill();
    eachColumn(stretch, [&](StepRef j) {
      Refs before = loadColumn(stretch, j, to);
      storeColumn(stretch, j, to,
                  combine(before, loadColumn(stretch, j, from)));
    });
  };
  Buffers ofPiece = scratchOf(tile);
  auto addPieces = [&](StepRef first, StepRef last, const Buffers &to) {
    loop(first, last, [&](StepRef piece) {
      addUp(ofPiece, to, [&] { foldPiece(stretch, piece, ofPiece); });
    });
  };
  if (pieces <= fewPieces) {
    addPieces(constant(0), constant(pieces), {});
    return;
  }
  Buffers ofBlock = scratchOf(tile);
  auto root = static_cast<int64_t>(std::sqrt(static_cast<double>(pieces)));
  int64_t block = std::max(fewPieces / 2, root);
  loop(constant(0), constant((pieces + block - 1) / block), [&](StepRef n) {
    StepRef first = timesOf(n, block);
    StepRef last = least(sumOf(first, constant(block)), pieces);
    addUp(ofBlock, {}, [&] { addPieces(first, last, ofBlock); });
  });
}

/// A task is a stretch of columns.
void ColumnReduction::foldTask(StepRef task) {
  llvm::ArrayRef<int64_t> outer = llvm::ArrayRef(plan.keptShape).drop_back();
  int64_t width = plan.keptShape.back(), tiles = (width + tile - 1) / tile;
  Index outerIndex;
  outerIndex.linear = task;
  Stretch stretch = {{}, constant(0), constant(tile)};
  if (tiles > 1) {
    outerIndex.linear = divide(task, constant(tiles));
    stretch.first = multiply(remainder(task, constant(tiles)), constant(tile));
  }
  if (tiles * tile != width) {
    stretch.count =
        least(stretch.count, subtract(constant(width), stretch.first));
  }
  stretch.keptIndex.dims = dimsOf(outerIndex, outer);
  stretch.keptIndex.dims.push_back({});
  Refs start = initial();
  eachColumn(stretch, [&](StepRef j) { storeColumn(stretch, j, {}, start); });
  foldColumns(stretch);
}

void ColumnReduction::fill() {
  result.name = "reduce_columns";
  results = resultBuffers();
  parallel(chosen.loops.tasks(), chosen.loops.grain,
           [&](StepRef begin, StepRef end) {
             loop(begin, end, [&](StepRef task) { foldTask(task); });
           });
}

std::unique_ptr<ReductionKernel> columnKernel(ReduceOp op,
                                              const FusionPlan &fusion,
                                              const RowGroups &rows,
                                              const BufferPlan &buffers) {
  return std::make_unique<ColumnReduction>(op, fusion, rows, buffers);
}

} // namespace xla::cpu
