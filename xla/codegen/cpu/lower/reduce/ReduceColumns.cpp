//===- ReduceColumns.cpp - Reductions that keep the last dimension --------===//

#include "xla/codegen/cpu/TargetDescription.h"
#include "xla/codegen/cpu/lower/reduce/ArgExtremes.h"
#include "xla/codegen/cpu/lower/reduce/Extremes.h"
#include "xla/codegen/cpu/lower/reduce/FloatExtremes.h"
#include "xla/codegen/cpu/lower/reduce/Reduce.h"
#include "xla/codegen/cpu/lower/reduce/Slots.h"

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

/// How many rows are folded into a result before it is stored again: some,
/// unless they are much to compute.
int64_t Reduction::rowsTogether() const {
  constexpr int littleCode = 8;
  return fold != Fold::Other && e.fusion.codeAt(op) <= littleCode ? 4 : 1;
}

/// How many elements of a column are folded one after the other: of sums few,
/// since a chain of additions loses digits as it grows; of other folds all.
int64_t Reduction::pieceLength() const {
  constexpr int64_t longestChain = 64;
  bool isRounded = fold == Fold::Add && isFloat(type);
  return isRounded ? std::min(longestChain * rowsTogether(), perResult)
                   : perResult;
}

/// `prepare` is called for some columns at a time, from the j-th on, where the
/// stretch has streams.
void Reduction::eachColumn(Stretch &stretch,
                           llvm::function_ref<void(llvm::Value *j)> body,
                           llvm::function_ref<void(llvm::Value *j)> prepare) {
  auto range = [&](llvm::Value *first, llvm::Value *last) {
    e.loop(first, last, [&](llvm::Value *j) {
      stretch.keptIndex.dims.back() =
          e.builder().CreateNSWAdd(stretch.first, j);
      body(j);
    });
  };
  llvm::Value *zero = e.constant(0);
  if (!prepare || stretch.streams.empty()) {
    range(zero, stretch.count);
    return;
  }
  llvm::Value *together = e.constant(columnsAtATime);
  llvm::Value *whole = e.builder().CreateUDiv(stretch.count, together);
  e.loop(zero, whole, [&](llvm::Value *n) {
    llvm::Value *first = e.builder().CreateNSWMul(n, together);
    prepare(first);
    range(first, e.builder().CreateNSWAdd(first, together));
  });
  range(e.builder().CreateNSWMul(whole, together), stretch.count);
}

/// The arrays in memory that have an element for each one of `value`, which is
/// computed from them.
static void collectStreams(const FusionPlan &fusion, Value value,
                           int64_t elements,
                           llvm::SmallVectorImpl<Value> &streams) {
  mlir::Operation *op = value.getDefiningOp();
  if (fusion.formOf(value) == Form::Buffer) {
    if (llvm::product_of(shapeOf(value)) == elements &&
        !llvm::is_contained(streams, value)) {
      streams.push_back(value);
    }
  } else if (op && isElementwise(op)) {
    for (Value operand : op->getOperands()) {
      collectStreams(fusion, operand, elements, streams);
    }
  }
}

/// Fetches the columns from the j-th on, as many as a stretch has at a time, of
/// the `count` elements from the i-th on.
void Reduction::prefetch(const Stretch &stretch, llvm::Value *row,
                         llvm::Value *i, int64_t count, llvm::Value *j) {
  llvm::IRBuilder<> &b = e.builder();
  Index kept = stretch.keptIndex;
  kept.dims.back() = b.CreateNSWAdd(stretch.first, j);
  for (int64_t k = 0; k < count; ++k) {
    llvm::Value *at = b.CreateNSWAdd(i, e.constant(k));
    llvm::Value *linear = e.linearOf(operandIndex(kept, row, at), shape);
    for (Value stream : stretch.streams) {
      ElementType element = elementTypeOf(stream.getType());
      llvm::Value *first = b.CreateGEP(memoryType(element, e.context()),
                                       e.pointerTo(stream), linear);
      int64_t bytes = columnsAtATime * byteWidth(element);
      for (int64_t n = 0; n < bytes; n += cpuTarget.cacheLine) {
        llvm::Value *line = b.CreateConstGEP1_64(b.getInt8Ty(), first, n);
        b.CreateIntrinsic(llvm::Intrinsic::prefetch, {line->getType()},
                          {line, b.getInt32(0), b.getInt32(3), b.getInt32(1)});
      }
    }
  }
}

