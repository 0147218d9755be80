//===- SlidingFold.cpp - Long windows along one dimension -----------------===//

#include "xla/codegen/cpu/TargetDescription.h"
#include "xla/codegen/cpu/lower/reduce/Folds.h"
#include "xla/codegen/cpu/lower/window/Window.h"

#include <cmath>
#include <numeric>

namespace xla::cpu {

using namespace stablehlo;

namespace {

/// Windows of one dimension. Where they are moved by more than one element,
/// blocks of elements that every window has whole or not at all are folded
/// first, and are the elements of what follows. From the folds of all windows
/// of 1, 2, 4, ... elements, each made of two of those before, a window of any
/// size is put together: a number of passes over a piece of the row that grows
/// with the logarithm of the window. Along another dimension than the last a
/// few columns go side by side.
struct SlidingPlan {
  SlidingPlan(ReduceWindowOp op, const Windows &windows);
  bool isWorthwhile() const;
  Kernel choose() const;
  /// Whether a piece has room for a window and the way to the next.
  bool fits() const {
    return window.size > 0 && window.size <= mostElements &&
           window.stride <= mostElements;
  }

  static constexpr int64_t mostElements =
      cpuTarget.secondCache / 32; ///< of a piece

  ReduceWindowOp op;
  llvm::ArrayRef<int64_t> shape, target;
  ElementType type;
  Fold fold;
  int64_t along = -1, last;
  WindowDim window;
  int64_t block = 1;  ///< elements that are folded first
  int64_t size = 1;   ///< blocks of a window
  int64_t step = 1;   ///< blocks between windows
  int64_t side = 1;   ///< columns
  int64_t length = 0; ///< windows of a piece, of all at each block
  llvm::SmallVector<int64_t> tasks;
};

/// The code of one.
class SlidingFold : SlidingPlan {
public:
  SlidingFold(Emitter &e, ReduceWindowOp op, const Windows &windows,
              const Kernel &kernel)
      : SlidingPlan(op, windows), e(e), kernel(kernel),
        memory(registerType(type, e.context())) {}
  void emit(const BufferSlice &slice);

private:
  void emitPiece(llvm::Value *task, const BufferSlice &slice);
  void fillPiece(const Index &at, llvm::Value *first, llvm::Value *columns);
  void fillBlocks(const Index &at, llvm::Value *start, llvm::Value *columns,
                  llvm::Value *from, llvm::Value *to, bool isWhole);
  llvm::Value *foldBlock(const Index &first, bool isWhole);
  void foldPiece();
  llvm::Value *slot(llvm::Value *array, llvm::Value *i) {
    return e.builder().CreateInBoundsGEP(memory, array, i);
  }
  /// to[i] = from[i + shift], or that folded with to[i].
  void pass(llvm::Value *to, llvm::Value *from, int64_t shift, int64_t count,
            bool folds);

