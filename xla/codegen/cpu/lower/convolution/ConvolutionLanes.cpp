//===- ConvolutionLanes.cpp - Convolutions of a feature a group -----------===//
//
// Where each group has one feature and groups are side by side, as those of a
// depthwise convolution in NHWC and of its gradients, each group is a lane of a
// vector. A row of the input is copied between zeros first, so that no position
// in it needs a test. What is long is walked along, and what is short stays in
// registers: elements of the kernel over many positions, or, in a gradient by
// the kernel, sums of few positions over many taps.
//
//===----------------------------------------------------------------------===//

#include "xla/codegen/cpu/lower/convolution/ConvolutionLanes.h"

#include "xla/codegen/cpu/TargetDescription.h"
#include "xla/codegen/cpu/lower/convolution/ConvolutionArrays.h"
#include "xla/codegen/cpu/lower/elementwise/Elementwise.h"
#include "xla/codegen/cpu/lower/reduce/Folds.h"

namespace xla::cpu {

using namespace stablehlo;

namespace {

/// Elements of the scratch memory of each kind.
constexpr int64_t kMostElements = cpuTarget.halfFirstCache() / 4;

/// How groups, positions and taps are cut into vectors and pieces.
struct LanePieces : ConvolutionArrays {
  explicit LanePieces(ConvolutionOp op);
  bool isPossible() const;
  bool isWorthwhile() const;
  LoopPlan loops();
  const ConvolutionWindow &window() const { return windows[along]; }

  bool walksTaps = false, isWhole = false;
  int64_t lanes = 1, blocks = 0;
  size_t along = 0;                             ///< the dimension of rows
  llvm::SmallVector<int64_t> outerSizes;        ///< positions, 1 in a row
  llvm::SmallVector<int64_t> outerTaps;         ///< by inputs, then likewise
  int64_t length = 0, taps = 0, outerCount = 1; ///< positions and taps
  int64_t width = 0, pieces = 0, rowLength = 0; ///< of what is walked
};

class ConvolutionLanes : LanePieces {
public:
  ConvolutionLanes(Emitter &e, ConvolutionOp op)
      : LanePieces(op), e(e), sumType(registerType(type, e.context())),
        vectorType(llvm::FixedVectorType::get(sumType,
                                              static_cast<unsigned>(lanes))) {}
  void emit(const LoopPlan &loops);

private:
  /// The variables of a thread: an input row between zeros, sums of positions,
  /// and a row of the kernel where it is of another type than they.
  struct Scratch {
    llvm::Value *row, *sums, *factors;
  };
  /// The stretch [first, first + count) of positions or taps that is walked.
  struct Piece {
    llvm::Value *first, *count;
  };
  /// What is computed together: some groups of a batch's element, and their
  /// positions in all of `outer` or the one there.
  struct Task {
    llvm::Value *batch, *group, *outer;
    Piece piece;
    Scratch scratch;
  };
  using Dims = llvm::SmallVector<llvm::Value *, 4>;

  Task taskOf(llvm::Value *number, const Scratch &scratch);
  Piece pieceOf(llvm::Value *number);
  void emitTask(const Task &task);
  void emitKernelRow(const Task &task, const Dims &taps);
  void emitInputRow(const Task &task, llvm::Value *outer, const Dims &taps);
  void fillRow(const Task &task, Index source);
  llvm::Value *kernelSlice(const Task &task, const Dims &taps,
                           llvm::Value *tap);
  llvm::Value *factorOf(const Task &task, const Dims &taps, llvm::Value *tap);
  void walkPositions(const Task &task, const Dims &taps);
  void walkTaps(const Task &task, const Dims &taps, llvm::Value *sums);
  void storeSums(const Task &task, llvm::Value *outer);
  void clear(llvm::Value *array, int64_t vectors);
  void move(ElementType from, const BufferSlice &slice, llvm::Value *linear,
            llvm::Value *to);
  llvm::Value *read(llvm::Value *array, llvm::Value *vector);

  /// Whether elements are in memory as sums are in registers.
  bool isPlain(ElementType from) const {
    return from == type && memoryType(from, e.context()) == sumType;
  }
  llvm::Align align() const { return llvm::Align(byteWidth(type)); }
  llvm::Value *plus(llvm::Value *x, llvm::Value *y) {
    return e.builder().CreateNSWAdd(x, y);
  }
  llvm::Value *times(llvm::Value *x, int64_t y) {
    return e.builder().CreateNSWMul(x, e.constant(y));
  }
  llvm::Value *at(llvm::Value *array, llvm::Value *vector) {
    return e.builder().CreateInBoundsGEP(vectorType, array, vector);
  }