/// What `slots` hold for column j, or without slots the stored result.
llvm::SmallVector<Element> Reduction::loadColumn(const Stretch &stretch,
                                                 llvm::Value *j, Slots *slots) {
  if (slots) {
    return slots->load(j);
  }
  llvm::Value *linear = e.linearOf(stretch.keptIndex, keptShape);
  llvm::SmallVector<Element> elements;
  for (auto [n, result] : llvm::enumerate(op.getResults())) {
    elements.push_back(
        e.load(elementTypeOf(result.getType()), slices[n], linear));
  }
  return elements;
}

void Reduction::storeColumn(const Stretch &stretch, llvm::Value *j,
                            Slots *slots, llvm::ArrayRef<Element> elements) {
  if (slots) {
    slots->save(j, elements);
  } else {
    storeResults(e.linearOf(stretch.keptIndex, keptShape), elements);
  }
}

/// Folds `count` elements from the i-th of the row on into column j.
void Reduction::foldColumn(const Stretch &stretch, llvm::Value *row,
                           llvm::Value *i, int64_t count, llvm::Value *j,
                           Slots *slots) {
  llvm::SmallVector<Element> acc = loadColumn(stretch, j, slots);
  // Extremes of 16-bit floats are those of integers. No sums of such come here.
  bool byKeys = isHalf(type) && fold != Fold::Other;
  Values keys = {acc[0].real};
  llvm::SmallVector<Values> numbers;
  for (int64_t k = 0; k < count; ++k) {
    llvm::Value *at = e.builder().CreateNSWAdd(i, e.constant(k));
    auto x = elementsAt(operandIndex(stretch.keptIndex, row, at));
    if (byKeys) {
      keys.push_back(x[0].real);
    } else if (fold == Fold::Other) {
      acc = combine(acc, x);
    } else {
      numbers.push_back(widened(x[0]));
    }
  }
  if (byKeys) {
    acc[0].real = Extremes(e, fold, type).among(keys);
  } else if (fold != Fold::Other) {
    if (fold == Fold::Add && numbers.size() == 4) {
      // In pairs: the chain is short, and the processor takes two at once.
      numbers = {foldParts(numbers[0], numbers[1], false),
                 foldParts(numbers[2], numbers[3], false)};
      numbers = {foldParts(numbers[0], numbers[1], false)};
    }
    Values folded = widened(acc[0]);
    for (const Values &x : numbers) {
      folded = foldParts(folded, x, false);
    }
    acc[0] = narrowed(folded);
  }
  storeColumn(stretch, j, slots, acc);
}

/// Pieces are parts of rows, or some short rows.
int64_t Reduction::piecesOfRow() const {
  return (rowLength + pieceLength() - 1) / pieceLength();
}

int64_t Reduction::rowsOfPiece() const {
  return std::max<int64_t>(1, pieceLength() / rowLength);
}

/// Folds one piece of each column.
void Reduction::foldPiece(Stretch &stretch, llvm::Value *piece, Slots *slots) {
  llvm::IRBuilder<> &b = e.builder();
  int64_t length = std::min(pieceLength(), rowLength), perRow = piecesOfRow();
  int64_t perPiece = rowsOfPiece(), together = rowsTogether();
  auto least = [&](llvm::Value *x, int64_t most) {
    return b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, x, e.constant(most));
  };
  llvm::Value *begin = e.constant(0), *count = e.constant(length);
  llvm::Value *first = b.CreateNSWMul(piece, e.constant(perPiece));
  if (perRow > 1) {
    first = b.CreateUDiv(piece, e.constant(perRow));
    begin = b.CreateNSWMul(b.CreateURem(piece, e.constant(perRow)),
                           e.constant(length));
    if (rowLength % length != 0) {
      count = least(b.CreateNSWSub(e.constant(rowLength), begin), length);
    }
  }
  llvm::Value *last = b.CreateNSWAdd(first, e.constant(perPiece));
  if (rows % perPiece != 0) {
    last = least(last, rows);
  }
  e.loop(first, last, [&](llvm::Value *row) {
    auto fold = [&](llvm::Value *from, llvm::Value *to, int64_t step) {
      e.loop(from, to, [&](llvm::Value *n) {
        llvm::Value *i = e.builder().CreateNSWAdd(
            begin, e.builder().CreateNSWMul(n, e.constant(step)));
        auto next = [&](llvm::Value *j) {
          llvm::Value *behind = e.builder().CreateNSWAdd(i, e.constant(step));
          prefetch(stretch, row, behind, step, j);
        };
        eachColumn(
            stretch,
            [&](llvm::Value *j) {
              foldColumn(stretch, row, i, step, j, slots);
            },
            next);
      });
    };
    llvm::Value *groups = b.CreateUDiv(count, e.constant(together));
    fold(e.constant(0), groups, together);
    if (together > 1 && (length % together != 0 || rowLength % together != 0)) {
      fold(b.CreateNSWMul(groups, e.constant(together)), count, 1);
    }
  });
}

