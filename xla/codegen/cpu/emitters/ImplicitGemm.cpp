//===- ImplicitGemm.cpp - Convolutions as matrix products -----------------===//
//
// The elements of the input that a tile of output positions sees are laid out
// as a matrix, positions by terms, and multiplied with the kernel, terms by
// features. A tile of that matrix stays in the second-level cache; the matrix
// as a whole never exists (Chellapilla, Puri and Simard, "High performance
// convolutional neural networks for document processing", 2006; by tiles as in
// Chetlur et al., "cuDNN: efficient primitives for deep learning", 2014).
//
// Terms are numbered in the order of the kernel in memory, so that it need not
// be copied where its output features are the first or the last dimension. Both
// gradients of a convolution are convolutions with other dimension numbers and
// go the same way.
//
//===----------------------------------------------------------------------===//

#include "xla/codegen/cpu/emitters/ImplicitGemm.h"

#include "xla/codegen/cpu/emitters/Reduce.h"

namespace xla::cpu {

using namespace stablehlo;
using mlir::Operation;
using mlir::Value;

namespace {

/// A dimension of the convolution: where a step along it leads in an array.
/// `spatial` is its number among the spatial ones, or -1.
struct Axis {
  int64_t size, stride, spatial;
};

struct Window {
  int64_t stride = 1, low = 0, lhsDilation = 1, rhsDilation = 1, size = 0;
  bool reversed = false;
};

class ImplicitGemm {
public:
  ImplicitGemm(Emitter *e, ConvolutionOp op);

  bool isWorthwhile() const;
  bool copiesKernel() const { return !merges; }
  void emit(const Place &target);

private:
  /// Where an input element lies in its group and whether it exists; `first` is
  /// the input position along the spatial dimension that was left open.
  struct Source {
    llvm::Value *offset, *inside, *first;
  };

  void planTiles();
  void emitTile(llvm::Value *group, llvm::Value *outer, llvm::Value *first,
                llvm::Value *columns);
  void fillColumns(llvm::Value *columns, llvm::Value *group, llvm::Value *outer,
                   llvm::Value *first, llvm::Value *count, llvm::Value *term);
  void multiply(llvm::Value *columns, llvm::Value *group, llvm::Value *outer,
                llvm::Value *first, llvm::Value *count, llvm::Value *term);
  llvm::SmallVector<llvm::Value *, 4> split(llvm::Value *number,
                                            llvm::ArrayRef<Axis> axes);
  Source sourceOf(llvm::ArrayRef<llvm::Value *> position,
                  llvm::ArrayRef<llvm::Value *> outer,
                  llvm::ArrayRef<llvm::Value *> term, int64_t open = -1);
  void fillRuns(llvm::Value *columns, llvm::Value *base,
                llvm::ArrayRef<llvm::Value *> outer, llvm::Value *first,
                llvm::Value *count, llvm::Value *term, llvm::Value *left);
  void fillLine(llvm::Value *line, llvm::Value *base, Source source,
                llvm::Value *from, llvm::Value *to);
  void copyKernel();

