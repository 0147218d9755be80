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
// Where positions and terms form a matrix in the input, as of windows
// of one element, nothing is laid out: the product reads the input.
//
//===----------------------------------------------------------------------===//

#include "xla/codegen/cpu/lower/convolution/ImplicitGemm.h"

#include "xla/codegen/cpu/lower/convolution/ConvolutionPlan.h"
#include "xla/codegen/cpu/lower/reduce/Folds.h"

namespace xla::cpu {

using namespace stablehlo;
using mlir::Operation;

namespace {

class ImplicitGemm : ConvolutionPlan {
public:
  ImplicitGemm(Emitter &e, ConvolutionOp op) : ConvolutionPlan(op), e(e) {}

  void emit(const BufferSlice &target, const LoopPlan &loops);

private:
  using Values = llvm::ArrayRef<llvm::Value *>;

  /// Where an input element is in its group and whether it exists; `first` is
  /// the input position along the spatial dimension that was left open.
  struct Source {
    llvm::Value *offset, *inside, *first;
  };

  /// The part of the matrix that is laid out at a time.
  struct Tile {
    llvm::Value *columns, *base; // of the matrix, of the group in the input
    llvm::SmallVector<llvm::Value *, 4> outer;
    llvm::Value *first, *count; // positions
    llvm::Value *term, *left;   // terms
  };

  void emitTile(llvm::Value *group, llvm::Value *outer, llvm::Value *first,
                llvm::Value *columns);
  void multiplyInput(llvm::Value *group, llvm::Value *outer);
  void multiply(llvm::Value *columns, llvm::Value *group, llvm::Value *outer,
                llvm::Value *first, llvm::Value *count, llvm::Value *term);
  llvm::SmallVector<llvm::Value *, 4> split(llvm::Value *number, Axes axes);
  Source sourceOf(Values position, Values outer, Values term,
                  llvm::ArrayRef<int64_t> reach = {}, int64_t open = -1);
  void fill(const Tile &tile);
  void copyWindow(llvm::Value *line, llvm::Value *window, llvm::Value *first,
                  llvm::Value *count);
  void copyTerms(const Tile &tile, llvm::Value *line, Values position);
  void copyPositions(const Tile &tile, llvm::Value *line, Values term);
  void copyLine(llvm::Value *line, llvm::Value *base, Source source,
                llvm::Value *from, llvm::Value *to);
  void copyBetweenHoles(llvm::Value *line, llvm::Value *base, Source source,
                        llvm::Value *from, llvm::Value *low, llvm::Value *high,
                        llvm::Value *to);
  void copyKernel();

