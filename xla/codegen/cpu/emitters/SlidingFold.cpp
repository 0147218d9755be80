//===- SlidingFold.cpp - Long windows along one dimension -----------------===//

#include "xla/codegen/cpu/emitters/Reduce.h"
#include "xla/codegen/cpu/emitters/Window.h"

#include <cmath>

namespace xla::cpu {

using namespace stablehlo;

namespace {

/// Windows of one dimension, moved by one place. From the folds of all windows
/// of 1, 2, 4, ... elements, each made of two of those before, a window of any
/// size is put together: a number of passes over a piece of the row that grows
/// with the logarithm of the window. Along another dimension than the last a
/// few columns go side by side.
class SlidingFold {
public:
  SlidingFold(Emitter &e, ReduceWindowOp op, const Windows &windows);
  bool isWorthwhile();
  void emit(const Place &place);

private:
  void emitPiece(llvm::Value *task, const Place &place);
  void fillPiece(const Index &at, llvm::Value *first, llvm::Value *columns);
  void foldPiece();
  llvm::Value *slot(llvm::Value *array, llvm::Value *i) {
    return e.builder().CreateInBoundsGEP(memory, array, i);
  }
  /// to[i] = from[i + shift], or that folded with to[i].
  void pass(llvm::Value *to, llvm::Value *from, int64_t shift, int64_t count,
            bool folds);

  static constexpr int64_t mostElements = 32 * 1024; ///< of a piece

  Emitter &e;
  ReduceWindowOp op;
  llvm::ArrayRef<int64_t> shape, target;
  ElementType type;
  llvm::Type *memory;
  Fold fold;
  int64_t along = -1, last;
  WindowDim window;
  int64_t side = 1;   ///< columns
  int64_t length = 0; ///< windows of a piece
  llvm::SmallVector<int64_t> tasks;
  llvm::Value *part = nullptr, *sums = nullptr;
};

} // namespace

SlidingFold::SlidingFold(Emitter &e, ReduceWindowOp op, const Windows &windows)
    : e(e), op(op), shape(shapeOf(op.getInputs().front())),
      target(shapeOf(op.getResult(0))),
      type(elementTypeOf(op.getResult(0).getType())),
      memory(registerType(type, e.context())),
      fold(op.getInputs().size() == 1 ? recognizeFold(op.getBody(), type)
                                      : Fold::Other),
      last(static_cast<int64_t>(shape.size()) - 1), tasks(target) {
  for (auto [d, w] : llvm::enumerate(windows)) {
    if (w.isNothing()) {
      continue;
    }
    bool isPlain = w.stride == 1 && w.dilation == 1 && w.base == 1;
    if (!isPlain || along >= 0) {
      fold = Fold::Other;
    }
    along = static_cast<int64_t>(d);
    window = w;
  }
  if (along < 0 || window.size > mostElements) {
    return;
  }
  side = along == last ? 1 : std::min<int64_t>(16, shape[last]);
  length = std::min(target[along], std::max(2048 / side, 4 * window.size));
  tasks[along] = (target[along] + length - 1) / std::max<int64_t>(length, 1);
  if (along != last) {
    tasks[last] = (target[last] + side - 1) / side;
  }
}

bool SlidingFold::isWorthwhile() {
  // A few elements go side by side, if there is nothing to choose in a row.
  const bool isPadded = window.low > 0 || window.high > 0;
  const int64_t shortest = isPadded && along == last ? 3 : 8;
  constexpr int64_t fewest = 8;
  bool isWide = !isNarrow(type) && !isComplex(type) && bitWidth(type) >= 8 &&
                type != ElementType::Pred;
  return along >= 0 && window.size <= mostElements && fold != Fold::Other &&
         isWide && type == elementTypeOf(op.getInputs().front().getType()) &&
         window.size >= shortest && target[along] >= window.size / 4 &&
         target[along] >= fewest &&
         (length + window.size) * side <= mostElements;
}

void SlidingFold::pass(llvm::Value *to, llvm::Value *from, int64_t shift,
                       int64_t count, bool folds) {
  e.loop(e.constant(0), e.constant(count * side), [&](llvm::Value *i) {
    llvm::IRBuilder<> &b = e.builder();
    llvm::Value *x = b.CreateLoad(
        memory, slot(from, b.CreateNSWAdd(i, e.constant(shift * side))));
    llvm::Value *place = slot(to, i);
    if (folds) {
      x = foldValues(e, fold, type, b.CreateLoad(memory, place), x, false);
    }
    b.CreateStore(x, place);
  });
}

/// The elements that the windows of a piece see, neutral ones outside.
void SlidingFold::fillPiece(const Index &at, llvm::Value *first,
                            llvm::Value *columns) {
  llvm::IRBuilder<> &b = e.builder();
  int64_t count = length + window.size - 1;
  llvm::Value *start = b.CreateNSWSub(first, e.constant(window.low));
  auto bound = [&](int64_t place) {
    llvm::Value *i = b.CreateNSWSub(e.constant(place), start);
    i = b.CreateBinaryIntrinsic(llvm::Intrinsic::smax, i, e.constant(0));
    return b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, i, e.constant(count));
  };
  llvm::Value *low = bound(0), *high = bound(shape[along]);
  auto over = [&](llvm::Value *from, llvm::Value *to, bool exists) {
    e.loop(from, to, [&](llvm::Value *i) {
      e.loop(e.constant(0), columns, [&](llvm::Value *c) {
        llvm::IRBuilder<> &b = e.builder();
        llvm::Value *x = neutralOf(e, fold, type);
        if (exists) {
          Index source = at;
          source.dims[along] = b.CreateNSWAdd(start, i);
          if (along != last) {
            source.dims[last] = b.CreateNSWAdd(at.dims[last], c);
          }
          x = e.emitElement(op.getInputs().front(), source).real;
        }
        llvm::Value *place =
            b.CreateNSWAdd(b.CreateNSWMul(i, e.constant(side)), c);
        b.CreateStore(x, slot(part, place));
      });
    });
  };
  over(e.constant(0), low, false);
  over(low, high, true);
  over(high, e.constant(count), false);
}