  Emitter *emitter;
  ConvolutionOp op;
  llvm::SmallVector<Window> windows;
  llvm::SmallVector<int64_t> lhsSpatial; // strides of the input
  llvm::SmallVector<Axis> positions;     // inside a tile, by output memory
  llvm::SmallVector<Axis> outerAxes;     // around tiles, likewise
  llvm::SmallVector<Axis> terms;         // by kernel memory
  int64_t groups = 1, features = 0;      // features of one group
  int64_t lhsBatch = 0, lhsFeature = 0, lhsGroup = 0;
  int64_t outFeature = 0, outPosition = 0, outGroup = 0;
  int64_t rhsFeature = 0, rhsTerm = 0, rhsGroup = 0;
  int64_t positionCount = 1, outerCount = 1, termCount = 1;
  int64_t tile = 0, termBlock = 0;
  bool merges = true, featuresLast = false, termsTogether = false;
  ElementType lhsType, rhsType, resultType;
  Place target, kernelCopy;
  Finisher finisher = {};
};

} // namespace

/// Scratch memory for the sums of 16-bit floats; a copy of the kernel follows.
static int64_t sumsBytes(Operation *op) {
  Value result = op->getResult(0);
  bool isWider = isHalf(elementTypeOf(result.getType()));
  return isWider ? (elementCountOf(result) * 4 + 63) & ~int64_t(63) : 0;
}

static llvm::SmallVector<int64_t> stridesOf(llvm::ArrayRef<int64_t> shape) {
  llvm::SmallVector<int64_t> strides(shape.size(), 1);
  for (size_t d = shape.size(); d-- > 1;) {
    strides[d - 1] = strides[d] * shape[d];
  }
  return strides;
}

ImplicitGemm::ImplicitGemm(Emitter *e, ConvolutionOp op) : emitter(e), op(op) {
  auto numbers = op.getDimensionNumbers();
  llvm::ArrayRef<int64_t> lhs = shapeOf(op.getLhs()),
                          rhs = shapeOf(op.getRhs());
  llvm::ArrayRef<int64_t> out = shapeOf(op.getResult());
  lhsType = elementTypeOf(op.getLhs().getType());
  rhsType = elementTypeOf(op.getRhs().getType());
  resultType = elementTypeOf(op.getType());
  auto lhsStrides = stridesOf(lhs), rhsStrides = stridesOf(rhs);
  auto outStrides = stridesOf(out);
  windows.resize(numbers.getInputSpatialDimensions().size());
  auto fill = [&](std::optional<llvm::ArrayRef<int64_t>> values,
                  int64_t Window::*field) {
    if (values) {
      for (auto [window, value] : llvm::zip_equal(windows, *values)) {
        window.*field = value;
      }
    }
  };
  fill(op.getWindowStrides(), &Window::stride);
  fill(op.getLhsDilation(), &Window::lhsDilation);
  fill(op.getRhsDilation(), &Window::rhsDilation);
  if (auto padding = op.getPadding()) {
    for (auto [i, value] : llvm::enumerate(padding->getValues<llvm::APInt>())) {
      if (i % 2 == 0) {
        windows[i / 2].low = value.getSExtValue();
      }
    }
  }
  if (auto reversal = op.getWindowReversal()) {
    for (auto [window, value] : llvm::zip_equal(windows, *reversal)) {
      window.reversed = value;
    }
  }
  bool groupsBatch = op.getBatchGroupCount() > 1;
  groups = static_cast<int64_t>(groupsBatch ? op.getBatchGroupCount()
                                            : op.getFeatureGroupCount());
  for (auto [s, d] : llvm::enumerate(numbers.getInputSpatialDimensions())) {
    windows[s].size = lhs[d];
    lhsSpatial.push_back(lhsStrides[d]);
  }
  lhsBatch = lhsStrides[numbers.getInputBatchDimension()];
  lhsFeature = lhsStrides[numbers.getInputFeatureDimension()];
  int64_t inputs = rhs[numbers.getKernelInputFeatureDimension()];
  int64_t batches = out[numbers.getOutputBatchDimension()];
  lhsGroup = groupsBatch ? batches * lhsBatch : inputs * lhsFeature;
  int64_t outFeatureDim = numbers.getOutputFeatureDimension();
  int64_t rhsFeatureDim = numbers.getKernelOutputFeatureDimension();
  features = out[outFeatureDim] / groups;
  outFeature = outStrides[outFeatureDim];
  outGroup = features * outFeature;
  rhsFeature = rhsStrides[rhsFeatureDim];
  rhsGroup = features * rhsFeature;
  featuresLast = outFeature == 1;
  // What lies before the features in memory is walked over around the tiles,
  // unless nothing lies behind them.
  for (int64_t d = 0; d < static_cast<int64_t>(out.size()); ++d) {
    if (d == outFeatureDim) {
      continue;
    }
    const auto *found = llvm::find(numbers.getOutputSpatialDimensions(), d);
    bool isBatch = d == static_cast<int64_t>(numbers.getOutputBatchDimension());
    int64_t spatial =
        isBatch ? -1 : found - numbers.getOutputSpatialDimensions().begin();
    Axis axis = {out[d], outStrides[d], spatial};
    bool isInner = featuresLast || d > outFeatureDim;
    (isInner ? positions : outerAxes).push_back(axis);
    (isInner ? positionCount : outerCount) *= out[d];
  }
  outPosition = featuresLast ? out[outFeatureDim] : 1;
  for (int64_t d = 0; d < static_cast<int64_t>(rhs.size()); ++d) {
    if (d == rhsFeatureDim) {
      continue;
    }
    const auto *found = llvm::find(numbers.getKernelSpatialDimensions(), d);
    bool isInput =
        d == static_cast<int64_t>(numbers.getKernelInputFeatureDimension());
    int64_t spatial =
        isInput ? -1 : found - numbers.getKernelSpatialDimensions().begin();
    terms.push_back({rhs[d], rhsStrides[d], spatial});
    termCount *= rhs[d];
  }
  // One stride for all terms, or the kernel would have to be copied.
  rhsTerm = terms.empty() ? 1 : terms.back().stride;
  int64_t expected = rhsTerm;
  for (const Axis &axis : llvm::reverse(terms)) {
    merges &= axis.size == 1 || axis.stride == expected;
    expected *= axis.size;
  }
  planTiles();
}

/// A block of terms whose part of the kernel stays in the first-level cache,
/// and as many positions as the second-level cache holds of such lines.
void ImplicitGemm::planTiles() {
  constexpr int64_t elements = 32 * 1024, kernelElements = 16 * 1024;
  if (positions.empty() || terms.empty() || features == 0 || termCount == 0) {
    return;
  }
  // Which of the two is contiguous in the input, so that it is copied in runs.
  termsTogether = terms.back().spatial < 0 && lhsFeature == 1;
  int64_t run = termsTogether ? terms.back().size : 1;
  int64_t wanted = std::clamp<int64_t>(kernelElements / features, 64, 512);
  int64_t blocks = std::max<int64_t>((termCount + wanted - 1) / wanted, 1);
  int64_t runs = termCount / run;
  termBlock = (runs + blocks - 1) / blocks * run;
  tile = std::clamp<int64_t>(elements / termBlock, 1, positionCount);
  if (tile > 24) {
    tile = tile / 12 * 12;
  }
}

bool ImplicitGemm::isWorthwhile() const {
  bool known = lhsType == rhsType &&
               ((lhsType == ElementType::F32 && resultType == lhsType) ||
                (lhsType == ElementType::F64 && resultType == lhsType) ||
                (isHalf(lhsType) &&
                 (resultType == lhsType || resultType == ElementType::F32)));
  // Along the positions' last dimension the input is read in strides.
  bool strides = termsTogether || positions.empty() ||
                 positions.back().spatial < 0 ||
                 windows[positions.back().spatial].lhsDilation == 1;
  return known && strides && features >= 8 && termCount >= 8 &&
         positionCount >= 8 && termBlock <= 4096 && tile >= 8 &&
         static_cast<double>(features) * termCount * positionCount *
                 outerCount * groups >=
             64 * 1024;
}

/// Takes a row-major number of `axes` apart.
llvm::SmallVector<llvm::Value *, 4>
ImplicitGemm::split(llvm::Value *number, llvm::ArrayRef<Axis> axes) {
  llvm::SmallVector<int64_t> sizes;
  for (const Axis &axis : axes) {
    sizes.push_back(axis.size);
  }
  Index index;
  index.linear = number;
  return emitter->dimsOf(index, sizes);
}

/// Where the input element of a position and a term lies. Along the spatial
/// dimension `open` it is taken to exist.
ImplicitGemm::Source
ImplicitGemm::sourceOf(llvm::ArrayRef<llvm::Value *> position,
                       llvm::ArrayRef<llvm::Value *> outer,
                       llvm::ArrayRef<llvm::Value *> term, int64_t open) {
  Emitter &e = *emitter;
  llvm::IRBuilder<> &b = e.builder();
  Source source = {e.constant(0), b.getTrue(), e.constant(0)};
  llvm::SmallVector<llvm::Value *> at(windows.size(), e.constant(0));
  auto times = [&](llvm::Value *x, int64_t y) {
    return b.CreateNSWMul(x, e.constant(y));
  };
  auto place = [&](llvm::ArrayRef<Axis> axes,
                   llvm::ArrayRef<llvm::Value *> dims) {
    for (auto [axis, i] : llvm::zip_equal(axes, dims)) {
      if (axis.spatial < 0) {
        source.offset = b.CreateNSWAdd(source.offset, times(i, lhsBatch));
      } else {
        llvm::Value *&to = at[axis.spatial];
        to = b.CreateNSWAdd(to, times(i, windows[axis.spatial].stride));
      }
    }
  };
  place(positions, position);
  place(outerAxes, outer);
  for (auto [axis, i] : llvm::zip_equal(terms, term)) {
    if (axis.spatial < 0) {
      source.offset = b.CreateNSWAdd(source.offset, times(i, lhsFeature));
      continue;
    }
    const Window &w = windows[axis.spatial];
    llvm::Value *tap =
        w.reversed ? b.CreateNSWSub(e.constant(axis.size - 1), i) : i;
    llvm::Value *&to = at[axis.spatial];
    to = b.CreateNSWAdd(to, times(tap, w.rhsDilation));
  }
  for (auto [s, w] : llvm::enumerate(windows)) {
    llvm::Value *i = b.CreateNSWSub(at[s], e.constant(w.low));
    if (w.lhsDilation > 1) {
      llvm::Value *step = e.constant(w.lhsDilation);
      llvm::Value *hits =
          b.CreateAnd(b.CreateICmpSGE(i, e.constant(0)),
                      b.CreateICmpEQ(b.CreateSRem(i, step), e.constant(0)));
      source.inside = b.CreateAnd(source.inside, hits);
      i = b.CreateSDiv(i, step);
    }
    if (open == static_cast<int64_t>(s)) {
      source.first = i;
    } else {
      source.inside =
          b.CreateAnd(source.inside, b.CreateICmpULT(i, e.constant(w.size)));
    }
    source.offset = b.CreateNSWAdd(source.offset, times(i, lhsSpatial[s]));
  }
  return source;
}

/// The elements for `count` positions from `first` on and the terms of one
/// block from `term` on, terms or positions side by side.
void ImplicitGemm::fillColumns(llvm::Value *columns, llvm::Value *group,
                               llvm::Value *outer, llvm::Value *first,
                               llvm::Value *count, llvm::Value *term) {
  Emitter &e = *emitter;
  llvm::Type *memory = memoryType(lhsType, e.context());
  Place input = e.buffers.placeOf(op.getLhs());
  auto outerDims = split(outer, outerAxes);
  llvm::Value *base = e.builder().CreateInBoundsGEP(
      memory, e.pointerTo(input),
      e.builder().CreateNSWMul(group, e.constant(lhsGroup)));
  llvm::Value *left = e.builder().CreateBinaryIntrinsic(
      llvm::Intrinsic::smin, e.constant(termBlock),
      e.builder().CreateSub(e.constant(termCount), term));
  if (termsTogether) {
    fillRuns(columns, base, outerDims, first, count, term, left);
    return;
  }
  // Positions in runs of the last dimension, for each term.
  int64_t run = positions.back().size, open = positions.back().spatial;
  llvm::ArrayRef<Axis> outerPositions = llvm::ArrayRef(positions).drop_back();
  e.loop(e.constant(0), left, [&](llvm::Value *k) {
    llvm::IRBuilder<> &b = e.builder();
    auto termDims = split(b.CreateNSWAdd(term, k), terms);
    llvm::Value *line = b.CreateInBoundsGEP(
        memory, columns, b.CreateNSWMul(k, e.constant(tile)));
    llvm::Value *end = b.CreateNSWAdd(first, count);
    llvm::Value *firstRun = b.CreateUDiv(first, e.constant(run));
    llvm::Value *lastRun =
        b.CreateUDiv(b.CreateNSWAdd(end, e.constant(run - 1)), e.constant(run));
    e.loop(firstRun, lastRun, [&](llvm::Value *r) {
      llvm::Value *start = b.CreateNSWMul(r, e.constant(run));
      auto bound = [&](llvm::Intrinsic::ID id, llvm::Value *x, llvm::Value *y) {
        return b.CreateNSWSub(b.CreateBinaryIntrinsic(id, x, y), start);
      };
      llvm::Value *from = bound(llvm::Intrinsic::smax, first, start);
      llvm::Value *to = bound(llvm::Intrinsic::smin, end,
                              b.CreateNSWAdd(start, e.constant(run)));
      auto position = split(r, outerPositions);
      position.resize(outerPositions.size(), e.constant(0));
      position.push_back(e.constant(0));
      fillLine(b.CreateGEP(memory, line, b.CreateNSWSub(start, first)), base,
               sourceOf(position, outerDims, termDims, open), from, to);
    });
  });
}

/// Positions side by side: elements [from, to) of `line`, of which those exist
/// that fall on the input along the positions' last dimension.
void ImplicitGemm::fillLine(llvm::Value *line, llvm::Value *base, Source source,
                            llvm::Value *from, llvm::Value *to) {
  Emitter &e = *emitter;
  llvm::IRBuilder<> &b = e.builder();
  llvm::Type *memory = memoryType(lhsType, e.context());
  int64_t spatial = positions.back().spatial, step = lhsBatch;
  llvm::Value *low = from, *high = to;
  if (spatial >= 0) {
    const Window &w = windows[spatial];
    step = w.stride * lhsSpatial[spatial];
    // The first i with first + i * stride >= bound.
    auto reach = [&](int64_t bound) {
      llvm::Value *missing = b.CreateBinaryIntrinsic(
          llvm::Intrinsic::smax,
          b.CreateNSWSub(e.constant(bound), source.first), e.constant(0));
      llvm::Value *i =
          b.CreateUDiv(b.CreateNSWAdd(missing, e.constant(w.stride - 1)),
                       e.constant(w.stride));
      return b.CreateBinaryIntrinsic(
          llvm::Intrinsic::smin,
          b.CreateBinaryIntrinsic(llvm::Intrinsic::smax, i, from), to);
    };
    low = reach(0);
    high = reach(w.size);
  }
  high = b.CreateSelect(source.inside, high, low);
  auto clear = [&](llvm::Value *i) {
    e.builder().CreateStore(llvm::Constant::getNullValue(memory),
                            e.builder().CreateInBoundsGEP(memory, line, i));
  };
  e.loop(from, low, clear);
  e.loop(low, high, [&](llvm::Value *i) {
    llvm::IRBuilder<> &b = e.builder();
    llvm::Value *offset =
        b.CreateNSWAdd(source.offset, b.CreateNSWMul(i, e.constant(step)));
    llvm::Value *x =
        b.CreateLoad(memory, b.CreateInBoundsGEP(memory, base, offset));
    b.CreateStore(x, b.CreateInBoundsGEP(memory, line, i));
  });
  e.loop(high, to, clear);
}

/// Terms side by side: a run of terms is a run of input features, of which all
/// exist or none.
void ImplicitGemm::fillRuns(llvm::Value *columns, llvm::Value *base,
                            llvm::ArrayRef<llvm::Value *> outer,
                            llvm::Value *first, llvm::Value *count,
                            llvm::Value *term, llvm::Value *left) {
  Emitter &e = *emitter;
  llvm::Type *memory = memoryType(lhsType, e.context());
  llvm::Align align(byteWidth(lhsType));
  int64_t run = terms.back().size;
  llvm::Value *bytes = e.constant(run * byteWidth(lhsType));
  auto block = [&](const char *name) {
    return llvm::BasicBlock::Create(e.context(), name,
                                    e.builder().GetInsertBlock()->getParent());
  };
  e.loop(e.constant(0), count, [&](llvm::Value *p) {
    auto position = split(e.builder().CreateNSWAdd(first, p), positions);
    llvm::Value *runs = e.builder().CreateUDiv(left, e.constant(run));
    e.loop(e.constant(0), runs, [&](llvm::Value *r) {
      llvm::IRBuilder<> &b = e.builder();
      llvm::Value *start = b.CreateNSWMul(r, e.constant(run));
      Source source =
          sourceOf(position, outer, split(b.CreateNSWAdd(term, start), terms));
      llvm::Value *to =
          b.CreateNSWAdd(b.CreateNSWMul(p, e.constant(termBlock)), start);
      llvm::Value *target = b.CreateInBoundsGEP(memory, columns, to);
      auto *copy = block("copy"), *clear = block("clear"),
           *next = block("next");
      b.CreateCondBr(source.inside, copy, clear);
      b.SetInsertPoint(copy);
      b.CreateMemCpy(target, align,
                     b.CreateInBoundsGEP(memory, base, source.offset), align,
                     bytes);
      b.CreateBr(next);
      b.SetInsertPoint(clear);
      b.CreateMemSet(target, b.getInt8(0), bytes, align);
      b.CreateBr(next);
      b.SetInsertPoint(next);
    });
  });
}

void ImplicitGemm::multiply(llvm::Value *columns, llvm::Value *group,
                            llvm::Value *outer, llvm::Value *first,
                            llvm::Value *count, llvm::Value *term) {
  Emitter &e = *emitter;
  llvm::IRBuilder<> &b = e.builder();
  llvm::StringRef entry = lhsType == ElementType::F64    ? "xla_gemm_f64"
                          : lhsType == ElementType::F16  ? "xla_gemm_f16_f32"
                          : lhsType == ElementType::BF16 ? "xla_gemm_bf16_f32"
                                                         : "xla_gemm_f32";
  llvm::Value *left =
      b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, e.constant(termBlock),
                              b.CreateSub(e.constant(termCount), term));
  llvm::Value *offset =
      b.CreateNSWAdd(b.CreateNSWMul(group, e.constant(outGroup)),
                     b.CreateNSWMul(first, e.constant(outPosition)));
  for (auto [axis, i] : llvm::zip_equal(outerAxes, split(outer, outerAxes))) {
    offset = b.CreateNSWAdd(offset, b.CreateNSWMul(i, e.constant(axis.stride)));
  }
  ElementType written = accumulatorOf(resultType);
  llvm::Value *result = b.CreateInBoundsGEP(memoryType(written, e.context()),
                                            e.pointerTo(target), offset);
  llvm::Value *kernel = b.CreateInBoundsGEP(
      memoryType(rhsType, e.context()),
      e.pointerTo(merges ? e.buffers.placeOf(op.getRhs()) : kernelCopy),
      b.CreateNSWAdd(
          b.CreateNSWMul(group, e.constant(merges ? rhsGroup : features)),
          b.CreateNSWMul(term,
                         e.constant(merges ? rhsTerm : features * groups))));
  llvm::Value *zero = e.constant(0);
  llvm::Value *again = b.CreateZExt(b.CreateICmpNE(term, zero), b.getInt64Ty());
  llvm::Value *isLast =
      b.CreateICmpSGE(b.CreateNSWAdd(term, left), e.constant(termCount));
  llvm::Value *finish = b.CreateSelect(
      isLast, finisher.function,
      llvm::Constant::getNullValue(finisher.function->getType()));
  llvm::Value *context = e.reach(finisher.context);
  llvm::Value *termStep = e.constant(merges ? rhsTerm : features * groups);
  llvm::Value *featureStep = e.constant(merges ? rhsFeature : 1);
  llvm::Value *positionStep = e.constant(termsTogether ? termBlock : 1);
  llvm::Value *columnStep = e.constant(termsTogether ? 1 : tile);
  llvm::Value *structure =
      featuresLast
          ? e.words({e.constant(1), count, e.constant(features), left, columns,
                     zero, positionStep, columnStep, kernel, zero, termStep,
                     featureStep, result, zero, e.constant(outPosition), again,
                     finish, context, offset})
          : e.words({e.constant(1), e.constant(features), count, left, kernel,
                     zero, featureStep, termStep, columns, zero, columnStep,
                     positionStep, result, zero, e.constant(outFeature), again,
                     finish, context, offset});
  e.callRuntime(entry, b.getVoidTy(), structure);
}

