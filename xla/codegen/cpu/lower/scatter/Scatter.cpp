//===- Scatter.cpp - dynamic_update_slice and scatter ---------------------===//
//
// Both change an array in place: the buffer plan has put the result where the
// operand is if nothing reads the operand later; if not, it is copied first.
//
//===----------------------------------------------------------------------===//

#include "xla/codegen/cpu/Choose.h"
#include "xla/codegen/cpu/JoinedDimensions.h"
#include "xla/codegen/cpu/LowerKernel.h"
#include "xla/codegen/cpu/lower/Steps.h"
#include "xla/codegen/cpu/lower/reduce/Folds.h"
#include "xla/dialect/stablehlo/StablehloOps.h"

namespace xla::cpu {

using namespace stablehlo;
using mlir::Operation;
using mlir::Value;

Kernel chooseUpdate(DynamicUpdateSliceOp op, const FusionPlan &fusion,
                    const RowGroups &rows) {
  Value update = op.getUpdate();
  llvm::ArrayRef<int64_t> shape = shapeOf(op.getResult());
  llvm::ArrayRef<int64_t> part = shapeOf(update);
  llvm::SmallVector<int64_t> joined(part);
  LoopSite site = siteOf(op, rows);
  if (!site.groupRows) {
    bool isComputed = fusion.formOf(update) == Form::Inline;
    joined =
        joinedShape(fusion, part,
                    isComputed ? mlir::ValueRange(update) : mlir::ValueRange(),
                    [&](int64_t first, int64_t second) {
                      return isContiguous(part, shape, first, second);
                    });
  }
  Kernel kernel = {Strategy::LoopNest};
  kernel.loops = planLoops(joined, false, 2, site);
  return kernel;
}

void emitDynamicUpdateSlice(Emitter &e, Operation *operation) {
  auto op = llvm::cast<DynamicUpdateSliceOp>(operation);
  BufferSlice slice = e.buffers.sliceOf(op.getResult());
  e.emitInto(op.getOperand(), slice);
  KernelBuilder builder(e.fusion, e.buffers, e.site().groupRows);
  kernel::Kernel kernel = builder.build(op, slice, kernelOf(op).loops);
  if (isComplete(e, builder, kernel, op)) {
    Emitter::Writes written(e, slice);
    lowerKernel(e, kernel);
  }
}

namespace {

/// The dimension numbers of a scatter, put the way that the loops need them.
class Scattering {
public:
  Scattering(Emitter &e, ScatterOp op);
  void emit(const Kernel &kernel);

private:
  /// A range of numbers, its end excluded; all there are where null.
  struct Range {
    llvm::Value *begin = nullptr, *end = nullptr;
  };
  void emitUpdates(Range batches, Range stretch);
  void emitWindow(llvm::ArrayRef<llvm::Value *> batch, Range stretch);
  void emitPartials(const Kernel &kernel);
  void emitStretches();
  bool movesAlongLast() const;
  Range lanesIn(Range stretch, llvm::Value *start);