  Emitter &e;
  const Kernel &kernel;
  llvm::Type *memory;
  llvm::Value *parts = nullptr, *sums = nullptr;
};

} // namespace

SlidingPlan::SlidingPlan(ReduceWindowOp op, const Windows &windows)
    : op(op), shape(shapeOf(op.getInputs().front())),
      target(shapeOf(op.getResult(0))),
      type(elementTypeOf(op.getResult(0).getType())),
      fold(op.getInputs().size() == 1 ? recognizeFold(op.getBody(), type)
                                      : Fold::Other),
      last(static_cast<int64_t>(shape.size()) - 1), tasks(target) {
  for (auto [d, w] : llvm::enumerate(windows)) {
    if (w.isNothing()) {
      continue;
    }
    bool isPlain = w.dilation == 1 && w.base == 1;
    if (!isPlain || along >= 0) {
      fold = Fold::Other;
    }
    along = static_cast<int64_t>(d);
    window = w;
  }
  if (along < 0 || !fits()) {
    return;
  }
  block = std::gcd(window.size, window.stride);
  size = window.size / block;
  step = window.stride / block;
  side = along == last ? 1 : std::min<int64_t>(16, shape[last]);
  length = std::min(target[along] * step,
                    std::max(cpuTarget.halfFirstCache() / 8 / side, 4 * size));
  length = (length + step - 1) / step * step;
  const int64_t each = std::max<int64_t>(length / step, 1);
  tasks[along] = (target[along] + each - 1) / each;
  if (along != last) {
    tasks[last] = (target[last] + side - 1) / side;
  }
}

bool SlidingPlan::isWorthwhile() const {
  constexpr int64_t fewest = 8;
  bool isWide = !isNarrow(type) && !isComplex(type) && bitWidth(type) >= 8 &&
                type != ElementType::Pred;
  if (along < 0 || fold == Fold::Other || !isWide || !fits() ||
      type != elementTypeOf(op->getOperand(0).getType()) ||
      target[along] < size / 4 || target[along] < fewest ||
      (length + size) * side > mostElements) {
    return false;
  }
  if (window.stride == 1) {
    // A few elements go side by side, if there is nothing to choose in a row.
    const bool isPadded = window.low > 0 || window.high > 0;
    return window.size >= (isPadded && along == last ? 3 : 8);
  }
  // For each window: elements folded into blocks, and passes over these.
  const double passes = 2 + 1.5 * std::log2(static_cast<double>(size));
  const double work =
      static_cast<double>(window.stride) + passes * static_cast<double>(step);
  return 2 * work <= static_cast<double>(window.size);
}

void SlidingFold::pass(llvm::Value *to, llvm::Value *from, int64_t shift,
                       int64_t count, bool folds) {
  e.loop(e.constant(0), e.constant(count * side), [&](llvm::Value *i) {
    llvm::IRBuilder<> &b = e.builder();
    llvm::Value *x = b.CreateLoad(
        memory, slot(from, b.CreateNSWAdd(i, e.constant(shift * side))));
    llvm::Value *address = slot(to, i);
    if (folds) {
      x = foldValues(e, fold, type, b.CreateLoad(memory, address), x, false);
    }
    b.CreateStore(x, address);
  });
}

/// The fold of a block, from its first element on; of what is in the operand
/// alone, unless it does whole.
llvm::Value *SlidingFold::foldBlock(const Index &first, bool isWhole) {
  constexpr int64_t mostInLine = 16;
  auto add = [&](llvm::Value *sum, llvm::Value *offset) {
    llvm::IRBuilder<> &b = e.builder();
    Index source = first;
    llvm::Value *inside = b.getTrue(), *neutral = neutralOf(e, fold, type);
    llvm::Value *at = b.CreateNSWAdd(first.dims[along], offset);
    source.dims[along] =
        isWhole ? at
                : forceInto(e, at, {-1, shape[along]}, shape[along], inside);
    llvm::Value *x = e.emitElement(op.getInputs().front(), source).real;
    x = b.CreateSelect(inside, x, neutral);
    return sum ? foldValues(e, fold, type, sum, x, true) : x;
  };
  llvm::Value *sum = add(nullptr, e.constant(0));
  if (isWhole && block <= mostInLine) {
    for (int64_t i = 1; i < block; ++i) {
      sum = add(sum, e.constant(i));
    }
    return sum;
  }
  return e.loop(e.constant(1), e.constant(block), sum,
                [&](llvm::Value *i, llvm::ArrayRef<llvm::Value *> sums) {
                  return llvm::SmallVector<llvm::Value *>{add(sums[0], i)};
                })[0];
}

void SlidingFold::fillBlocks(const Index &at, llvm::Value *start,
                             llvm::Value *columns, llvm::Value *from,
                             llvm::Value *to, bool isWhole) {
  e.loop(from, to, [&](llvm::Value *i) {
    e.loop(e.constant(0), columns, [&](llvm::Value *c) {
      llvm::IRBuilder<> &b = e.builder();
      llvm::Value *x = neutralOf(e, fold, type);
      if (isWhole || block > 1) {
        Index first = at;
        first.dims[along] =
            b.CreateNSWAdd(start, b.CreateNSWMul(i, e.constant(block)));
        if (along != last) {
          first.dims[last] = b.CreateNSWAdd(at.dims[last], c);
        }
        x = foldBlock(first, isWhole);
      }
      llvm::Value *position =
          b.CreateNSWAdd(b.CreateNSWMul(i, e.constant(side)), c);
      b.CreateStore(x, slot(parts, position));
    });
  });
}

/// The blocks that the windows of a piece see, neutral ones outside.
void SlidingFold::fillPiece(const Index &at, llvm::Value *first,
                            llvm::Value *columns) {
  llvm::IRBuilder<> &b = e.builder();
  int64_t count = length + size - 1;
  // Blocks are counted from where the first window begins.
  const int64_t low = window.low, room = shape[along] + low;
  const int64_t firstWhole = low > 0 ? (low - 1) / block + 1 : 0;
  const int64_t wholeEnd = room > 0 ? room / block : 0;
  auto bound = [&](int64_t position) {
    llvm::Value *i = b.CreateNSWSub(e.constant(position), first);
    i = b.CreateBinaryIntrinsic(llvm::Intrinsic::smax, i, e.constant(0));
    return b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, i, e.constant(count));
  };
  llvm::Value *begin = bound(firstWhole);
  llvm::Value *end = bound(std::max(firstWhole, wholeEnd));
  llvm::Value *start =
      b.CreateNSWSub(b.CreateNSWMul(first, e.constant(block)), e.constant(low));
  fillBlocks(at, start, columns, e.constant(0), begin, false);
  fillBlocks(at, start, columns, begin, end, true);
  fillBlocks(at, start, columns, end, e.constant(count), false);
}

