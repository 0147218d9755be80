//===- Update.cpp - dynamic_update_slice and scatter ----------------------===//
//
// Both change an array in place: the buffer plan has put the result where the
// operand is if nothing reads the operand later; if not, it is copied first.
//
//===----------------------------------------------------------------------===//

#include "xla/codegen/cpu/emitters/Reduce.h"
#include "xla/dialect/stablehlo/StablehloOps.h"

namespace xla::cpu {

using namespace stablehlo;
using mlir::Operation;
using mlir::Value;

void Emitter::emitDynamicUpdateSlice(Operation *operation) {
  auto op = llvm::cast<DynamicUpdateSliceOp>(operation);
  Value update = op.getUpdate(), result = op.getResult();
  llvm::ArrayRef<int64_t> shape = shapeOf(result), part = shapeOf(update);
  Place place = buffers.placeOf(result);
  emitInto(op.getOperand(), place);
  llvm::SmallVector<llvm::Value *> starts;
  for (auto [d, start] : llvm::enumerate(op.getStartIndices())) {
    starts.push_back(clampedStart(start, scalar(start), shape[d] - part[d]));
  }
  ElementType type = elementTypeOf(result.getType());
  Writes written(*this, place);
  nest(part, false, 2, [&](const Index &index) {
    Index at;
    at.dims = dimsOf(index, part);
    for (auto [d, i] : llvm::enumerate(at.dims)) {
      i = builder().CreateNSWAdd(reach(starts[d]), i);
    }
    store(type, place, linearOf(at, shape), emitElement(update, index));
  });
}

namespace {

/// The dimension numbers of a scatter, put the way that the loops need them.
class Scattering {
public:
  Scattering(Emitter &e, ScatterOp op);
  void emit();

private:
  void emitUpdates(llvm::Value *first, llvm::Value *last);
  void emitWindow(llvm::ArrayRef<llvm::Value *> batch, llvm::Value *first,
                  llvm::Value *last);

  Emitter &e;
  ScatterOp op;
  ScatterDimensionNumbersAttr numbers;
  llvm::ArrayRef<int64_t> shape, updateShape;
  llvm::SmallVector<int64_t> batchDims, windowDims; // of the updates
  llvm::SmallVector<int64_t> batchSizes, windowSizes;
  llvm::SmallVector<int64_t> operandWindow; // operand dims of windowDims
  llvm::SmallVector<Place> places;
};

} // namespace

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
    places.push_back(e.buffers.placeOf(result));
  }
}

/// One window: skipped as a whole where any of it lies outside the operand.
/// [first, last) bounds the last window dimension.
void Scattering::emitWindow(llvm::ArrayRef<llvm::Value *> batch,
                            llvm::Value *first, llvm::Value *last) {
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
      llvm::SmallVector<Element> arguments;
      for (auto [n, input] : llvm::enumerate(op.getInputs())) {
        arguments.push_back(
            e.load(elementTypeOf(input.getType()), places[n], linear));
      }
      for (Value update : op.getUpdates()) {
        arguments.push_back(e.emitElement(update, source));
      }
      auto values = e.emitScalarRegion(op.getUpdateComputation(), arguments);
      for (auto [n, input] : llvm::enumerate(op.getInputs())) {
        e.store(elementTypeOf(input.getType()), places[n], linear, values[n]);
      }
    };
    if (windowSizes.empty()) {
      visit({});
      return;
    }
    e.serialNest(llvm::ArrayRef(windowSizes).drop_back(),
                 [&](const Index &outer) {
                   e.loop(first, last, [&](llvm::Value *i) {
                     Index window = outer;
                     window.dims.push_back(i);
                     visit(window);
                   });
                 });
  });
}

/// All updates one after the other, in row-major order of the indices.
void Scattering::emitUpdates(llvm::Value *first, llvm::Value *last) {
  e.serialNest(batchSizes, [&](const Index &batch) {
    emitWindow(batch.dims, first, last);
  });
}

void Scattering::emit() {
  for (auto [input, place] : llvm::zip_equal(op.getInputs(), places)) {
    e.emitInto(input, place);
  }
  if (elementCountOf(op.getUpdates().front()) == 0) {
    return;
  }
  Emitter::Writes written(e, places);
  if (windowSizes.empty()) {
    emitUpdates(nullptr, nullptr);
    return;
  }
  // Threads take stretches of the last window dimension, each of them all
  // updates: so the order in which an element is updated does not change.
  constexpr int64_t stretch = 64;
  int64_t width = windowSizes.back();
  int64_t stretches = (width + stretch - 1) / stretch;
  double cost = 4.0 * static_cast<double>(
                          elementCountOf(op.getUpdates().front()) / stretches);
  e.parallel(stretches, cost, [&](llvm::Value *begin, llvm::Value *end) {
    llvm::IRBuilder<> &b = e.builder();
    llvm::Value *last = b.CreateBinaryIntrinsic(
        llvm::Intrinsic::smin, b.CreateMul(end, e.constant(stretch)),
        e.constant(width));
    emitUpdates(b.CreateMul(begin, e.constant(stretch)), last);
  });
}

void Emitter::emitScatter(Operation *op) {
  Scattering(*this, llvm::cast<ScatterOp>(op)).emit();
}

} // namespace xla::cpu