  Emitter &e;
  ScatterOp op;
  ScatterDimensionNumbersAttr numbers;
  llvm::ArrayRef<int64_t> shape, updateShape;
  llvm::SmallVector<int64_t> batchDims, windowDims; // of the updates
  llvm::SmallVector<int64_t> batchSizes, windowSizes;
  llvm::SmallVector<int64_t> operandWindow; // operand dims of windowDims
  llvm::SmallVector<BufferSlice> slices;    ///< what is updated
  llvm::Value *partStart = nullptr;         ///< of the part that is updated
};

} // namespace

/// Into how many partial results a scatter is cut: many updates of few elements
/// that fold into one are folded into zeros first, a stretch of the updates for
/// each part. The number does not depend on the threads, so that sums do not.
static int64_t partsOf(ScatterOp op) {
  constexpr int64_t parts = 8, worthSharing = 1 << 16;
  if (op.getInputs().size() != 1) {
    return 0;
  }
  ElementType type = elementTypeOf(op.getInputs().front().getType());
  llvm::ArrayRef<int64_t> shape = shapeOf(op.getUpdates().front());
  auto windows = op.getScatterDimensionNumbers().getUpdateWindowDims();
  int64_t updates = elementCountOf(op.getUpdates().front());
  int64_t rows = 0, lane = windows.empty() ? 1 : shape[windows.back()];
  for (int64_t d = static_cast<int64_t>(shape.size()); d-- > 0;) {
    rows = llvm::is_contained(windows, d) ? rows : shape[d];
  }
  bool isFold = !isNarrow(type) &&
                recognizeFold(op.getUpdateComputation(), type) != Fold::Other;
  bool areMany = updates >= worthSharing && rows >= parts &&
                 elementCountOf(op.getResult(0)) * parts <= updates / 2;
  return isFold && areMany && lane < 128 ? parts : 0;
}

Scattering::Scattering(Emitter &e, ScatterOp op)
    : e(e), op(op), numbers(op.getScatterDimensionNumbers()),
      shape(shapeOf(op.getInputs().front())),
      updateShape(shapeOf(op.getUpdates().front())) {
  for (auto [d, size] : llvm::enumerate(updateShape)) {
    int64_t dimension = static_cast<int64_t>(d);
    bool window = llvm::is_contained(numbers.getUpdateWindowDims(), dimension);
    (window ? windowDims : batchDims).push_back(dimension);
    (window ? windowSizes : batchSizes).push_back(size);
  }
  for (int64_t d = 0; d < static_cast<int64_t>(shape.size()); ++d) {
    if (!llvm::is_contained(numbers.getInsertedWindowDims(), d) &&
        !llvm::is_contained(numbers.getInputBatchingDims(), d)) {
      operandWindow.push_back(d);
    }
  }
  for (Value result : op.getResults()) {
    slices.push_back(e.buffers.sliceOf(result));
  }
}

/// Whether windows are at different offsets along the last dimension that they
/// have: then two of them meet in lanes of different numbers.
bool Scattering::movesAlongLast() const {
  return llvm::is_contained(numbers.getScatterDimsToOperandDims(),
                            operandWindow.back());
}

/// The lanes of a window at `start` whose elements are in `stretch`, which is
/// one of the operand's last window dimension.
Scattering::Range Scattering::lanesIn(Range stretch, llvm::Value *start) {
  llvm::Value *width = e.constant(windowSizes.back());
  if (!stretch.begin) {
    return {e.constant(0), width};
  }
  if (!movesAlongLast()) {
    return stretch;
  }
  auto laneAt = [&](llvm::Value *position) {
    llvm::IRBuilder<> &b = e.builder();
    llvm::Value *lane = b.CreateBinaryIntrinsic(
        llvm::Intrinsic::smax, b.CreateNSWSub(position, start), e.constant(0));
    return b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, lane, width);
  };
  return {laneAt(stretch.begin), laneAt(stretch.end)};
}

