//===- Reduce.cpp - Folding many elements into one ------------------------===//
//
// Three shapes of loop, chosen by where the reduced dimensions are:
//
//   few      a handful of elements per result: they are folded in line, and the
//            loop over results is the one that is vectorised
//   rows     the last dimension is reduced: accumulators in registers; in
//            blocks, whose partial sums keep the rounding error small
//   columns  the last dimension is kept: rows are folded into a stretch of the
//            result that stays in the first-level cache, by the kernel form
//
//===----------------------------------------------------------------------===//

#include "xla/codegen/cpu/lower/reduce/Reduce.h"

#include "xla/codegen/cpu/Choose.h"
#include "xla/codegen/cpu/JoinedDimensions.h"
#include "xla/codegen/cpu/KernelBuilder.h"
#include "xla/codegen/cpu/lower/Steps.h"
#include "xla/codegen/cpu/lower/elementwise/Elementwise.h"
#include "xla/codegen/cpu/lower/reduce/ArgExtremes.h"
#include "xla/codegen/cpu/lower/reduce/Extremes.h"
#include "xla/codegen/cpu/lower/reduce/FloatExtremes.h"

namespace xla::cpu {

using namespace stablehlo;
using mlir::Operation;
using mlir::Value;

static constexpr int64_t fewElements = 16;
static constexpr int64_t mostInLine = 1024; // operations
// Of terms in a row: where they are side by side, they are added in vectors.
static constexpr int64_t longestRow = 2048, longestStride = 256;

ReductionPlan::ReductionPlan(ReduceOp op, const FusionPlan &fusion,
                             const RowGroups &rowGroups)
    : op(op), fusion(fusion), shape(shapeOf(op.getInputs().front())) {
  auto isReducedAt = [&](int64_t dimension) {
    return llvm::is_contained(op.getDimensions(), dimension);
  };
  llvm::SmallVector<Value> computed;
  llvm::copy_if(op.getInputs(), std::back_inserter(computed), [&](Value input) {
    return fusion.formOf(input) == Form::Inline && input.getDefiningOp();
  });
  bool inRowGroup = rowGroups.groupOf(op); // which counts its rows
  auto joined =
      joinedShape(fusion, shape, computed, [&](int64_t first, int64_t second) {
        return isReducedAt(first) == isReducedAt(second) &&
               (isReducedAt(first) || !inRowGroup);
      });
  for (auto [d, size] : llvm::enumerate(joined)) {
    int64_t dimension = static_cast<int64_t>(d);
    bool isReduced = isReducedAt(dimension);
    (isReduced ? reduced : kept).push_back(dimension);
    (isReduced ? reducedShape : keptShape).push_back(size);
    (isReduced ? perResult : results) *= size;
  }
  type = elementTypeOf(op.getInputs().front().getType());
  accumulator = accumulatorOf(type);
  if (op.getInputs().size() == 1) {
    fold = recognizeFold(op.getBody(), type);
    if (isComplex(type) &&
        llvm::isa_and_nonnull<AddOp>(onlyOperation(op.getBody(), type))) {
      fold = Fold::Add; // of each part
      parts = 2;
      type = accumulator = partOf(type);
    }
  }
  argMaximum = ArgExtremes::recognize(op);
  trailing = kept.empty() || reduced.empty() || kept.back() < reduced.front();
  flat = trailing && fusion.isFlat(op.getInputs());
  // Lines follow each other, and long ones are cut into rows.
  bool isOneLine = flat || reduced.size() == 1;
  if (!reduced.empty()) {
    lineLength = isOneLine ? perResult : reducedShape.back();
    lines = lineLength ? perResult / lineLength : 0;
  }
  int64_t longest = trailing ? longestRow : longestStride;
  setRows(fold != Fold::Other && lineLength > longest ? longest : lineLength);
}

void ReductionPlan::setRows(int64_t length) {
  rowLength = length;
  rowsOfLine = length ? (lineLength + length - 1) / length : 1;
  rows = lines * rowsOfLine;
}

Reduction::Reduction(Emitter &e, ReduceOp op)
    : ReductionPlan(op, e.fusion, e.rowGroups), e(e), kernel(kernelOf(op)) {
  for (Value result : op.getResults()) {
    slices.push_back(e.buffers.sliceOf(result));
  }
}

llvm::SmallVector<Element> Reduction::initial() {
  llvm::SmallVector<Element> elements;
  for (Value value : op.getInitValues()) {
    elements.push_back(e.scalar(value));
  }
  return elements;
}

llvm::SmallVector<Element> Reduction::elementsAt(const Index &index) {
  llvm::SmallVector<Element> elements;
  for (Value input : op.getInputs()) {
    elements.push_back(e.emitElement(input, index));
  }
  return elements;
}

llvm::SmallVector<Element>
Reduction::combine(llvm::ArrayRef<Element> accumulated,
                   llvm::ArrayRef<Element> elements) {
  llvm::SmallVector<Element> arguments(accumulated);
  llvm::append_range(arguments, elements);
  return e.emitScalarRegion(op.getBody(), arguments);
}

Reduction::Values Reduction::foldParts(llvm::ArrayRef<llvm::Value *> x,
                                       llvm::ArrayRef<llvm::Value *> y,
                                       bool anyOrder) {
  Values folded;
  for (auto [a, b] : llvm::zip_equal(x, y)) {
    folded.push_back(foldValues(e, fold, accumulator, a, b, anyOrder));
  }
  return folded;
}

/// An element as a fold of one operation carries it, and back.
Reduction::Values Reduction::widened(Element x) {
  return parts == 2 ? Values{x.real, x.imag} : Values{widen(e, x.real, type)};
}

Element Reduction::narrowed(llvm::ArrayRef<llvm::Value *> x) {
  return parts == 2 ? Element{x[0], x[1]} : Element{narrow(e, x[0], type)};
}

void Reduction::storeResults(llvm::Value *linear,
                             llvm::ArrayRef<Element> elements) {
  for (auto [i, result] : llvm::enumerate(op.getResults())) {
    e.store(elementTypeOf(result.getType()), slices[i], linear, elements[i]);
  }
}

void Reduction::emitFew() {
  e.nest(kernel.loops, [&](const Index &keptIndex) {
    llvm::SmallVector<llvm::SmallVector<Element>> elements;
    for (int64_t r = 0; r < rows; ++r) {
      for (int64_t i = 0; i < rowLength; ++i) {
        elements.push_back(
            elementsAt(operandIndex(keptIndex, e.constant(r), e.constant(i))));
      }
    }
    storeResults(e.linearOf(keptIndex, keptShape), foldFew(elements));
  });
}

/// The fold of elements that are there, from the initial values on.
llvm::SmallVector<Element>
Reduction::foldFew(llvm::ArrayRef<llvm::SmallVector<Element>> elements) {
  constexpr size_t fewest = 3; // that are worth more than a maximum
  llvm::SmallVector<Element> value = initial();
  if (argMaximum && !elements.empty()) {
    return ArgExtremes(e, type, *argMaximum, rowLength).among(op, elements);
  }
  if (fold == Fold::Other) {
    for (const auto &x : elements) {
      value = combine(value, x);
    }
    return value;
  }
  Values acc = widened(value[0]), numbers;
  for (const auto &x : elements) {
    numbers.push_back(x[0].real);
  }
  if (elements.size() >= fewest && FloatExtremes::areFor(fold, type)) {
    acc = foldParts(acc, {FloatExtremes(e, fold, type).among(numbers)}, false);
  } else if (elements.size() >= 8 && Extremes::areFor(fold, type)) {
    Extremes extremes(e, fold, type);
    auto keys = extremes.none();
    for (llvm::Value *x : numbers) {
      keys = extremes.add(keys, x);
    }
    acc = foldParts(acc, {extremes.wanted(keys)}, false);
  } else {
    for (const auto &x : elements) {
      acc = foldParts(acc, widened(x[0]), false);
    }
  }
  return {narrowed(acc)};
}

/// How many elements `row` has: the last one of a line may be shorter.
llvm::Value *Reduction::lengthOf(llvm::Value *row) {
  llvm::IRBuilder<> &b = e.builder();
  llvm::Value *length = e.constant(rowLength);
  if (rowsOfLine == 1 || lineLength % rowLength == 0) {
    return length;
  }
  llvm::Value *rest =
      b.CreateSub(e.constant(lineLength), startOf(e, *this, row));
  return b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, length, rest);
}

