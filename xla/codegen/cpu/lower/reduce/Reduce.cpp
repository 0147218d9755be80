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
#include "xla/codegen/cpu/LowerKernel.h"
#include "xla/codegen/cpu/lower/Steps.h"
#include "xla/codegen/cpu/lower/reduce/ArgExtremes.h"
#include "xla/codegen/cpu/lower/reduce/FloatExtremes.h"
#include "xla/codegen/cpu/lower/reduce/ReductionKernel.h"

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

void Reduction::storeResults(llvm::Value *linear,
                             llvm::ArrayRef<Element> elements) {
  for (auto [i, result] : llvm::enumerate(op.getResults())) {
    e.store(elementTypeOf(result.getType()), slices[i], linear, elements[i]);
  }
}

/// Folds any number of elements by any computation, one after the other.
void Reduction::emitInOrder() {
  mlir::TypeRange types = op.getResultTypes();
  e.nest(kernel.loops, [&](const Index &keptIndex) {
    auto values = e.loop(
        e.constant(0), e.constant(rows), flatten(initial()),
        [&](llvm::Value *row, llvm::ArrayRef<llvm::Value *> outer) {
          return e.loop(e.constant(0), e.constant(rowLength), outer,
                        [&](llvm::Value *i, llvm::ArrayRef<llvm::Value *> acc) {
                          auto x = elementsAt(operandIndex(keptIndex, row, i));
                          return flatten(combine(unflatten(acc, types), x));
                        });
        });
    storeResults(e.linearOf(keptIndex, keptShape), unflatten(values, types));
  });
}

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

/// Whether the last dimension is kept. Those of size 1 do not count.
bool ReductionPlan::keepsLast() const {
  int64_t last = static_cast<int64_t>(shape.size()) - 1;
  while (last >= 0 && shape[last] == 1) {
    --last;
  }
  return last >= 0 && llvm::is_contained(kept, last);
}

/// Whether the elements of a result are folded in line, which repeats the body.
bool ReductionPlan::isFew() const {
  // Of results whose elements are neighbours, LLVM loads so many as vectors and
  // sorts them by result; from more, or beyond a line of the cache, it would
  // gather each one. Where much is computed of an element that is little, and
  // rows of 16-bit floats cost as much to widen.
  constexpr int64_t fewNeighbours = 8, littleCode = 8;
  bool areNeighbours = results > 1 && !keepsLast();
  bool isMuch = isHalf(type) || fusion.codeAt(op) > littleCode;
  if (areNeighbours && (perResult * byteWidth(type) >= cpuTarget.cacheLine ||
                        (perResult > fewNeighbours && !isMuch))) {
    return false;
  }
  auto code =
      static_cast<int64_t>(op->getRegion(0).front().getOperations().size());
  return perResult <= fewElements &&
         (perResult <= 1 || code * perResult <= mostInLine);
}

Strategy ReductionPlan::strategy() const {
  if (results == 0) {
    return Strategy::Nothing;
  }
  if (!fitsForm()) {
    return Strategy::InOrder;
  }
  if (splits()) {
    return Strategy::SplitRows;
  }
  bool isPosition = argMaximum && perResult > 0;
  if (isFew()) {
    return isPosition ? Strategy::Positions : Strategy::Few;
  }
  if (hasNarrowColumns()) {
    return Strategy::NarrowColumns;
  }
  if (!keepsLast()) {
    return isPosition ? Strategy::Positions : Strategy::Rows;
  }
  if (hasColumnVectors()) {
    return Strategy::ColumnVectors;
  }
  // Partial results in memory would be rounded, but for those that are
  // elements.
  bool isElement = fold == Fold::Maximum || fold == Fold::Minimum || isPosition;
  bool isLast = shape[kept.back()] > 1;
  if (isLast && (isElement || !isNarrow(type))) {
    return Strategy::Columns;
  }
  return isPosition ? Strategy::Positions : Strategy::Rows;
}

Kernel ReductionPlan::choose(LoopSite site) {
  Kernel kernel = {strategy()};
  auto work = static_cast<double>(perResult);
  llvm::ArrayRef<int64_t> outer = llvm::ArrayRef(keptShape);
  auto planFew = [&] {
    auto operations =
        static_cast<int64_t>(op.getBody().front().getOperations().size());
    return planLoops(keptShape, flat, work + 1, site, {},
                     perResult * (fusion.codeAt(op) + operations));
  };
  switch (kernel.strategy) {
  case Strategy::Few:
    kernel.loops = planFew();
    break;
  case Strategy::Positions:
    kernel.loops = isFew() ? planFew() : planLoops(keptShape, true, work, site);
    break;
  case Strategy::Rows:
  case Strategy::InOrder:
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

std::unique_ptr<ReductionKernel> reductionKernel(ReduceOp op,
                                                 const FusionPlan &fusion,
                                                 const RowGroups &rows,
                                                 const BufferPlan &buffers) {
  switch (kernelOf(op).strategy) {
  case Strategy::Few:
  case Strategy::Rows:
  case Strategy::SplitRows:
    return rowKernel(op, fusion, rows, buffers);
  case Strategy::Columns:
    return columnKernel(op, fusion, rows, buffers);
  default:
    return nullptr;
  }
}

void Reduction::emit() {
  switch (kernel.strategy) {
  case Strategy::Positions:
    emitPositions();
    return;
  case Strategy::ColumnVectors:
    emitColumnVectors();
    return;
  case Strategy::NarrowColumns:
    emitNarrowColumns();
    return;
  default:
    assert(kernel.strategy == Strategy::InOrder && "no kernel of a reduction");
    emitInOrder();
  }
}

void emitReduce(Emitter &e, Operation *op) {
  auto reduce = llvm::cast<ReduceOp>(op);
  if (kernelOf(op).strategy == Strategy::Nothing) {
    return;
  }
  llvm::SmallVector<BufferSlice> slices;
  for (Value result : op->getResults()) {
    slices.push_back(e.buffers.sliceOf(result));
  }
  if (kernelOf(op).strategy == Strategy::SplitRows) {
    slices.push_back(e.buffers.scratchOf(op));
  }
  Emitter::Writes written(e, slices);
  auto builder = reductionKernel(reduce, e.fusion, e.rowGroups, e.buffers);
  if (!builder) {
    Reduction(e, reduce).emit();
    return;
  }
  kernel::Kernel built = builder->build();
  if (isComplete(e, *builder, built, op)) {
    lowerKernel(e, built);
  }
}

} // namespace xla::cpu
