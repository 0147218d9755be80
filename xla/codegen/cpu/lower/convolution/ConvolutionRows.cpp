//===- ConvolutionRows.cpp - Convolutions of few features, by rows --------===//
//
// Where positions and not features are side by side in the result, as in NCHW,
// and a group has too few features for a matrix product, a row of the result is
// a sum of rows of the input, each moved by a tap and scaled by an element of
// the kernel. A row of the input is copied between zeros first: all of its taps
// then read it at the same length, which is one of whole vectors.
//
//===----------------------------------------------------------------------===//

#include "xla/codegen/cpu/lower/convolution/ConvolutionRows.h"

#include "xla/codegen/cpu/TargetDescription.h"
#include "xla/codegen/cpu/lower/convolution/ConvolutionArrays.h"
#include "xla/codegen/cpu/lower/elementwise/Elementwise.h"
#include "xla/codegen/cpu/lower/reduce/Folds.h"

namespace xla::cpu {

using namespace stablehlo;

namespace {

/// How rows are cut into pieces.
struct RowPieces : ConvolutionArrays {
  explicit RowPieces(ConvolutionOp op);
  bool isPossible() const;
  LoopPlan loops();
  const ConvolutionWindow &window() const { return windows[along]; }

  int64_t along = -1; ///< the spatial dimension of rows
  int64_t length = 0, taps = 0, width = 0, pieces = 0, rowLength = 0;
};

class ConvolutionRows : RowPieces {
public:
  ConvolutionRows(Emitter &e, ConvolutionOp op)
      : RowPieces(op), e(e), sumType(registerType(type, e.context())) {}
  void emit(const LoopPlan &loops);

private:
  /// The variables of a thread: an input row between zeros, and a piece of a
  /// result row for each feature.
  struct Scratch {
    llvm::Value *row, *sums;
  };
  /// A piece of a result row: where it is, and its first element.
  struct Piece {
    Index result;
    llvm::Value *group, *first;
  };

  Piece pieceOf(llvm::Value *task);
  void emitPiece(const Piece &piece, const Scratch &scratch);
  void emitInputRow(const Piece &piece, llvm::Value *number,
                    const Scratch &scratch);
  void fillRow(Index source, const Piece &piece, llvm::Value *row);
  void addTaps(Index kernel, const Piece &piece, llvm::Value *firstTap,
               int64_t count, const Scratch &scratch);
  void clear(llvm::Value *array, int64_t count);
  llvm::Value *at(llvm::Value *array, llvm::Value *i) {
    return e.builder().CreateInBoundsGEP(sumType, array, i);
  }