/// Whether few long results are each shared out among threads.
bool ReductionPlan::splits() const {
  // Fewer results than these leave threads without work.
  constexpr int64_t fewResults = 16;
  return fold != Fold::Other && results < fewResults && rows > 1 &&
         results * perResult >= muchWork;
}

/// In how many pieces a result is folded by threads, if it is.
int64_t ReductionPlan::partials() const {
  constexpr int64_t most = 256;
  return std::min(rows, most);
}

/// Whether an argmax of few long columns, side by side in memory.
bool ReductionPlan::hasNarrowColumns() const {
  auto rank = static_cast<int64_t>(shape.size());
  return argMaximum && reduced[0] == rank - 2 &&
         ArgExtremes::areNarrow(perResult, shape.back()) &&
         fusion.formOf(op->getOperand(0)) == Form::Buffer;
}

/// Whether extremes of short lines that are in memory.
bool ReductionPlan::hasColumnVectors() const {
  return FloatExtremes::areFor(fold, type) &&
         kept.back() == static_cast<int64_t>(shape.size()) - 1 &&
         FloatExtremes::areColumnsFor(type, keptShape.back()) &&
         fusion.formOf(op->getOperand(0)) == Form::Buffer;
}

/// Whether the kernel form has steps for the computation, which is no long one.
bool ReductionPlan::fitsForm() const {
  mlir::Region &body = op->getRegion(0);
  auto code = static_cast<int64_t>(body.front().getOperations().size());
  return code <= mostInLine && KernelBuilder::canApply(body);
}