/// One window: skipped as a whole where any of it is outside the operand.
/// Of the rest, what is in `stretch`.
void Scattering::emitWindow(llvm::ArrayRef<llvm::Value *> batch,
                            Range stretch) {
  llvm::IRBuilder<> &b = e.builder();
  Value indices = op.getScatterIndices();
  int64_t vector = numbers.getIndexVectorDim();
  int64_t rank = static_cast<int64_t>(shapeOf(indices).size());
  llvm::SmallVector<llvm::Value *> starts(shape.size(), e.constant(0));
  llvm::Value *inside = b.getTrue();
  for (auto [component, d] :
       llvm::enumerate(numbers.getScatterDimsToOperandDims())) {
    Index at;
    size_t next = 0;
    for (int64_t i = 0; i < rank; ++i) {
      at.dims.push_back(i == vector
                            ? e.constant(static_cast<int64_t>(component))
                            : batch[next++]);
    }
    starts[d] = e.widenIndex(indices, e.emitElement(indices, at));
    int64_t extent = 1;
    for (auto [size, dimension] : llvm::zip_equal(windowSizes, operandWindow)) {
      extent = dimension == d ? size : extent;
    }
    // One unsigned comparison: negative numbers are large.
    int64_t most = shape[d] - extent;
    inside = b.CreateAnd(
        inside,
        most < 0 ? b.getFalse() : b.CreateICmpULE(starts[d], e.constant(most)));
  }
  for (auto [input, from] :
       llvm::zip_equal(numbers.getInputBatchingDims(),
                       numbers.getScatterIndicesBatchingDims())) {
    starts[input] = batch[from - (from > vector ? 1 : 0)];
  }
  e.when(inside, [&] {
    auto visit = [&](const Index &window) {
      Index source, target;
      source.dims.assign(updateShape.size(), nullptr);
      for (auto [d, i] : llvm::zip_equal(batchDims, batch)) {
        source.dims[d] = i;
      }
      target.dims.assign(starts.begin(), starts.end());
      for (auto [n, i] : llvm::enumerate(window.dims)) {
        source.dims[windowDims[n]] = i;
        llvm::Value *&at = target.dims[operandWindow[n]];
        at = e.builder().CreateNSWAdd(at, i);
      }
      llvm::Value *linear = e.linearOf(target, shape);
      if (partStart) {
        linear = e.builder().CreateNSWAdd(linear, partStart);
      }
      llvm::SmallVector<Element> arguments;
      for (auto [n, input] : llvm::enumerate(op.getInputs())) {
        arguments.push_back(
            e.load(elementTypeOf(input.getType()), slices[n], linear));
      }
      for (Value update : op.getUpdates()) {
        arguments.push_back(e.emitElement(update, source));
      }
      auto values = e.emitScalarRegion(op.getUpdateComputation(), arguments);
      for (auto [n, input] : llvm::enumerate(op.getInputs())) {
        e.store(elementTypeOf(input.getType()), slices[n], linear, values[n]);
      }
    };
    if (windowSizes.empty()) {
      visit({});
      return;
    }
    Range lane = lanesIn(stretch, starts[operandWindow.back()]);
    e.serialNest(llvm::ArrayRef(windowSizes).drop_back(),
                 [&](const Index &outer) {
                   e.loop(lane.begin, lane.end, [&](llvm::Value *i) {
                     Index window = outer;
                     window.dims.push_back(i);
                     visit(window);
                   });
                 });
  });
}

/// Updates one after the other, in row-major order of the indices; `batches`
/// bounds the first dimension of those.
void Scattering::emitUpdates(Range batches, Range stretch) {
  if (batchSizes.empty()) {
    emitWindow({}, stretch);
    return;
  }
  Range rows = batches.begin
                   ? batches
                   : Range{e.constant(0), e.constant(batchSizes.front())};
  e.loop(rows.begin, rows.end, [&](llvm::Value *row) {
    e.serialNest(llvm::ArrayRef(batchSizes).drop_front(),
                 [&](const Index &inner) {
                   llvm::SmallVector<llvm::Value *> batch = {row};
                   llvm::append_range(batch, inner.dims);
                   emitWindow(batch, stretch);
                 });
  });
}