void SlidingFold::foldPiece() {
  int64_t done = 0;
  for (int64_t part = 1; part <= size; part *= 2) {
    if (part > 1) {
      pass(parts, parts, part / 2, length + size - part, true);
    }
    if (size & part) {
      pass(sums, parts, done, length, done > 0);
      done += part;
    }
  }
}

void SlidingFold::emitPiece(llvm::Value *task, const BufferSlice &slice) {
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
  llvm::Value *window =
      b.CreateNSWMul(at.dims[along], e.constant(length / step));
  e.loop(e.constant(0), left(along, window, length / step),
         [&](llvm::Value *i) {
           e.loop(e.constant(0), columns, [&](llvm::Value *c) {
             llvm::IRBuilder<> &b = e.builder();
             Index to = at;
             to.dims[along] = b.CreateNSWAdd(window, i);
             if (along != last) {
               to.dims[last] = b.CreateNSWAdd(at.dims[last], c);
             }
             llvm::Value *from =
                 b.CreateNSWAdd(b.CreateNSWMul(i, e.constant(step * side)), c);
             llvm::Value *x = b.CreateLoad(memory, slot(sums, from));
             e.store(type, slice, e.linearOf(to, target),
                     {foldValues(e, fold, type, start.real, x, false)});
           });
         });
}

Kernel SlidingPlan::choose() const {
  int64_t count = 1;
  for (int64_t size : tasks) {
    count *= size;
  }
  double passes =
      static_cast<double>(block) + 2 * std::log2(static_cast<double>(size));
  Kernel kernel = {Strategy::SlidingFold};
  kernel.sizes = {{"along", along}, {"side", side}, {"length", length}};
  kernel.loops =
      planTasks(count, passes * static_cast<double>(length * side) / 4);
  return kernel;
}

void SlidingFold::emit(const BufferSlice &slice) {
  e.parallel(kernel.loops, [&](llvm::Value *begin, llvm::Value *end) {
    auto *array = llvm::ArrayType::get(memory, (length + size) * side);
    parts = e.frameSlot(array);
    sums = e.frameSlot(array);
    e.loop(begin, end, [&](llvm::Value *task) { emitPiece(task, slice); });
  });
}

std::optional<Kernel> chooseSlidingFold(ReduceWindowOp op,
                                        const Windows &windows) {
  SlidingPlan plan(op, windows);
  return plan.isWorthwhile() ? std::optional(plan.choose()) : std::nullopt;
}

void emitSlidingFold(Emitter &e, ReduceWindowOp op, const Windows &windows,
                     const Kernel &kernel) {
  SlidingFold(e, op, windows, kernel).emit(e.buffers.sliceOf(op.getResult(0)));
}

} // namespace xla::cpu