Strategy ReductionPlan::strategy() const {
  if (results == 0) {
    return Strategy::Nothing;
  }
  if (splits()) {
    return Strategy::SplitRows;
  }
  // Dimensions of size 1 do not count: the last one that does decides.
  int64_t last = static_cast<int64_t>(shape.size()) - 1;
  while (last >= 0 && shape[last] == 1) {
    --last;
  }
  bool lastKept = last >= 0 && llvm::is_contained(kept, last);
  // What is folded in line repeats the body.
  mlir::Block &body = op->getRegion(0).front();
  auto code = static_cast<int64_t>(body.getOperations().size());
  bool fits = perResult <= 1 || code * perResult <= mostInLine;
  if (perResult <= fewElements && fits) {
    return Strategy::Few;
  }
  if (hasNarrowColumns()) {
    return Strategy::NarrowColumns;
  }
  if (lastKept && hasColumnVectors()) {
    return Strategy::ColumnVectors;
  }
  bool isExtreme =
      fold == Fold::Maximum || fold == Fold::Minimum; // never rounded
  return lastKept && (!isNarrow(type) || isExtreme) && kept.back() == last &&
                 fitsForm()
             ? Strategy::Columns
             : Strategy::Rows;
}

Kernel ReductionPlan::choose(LoopSite site) {
  Kernel kernel = {strategy()};
  auto work = static_cast<double>(perResult);
  llvm::ArrayRef<int64_t> outer = llvm::ArrayRef(keptShape);
  switch (kernel.strategy) {
  case Strategy::Few: {
    auto operations =
        static_cast<int64_t>(op.getBody().front().getOperations().size());
    kernel.loops = planLoops(keptShape, flat, work + 1, site, {},
                             perResult * (fusion.codeAt(op) + operations));
    break;
  }
  case Strategy::Rows:
    kernel.loops = planLoops(keptShape, true, work, site);
    break;
  case Strategy::SplitRows:
    kernel.scratch = results * partials() * parts * byteWidth(accumulator);
    kernel.sizes = {{"partials", partials()}};
    kernel.loops = planTasks(results * partials(), work / partials());
    break;
  case Strategy::Columns: {
    int64_t width = keptShape.back(), tile = columnsTogether();
    kernel.sizes = {{"tile", tile}};
    kernel.loops = planTasks(results / width * ((width + tile - 1) / tile),
                             2.0 * static_cast<double>(perResult * tile));
    break;
  }
  case Strategy::ColumnVectors: {
    int64_t blocks = FloatExtremes::blocksOf(type, keptShape.back());
    kernel.loops = planTasks(results / keptShape.back() * blocks,
                             work * static_cast<double>(keptShape.back()) /
                                 static_cast<double>(blocks));
    break;
  }
  case Strategy::NarrowColumns:
    kernel.loops =
        planLoops(outer.drop_back(), true,
                  static_cast<double>(perResult * keptShape.back()), site);
    break;
  default:
    break;
  }
  return kernel;
}

Kernel chooseReduction(ReduceOp op, const FusionPlan &fusion,
                       const RowGroups &rows) {
  return ReductionPlan(op, fusion, rows).choose(siteOf(op, rows));
}

void Reduction::emit() {
  if (kernel.strategy == Strategy::SplitRows) {
    emitSplitRows();
    return;
  }
  Emitter::Writes written(e, slices);
  switch (kernel.strategy) {
  case Strategy::Few:
    emitFew();
    return;
  case Strategy::ColumnVectors:
    emitColumnVectors();
    return;
  case Strategy::NarrowColumns:
    emitNarrowColumns();
    return;
  case Strategy::Columns:
    emitColumns();
    return;
  default:
    assert(kernel.strategy == Strategy::Rows && "no kernel of a reduction");
    emitRows();
  }
}

void emitReduce(Emitter &e, Operation *op) {
  if (kernelOf(op).strategy != Strategy::Nothing) {
    Reduction(e, llvm::cast<ReduceOp>(op)).emit();
  }
}

} // namespace xla::cpu