/// Folds columns whole. Sums of pieces are added in blocks, and those of blocks
/// at last, so that no chain of additions is long.
void Reduction::foldColumns(Stretch &stretch) {
  constexpr int64_t fewPieces = 64;
  int64_t pieces = piecesOfRow() * ((rows + rowsOfPiece() - 1) / rowsOfPiece());
  if (pieces <= 1) {
    foldPiece(stretch, e.constant(0), nullptr);
    return;
  }
  llvm::SmallVector<Element> none = {narrowed(neutral())};
  Slots ofPiece(e, op.getResultTypes(), none, stretch.most);
  Slots ofBlock(e, op.getResultTypes(), none, stretch.most);
  auto add = [&](Slots &from, Slots *to,
                 llvm::function_ref<void(Slots *)> fill) {
    eachColumn(stretch, [&](llvm::Value *j) { from.save(j, none); });
    fill(&from);
    eachColumn(stretch, [&](llvm::Value *j) {
      Values before = widened(loadColumn(stretch, j, to)[0]);
      Values sum = foldParts(before, widened(from.load(j)[0]), false);
      storeColumn(stretch, j, to, {narrowed(sum)});
    });
  };
  auto addPieces = [&](llvm::Value *first, llvm::Value *last, Slots *to) {
    e.loop(first, last, [&](llvm::Value *piece) {
      add(ofPiece, to, [&](Slots *slots) { foldPiece(stretch, piece, slots); });
    });
  };
  if (pieces <= fewPieces) {
    addPieces(e.constant(0), e.constant(pieces), nullptr);
    return;
  }
  auto root = static_cast<int64_t>(std::sqrt(static_cast<double>(pieces)));
  int64_t block = std::max(fewPieces / 2, root);
  e.loop(e.constant(0), e.constant((pieces + block - 1) / block),
         [&](llvm::Value *n) {
           llvm::IRBuilder<> &b = e.builder();
           llvm::Value *first = b.CreateNSWMul(n, e.constant(block));
           llvm::Value *last = b.CreateBinaryIntrinsic(
               llvm::Intrinsic::smin, b.CreateNSWAdd(first, e.constant(block)),
               e.constant(pieces));
           add(ofBlock, nullptr,
               [&](Slots *slots) { addPieces(first, last, slots); });
         });
}

void Reduction::emitColumns() {
  setRows(lineLength); // columns are cut into pieces
  int64_t width = keptShape.back(), tile = kernel.size("tile");
  int64_t tiles = (width + tile - 1) / tile;
  llvm::ArrayRef<int64_t> outer = llvm::ArrayRef(keptShape).drop_back();
  // Rows of a stretch are apart, so processors do not fetch one while elements
  // of another are computed. Several rows together are.
  llvm::SmallVector<Value> streams;
  int64_t bytes = results * perResult * byteWidth(type);
  if (rowsTogether() == 1 && bytes >= 2 * cpuTarget.lastCacheShare) {
    for (Value input : op.getInputs()) {
      collectStreams(e.fusion, input, results * perResult, streams);
    }
  }
  auto emitTask = [&](llvm::Value *task) {
    llvm::IRBuilder<> &b = e.builder();
    Index outerIndex;
    outerIndex.linear = task;
    Stretch stretch;
    stretch.most = tile;
    stretch.streams = streams;
    stretch.first = e.constant(0);
    stretch.count = e.constant(tile);
    if (tiles > 1) {
      outerIndex.linear = b.CreateUDiv(task, e.constant(tiles));
      stretch.first = b.CreateNSWMul(b.CreateURem(task, e.constant(tiles)),
                                     e.constant(tile));
    }
    if (tiles * tile != width) {
      stretch.count = b.CreateBinaryIntrinsic(
          llvm::Intrinsic::smin, stretch.count,
          b.CreateNSWSub(e.constant(width), stretch.first));
    }
    stretch.keptIndex.dims = e.dimsOf(outerIndex, outer);
    stretch.keptIndex.dims.push_back(nullptr);
    llvm::SmallVector<Element> start = initial();
    eachColumn(stretch, [&](llvm::Value *j) {
      storeColumn(stretch, j, nullptr, start);
    });
    foldColumns(stretch);
  };
  e.parallel(kernel.loops, [&](llvm::Value *begin, llvm::Value *end) {
    e.loop(begin, end, emitTask);
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