void ImplicitGemm::emitTile(llvm::Value *group, llvm::Value *outer,
                            llvm::Value *first, llvm::Value *columns) {
  Emitter &e = *emitter;
  llvm::Value *count = e.builder().CreateBinaryIntrinsic(
      llvm::Intrinsic::smin, e.constant(tile),
      e.builder().CreateSub(e.constant(positionCount), first));
  int64_t blocks = (termCount + termBlock - 1) / termBlock;
  e.loop(e.constant(0), e.constant(blocks), [&](llvm::Value *block) {
    llvm::Value *term = e.builder().CreateNSWMul(block, e.constant(termBlock));
    fillColumns(columns, group, outer, first, count, term);
    multiply(columns, group, outer, first, count, term);
  });
}

/// The kernel as a matrix, terms by features.
void ImplicitGemm::copyKernel() {
  Emitter &e = *emitter;
  Place kernel = e.buffers.placeOf(op.getRhs());
  Emitter::Writes written(e, kernelCopy);
  llvm::SmallVector<int64_t> shape = {termCount, features * groups};
  e.nest(shape, false, 2, [&](const Index &index) {
    llvm::IRBuilder<> &b = e.builder();
    auto dims = e.dimsOf(index, shape);
    llvm::Value *from = b.CreateNSWMul(dims[1], e.constant(rhsFeature));
    for (auto [axis, i] : llvm::zip_equal(terms, split(dims[0], terms))) {
      from = b.CreateNSWAdd(from, b.CreateNSWMul(i, e.constant(axis.stride)));
    }
    e.store(rhsType, kernelCopy, e.linearOf(index, shape),
            e.load(rhsType, kernel, from));
  });
}