  Emitter &e;
  llvm::Type *sumType;
};

} // namespace

RowPieces::RowPieces(ConvolutionOp op) : ConvolutionArrays(op) {
  auto last = static_cast<int64_t>(out.size()) - 1;
  for (auto [s, d] : llvm::enumerate(numbers.getOutputSpatialDimensions())) {
    along = d == last ? static_cast<int64_t>(s) : along;
  }
  if (along < 0 || features == 0) {
    return;
  }
  length = out[last];
  taps = rhs[numbers.getKernelSpatialDimensions()[along]];
  // Pieces of whole vectors, whose sums stay in the first-level cache.
  constexpr int64_t lanes = cpuTarget.widestVector / 4,
                    most = cpuTarget.halfFirstCache() / 4;
  pieces = (length * features + most - 1) / most;
  width = (length + pieces - 1) / std::max<int64_t>(pieces, 1);
  width = (width + lanes - 1) / lanes * lanes;
  pieces = (length + width - 1) / std::max<int64_t>(width, 1);
  rowLength =
      (width - 1) * window().stride + (taps - 1) * window().rhsDilation + 1;
}

bool RowPieces::isPossible() const {
  constexpr int64_t shortest = 4, mostElements = cpuTarget.stack / 4;
  return along >= 0 && sumsRealNumbers() && length >= shortest && taps > 0 &&
         features * width <= mostElements && rowLength <= mostElements;
}

void ConvolutionRows::clear(llvm::Value *array, int64_t count) {
  e.loop(e.constant(0), e.constant(count), [&](llvm::Value *i) {
    e.builder().CreateStore(llvm::Constant::getNullValue(sumType),
                            at(array, i));
  });
}

ConvolutionRows::Piece ConvolutionRows::pieceOf(llvm::Value *task) {
  llvm::SmallVector<int64_t> sizes = {batches, groups};
  for (auto [s, d] : llvm::enumerate(numbers.getOutputSpatialDimensions())) {
    sizes.push_back(static_cast<int64_t>(s) == along ? pieces : out[d]);
  }
  Index flat;
  flat.linear = task;
  auto dims = e.dimsOf(flat, sizes);
  Piece piece;
  piece.result.dims.assign(out.size(), nullptr);
  piece.result.dims[numbers.getOutputBatchDimension()] = dims[0];
  piece.group = dims[1];
  for (auto [s, d] : llvm::enumerate(numbers.getOutputSpatialDimensions())) {
    piece.result.dims[d] = dims[2 + s];
  }
  piece.first = pieces == 1 ? e.constant(0)
                            : e.builder().CreateNSWMul(dims[2 + along],
                                                       e.constant(width));
  return piece;
}

/// Copies the elements that the piece sees of the input row at `source`.
void ConvolutionRows::fillRow(Index source, const Piece &piece,
                              llvm::Value *row) {
  const ConvolutionWindow &w = window();
  BufferSlice slice = e.buffers.sliceOf(op.getLhs());
  llvm::Value *&along =
      source.dims[numbers.getInputSpatialDimensions()[static_cast<size_t>(
          this->along)]];
  auto copy = [&](llvm::Value *first, llvm::Value *last, llvm::Value *start) {
    e.loop(first, last, [&](llvm::Value *i) {
      llvm::IRBuilder<> &b = e.builder();
      along = i;
      Element x = convertElement(
          e, e.load(lhsType, slice, e.linearOf(source, lhs)), lhsType, type);
      llvm::Value *to =
          b.CreateNSWSub(b.CreateNSWMul(i, e.constant(w.lhsDilation)), start);
      b.CreateStore(x.real, at(row, to));
    });
  };
  auto before = [&](llvm::Value *position) {
    return elementsBefore(e, static_cast<size_t>(this->along), position);
  };
  if (pieces == 1) {
    copy(before(e.constant(-w.low)), before(e.constant(rowLength - w.low)),
         e.constant(-w.low));
    return;
  }
  llvm::IRBuilder<> &b = e.builder();
  llvm::Value *start = b.CreateNSWSub(
      b.CreateNSWMul(piece.first, e.constant(w.stride)), e.constant(w.low));
  clear(row, rowLength);
  copy(before(start), before(b.CreateNSWAdd(start, e.constant(rowLength))),
       start);
}

/// Adds `count` taps of the row, side by side.
void ConvolutionRows::addTaps(Index kernel, const Piece &piece,
                              llvm::Value *firstTap, int64_t count,
                              const Scratch &scratch) {
  const ConvolutionWindow &w = window();
  e.loop(e.constant(0), e.constant(features), [&](llvm::Value *f) {
    llvm::IRBuilder<> &b = e.builder();
    kernel.dims[numbers.getKernelOutputFeatureDimension()] =
        b.CreateNSWAdd(b.CreateNSWMul(piece.group, e.constant(features)), f);
    llvm::SmallVector<llvm::Value *> factors;
    for (int64_t i = 0; i < count; ++i) {
      llvm::Value *tap = b.CreateNSWAdd(firstTap, e.constant(i));
      kernel.dims[numbers.getKernelSpatialDimensions()[along]] =
          kernelAlong(e, along, tap);
      Element y = e.load(rhsType, e.buffers.sliceOf(op.getRhs()),
                         e.linearOf(kernel, rhs));
      factors.push_back(convertElement(e, y, rhsType, type).real);
    }
    llvm::Value *line = b.CreateNSWMul(f, e.constant(width));
    llvm::Value *from = b.CreateNSWMul(firstTap, e.constant(w.rhsDilation));
    e.loop(e.constant(0), e.constant(width), [&](llvm::Value *x) {
      llvm::IRBuilder<> &b = e.builder();
      llvm::Value *to = at(scratch.sums, b.CreateNSWAdd(line, x));
      llvm::Value *sum = b.CreateLoad(sumType, to);
      llvm::Value *position =
          b.CreateNSWAdd(from, b.CreateNSWMul(x, e.constant(w.stride)));
      for (auto [i, factor] : llvm::enumerate(factors)) {
        llvm::Value *tap = b.CreateLoad(
            sumType,
            at(scratch.row,
               b.CreateNSWAdd(position, e.constant(static_cast<int64_t>(i) *
                                                   w.rhsDilation))));
        sum = addProduct(e, sum, tap, factor);
      }
      b.CreateStore(sum, to);
    });
  });
}

/// What one row of the input adds to the piece: `number` counts input features
/// and taps along the other dimensions.
void ConvolutionRows::emitInputRow(const Piece &piece, llvm::Value *number,
                                   const Scratch &scratch) {
  llvm::IRBuilder<> &b = e.builder();
  llvm::SmallVector<int64_t> sizes = {inputs};
  for (auto [s, d] : llvm::enumerate(numbers.getKernelSpatialDimensions())) {
    sizes.push_back(static_cast<int64_t>(s) == along ? 1 : rhs[d]);
  }
  Index flat, source, kernel;
  flat.linear = number;
  auto dims = e.dimsOf(flat, sizes);
  source.dims.assign(lhs.size(), nullptr);
  kernel.dims.assign(rhs.size(), nullptr);
  llvm::Value *batch = piece.result.dims[numbers.getOutputBatchDimension()];
  auto grouped = [&](llvm::Value *i, int64_t each) {
    return b.CreateNSWAdd(b.CreateNSWMul(piece.group, e.constant(each)), i);
  };
  source.dims[numbers.getInputBatchDimension()] =
      groupsBatch ? grouped(batch, batches) : batch;
  source.dims[numbers.getInputFeatureDimension()] =
      groupsBatch ? dims[0] : grouped(dims[0], inputs);
  kernel.dims[numbers.getKernelInputFeatureDimension()] = dims[0];
  llvm::Value *inside = b.getTrue();
  for (auto [s, d] : llvm::enumerate(numbers.getInputSpatialDimensions())) {
    if (static_cast<int64_t>(s) == along) {
      continue;
    }
    llvm::Value *at =
        piece.result.dims[numbers.getOutputSpatialDimensions()[s]];
    source.dims[d] = sourceAlong(e, s, at, dims[1 + s], inside);
    kernel.dims[numbers.getKernelSpatialDimensions()[s]] =
        kernelAlong(e, s, dims[1 + s]);
  }
  e.when(inside, [&] {
    fillRow(source, piece, scratch.row);
    inBlocks(e, taps, [&](llvm::Value *first, int64_t count) {
      addTaps(kernel, piece, first, count, scratch);
    });
  });
}

void ConvolutionRows::emitPiece(const Piece &piece, const Scratch &scratch) {
  clear(scratch.sums, features * width);
  int64_t rows = inputs;
  for (auto [s, d] : llvm::enumerate(numbers.getKernelSpatialDimensions())) {
    rows *= static_cast<int64_t>(s) == along ? 1 : rhs[d];
  }
  e.loop(e.constant(0), e.constant(rows),
         [&](llvm::Value *number) { emitInputRow(piece, number, scratch); });
  llvm::Value *count = e.constant(length);
  if (pieces > 1) {
    count = e.builder().CreateBinaryIntrinsic(
        llvm::Intrinsic::smin, e.constant(width),
        e.builder().CreateNSWSub(count, piece.first));
  }
  BufferSlice target = e.buffers.sliceOf(op.getResult());
  e.loop(e.constant(0), e.constant(features), [&](llvm::Value *f) {
    llvm::IRBuilder<> &b = e.builder();
    Index to = piece.result;
    to.dims[numbers.getOutputFeatureDimension()] =
        b.CreateNSWAdd(b.CreateNSWMul(piece.group, e.constant(features)), f);
    llvm::Value *line = b.CreateNSWMul(f, e.constant(width));
    e.loop(e.constant(0), count, [&](llvm::Value *x) {
      llvm::IRBuilder<> &b = e.builder();
      to.dims.back() = b.CreateNSWAdd(piece.first, x);
      llvm::Value *sum =
          b.CreateLoad(sumType, at(scratch.sums, b.CreateNSWAdd(line, x)));
      e.store(resultType, target, e.linearOf(to, out),
              type == resultType ? Element{sum}
                                 : Element{narrow(e, sum, resultType)});
    });
  });
}

LoopPlan RowPieces::loops() {
  int64_t count = elementCountOf(op.getResult()) / length / features * pieces;
  double terms = static_cast<double>(elementCountOf(op.getRhs())) /
                 static_cast<double>(features * groups);
  return planTasks(count, terms * static_cast<double>(width * features) / 4);
}

void ConvolutionRows::emit(const LoopPlan &loops) {
  Emitter::Writes written(e, e.buffers.sliceOf(op.getResult()));
  e.parallel(loops, [&](llvm::Value *begin, llvm::Value *end) {
    auto slot = [&](int64_t size) {
      return e.frameSlot(llvm::ArrayType::get(sumType, size));
    };
    Scratch scratch = {slot(rowLength), slot(features * width)};
    clear(scratch.row, rowLength);
    e.loop(begin, end,
           [&](llvm::Value *task) { emitPiece(pieceOf(task), scratch); });
  });
}

std::optional<LoopPlan> planConvolutionRows(ConvolutionOp op) {
  RowPieces pieces(op);
  return pieces.isPossible() ? std::optional(pieces.loops()) : std::nullopt;
}

void emitConvolutionRows(Emitter &e, ConvolutionOp op, const LoopPlan &loops) {
  ConvolutionRows(e, op).emit(loops);
}

} // namespace xla::cpu
