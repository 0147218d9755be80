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

void Reduction::eachColumn(Stretch &stretch,
                           llvm::function_ref<void(llvm::Value *j)> body) {
  e.loop(e.constant(0), stretch.count, [&](llvm::Value *j) {
    stretch.keptIndex.dims.back() = e.builder().CreateNSWAdd(stretch.first, j);
    body(j);
  });
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
        eachColumn(stretch, [&](llvm::Value *j) {
          foldColumn(stretch, row, i, step, j, slots);
        });
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
  auto emitTask = [&](llvm::Value *task) {
    llvm::IRBuilder<> &b = e.builder();
    Index outerIndex;
    outerIndex.linear = task;
    Stretch stretch;
    stretch.most = tile;
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
