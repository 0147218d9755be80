//===- Convolution.cpp - Convolutions of any layout -----------------------===//
//
// Where they are no matrix product (ImplicitGemm.cpp), and no sum of rows of
// one group (ConvolutionRows.cpp) or of many (ConvolutionLanes.cpp), directly
// from the definition: for every output position and every tap that falls on an
// input element, a row of output features gets the product of one input element
// and a row of the kernel.
//
//===----------------------------------------------------------------------===//

#include "xla/codegen/cpu/Choose.h"
#include "xla/codegen/cpu/lower/Steps.h"
#include "xla/codegen/cpu/lower/convolution/ConvolutionArrays.h"
#include "xla/codegen/cpu/lower/convolution/ConvolutionLanes.h"
#include "xla/codegen/cpu/lower/convolution/ConvolutionPlan.h"
#include "xla/codegen/cpu/lower/convolution/ConvolutionRows.h"
#include "xla/codegen/cpu/lower/convolution/ImplicitGemm.h"
#include "xla/codegen/cpu/lower/elementwise/Elementwise.h"
#include "xla/codegen/cpu/lower/reduce/Folds.h"
#include "xla/dialect/stablehlo/StablehloOps.h"

namespace xla::cpu {

using namespace stablehlo;
using mlir::Operation;
using mlir::Value;

namespace {

class Convolver : ConvolutionArrays {
public:
  Convolver(Emitter &e, ConvolutionOp op);
  void emit(const LoopPlan &loops);

private:
  void emitPosition(llvm::Value *task);
  void emitTap(llvm::Value *tap, llvm::Value *batch,
               llvm::ArrayRef<llvm::Value *> at);
  void accumulate(llvm::Value *group, llvm::Value *batch,
                  llvm::ArrayRef<llvm::Value *> at,
                  llvm::ArrayRef<llvm::Value *> tap,
                  llvm::ArrayRef<llvm::Value *> source);

