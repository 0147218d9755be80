//===- ReduceColumns.cpp - Reductions that keep the last dimension --------===//
//
// Rows are folded into a stretch of the result that stays in the first-level
// cache, by a kernel in the kernel form. Columns that vectors hold whole are
// emitted directly.
//
//===----------------------------------------------------------------------===//

#include "xla/codegen/cpu/LowerKernel.h"
#include "xla/codegen/cpu/TargetDescription.h"
#include "xla/codegen/cpu/lower/reduce/ArgExtremes.h"
#include "xla/codegen/cpu/lower/reduce/FloatExtremes.h"
#include "xla/codegen/cpu/lower/reduce/Reduce.h"

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
class ColumnReduction : public KernelBuilder {
public:
  ColumnReduction(const ReductionPlan &reduction, const BufferPlan &buffers,
                  const Kernel &kernel, int64_t groupRows);
  kernel::Kernel build();

private:
  using Refs = llvm::SmallVector<StepRef>;
  /// Scratch memory for an element of each result in some columns.
  using Scratch = llvm::SmallVector<int64_t>;

  /// Neighbouring columns, whose results stay in the first-level cache.
  struct Stretch {
    Index keptIndex; ///< of the column at hand
    StepRef first, count;
  };
  static constexpr int64_t columnsAtATime = 64; ///< that are fetched ahead

  void foldTask(StepRef task);
  void foldColumns(Stretch &stretch);
  void foldPiece(Stretch &stretch, StepRef piece, const Scratch &slots);
  void foldGroups(Stretch &stretch, StepRef row, StepRef begin, StepRef from,
                  StepRef to, int64_t count, const Scratch &slots);
  void foldColumn(const Stretch &stretch, StepRef row, StepRef i, int64_t count,
                  StepRef j, const Scratch &slots);
  void eachColumn(Stretch &stretch, Body body, Body prepare = {});
  void fetch(const Stretch &stretch, StepRef row, StepRef i, int64_t count,
             StepRef j);
  void collectStreams();
  void collectStreams(Value value, int64_t elements);
  Scratch scratchOfColumns();
  Refs loadColumn(const Stretch &stretch, StepRef j, const Scratch &slots);
  void storeColumn(const Stretch &stretch, StepRef j, const Scratch &slots,
                   llvm::ArrayRef<StepRef> elements);
  Refs elementsAt(const Stretch &stretch, StepRef row, StepRef i);
  Refs fold(llvm::ArrayRef<StepRef> x, llvm::ArrayRef<StepRef> y);
  Refs foldAll(Refs accumulated, llvm::MutableArrayRef<Refs> elements);

  int64_t rowsTogether() const;
  int64_t pieceLength() const;
  int64_t piecesOfRow() const;
  int64_t rowsOfPiece() const;

  ReductionPlan plan;
  stablehlo::ReduceOp op;
  LoopPlan loops;
  int64_t tile;                       ///< columns of a stretch
  llvm::SmallVector<int64_t> results; ///< buffers
  llvm::SmallVector<Value> streams;   ///< arrays that are fetched ahead
};

} // namespace

