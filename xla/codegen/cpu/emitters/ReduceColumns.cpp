//===- ReduceColumns.cpp - Reductions that keep the last dimension --------===//

#include "xla/codegen/cpu/emitters/ArgExtremes.h"
#include "xla/codegen/cpu/emitters/Extremes.h"
#include "xla/codegen/cpu/emitters/Reduce.h"

namespace xla::cpu {

using namespace stablehlo;

/// How many columns go together: they stay in the first-level cache, and if
/// there is much to do, leave work for a few threads.
int64_t Reduction::columnsTogether() const {
  constexpr int64_t narrowest = 128, widest = 1024, fewTasks = 4;
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

/// Folds `count` elements from the i-th of the row on into a stored result.
void Reduction::foldColumn(const Index &keptIndex, llvm::Value *row,
                           llvm::Value *i, int64_t count) {
  llvm::Value *linear = e.linearOf(keptIndex, keptShape);
  llvm::SmallVector<Element> acc;
  for (auto [n, result] : llvm::enumerate(op.getResults())) {
    acc.push_back(e.load(elementTypeOf(result.getType()), places[n], linear));
  }
  // Extremes of 16-bit floats are those of integers. No sums of such come here.
  bool byKeys = isHalf(type) && fold != Fold::Other;
  Values numbers = byKeys                ? Values{acc[0].real}
                   : fold != Fold::Other ? widened(acc[0])
                                         : Values();
  for (int64_t k = 0; k < count; ++k) {
    llvm::Value *at = e.builder().CreateNSWAdd(i, e.constant(k));
    auto x = elementsAt(operandIndex(keptIndex, row, at));
    if (byKeys) {
      numbers.push_back(x[0].real);
    } else if (fold == Fold::Other) {
      acc = combine(acc, x);
    } else {
      numbers = foldParts(numbers, widened(x[0]), false);
    }
  }
  if (byKeys) {
    acc[0].real = Extremes(e, fold, type).among(numbers);
  } else if (fold != Fold::Other) {
    acc[0] = narrowed(numbers);
  }
  storeResults(linear, acc);
}

void Reduction::emitColumns() {
  int64_t width = keptShape.back(), tile = columnsTogether();
  int64_t tiles = (width + tile - 1) / tile, together = rowsTogether();
  llvm::ArrayRef<int64_t> outer = llvm::ArrayRef(keptShape).drop_back();
  auto emitTask = [&](llvm::Value *task) {
    llvm::IRBuilder<> &b = e.builder();
    Index outerIndex, keptIndex;
    outerIndex.linear = task;
    llvm::Value *first = e.constant(0), *count = e.constant(tile);
    if (tiles > 1) {
      outerIndex.linear = b.CreateUDiv(task, e.constant(tiles));
      first = b.CreateNSWMul(b.CreateURem(task, e.constant(tiles)),
                             e.constant(tile));
    }
    if (tiles * tile != width) {
      count = b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, count,
                                      b.CreateNSWSub(e.constant(width), first));
    }
    keptIndex.dims = e.dimsOf(outerIndex, outer);
    keptIndex.dims.push_back(nullptr);
    auto eachColumn = [&](llvm::function_ref<void()> body) {
      e.loop(e.constant(0), count, [&](llvm::Value *j) {
        keptIndex.dims.back() = e.builder().CreateNSWAdd(first, j);
        body();
      });
    };
    llvm::SmallVector<Element> start = initial();
    eachColumn([&] { storeResults(e.linearOf(keptIndex, keptShape), start); });
    e.loop(e.constant(0), e.constant(rows), [&](llvm::Value *row) {
      auto fold = [&](llvm::Value *begin, llvm::Value *end, int64_t together) {
        e.loop(begin, end, [&](llvm::Value *n) {
          llvm::Value *i = e.builder().CreateNSWMul(n, e.constant(together));
          eachColumn([&] { foldColumn(keptIndex, row, i, together); });
        });
      };
      llvm::IRBuilder<> &b = e.builder();
      llvm::Value *length = lengthOf(row), *step = e.constant(together);
      llvm::Value *groups = b.CreateUDiv(length, step);
      fold(e.constant(0), groups, together);
      if (together > 1) {
        fold(e.builder().CreateNSWMul(groups, step), length, 1);
      }
    });
  };
  double cost = 2.0 * static_cast<double>(perResult * tile);
  e.parallel(results / width * tiles, cost,
             [&](llvm::Value *begin, llvm::Value *end) {
               e.loop(begin, end, emitTask);
             });
}

/// Whether an argmax of few long columns, side by side in memory.
bool Reduction::hasNarrowColumns() {
  auto rank = static_cast<int64_t>(shape.size());
  return argMaximum && reduced[0] == rank - 2 &&
         ArgExtremes::areNarrow(perResult, shape.back()) &&
         e.fusion.formOf(op.getInputs().front()) == Form::Buffer;
}

void Reduction::emitNarrowColumns() {
  llvm::ArrayRef<int64_t> outer = llvm::ArrayRef(keptShape).drop_back();
  int64_t columns = keptShape.back();
  e.nest(outer, true, static_cast<double>(perResult * columns),
         [&](const Index &outerIndex) {
           llvm::IRBuilder<> &b = e.builder();
           llvm::Value *matrix = b.CreateInBoundsGEP(
               memoryType(type, e.context()),
               e.pointerTo(op.getInputs().front()),
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