void ImplicitGemm::emit(const Place &place) {
  Emitter &e = *emitter;
  target = place;
  if (!merges) {
    kernelCopy = e.buffers.scratchOf(op);
    kernelCopy.index += sumsBytes(op);
    copyKernel();
  }
  finisher = e.emitFinisher(op, accumulatorOf(resultType), target);
  int64_t tiles = (positionCount + tile - 1) / tile;
  double cost = static_cast<double>(tile) * termCount * features / 8;
  e.parallel(groups * outerCount * tiles, cost,
             [&](llvm::Value *begin, llvm::Value *end) {
               auto *area = llvm::ArrayType::get(
                   memoryType(lhsType, e.context()), tile * termBlock);
               llvm::Value *columns = e.frameSlot(area);
               e.loop(begin, end, [&](llvm::Value *task) {
                 llvm::IRBuilder<> &b = e.builder();
                 llvm::Value *first = b.CreateMul(
                     b.CreateURem(task, e.constant(tiles)), e.constant(tile));
                 llvm::Value *rest = b.CreateUDiv(task, e.constant(tiles));
                 emitTile(b.CreateUDiv(rest, e.constant(outerCount)),
                          b.CreateURem(rest, e.constant(outerCount)), first,
                          columns);
               });
             });
}

bool emitImplicitGemm(Emitter &e, ConvolutionOp op, const Place &target) {
  ImplicitGemm product(&e, op);
  if (!product.isWorthwhile()) {
    return false;
  }
  product.emit(target);
  return true;
}

int64_t convolutionScratchBytes(Operation *op) {
  ImplicitGemm product(nullptr, llvm::cast<ConvolutionOp>(op));
  int64_t copied = product.isWorthwhile() && product.copiesKernel()
                       ? byteSizeOf(op->getOperand(1))
                       : 0;
  return sumsBytes(op) + copied;
}

} // namespace xla::cpu