  Emitter &e;
  BufferSlice target, kernelCopy;
  EpilogueFunction epilogue = {};
};

} // namespace

/// Takes a row-major number of `axes` apart.
llvm::SmallVector<llvm::Value *, 4> ImplicitGemm::split(llvm::Value *number,
                                                        Axes axes) {
  llvm::SmallVector<int64_t> sizes;
  for (const ConvolutionAxis &axis : axes) {
    sizes.push_back(axis.size);
  }
  Index index;
  index.linear = number;
  return e.dimsOf(index, sizes);
}

/// Where the input element of a position and a term is. Without one of the
/// two: where that of the first is, and whether all that are within `reach`
/// exist. Along the spatial dimension `open` it is taken to exist.
ImplicitGemm::Source ImplicitGemm::sourceOf(Values position, Values outer,
                                            Values term,
                                            llvm::ArrayRef<int64_t> reach,
                                            int64_t open) {
  llvm::IRBuilder<> &b = e.builder();
  Source source = {e.constant(0), b.getTrue(), e.constant(0)};
  llvm::SmallVector<llvm::Value *> at(windows.size(), e.constant(0));
  auto times = [&](llvm::Value *x, int64_t y) {
    return b.CreateNSWMul(x, e.constant(y));
  };
  auto assign = [&](Axes axes, Values dims, Kind kind) {
    for (auto [axis, i] : llvm::zip(axes, dims)) {
      if (axis.spatial < 0) {
        source.offset =
            b.CreateNSWAdd(source.offset, times(i, stepOf(axis, kind)));
        continue;
      }
      const ConvolutionWindow &w = windows[axis.spatial];
      bool turns = kind == Terms && w.reversed;
      llvm::Value *step =
          turns ? b.CreateNSWSub(e.constant(axis.size - 1), i) : i;
      llvm::Value *&to = at[axis.spatial];
      to = b.CreateNSWAdd(
          to, times(step, kind == Terms ? w.rhsDilation : w.stride));
    }
  };
  assign(positions, position, Positions);
  assign(outerAxes, outer, Positions);
  assign(terms, term, Terms);
  for (auto [s, w] : llvm::enumerate(windows)) {
    llvm::Value *i = b.CreateNSWSub(at[s], e.constant(w.low));
    bool isOpen = open == static_cast<int64_t>(s);
    if (isOpen && w.lhsDilation > 1) {
      source.first = i; // in holes; the offset is of element 0
      continue;
    }
    if (w.lhsDilation > 1) {
      llvm::Value *step = e.constant(w.lhsDilation);
      llvm::Value *hits =
          b.CreateAnd(b.CreateICmpSGE(i, e.constant(0)),
                      b.CreateICmpEQ(b.CreateSRem(i, step), e.constant(0)));
      source.inside = b.CreateAnd(source.inside, hits);
      i = b.CreateSDiv(i, step);
    }
    if (isOpen) {
      source.first = i;
    } else {
      int64_t room =
          std::max<int64_t>(w.size - (reach.empty() ? 0 : reach[s]), 0);
      source.inside =
          b.CreateAnd(source.inside, b.CreateICmpULT(i, e.constant(room)));
    }
    source.offset = b.CreateNSWAdd(source.offset, times(i, lhsSpatial[s]));
  }
  return source;
}

/// The elements of a tile, terms or positions side by side. Whole windows, of a
/// position over its terms or of a term over its positions, are copied by a
/// table of the runs in them.
void ImplicitGemm::fill(const Tile &tile) {
  llvm::Type *memory = memoryType(lhsType, e.context());
  Kind along = isByTerms ? Terms : Positions;
  int64_t runs = (isByTerms ? termCount : positionCount) / windowRun;
  bool isCut = !isByTerms && this->tile % windowRun != 0;
  // A table of many runs would cost more than it brings.
  bool hasTable = !hasHoles() && !isCut && windowRun > 1 && runs <= 1024;
  bool isInside = staysInside();
  llvm::SmallVector<int64_t> reach = reachOf(along);
  e.loop(
      e.constant(0), isByTerms ? tile.count : tile.left, [&](llvm::Value *i) {
        llvm::IRBuilder<> &b = e.builder();
        int64_t width = isByTerms ? termBlock : this->tile;
        llvm::Value *line = b.CreateInBoundsGEP(
            memory, tile.columns, b.CreateNSWMul(i, e.constant(width)));
        auto dims = split(b.CreateNSWAdd(isByTerms ? tile.first : tile.term, i),
                          isByTerms ? positions : terms);
        auto copyParts = [&] {
          isByTerms ? copyTerms(tile, line, dims)
                    : copyPositions(tile, line, dims);
        };
        if (!hasTable) {
          copyParts();
          return;
        }
        Source source = isByTerms ? sourceOf(dims, tile.outer, {}, reach)
                                  : sourceOf({}, tile.outer, dims, reach);
        llvm::Value *window = b.CreateGEP(memory, tile.base, source.offset);
        auto copyWhole = [&] {
          copyWindow(line, window, isByTerms ? tile.term : tile.first,
                     isByTerms ? tile.left : tile.count);
        };
        if (isInside) {
          copyWhole();
          return;
        }
        llvm::Function *function = b.GetInsertBlock()->getParent();
        auto block = [&](const char *name) {
          return llvm::BasicBlock::Create(e.context(), name, function);
        };
        auto *whole = block("whole"), *part = block("part"),
             *next = block("next");
        b.CreateCondBr(source.inside, whole, part);
        b.SetInsertPoint(whole);
        copyWhole();
        b.CreateBr(next);
        b.SetInsertPoint(part);
        copyParts();
        b.CreateBr(next);
        b.SetInsertPoint(next);
      });
}

/// A window that exists: the offsets of its runs are the same for all.
void ImplicitGemm::copyWindow(llvm::Value *line, llvm::Value *window,
                              llvm::Value *first, llvm::Value *count) {
  llvm::Type *memory = memoryType(lhsType, e.context());
  llvm::Align align(byteWidth(lhsType));
  llvm::Value *table = e.table(runOffsets(isByTerms ? Terms : Positions));
  llvm::Value *bytes = e.constant(windowRun * byteWidth(lhsType));
  llvm::Value *firstRun = e.builder().CreateUDiv(first, e.constant(windowRun));
  llvm::Value *runs = e.builder().CreateUDiv(count, e.constant(windowRun));
  e.loop(e.constant(0), runs, [&](llvm::Value *r) {
    llvm::IRBuilder<> &b = e.builder();
    llvm::Type *word = b.getInt64Ty();
    llvm::Value *offset = b.CreateLoad(
        word, b.CreateInBoundsGEP(word, table, b.CreateNSWAdd(firstRun, r)));
    llvm::Value *to = b.CreateInBoundsGEP(
        memory, line, b.CreateNSWMul(r, e.constant(windowRun)));
    llvm::Value *from = b.CreateInBoundsGEP(memory, window, offset);
    if (runStep == 1) {
      b.CreateMemCpy(to, align, from, align, bytes);
      return;
    }
    e.loop(e.constant(0), e.constant(windowRun), [&](llvm::Value *i) {
      llvm::IRBuilder<> &b = e.builder();
      llvm::Value *x = b.CreateLoad(
          memory, b.CreateInBoundsGEP(memory, from,
                                      b.CreateNSWMul(i, e.constant(runStep))));
      b.CreateStore(x, b.CreateInBoundsGEP(memory, to, i));
    });
  });
}

/// The terms of a position: a run of them is a run of input features, of which
/// all exist or none.
void ImplicitGemm::copyTerms(const Tile &tile, llvm::Value *line,
                             Values position) {
  llvm::Type *memory = memoryType(lhsType, e.context());
  llvm::Align align(byteWidth(lhsType));
  llvm::Value *bytes = e.constant(run * byteWidth(lhsType));
  auto block = [&](const char *name) {
    return llvm::BasicBlock::Create(e.context(), name,
                                    e.builder().GetInsertBlock()->getParent());
  };
  llvm::Value *runs = e.builder().CreateUDiv(tile.left, e.constant(run));
  e.loop(e.constant(0), runs, [&](llvm::Value *r) {
    llvm::IRBuilder<> &b = e.builder();
    llvm::Value *start = b.CreateNSWMul(r, e.constant(run));
    Source source = sourceOf(position, tile.outer,
                             split(b.CreateNSWAdd(tile.term, start), terms));
    llvm::Value *to = b.CreateInBoundsGEP(memory, line, start);
    auto *copy = block("copy"), *clear = block("clear"), *next = block("next");
    b.CreateCondBr(source.inside, copy, clear);
    b.SetInsertPoint(copy);
    b.CreateMemCpy(to, align,
                   b.CreateInBoundsGEP(memory, tile.base, source.offset), align,
                   bytes);
    b.CreateBr(next);
    b.SetInsertPoint(clear);
    b.CreateMemSet(to, b.getInt8(0), bytes, align);
    b.CreateBr(next);
    b.SetInsertPoint(next);
  });
}

/// The positions of a term, in runs of their last dimension.
void ImplicitGemm::copyPositions(const Tile &tile, llvm::Value *line,
                                 Values term) {
  llvm::IRBuilder<> &b = e.builder();
  llvm::Type *memory = memoryType(lhsType, e.context());
  int64_t length = positions.back().size, open = positions.back().spatial;
  Axes outerPositions = Axes(positions).drop_back();
  llvm::Value *end = b.CreateNSWAdd(tile.first, tile.count);
  llvm::Value *firstRun = b.CreateUDiv(tile.first, e.constant(length));
  llvm::Value *lastRun = b.CreateUDiv(
      b.CreateNSWAdd(end, e.constant(length - 1)), e.constant(length));
  e.loop(firstRun, lastRun, [&](llvm::Value *r) {
    llvm::Value *start = b.CreateNSWMul(r, e.constant(length));
    auto bound = [&](llvm::Intrinsic::ID id, llvm::Value *x, llvm::Value *y) {
      return b.CreateNSWSub(b.CreateBinaryIntrinsic(id, x, y), start);
    };
    llvm::Value *from = bound(llvm::Intrinsic::smax, tile.first, start);
    llvm::Value *to = bound(llvm::Intrinsic::smin, end,
                            b.CreateNSWAdd(start, e.constant(length)));
    auto position = split(r, outerPositions);
    position.resize(outerPositions.size(), e.constant(0));
    position.push_back(e.constant(0));
    copyLine(b.CreateGEP(memory, line, b.CreateNSWSub(start, tile.first)),
             tile.base, sourceOf(position, tile.outer, term, {}, open), from,
             to);
  });
}

/// Elements [from, to) of `line`, of which those exist
/// that fall on the input along the positions' last dimension.
void ImplicitGemm::copyLine(llvm::Value *line, llvm::Value *base, Source source,
                            llvm::Value *from, llvm::Value *to) {
  llvm::IRBuilder<> &b = e.builder();
  llvm::Type *memory = memoryType(lhsType, e.context());
  int64_t spatial = positions.back().spatial, step = lhsBatch;
  llvm::Value *low = from, *high = to;
  if (spatial >= 0) {
    const ConvolutionWindow &w = windows[spatial];
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
    high = reach(w.size * w.lhsDilation);
    if (w.lhsDilation > 1) {
      copyBetweenHoles(line, base, source, from, low,
                       b.CreateSelect(source.inside, high, low), to);
      return;
    }
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

/// Elements [from, to) of `line`, zero but for every `lhsDilation`-th of those
/// in [low, high), where windows move by one element.
void ImplicitGemm::copyBetweenHoles(llvm::Value *line, llvm::Value *base,
                                    Source source, llvm::Value *from,
                                    llvm::Value *low, llvm::Value *high,
                                    llvm::Value *to) {
  llvm::IRBuilder<> &b = e.builder();
  llvm::Type *memory = memoryType(lhsType, e.context());
  const ConvolutionWindow &w = windows[positions.back().spatial];
  int64_t step = lhsSpatial[positions.back().spatial];
  llvm::Value *apart = e.constant(w.lhsDilation);
  auto roundedUp = [&](llvm::Value *i) {
    return b.CreateUDiv(b.CreateNSWAdd(i, e.constant(w.lhsDilation - 1)),
                        apart);
  };
  e.loop(from, to, [&](llvm::Value *i) {
    e.builder().CreateStore(llvm::Constant::getNullValue(memory),
                            e.builder().CreateInBoundsGEP(memory, line, i));
  });
  // Where nothing is left, both ends are the same and may be before the input.
  auto element = [&](llvm::Value *i) {
    return roundedUp(b.CreateBinaryIntrinsic(
        llvm::Intrinsic::smax, b.CreateNSWAdd(source.first, i), e.constant(0)));
  };
  e.loop(element(low), element(high), [&](llvm::Value *n) {
    llvm::IRBuilder<> &b = e.builder();
    llvm::Value *offset =
        b.CreateNSWAdd(source.offset, b.CreateNSWMul(n, e.constant(step)));
    llvm::Value *i = b.CreateNSWSub(b.CreateNSWMul(n, apart), source.first);
    llvm::Value *x =
        b.CreateLoad(memory, b.CreateInBoundsGEP(memory, base, offset));
    b.CreateStore(x, b.CreateInBoundsGEP(memory, line, i));
  });
}

void ImplicitGemm::multiply(llvm::Value *columns, llvm::Value *group,
                            llvm::Value *outer, llvm::Value *first,
                            llvm::Value *count, llvm::Value *term) {
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
  // A copy of the kernel has lines along what the product walks along in it.
  int64_t termStepOfCopy = featuresLast ? features * groups : 1;
  int64_t featureStepOfCopy = featuresLast ? 1 : termCount;
  llvm::Value *rhsTermStep = e.constant(merges ? rhsTerm : termStepOfCopy);
  llvm::Value *featureStep =
      e.constant(merges ? rhsFeature : featureStepOfCopy);
  llvm::Value *rhsGroupStep =
      e.constant(merges ? rhsGroup : features * featureStepOfCopy);
  llvm::Value *kernel = b.CreateInBoundsGEP(
      memoryType(rhsType, e.context()),
      e.pointerTo(merges ? e.buffers.sliceOf(op.getRhs()) : kernelCopy),
      b.CreateNSWAdd(b.CreateNSWMul(group, rhsGroupStep),
                     b.CreateNSWMul(term, rhsTermStep)));
  llvm::Value *zero = e.constant(0);
  llvm::Value *again = b.CreateZExt(b.CreateICmpNE(term, zero), b.getInt64Ty());
  llvm::Value *isLast =
      b.CreateICmpSGE(b.CreateNSWAdd(term, left), e.constant(termCount));
  llvm::Value *finish = b.CreateSelect(
      isLast, epilogue.function,
      llvm::Constant::getNullValue(epilogue.function->getType()));
  llvm::Value *context = e.capture(epilogue.context);
  llvm::Value *rowStep = e.constant(isMatrix    ? positionStep
                                    : isByTerms ? termBlock
                                                : 1);
  llvm::Value *columnStep = e.constant(isMatrix    ? termStep
                                       : isByTerms ? 1
                                                   : tile);
  llvm::Value *structure =
      featuresLast
          ? e.words({e.constant(1), count, e.constant(features), left, columns,
                     zero, rowStep, columnStep, kernel, zero, rhsTermStep,
                     featureStep, result, zero, e.constant(outPosition), again,
                     finish, context, offset})
          : e.words({e.constant(1), e.constant(features), count, left, kernel,
                     zero, featureStep, rhsTermStep, columns, zero, columnStep,
                     rowStep, result, zero, e.constant(outFeature), again,
                     finish, context, offset});
  e.callRuntime(entry, b.getVoidTy(), structure);
}

void ImplicitGemm::emitTile(llvm::Value *group, llvm::Value *outer,
                            llvm::Value *first, llvm::Value *columns) {
  llvm::IRBuilder<> &b = e.builder();
  auto upTo = [&](int64_t most, int64_t count, llvm::Value *done) {
    return e.builder().CreateBinaryIntrinsic(
        llvm::Intrinsic::smin, e.constant(most),
        e.builder().CreateSub(e.constant(count), done));
  };
  llvm::Value *base =
      b.CreateInBoundsGEP(memoryType(lhsType, e.context()),
                          e.pointerTo(e.buffers.sliceOf(op.getLhs())),
                          b.CreateNSWMul(group, e.constant(lhsGroup)));
  llvm::Value *count = upTo(tile, positionCount, first);
  auto outerDims = split(outer, outerAxes);
  int64_t blocks = (termCount + termBlock - 1) / termBlock;
  e.loop(e.constant(0), e.constant(blocks), [&](llvm::Value *block) {
    llvm::Value *term = e.builder().CreateNSWMul(block, e.constant(termBlock));
    fill({columns, base, outerDims, first, count, term,
          upTo(termBlock, termCount, term)});
    multiply(columns, group, outer, first, count, term);
  });
}

/// The product of one group and one outer index: the input as it is.
void ImplicitGemm::multiplyInput(llvm::Value *group, llvm::Value *outer) {
  llvm::IRBuilder<> &b = e.builder();
  llvm::Value *offset =
      b.CreateNSWAdd(sourceOf({}, split(outer, outerAxes), {}).offset,
                     b.CreateNSWMul(group, e.constant(lhsGroup)));
  llvm::Value *first =
      b.CreateInBoundsGEP(memoryType(lhsType, e.context()),
                          e.pointerTo(e.buffers.sliceOf(op.getLhs())), offset);
  multiply(first, group, outer, e.constant(0), e.constant(positionCount),
           e.constant(0));
}

/// The kernel as a matrix: terms by features, or features by terms. What is
/// together in the kernel is one dimension of the loops.
void ImplicitGemm::copyKernel() {
  BufferSlice kernel = e.buffers.sliceOf(op.getRhs());
  Emitter::Writes written(e, kernelCopy);
  llvm::SmallVector<ConvolutionAxis> axes;
  for (const ConvolutionAxis &axis : terms) {
    if (!axes.empty() && axes.back().stride == axis.size * axis.stride) {
      axes.back() = {axes.back().size * axis.size, axis.stride, -1};
    } else {
      axes.push_back(axis);
    }
  }
  axes.insert(featuresLast ? axes.end() : axes.begin(),
              {features * groups, rhsFeature, -1});
  llvm::SmallVector<int64_t> shape;
  for (const ConvolutionAxis &axis : axes) {
    shape.push_back(axis.size);
  }
  e.nest(planLoops(shape, false, 2, e.site()), [&](const Index &index) {
    llvm::IRBuilder<> &b = e.builder();
    llvm::Value *from = e.constant(0);
    for (auto [axis, i] : llvm::zip_equal(axes, e.dimsOf(index, shape))) {
      from = b.CreateNSWAdd(from, b.CreateNSWMul(i, e.constant(axis.stride)));
    }
    e.store(rhsType, kernelCopy, e.linearOf(index, shape),
            e.load(rhsType, kernel, from));
  });
}

void ImplicitGemm::emit(const BufferSlice &slice, const LoopPlan &loops) {
  target = slice;
  if (!merges) {
    kernelCopy = e.buffers.scratchOf(op);
    kernelCopy.index += sumsBytes();
    copyKernel();
  }
  epilogue = e.emitEpilogue(op, accumulatorOf(resultType), target);
  int64_t tiles = (positionCount + tile - 1) / tile;
  e.parallel(loops, [&](llvm::Value *begin, llvm::Value *end) {
    llvm::Value *columns = nullptr;
    if (!isMatrix) {
      columns = e.frameSlot(llvm::ArrayType::get(
          memoryType(lhsType, e.context()), tile * termBlock));
    }
    e.loop(begin, end, [&](llvm::Value *task) {
      llvm::IRBuilder<> &b = e.builder();
      llvm::Value *first =
          b.CreateMul(b.CreateURem(task, e.constant(tiles)), e.constant(tile));
      llvm::Value *rest = b.CreateUDiv(task, e.constant(tiles));
      llvm::Value *group = b.CreateUDiv(rest, e.constant(outerCount));
      llvm::Value *outer = b.CreateURem(rest, e.constant(outerCount));
      if (isMatrix) {
        multiplyInput(group, outer);
      } else {
        emitTile(group, outer, first, columns);
      }
    });
  });
}

void emitImplicitGemm(Emitter &e, ConvolutionOp op, const BufferSlice &target,
                      const LoopPlan &loops) {
  ImplicitGemm(e, op).emit(target, loops);
}

} // namespace xla::cpu