ColumnReduction::ColumnReduction(const ReductionPlan &reduction,
                                 const BufferPlan &buffers,
                                 const Kernel &kernel, int64_t groupRows)
    : KernelBuilder(reduction.fusion, buffers, groupRows), plan(reduction),
      op(reduction.op), loops(kernel.loops), tile(kernel.size("tile")) {
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

ColumnReduction::Scratch ColumnReduction::scratchOfColumns() {
  Scratch slots;
  for (Value result : op.getResults()) {
    slots.push_back(
        scratch(elementTypeOf(result.getType()), tile, kernel::Scope::Thread));
  }
  return slots;
}

/// What `slots` hold for column j, or without slots the stored result.
ColumnReduction::Refs ColumnReduction::loadColumn(const Stretch &stretch,
                                                  StepRef j,
                                                  const Scratch &slots) {
  bool isResult = slots.empty();
  StepRef at = isResult ? linearOf(stretch.keptIndex, plan.keptShape) : j;
  Refs elements;
  for (int64_t buffer : isResult ? results : slots) {
    elements.push_back(loadFrom(buffer, at));
  }
  return elements;
}

void ColumnReduction::storeColumn(const Stretch &stretch, StepRef j,
                                  const Scratch &slots,
                                  llvm::ArrayRef<StepRef> elements) {
  bool isResult = slots.empty();
  StepRef at = isResult ? linearOf(stretch.keptIndex, plan.keptShape) : j;
  for (auto [buffer, element] :
       llvm::zip_equal(isResult ? results : slots, elements)) {
    storeTo(buffer, at, element);
  }
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

ColumnReduction::Refs ColumnReduction::elementsAt(const Stretch &stretch,
                                                  StepRef row, StepRef i) {
  Index index = operandIndex(*this, plan, stretch.keptIndex, row, i);
  Refs elements;
  for (Value input : op.getInputs()) {
    elements.push_back(emitElement(input, index));
  }
  return elements;
}

ColumnReduction::Refs ColumnReduction::fold(llvm::ArrayRef<StepRef> x,
                                            llvm::ArrayRef<StepRef> y) {
  Refs both(x);
  both.append(y.begin(), y.end());
  return apply(op.getBody(), both);
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
    Refs first = fold(elements[0], elements[1]);
    elements.front() = fold(first, fold(elements[2], elements[3]));
    elements = elements.take_front();
  }
  for (const Refs &x : elements) {
    accumulated = fold(accumulated, x);
  }
  return accumulated;
}

/// Folds `count` elements from the i-th of the row on into column j.
void ColumnReduction::foldColumn(const Stretch &stretch, StepRef row, StepRef i,
                                 int64_t count, StepRef j,
                                 const Scratch &slots) {
  Refs accumulated = loadColumn(stretch, j, slots);
  llvm::SmallVector<Refs> elements;
  for (int64_t k = 0; k < count; ++k) {
    elements.push_back(elementsAt(stretch, row, sumOf(i, constant(k))));
  }
  storeColumn(stretch, j, slots, foldAll(std::move(accumulated), elements));
}

/// Folds elements of a row, from the one at `begin` on: the groups [from, to)
/// of `count` each.
void ColumnReduction::foldGroups(Stretch &stretch, StepRef row, StepRef begin,
                                 StepRef from, StepRef to, int64_t count,
                                 const Scratch &slots) {
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
                                const Scratch &slots) {
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
  StepRef none = neutral(
      onlyOperation(op.getBody(), elementTypeOf(op.getResult(0).getType())));
  auto addUp = [&](const Scratch &from, const Scratch &to,
                   llvm::function_ref<void()> fill) {
    eachColumn(stretch, [&](StepRef j) { storeTo(from.front(), j, none); });
    fill();
    eachColumn(stretch, [&](StepRef j) {
      Refs before = loadColumn(stretch, j, to);
      storeColumn(stretch, j, to, fold(before, loadColumn(stretch, j, from)));
    });
  };
  Scratch ofPiece = scratchOfColumns();
  auto addPieces = [&](StepRef first, StepRef last, const Scratch &to) {
    loop(first, last, [&](StepRef piece) {
      addUp(ofPiece, to, [&] { foldPiece(stretch, piece, ofPiece); });
    });
  };
  if (pieces <= fewPieces) {
    addPieces(constant(0), constant(pieces), {});
    return;
  }
  Scratch ofBlock = scratchOfColumns();
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
  Refs start;
  for (Value value : op.getInitValues()) {
    start.push_back(scalar(value));
  }
  eachColumn(stretch, [&](StepRef j) { storeColumn(stretch, j, {}, start); });
  foldColumns(stretch);
}

kernel::Kernel ColumnReduction::build() {
  llvm::ArrayRef<int64_t> shape = shapeOf(op.getResult(0));
  result.name = "reduce_columns";
  for (Value array : op.getResults()) {
    results.push_back(bufferOf(elementTypeOf(array.getType()), shape,
                               buffers.sliceOf(array), true));
  }
  parallel(loops.tasks(), loops.grain, [&](StepRef begin, StepRef end) {
    loop(begin, end, [&](StepRef task) { foldTask(task); });
  });
  return std::move(result);
}

kernel::Kernel buildColumns(stablehlo::ReduceOp op, const FusionPlan &fusion,
                            const RowGroups &rows, const BufferPlan &buffers) {
  ReductionPlan plan(op, fusion, rows);
  return ColumnReduction(plan, buffers, kernelOf(op),
                         siteOf(op, rows).groupRows)
      .build();
}

void Reduction::emitColumns() {
  ColumnReduction builder(*this, e.buffers, kernel, e.site().groupRows);
  kernel::Kernel built = builder.build();
  if (isComplete(e, builder, built, op)) {
    lowerKernel(e, built);
  }
}

//===----------------------------------------------------------------------===//
// Columns by vectors
//===----------------------------------------------------------------------===//

void Reduction::emitColumnVectors() {
  setRows(lineLength); // no piece has a sum of its own
  llvm::ArrayRef<int64_t> outer = llvm::ArrayRef(keptShape).drop_back();
  int64_t width = keptShape.back();
  int64_t blocks = FloatExtremes::blocksOf(type, width);
  llvm::Type *element = memoryType(type, e.context());
  auto address = [&](const BufferSlice &slice, llvm::Value *at) {
    return e.builder().CreateInBoundsGEP(element, e.pointerTo(slice), at);
  };
  BufferSlice input = e.buffers.sliceOf(op.getInputs().front());
  auto emitTask = [&](llvm::Value *task) {
    llvm::IRBuilder<> &b = e.builder();
    Index outerIndex, keptIndex;
    outerIndex.linear = b.CreateUDiv(task, e.constant(blocks));
    keptIndex.dims = e.dimsOf(outerIndex, outer);
    keptIndex.dims.push_back(e.constant(0));
    auto eachLine = [&](auto before, auto body) {
      return e.loop(
          e.constant(0), e.constant(rows), before,
          [&](llvm::Value *row, llvm::ArrayRef<llvm::Value *> outside) {
            return e.loop(
                e.constant(0), e.constant(rowLength), outside,
                [&](llvm::Value *i, llvm::ArrayRef<llvm::Value *> inside) {
                  Index index = operandIndex(keptIndex, row, i);
                  return body(address(input, e.linearOf(index, shape)), inside);
                });
          });
    };
    FloatExtremes(e, fold, type)
        .ofColumns(
            b.CreateURem(task, e.constant(blocks)), width, initial()[0].real,
            address(slices[0], e.linearOf(keptIndex, keptShape)), eachLine);
  };
  e.parallel(kernel.loops, [&](llvm::Value *begin, llvm::Value *end) {
    e.loop(begin, end, emitTask);
  });
}

void Reduction::emitNarrowColumns() {
  llvm::ArrayRef<int64_t> outer = llvm::ArrayRef(keptShape).drop_back();
  int64_t columns = keptShape.back();
  e.nest(kernel.loops, [&](const Index &outerIndex) {
    llvm::IRBuilder<> &b = e.builder();
    llvm::Value *matrix = b.CreateInBoundsGEP(
        memoryType(type, e.context()), e.pointerTo(op.getInputs().front()),
        b.CreateNSWMul(e.linearOf(outerIndex, outer),
                       e.constant(perResult * columns)));
    ArgExtremes extremes(e, type, *argMaximum, perResult, columns);
    ArgExtremes::Values positions = extremes.ofColumns(matrix);
    for (auto [column, position] : llvm::enumerate(positions)) {
      Index keptIndex;
      keptIndex.dims = e.dimsOf(outerIndex, outer);
      keptIndex.dims.push_back(e.constant(static_cast<int64_t>(column)));
      Index at = operandIndex(keptIndex, e.constant(0), position);
      storeResults(e.linearOf(keptIndex, keptShape),
                   combine(initial(), elementsAt(at)));
    }
  });
}

} // namespace xla::cpu