void Scattering::emitPartials(const Kernel &kernel) {
  int64_t parts = kernel.size("partials");
  BufferSlice result = slices.front(), scratch = e.buffers.scratchOf(op);
  ElementType type = elementTypeOf(op.getInputs().front().getType());
  Fold fold = recognizeFold(op.getUpdateComputation(), type);
  int64_t count = elementCountOf(op.getResult(0)), rows = batchSizes.front();
  slices.front() = scratch;
  {
    Emitter::Writes written(e, scratch);
    e.parallel(kernel.loops, [&](llvm::Value *begin, llvm::Value *end) {
      e.loop(begin, end, [&](llvm::Value *part) {
        llvm::IRBuilder<> &b = e.builder();
        partStart = b.CreateNSWMul(part, e.constant(count));
        e.loop(e.constant(0), e.constant(count), [&](llvm::Value *i) {
          e.store(type, scratch, b.CreateNSWAdd(partStart, i),
                  {neutralOf(e, fold, type)});
        });
        auto bound = [&](llvm::Value *number) {
          return b.CreateUDiv(b.CreateMul(number, e.constant(rows)),
                              e.constant(parts));
        };
        emitUpdates({bound(part), bound(b.CreateAdd(part, e.constant(1)))}, {});
        partStart = nullptr;
      });
    });
  }
  Emitter::Writes written(e, result);
  LoopPlan loops = planLoops(count, true, static_cast<double>(parts), e.site());
  e.nest(loops, [&](const Index &index) {
    Element sum = e.load(type, result, index.linear);
    for (int64_t part = 0; part < parts; ++part) {
      llvm::Value *at =
          e.builder().CreateNSWAdd(index.linear, e.constant(part * count));
      sum = e.emitScalarRegion(op.getUpdateComputation(),
                               {sum, e.load(type, scratch, at)})
                .front();
    }
    e.store(type, result, index.linear, sum);
  });
}

/// Threads take stretches of the operand's last window dimension, and each of
/// them goes through all updates: what is updated has one thread, and the order
/// of its updates does not change.
void Scattering::emitStretches() {
  constexpr int64_t shortest = 64, mostPasses = 8;
  int64_t width = windowSizes.back(), size = width, stretch = shortest;
  if (movesAlongLast()) {
    // To pass over a window outside costs about as much as to
    // update a short stretch.
    int64_t passes = std::clamp(width / shortest, int64_t(1), mostPasses);
    size = shape[operandWindow.back()];
    stretch = std::max(shortest, (size + passes - 1) / passes);
  }
  int64_t stretches = (size + stretch - 1) / stretch;
  if (stretches < 2) {
    emitUpdates({}, {});
    return;
  }
  double cost = 4.0 * static_cast<double>(
                          elementCountOf(op.getUpdates().front()) / stretches);
  e.parallel(planTasks(stretches, cost),
             [&](llvm::Value *begin, llvm::Value *end) {
               llvm::IRBuilder<> &b = e.builder();
               llvm::Value *last = b.CreateBinaryIntrinsic(
                   llvm::Intrinsic::smin, b.CreateMul(end, e.constant(stretch)),
                   e.constant(size));
               emitUpdates({}, {b.CreateMul(begin, e.constant(stretch)), last});
             });
}

void Scattering::emit(const Kernel &kernel) {
  for (auto [input, slice] : llvm::zip_equal(op.getInputs(), slices)) {
    e.emitInto(input, slice);
  }
  if (kernel.strategy == Strategy::Nothing) {
    return;
  }
  if (kernel.strategy == Strategy::Partials) {
    emitPartials(kernel);
    return;
  }
  Emitter::Writes written(e, slices);
  if (kernel.strategy == Strategy::Updates) {
    emitUpdates({}, {});
    return;
  }
  emitStretches();
}

Kernel chooseScatter(ScatterOp op) {
  if (elementCountOf(op.getUpdates().front()) == 0) {
    return {};
  }
  if (int64_t parts = partsOf(op)) {
    Kernel kernel = {Strategy::Partials,
                     parts * byteSizeOf(op.getResult(0)),
                     {},
                     {{"partials", parts}}};
    double updates =
        static_cast<double>(elementCountOf(op.getUpdates().front()));
    kernel.loops = planTasks(parts, 4.0 * updates / static_cast<double>(parts));
    return kernel;
  }
  bool areScalars =
      op.getScatterDimensionNumbers().getUpdateWindowDims().empty();
  return {areScalars ? Strategy::Updates : Strategy::UpdateStretches};
}

void emitScatter(Emitter &e, Operation *op) {
  Scattering(e, llvm::cast<ScatterOp>(op)).emit(kernelOf(op));
}

} // namespace xla::cpu