  Emitter &e;
  llvm::SmallVector<int64_t> outSizes, taps;
  BufferSlice lhsSlice, rhsSlice, target;
};

} // namespace

Convolver::Convolver(Emitter &e, ConvolutionOp op)
    : ConvolutionArrays(op), e(e) {
  for (int64_t d : numbers.getOutputSpatialDimensions()) {
    outSizes.push_back(out[d]);
  }
  for (int64_t d : numbers.getKernelSpatialDimensions()) {
    taps.push_back(rhs[d]);
  }
  lhsSlice = e.buffers.sliceOf(op.getLhs());
  rhsSlice = e.buffers.sliceOf(op.getRhs());
  target = type == resultType ? e.buffers.sliceOf(op.getResult())
                              : e.buffers.scratchOf(op);
}

/// out[f] += lhs * rhs[f], over the features of a group and the input features
/// that it sees.
void Convolver::accumulate(llvm::Value *group, llvm::Value *batch,
                           llvm::ArrayRef<llvm::Value *> at,
                           llvm::ArrayRef<llvm::Value *> tap,
                           llvm::ArrayRef<llvm::Value *> source) {
  llvm::IRBuilder<> &b = e.builder();
  Index left, right, result;
  left.dims.assign(lhs.size(), nullptr);
  right.dims.assign(rhs.size(), nullptr);
  result.dims.assign(out.size(), nullptr);
  for (size_t d = 0; d < windows.size(); ++d) {
    left.dims[numbers.getInputSpatialDimensions()[d]] = source[d];
    right.dims[numbers.getKernelSpatialDimensions()[d]] = tap[d];
    result.dims[numbers.getOutputSpatialDimensions()[d]] = at[d];
  }
  result.dims[numbers.getOutputBatchDimension()] = batch;
  left.dims[numbers.getInputBatchDimension()] =
      groupsBatch ? b.CreateAdd(b.CreateMul(group, e.constant(batches)), batch)
                  : batch;
  e.loop(e.constant(0), e.constant(inputs), [&](llvm::Value *i) {
    right.dims[numbers.getKernelInputFeatureDimension()] = i;
    left.dims[numbers.getInputFeatureDimension()] =
        groupsBatch || groups == 1
            ? i
            : b.CreateAdd(b.CreateMul(group, e.constant(inputs)), i);
    Element x = convertElement(
        e, e.load(lhsType, lhsSlice, e.linearOf(left, lhs)), lhsType, type);
    e.loop(e.constant(0), e.constant(features), [&](llvm::Value *f) {
      llvm::Value *feature =
          b.CreateNSWAdd(b.CreateNSWMul(group, e.constant(features)), f);
      right.dims[numbers.getKernelOutputFeatureDimension()] = feature;
      result.dims[numbers.getOutputFeatureDimension()] = feature;
      Element y = convertElement(
          e, e.load(rhsType, rhsSlice, e.linearOf(right, rhs)), rhsType, type);
      llvm::Value *linear = e.linearOf(result, out);
      Element sum = e.load(type, target, linear);
      if (isComplex(type)) {
        sum.real = b.CreateFAdd(sum.real, b.CreateFMul(x.real, y.real));
        sum.real = b.CreateFSub(sum.real, b.CreateFMul(x.imag, y.imag));
        sum.imag = b.CreateFAdd(sum.imag, b.CreateFMul(x.real, y.imag));
        sum.imag = b.CreateFAdd(sum.imag, b.CreateFMul(x.imag, y.real));
      } else {
        sum.real = addProduct(e, sum.real, x.real, y.real);
      }
      e.store(type, target, linear, sum);
    });
  });
}

void Convolver::emitTap(llvm::Value *number, llvm::Value *batch,
                        llvm::ArrayRef<llvm::Value *> at) {
  Index flat;
  flat.linear = number;
  auto tap = e.dimsOf(flat, taps);
  llvm::Value *inside = e.builder().getTrue();
  llvm::SmallVector<llvm::Value *> source;
  for (size_t s = 0; s < windows.size(); ++s) {
    source.push_back(sourceAlong(e, s, at[s], tap[s], inside));
    tap[s] = kernelAlong(e, s, tap[s]);
  }
  e.when(inside, [&] {
    e.loop(e.constant(0), e.constant(groups), [&](llvm::Value *group) {
      accumulate(group, batch, at, tap, source);
    });
  });
}

void Convolver::emitPosition(llvm::Value *task) {
  llvm::SmallVector<int64_t> sizes = {batches};
  llvm::append_range(sizes, outSizes);
  Index flat;
  flat.linear = task;
  auto dims = e.dimsOf(flat, sizes);
  llvm::ArrayRef<llvm::Value *> at = llvm::ArrayRef(dims).drop_front();
  Index result;
  result.dims.assign(out.size(), nullptr);
  result.dims[numbers.getOutputBatchDimension()] = dims[0];
  for (auto [d, i] : llvm::enumerate(at)) {
    result.dims[numbers.getOutputSpatialDimensions()[d]] = i;
  }
  llvm::Value *zero =
      llvm::Constant::getNullValue(registerType(type, e.context()));
  e.loop(e.constant(0), e.constant(features * groups), [&](llvm::Value *f) {
    result.dims[numbers.getOutputFeatureDimension()] = f;
    e.store(type, target, e.linearOf(result, out), {zero, zero});
  });
  int64_t count = 1;
  for (int64_t size : taps) {
    count *= size;
  }
  e.loop(e.constant(0), e.constant(count),
         [&](llvm::Value *tap) { emitTap(tap, dims[0], at); });
}

/// The loop over positions of the result.
static LoopPlan planPositions(const ConvolutionArrays &arrays) {
  int64_t positions = arrays.batches, work = arrays.features * arrays.groups;
  for (int64_t d : arrays.numbers.getOutputSpatialDimensions()) {
    positions *= arrays.out[d];
  }
  for (int64_t size : arrays.rhs) {
    work *= size;
  }
  work /= std::max<int64_t>(1, arrays.features * arrays.groups);
  return planTasks(positions, static_cast<double>(work) * arrays.features);
}

void Convolver::emit(const LoopPlan &loops) {
  {
    Emitter::Writes written(e, target);
    e.parallel(loops, [&](llvm::Value *begin, llvm::Value *end) {
      e.loop(begin, end, [&](llvm::Value *task) { emitPosition(task); });
    });
  }
  if (type == resultType) {
    return;
  }
  BufferSlice slice = e.buffers.sliceOf(op.getResult());
  Emitter::Writes written(e, slice);
  LoopPlan rounding =
      planLoops(elementCountOf(op.getResult()), true, 2, e.site());
  e.nest(rounding, [&](const Index &index) {
    Element sum = e.load(type, target, index.linear);
    e.store(resultType, slice, index.linear, {narrow(e, sum.real, resultType)});
  });
}

Kernel chooseConvolution(ConvolutionOp op) {
  if (elementCountOf(op.getResult()) == 0) {
    return {};
  }
  // Laying out an element for a product costs as much as so many of its uses.
  constexpr int64_t fewFeatures = 3;
  ConvolutionPlan plan(op);
  std::optional<LoopPlan> rows = planConvolutionRows(op);
  Kernel byRows = {Strategy::PositionRows};
  byRows.loops = rows.value_or(LoopPlan());
  if (rows && plan.groups == 1 && plan.features <= fewFeatures) {
    return byRows;
  }
  if (plan.isWorthwhile()) {
    Kernel kernel = {Strategy::ImplicitGemm,
                     plan.scratchBytes(),
                     {},
                     {{"tile", plan.tile}, {"terms", plan.termBlock}}};
    int64_t tiles = (plan.positionCount + plan.tile - 1) / plan.tile;
    kernel.loops = planTasks(plan.groups * plan.outerCount * tiles,
                             static_cast<double>(plan.tile) * plan.termCount *
                                 plan.features / 8);
    return kernel;
  }
  if (std::optional<LoopPlan> lanes = planConvolutionLanes(op)) {
    Kernel kernel = {Strategy::Lanes};
    kernel.loops = *lanes;
    return kernel;
  }
  if (rows) {
    return byRows;
  }
  Kernel kernel = {Strategy::Definition, plan.sumsBytes()};
  kernel.loops = planPositions(plan);
  return kernel;
}

void emitConvolution(Emitter &e, Operation *operation) {
  auto op = llvm::cast<ConvolutionOp>(operation);
  Kernel kernel = kernelOf(op);
  switch (kernel.strategy) {
  case Strategy::Nothing:
    return;
  case Strategy::ImplicitGemm: {
    bool isRounded = isNarrow(elementTypeOf(op.getType()));
    emitImplicitGemm(e, op,
                     isRounded ? e.buffers.scratchOf(op)
                               : e.buffers.sliceOf(op.getResult()),
                     kernel.loops);
    return;
  }
  case Strategy::Lanes:
    emitConvolutionLanes(e, op, kernel.loops);
    return;
  case Strategy::PositionRows:
    emitConvolutionRows(e, op, kernel.loops);
    return;
  default:
    assert(kernel.strategy == Strategy::Definition &&
           "no kernel of a convolution");
    Convolver(e, op).emit(kernel.loops);
  }
}

} // namespace xla::cpu