void SlidingFold::foldPiece() {
  int64_t done = 0;
  for (int64_t size = 1; size <= window.size; size *= 2) {
    if (size > 1) {
      pass(part, part, size / 2, length + window.size - size, true);
    }
    if (window.size & size) {
      pass(sums, part, done, length, done > 0);
      done += size;
    }
  }
}

void SlidingFold::emitPiece(llvm::Value *task, const Place &place) {
  llvm::IRBuilder<> &b = e.builder();
  Index flat, at;
  flat.linear = task;
  at.dims = e.dimsOf(flat, tasks);
  llvm::Value *first = b.CreateNSWMul(at.dims[along], e.constant(length));
  auto left = [&](int64_t d, llvm::Value *from, int64_t most) {
    return b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, e.constant(most),
                                   b.CreateNSWSub(e.constant(target[d]), from));
  };
  llvm::Value *columns = e.constant(1);
  if (along != last) {
    at.dims[last] = b.CreateNSWMul(at.dims[last], e.constant(side));
    columns = left(last, at.dims[last], side);
  }
  fillPiece(at, first, columns);
  foldPiece();
  Element start = e.scalar(op.getInitValues().front());
  e.loop(e.constant(0), left(along, first, length), [&](llvm::Value *i) {
    e.loop(e.constant(0), columns, [&](llvm::Value *c) {
      llvm::IRBuilder<> &b = e.builder();
      Index to = at;
      to.dims[along] = b.CreateNSWAdd(first, i);
      if (along != last) {
        to.dims[last] = b.CreateNSWAdd(at.dims[last], c);
      }
      llvm::Value *from =
          b.CreateNSWAdd(b.CreateNSWMul(i, e.constant(side)), c);
      llvm::Value *x = b.CreateLoad(memory, slot(sums, from));
      e.store(type, place, e.linearOf(to, target),
              {foldValues(e, fold, type, start.real, x, false)});
    });
  });
}

void SlidingFold::emit(const Place &place) {
  int64_t count = 1;
  for (int64_t size : tasks) {
    count *= size;
  }
  double passes = 2 * std::log2(static_cast<double>(window.size));
  e.parallel(count, passes * static_cast<double>(length * side) / 4,
             [&](llvm::Value *begin, llvm::Value *end) {
               auto *array =
                   llvm::ArrayType::get(memory, (length + window.size) * side);
               part = e.frameSlot(array);
               sums = e.frameSlot(array);
               e.loop(begin, end,
                      [&](llvm::Value *task) { emitPiece(task, place); });
             });
}

bool emitSlidingFold(Emitter &e, ReduceWindowOp op, const Windows &windows,
                     const Place &place) {
  SlidingFold sliding(e, op, windows);
  if (!sliding.isWorthwhile()) {
    return false;
  }
  sliding.emit(place);
  return true;
}

} // namespace xla::cpu