  Emitter &e;
  llvm::Type *sumType, *vectorType;
};

} // namespace

LanePieces::LanePieces(ConvolutionOp op) : ConvolutionArrays(op) {
  if (!isPossible()) {
    return;
  }
  lanes = std::min<int64_t>(groups, cpuTarget.widestVector / byteWidth(type));
  blocks = (groups + lanes - 1) / lanes;
  auto spatial = numbers.getInputSpatialDimensions();
  along = llvm::max_element(spatial) - spatial.begin();
  outerTaps.push_back(inputs);
  for (size_t s = 0; s < windows.size(); ++s) {
    int64_t positions = out[numbers.getOutputSpatialDimensions()[s]];
    int64_t ofKernel = rhs[numbers.getKernelSpatialDimensions()[s]];
    if (s == along) {
      length = positions;
      taps = ofKernel;
      positions = ofKernel = 1;
    }
    outerSizes.push_back(positions);
    outerTaps.push_back(ofKernel);
    outerCount *= positions;
  }
  walksTaps = length < taps;
  const ConvolutionWindow &w = window();
  int64_t reach =
      walksTaps ? (length - 1) * w.stride : (taps - 1) * w.rhsDilation;
  int64_t step = walksTaps ? w.rhsDilation : w.stride;
  int64_t walked = std::max(length, taps);
  width =
      std::clamp<int64_t>((kMostElements / lanes - reach) / step, 1, walked);
  pieces = (walked + width - 1) / width;
  width = (walked + pieces - 1) / pieces;
  rowLength = (width - 1) * step + reach + 1;
  // Rows are then read once for all positions; but threads want work.
  constexpr int64_t fewTasks = 4;
  isWhole = walksTaps && batches * blocks >= fewTasks &&
            outerCount * length * lanes <= kMostElements;
}

/// Windows that reach far leave no room for more than a few of their elements.
/// Small windows on an input without holes need no row between zeros: directly
/// from the definition, the sums of a position are lines of memory.
bool LanePieces::isWorthwhile() const {
  constexpr int64_t most = 4 * kMostElements;
  return (walksTaps || hasHoles()) && length > 0 && taps > 0 &&
         rowLength * lanes <= most && std::min(length, taps) * lanes <= most;
}

bool LanePieces::isPossible() const {
  int64_t last = static_cast<int64_t>(out.size()) - 1;
  auto isLast = [&](uint64_t d) { return static_cast<int64_t>(d) == last; };
  bool isTogether =
      groupsBatch ? batches == 1 && isLast(numbers.getInputBatchDimension())
                  : inputs == 1 && isLast(numbers.getInputFeatureDimension());
  return sumsRealNumbers() && !windows.empty() && groups > 1 && isTogether &&
         out[numbers.getOutputFeatureDimension()] == groups &&
         isLast(numbers.getOutputFeatureDimension()) &&
         isLast(numbers.getKernelOutputFeatureDimension());
}

void ConvolutionLanes::clear(llvm::Value *array, int64_t vectors) {
  e.loop(e.constant(0), e.constant(vectors), [&](llvm::Value *i) {
    e.builder().CreateAlignedStore(llvm::Constant::getNullValue(vectorType),
                                   at(array, i), align());
  });
}

llvm::Value *ConvolutionLanes::read(llvm::Value *array, llvm::Value *vector) {
  return e.builder().CreateAlignedLoad(vectorType, at(array, vector), align());
}

/// Copies the elements of all lanes from an operand, as numbers of sums.
void ConvolutionLanes::move(ElementType from, const BufferSlice &slice,
                            llvm::Value *linear, llvm::Value *to) {
  llvm::IRBuilder<> &b = e.builder();
  if (isPlain(from)) {
    llvm::Value *x = b.CreateAlignedLoad(
        vectorType, b.CreateInBoundsGEP(sumType, e.pointerTo(slice), linear),
        align());
    b.CreateAlignedStore(x, to, align());
    return;
  }
  e.loop(e.constant(0), e.constant(lanes), [&](llvm::Value *lane) {
    Element x =
        convertElement(e, e.load(from, slice, plus(linear, lane)), from, type);
    e.builder().CreateStore(x.real,
                            e.builder().CreateInBoundsGEP(sumType, to, lane));
  });
}

ConvolutionLanes::Piece ConvolutionLanes::pieceOf(llvm::Value *number) {
  int64_t walked = std::max(length, taps);
  if (pieces == 1) {
    return {e.constant(0), e.constant(walked)};
  }
  llvm::Value *first = times(number, width);
  return {first, e.builder().CreateBinaryIntrinsic(
                     llvm::Intrinsic::smin, e.constant(width),
                     e.builder().CreateNSWSub(e.constant(walked), first))};
}

ConvolutionLanes::Task ConvolutionLanes::taskOf(llvm::Value *number,
                                                const Scratch &scratch) {
  Index flat;
  flat.linear = number;
  auto dims = e.dimsOf(flat, {batches, blocks, isWhole ? 1 : outerCount,
                              walksTaps ? 1 : pieces});
  // The last block may share groups with the one before it.
  llvm::Value *group = e.builder().CreateBinaryIntrinsic(
      llvm::Intrinsic::smin, times(dims[1], lanes), e.constant(groups - lanes));
  return {dims[0], group, dims[2], pieceOf(dims[3]), scratch};
}

/// The offset of an element of the kernel, along the row at `tap`.
llvm::Value *ConvolutionLanes::kernelSlice(const Task &task, const Dims &taps,
                                           llvm::Value *tap) {
  Index kernel;
  kernel.dims.assign(rhs.size(), nullptr);
  kernel.dims[numbers.getKernelInputFeatureDimension()] = taps[0];
  kernel.dims[numbers.getKernelOutputFeatureDimension()] = task.group;
  for (auto [s, d] : llvm::enumerate(numbers.getKernelSpatialDimensions())) {
    kernel.dims[d] = kernelAlong(e, s, s == along ? tap : taps[s + 1]);
  }
  return e.linearOf(kernel, rhs);
}

/// The elements of the kernel at a tap of the piece's row.
llvm::Value *ConvolutionLanes::factorOf(const Task &task, const Dims &taps,
                                        llvm::Value *tap) {
  if (!isPlain(rhsType)) {
    return read(task.scratch.factors, tap);
  }
  llvm::IRBuilder<> &b = e.builder();
  llvm::Value *first = walksTaps ? plus(task.piece.first, tap) : tap;
  return b.CreateAlignedLoad(
      vectorType,
      b.CreateInBoundsGEP(sumType, e.pointerTo(op.getRhs()),
                          kernelSlice(task, taps, first)),
      align());
}

/// Adds to the sums of a stretch of positions what they see of the row.
void ConvolutionLanes::walkPositions(const Task &task, const Dims &taps) {
  const ConvolutionWindow &w = window();
  auto add = [&](llvm::Value *first, int64_t count) {
    llvm::SmallVector<llvm::Value *> factors;
    for (int64_t i = 0; i < count; ++i) {
      factors.push_back(factorOf(task, taps, plus(first, e.constant(i))));
    }
    llvm::Value *from = times(first, w.rhsDilation);
    e.loop(e.constant(0), task.piece.count, [&](llvm::Value *position) {
      llvm::Value *sum = read(task.scratch.sums, position);
      llvm::Value *column = plus(from, times(position, w.stride));
      for (auto [i, factor] : llvm::enumerate(factors)) {
        auto step = static_cast<int64_t>(i) * w.rhsDilation;
        sum = addProduct(e, sum,
                         read(task.scratch.row, plus(column, e.constant(step))),
                         factor);
      }
      e.builder().CreateAlignedStore(sum, at(task.scratch.sums, position),
                                     align());
    });
  };
  inBlocks(e, this->taps, add);
}

/// Adds to the sums of all positions what they see along a stretch of taps.
void ConvolutionLanes::walkTaps(const Task &task, const Dims &taps,
                                llvm::Value *sums) {
  const ConvolutionWindow &w = window();
  auto add = [&](llvm::Value *first, int64_t count) {
    llvm::SmallVector<llvm::Value *> before;
    for (int64_t i = 0; i < count; ++i) {
      before.push_back(read(sums, plus(first, e.constant(i))));
    }
    llvm::Value *from = times(first, w.stride);
    auto after =
        e.loop(e.constant(0), task.piece.count, before,
               [&](llvm::Value *tap, llvm::ArrayRef<llvm::Value *> carried) {
                 llvm::Value *factor = factorOf(task, taps, tap);
                 llvm::Value *column = plus(from, times(tap, w.rhsDilation));
                 llvm::SmallVector<llvm::Value *> next;
                 for (auto [i, sum] : llvm::enumerate(carried)) {
                   auto step = static_cast<int64_t>(i) * w.stride;
                   llvm::Value *x =
                       read(task.scratch.row, plus(column, e.constant(step)));
                   next.push_back(addProduct(e, sum, x, factor));
                 }
                 return next;
               });
    for (auto [i, sum] : llvm::enumerate(after)) {
      llvm::Value *position = plus(first, e.constant(static_cast<int64_t>(i)));
      e.builder().CreateAlignedStore(sum, at(sums, position), align());
    }
  };
  inBlocks(e, length, add);
}

/// Copies the elements that the piece sees of the input row at `source`.
void ConvolutionLanes::fillRow(const Task &task, Index source) {
  llvm::IRBuilder<> &b = e.builder();
  const ConvolutionWindow &w = window();
  BufferSlice slice = e.buffers.sliceOf(op.getLhs());
  llvm::Value *start = b.CreateNSWSub(
      times(task.piece.first, walksTaps ? w.rhsDilation : w.stride),
      e.constant(w.low));
  llvm::Value *end = plus(start, e.constant(rowLength));
  if (pieces > 1) {
    clear(task.scratch.row, rowLength);
  }
  e.loop(elementsBefore(e, along, start), elementsBefore(e, along, end),
         [&](llvm::Value *i) {
           source.dims[numbers.getInputSpatialDimensions()[along]] = i;
           llvm::Value *to =
               e.builder().CreateNSWSub(times(i, w.lhsDilation), start);
           move(lhsType, slice, e.linearOf(source, lhs),
                at(task.scratch.row, to));
         });
}

/// What one row of the kernel adds to the positions numbered `outer`, by the
/// row of the input that they see with it, if that exists.
void ConvolutionLanes::emitInputRow(const Task &task, llvm::Value *outer,
                                    const Dims &taps) {
  Index flat, source;
  flat.linear = outer;
  auto positions = e.dimsOf(flat, outerSizes);
  source.dims.assign(lhs.size(), nullptr);
  source.dims[numbers.getInputBatchDimension()] =
      groupsBatch ? task.group : task.batch;
  source.dims[numbers.getInputFeatureDimension()] =
      groupsBatch ? taps[0] : task.group;
  llvm::Value *inside = e.builder().getTrue();
  for (auto [s, d] : llvm::enumerate(numbers.getInputSpatialDimensions())) {
    if (s != along) {
      source.dims[d] = sourceAlong(e, s, positions[s], taps[s + 1], inside);
    }
  }
  e.when(inside, [&] {
    fillRow(task, source);
    if (walksTaps) {
      llvm::Value *first = isWhole ? times(outer, length) : e.constant(0);
      walkTaps(task, taps, at(task.scratch.sums, first));
    } else {
      walkPositions(task, taps);
    }
  });
}

/// A row of the kernel, and all that it is multiplied with.
void ConvolutionLanes::emitKernelRow(const Task &task, const Dims &taps) {
  if (!isPlain(rhsType)) {
    llvm::Value *count = walksTaps ? task.piece.count : e.constant(this->taps);
    e.loop(e.constant(0), count, [&](llvm::Value *tap) {
      llvm::Value *first = walksTaps ? plus(task.piece.first, tap) : tap;
      move(rhsType, e.buffers.sliceOf(op.getRhs()),
           kernelSlice(task, taps, first), at(task.scratch.factors, tap));
    });
  }
  if (!isWhole) {
    emitInputRow(task, task.outer, taps);
    return;
  }
  e.loop(e.constant(0), e.constant(outerCount),
         [&](llvm::Value *outer) { emitInputRow(task, outer, taps); });
}

void ConvolutionLanes::storeSums(const Task &task, llvm::Value *outer) {
  Index flat, result;
  flat.linear = outer;
  auto positions = e.dimsOf(flat, outerSizes);
  result.dims.assign(out.size(), nullptr);
  result.dims[numbers.getOutputBatchDimension()] = task.batch;
  result.dims[numbers.getOutputFeatureDimension()] = task.group;
  for (auto [s, d] : llvm::enumerate(numbers.getOutputSpatialDimensions())) {
    result.dims[d] = positions[s];
  }
  auto alongOut = numbers.getOutputSpatialDimensions()[along];
  BufferSlice target = e.buffers.sliceOf(op.getResult());
  llvm::Value *skipped = isWhole ? times(outer, length) : e.constant(0);
  llvm::Value *count = walksTaps ? e.constant(length) : task.piece.count;
  e.loop(e.constant(0), count, [&](llvm::Value *i) {
    llvm::Value *from = at(task.scratch.sums, plus(skipped, i));
    result.dims[alongOut] = walksTaps ? i : plus(task.piece.first, i);
    llvm::Value *linear = e.linearOf(result, out);
    llvm::IRBuilder<> &b = e.builder();
    if (isPlain(resultType)) {
      b.CreateAlignedStore(
          b.CreateAlignedLoad(vectorType, from, align()),
          b.CreateInBoundsGEP(sumType, e.pointerTo(target), linear), align());
      return;
    }
    e.loop(e.constant(0), e.constant(lanes), [&](llvm::Value *lane) {
      llvm::IRBuilder<> &b = e.builder();
      llvm::Value *sum =
          b.CreateLoad(sumType, b.CreateInBoundsGEP(sumType, from, lane));
      Element x{type == resultType ? sum : narrow(e, sum, resultType)};
      e.store(resultType, target, plus(linear, lane), x);
    });
  });
}

void ConvolutionLanes::emitTask(const Task &task) {
  int64_t rows = 1;
  for (int64_t size : outerTaps) {
    rows *= size;
  }
  int64_t own = isWhole ? outerCount : 1;
  clear(task.scratch.sums, own * (walksTaps ? length : width));
  e.loop(e.constant(0), e.constant(rows), [&](llvm::Value *row) {
    Index flat;
    flat.linear = row;
    auto dims = e.dimsOf(flat, outerTaps);
    int64_t stretches = walksTaps ? pieces : 1;
    e.loop(e.constant(0), e.constant(stretches), [&](llvm::Value *stretch) {
      Task part = task;
      part.piece = walksTaps ? pieceOf(stretch) : task.piece;
      emitKernelRow(part, dims);
    });
  });
  if (!isWhole) {
    storeSums(task, task.outer);
    return;
  }
  e.loop(e.constant(0), e.constant(outerCount),
         [&](llvm::Value *outer) { storeSums(task, outer); });
}

LoopPlan LanePieces::loops() {
  int64_t tasks =
      batches * blocks * (isWhole ? 1 : outerCount) * (walksTaps ? 1 : pieces);
  double work = static_cast<double>(elementCountOf(op.getRhs())) / groups *
                elementCountOf(op.getResult()) / tasks;
  return planTasks(tasks, work / 4);
}

void ConvolutionLanes::emit(const LoopPlan &loops) {
  Emitter::Writes written(e, e.buffers.sliceOf(op.getResult()));
  e.parallel(loops, [&](llvm::Value *begin, llvm::Value *end) {
    auto slot = [&](int64_t vectors) {
      return e.frameSlot(llvm::ArrayType::get(vectorType, vectors));
    };
    int64_t sums = walksTaps ? (isWhole ? outerCount : 1) * length : width;
    Scratch scratch = {slot(rowLength), slot(sums), nullptr};
    if (!isPlain(rhsType)) {
      scratch.factors = slot(walksTaps ? width : taps);
    }
    clear(scratch.row, rowLength);
    e.loop(begin, end,
           [&](llvm::Value *task) { emitTask(taskOf(task, scratch)); });
  });
}

std::optional<LoopPlan> planConvolutionLanes(ConvolutionOp op) {
  LanePieces pieces(op);
  return pieces.isPossible() && pieces.isWorthwhile()
             ? std::optional(pieces.loops())
             : std::nullopt;
}

void emitConvolutionLanes(Emitter &e, ConvolutionOp op, const LoopPlan &loops) {
  ConvolutionLanes(e, op).emit(loops);
}

} // namespace xla::cpu
