//===- Window.cpp - reduce_window and select_and_scatter ------------------===//

#include "xla/codegen/cpu/emitters/Reduce.h"
#include "xla/dialect/stablehlo/StablehloOps.h"

#include <cmath>

namespace xla::cpu {

using namespace stablehlo;
using mlir::Operation;
using mlir::Value;

namespace {

struct WindowDim {
  int64_t size = 1, stride = 1, low = 0, high = 0, dilation = 1, base = 1;
};

using Windows = llvm::SmallVector<WindowDim>;

} // namespace

static void fill(Windows &windows,
                 std::optional<llvm::ArrayRef<int64_t>> values,
                 int64_t WindowDim::*field) {
  if (values) {
    for (auto [window, value] : llvm::zip_equal(windows, *values)) {
      window.*field = value;
    }
  }
}

static void fillPadding(Windows &windows,
                        std::optional<mlir::DenseIntElementsAttr> padding) {
  if (!padding) {
    return;
  }
  llvm::SmallVector<int64_t> values;
  for (const llvm::APInt &value : padding->getValues<llvm::APInt>()) {
    values.push_back(value.getSExtValue());
  }
  for (auto [d, window] : llvm::enumerate(windows)) {
    window.low = values[2 * d];
    window.high = values[2 * d + 1];
  }
}

/// Where window element `offset` of the window at `at` lies in the operand, and
/// in `inside` whether it does at all: padding and holes hold nothing.
static Index windowIndex(Emitter &e, llvm::ArrayRef<llvm::Value *> at,
                         llvm::ArrayRef<llvm::Value *> offset,
                         const Windows &windows, llvm::ArrayRef<int64_t> shape,
                         llvm::Value *&inside) {
  llvm::IRBuilder<> &b = e.builder();
  Index index;
  inside = b.getTrue();
  for (size_t d = 0; d < windows.size(); ++d) {
    const WindowDim &w = windows[d];
    llvm::Value *position = b.CreateNSWMul(at[d], e.constant(w.stride));
    position = b.CreateNSWAdd(
        position, b.CreateNSWMul(offset[d], e.constant(w.dilation)));
    position = b.CreateNSWSub(position, e.constant(w.low));
    if (w.base > 1) {
      inside = b.CreateAnd(
          inside, b.CreateICmpEQ(b.CreateSRem(position, e.constant(w.base)),
                                 e.constant(0)));
      position = b.CreateSDiv(position, e.constant(w.base));
    }
    bool always = w.low <= 0 && w.high <= 0 && w.base == 1;
    if (!always) {
      // Unsigned: a negative position is a large one. With a base dilation the
      // quotient of -1 is 0, so the sign is looked at before it is lost.
      if (w.base > 1) {
        llvm::Value *unscaled =
            b.CreateNSWAdd(b.CreateNSWMul(at[d], e.constant(w.stride)),
                           b.CreateNSWMul(offset[d], e.constant(w.dilation)));
        inside =
            b.CreateAnd(inside, b.CreateICmpSGE(unscaled, e.constant(w.low)));
      }
      inside =
          b.CreateAnd(inside, b.CreateICmpULT(position, e.constant(shape[d])));
    }
    index.dims.push_back(position);
  }
  // Reading is safe at an index forced into the operand.
  for (size_t d = 0; d < windows.size(); ++d) {
    if (windows[d].low > 0 || windows[d].high > 0 || windows[d].base > 1) {
      index.dims[d] = b.CreateBinaryIntrinsic(
          llvm::Intrinsic::smin,
          b.CreateBinaryIntrinsic(llvm::Intrinsic::smax, index.dims[d],
                                  e.constant(0)),
          e.constant(shape[d] - 1));
    }
  }
  return index;
}

static llvm::SmallVector<int64_t> sizesOf(const Windows &windows) {
  llvm::SmallVector<int64_t> sizes;
  for (const WindowDim &window : windows) {
    sizes.push_back(window.size);
  }
  return sizes;
}

/// Visits the window's elements in row-major order, carrying values along:
/// side by side if they are few, else in a loop.
static llvm::SmallVector<llvm::Value *>
overWindow(Emitter &e, llvm::ArrayRef<int64_t> sizes, int64_t mostInLine,
           llvm::SmallVector<llvm::Value *> carried,
           llvm::function_ref<llvm::SmallVector<llvm::Value *>(
               llvm::ArrayRef<llvm::Value *>, llvm::ArrayRef<llvm::Value *>)>
               body) {
  int64_t count = 1;
  for (int64_t size : sizes) {
    count *= size;
  }
  auto at = [&](llvm::Value *i) {
    Index flat;
    flat.linear = i;
    return e.dimsOf(flat, sizes);
  };
  if (count <= mostInLine) {
    for (int64_t i = 0; i < count; ++i) {
      carried = body(at(e.constant(i)), carried);
    }
    return carried;
  }
  return e.loop(e.constant(0), e.constant(count), carried,
                [&](llvm::Value *i, llvm::ArrayRef<llvm::Value *> values) {
                  return body(at(i), values);
                });
}

static llvm::SmallVector<llvm::Value *>
choose(Emitter &e, llvm::Value *condition, llvm::ArrayRef<llvm::Value *> yes,
       llvm::ArrayRef<llvm::Value *> no) {
  llvm::SmallVector<llvm::Value *> values;
  for (auto [a, b] : llvm::zip_equal(yes, no)) {
    values.push_back(e.builder().CreateSelect(condition, a, b));
  }
  return values;
}

//===----------------------------------------------------------------------===//
// reduce_window
//===----------------------------------------------------------------------===//

/// The dimension along which every window reaches from one end of the operand
/// to the element at hand, as in cumulative sums; -1 if there is none.
static int64_t scannedDimension(const Windows &windows,
                                llvm::ArrayRef<int64_t> shape, bool &reversed) {
  int64_t found = -1;
  for (size_t d = 0; d < windows.size(); ++d) {
    const WindowDim &w = windows[d];
    bool plain = w.stride == 1 && w.dilation == 1 && w.base == 1;
    if (plain && w.size == 1 && w.low == 0 && w.high == 0) {
      continue;
    }
    bool forward = w.low == w.size - 1 && w.high == 0;
    bool backward = w.high == w.size - 1 && w.low == 0;
    if (!plain || w.size != shape[d] || found >= 0 || !(forward || backward)) {
      return -1;
    }
    found = static_cast<int64_t>(d);
    reversed = backward;
  }
  return found;
}

/// A running fold. Backward windows are folded from their far end, which is the
/// same for the associative bodies that reduce_window asks for.
static void emitScan(Emitter &e, ReduceWindowOp op, int64_t dimension,
                     bool reversed, llvm::ArrayRef<Place> places) {
  llvm::ArrayRef<int64_t> shape = shapeOf(op.getInputs().front());
  llvm::SmallVector<int64_t> others(shape);
  int64_t length = others[dimension];
  others[dimension] = 1;
  mlir::TypeRange types = op.getResultTypes();
  e.nest(others, true, 4.0 * static_cast<double>(length),
         [&](const Index &outer) {
           Index index;
           index.dims = e.dimsOf(outer, others);
           llvm::SmallVector<Element> start;
           for (Value value : op.getInitValues()) {
             start.push_back(e.scalar(value));
           }
           e.loop(e.constant(0), e.constant(length), flatten(start),
                  [&](llvm::Value *i, llvm::ArrayRef<llvm::Value *> carried) {
                    llvm::IRBuilder<> &b = e.builder();
                    index.dims[dimension] =
                        reversed ? b.CreateSub(e.constant(length - 1), i) : i;
                    llvm::SmallVector<Element> arguments =
                        unflatten(carried, types);
                    for (Value input : op.getInputs()) {
                      arguments.push_back(e.emitElement(input, index));
                    }
                    auto next = e.emitScalarRegion(op.getBody(), arguments);
                    llvm::Value *linear = e.linearOf(index, shape);
                    for (auto [n, type] : llvm::enumerate(types)) {
                      e.store(elementTypeOf(type), places[n], linear, next[n]);
                    }
                    return flatten(next);
                  });
         });
}

//===----------------------------------------------------------------------===//
// reduce_window along one dimension, of long windows
//===----------------------------------------------------------------------===//

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
    bool isPlain = w.stride == 1 && w.dilation == 1 && w.base == 1;
    bool isSingle = w.size == 1 && w.low == 0 && w.high == 0;
    if (isPlain && isSingle) {
      continue;
    }
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

void Emitter::emitReduceWindow(Operation *operation) {
  auto op = llvm::cast<ReduceWindowOp>(operation);
  llvm::ArrayRef<int64_t> shape = shapeOf(op.getInputs().front());
  llvm::ArrayRef<int64_t> target = shapeOf(op.getResult(0));
  Windows windows(shape.size());
  fill(windows, op.getWindowDimensions(), &WindowDim::size);
  fill(windows, op.getWindowStrides(), &WindowDim::stride);
  fill(windows, op.getBaseDilations(), &WindowDim::base);
  fill(windows, op.getWindowDilations(), &WindowDim::dilation);
  fillPadding(windows, op.getPadding());
  llvm::SmallVector<Place> places;
  for (Value result : op.getResults()) {
    places.push_back(buffers.placeOf(result));
  }
  bool reversed = false, empty = elementCountOf(op.getInputs().front()) == 0;
  int64_t scanned = scannedDimension(windows, shape, reversed);
  Writes written(*this, places);
  if (scanned >= 0 && !empty) {
    emitScan(*this, op, scanned, reversed, places);
    return;
  }
  if (!empty && elementCountOf(op.getResult(0)) > 0) {
    SlidingFold sliding(*this, op, windows);
    if (sliding.isWorthwhile()) {
      sliding.emit(places.front());
      return;
    }
  }
  mlir::TypeRange types = op.getResultTypes();
  llvm::SmallVector<int64_t> sizes = sizesOf(windows);
  double cost = 1;
  for (int64_t size : sizes) {
    cost *= static_cast<double>(size);
  }
  nest(target, false, 4 * cost, [&](const Index &index) {
    auto at = dimsOf(index, target);
    llvm::SmallVector<Element> start;
    for (Value value : op.getInitValues()) {
      start.push_back(scalar(value));
    }
    auto values = flatten(start);
    if (!empty) {
      constexpr int64_t mostInLine = 64;
      values = overWindow(
          *this, sizes, mostInLine, values,
          [&](llvm::ArrayRef<llvm::Value *> offset,
              llvm::ArrayRef<llvm::Value *> carried) {
            llvm::Value *inside;
            Index source =
                windowIndex(*this, at, offset, windows, shape, inside);
            llvm::SmallVector<Element> arguments = unflatten(carried, types);
            for (Value input : op.getInputs()) {
              arguments.push_back(emitElement(input, source));
            }
            auto next = emitScalarRegion(op.getBody(), arguments);
            return choose(*this, inside, flatten(next), carried);
          });
    }
    llvm::Value *linear = linearOf(index, target);
    for (auto [n, element] : llvm::enumerate(unflatten(values, types))) {
      store(elementTypeOf(types[n]), places[n], linear, element);
    }
  });
}

//===----------------------------------------------------------------------===//
// select_and_scatter
//===----------------------------------------------------------------------===//

namespace {

class Selecting {
public:
  static constexpr int64_t mostTogether = 16;

  Selecting(Emitter &e, SelectAndScatterOp op);
  void emit();

private:
  /// Whether a window has an element in the operand, and where the selected one
  /// lies, counted in the window and in the operand.
  struct Found {
    llvm::Value *any, *number, *linear;
  };
  Found find(const Index &window);
  void fillWithStart();
  void emitDisjoint();
  void emitAny();

  Emitter &e;
  SelectAndScatterOp op;
  llvm::ArrayRef<int64_t> shape, sourceShape;
  ElementType type;
  Place place;
  Windows windows;
  llvm::SmallVector<int64_t> sizes;
  int64_t count = 1; ///< of elements in a window
};

} // namespace

Selecting::Selecting(Emitter &e, SelectAndScatterOp op)
    : e(e), op(op), shape(shapeOf(op.getOperand())),
      sourceShape(shapeOf(op.getSource())),
      type(elementTypeOf(op.getResult().getType())),
      place(e.buffers.placeOf(op.getResult())), windows(shape.size()) {
  fill(windows, op.getWindowDimensions(), &WindowDim::size);
  fill(windows, op.getWindowStrides(), &WindowDim::stride);
  fillPadding(windows, op.getPadding());
  sizes = sizesOf(windows);
  for (int64_t size : sizes) {
    count *= size;
  }
}

Selecting::Found Selecting::find(const Index &window) {
  llvm::IRBuilder<> &b = e.builder();
  mlir::Type tensor = op.getOperand().getType();
  llvm::SmallVector<llvm::Value *> carried = {b.getFalse(), b.getInt32(0),
                                              e.constant(0)};
  llvm::append_range(carried, flatten(e.scalar(op.getInitValue())));
  auto found = overWindow(
      e, sizes, mostTogether, carried,
      [&](llvm::ArrayRef<llvm::Value *> offset,
          llvm::ArrayRef<llvm::Value *> best) {
        llvm::Value *inside;
        Index at = windowIndex(e, window.dims, offset, windows, shape, inside);
        Element candidate = e.emitElement(op.getOperand(), at);
        Element leader = unflatten(best.drop_front(3), tensor)[0];
        Element keep =
            e.emitScalarRegion(op.getSelect(), {leader, candidate}).front();
        llvm::Value *replace = b.CreateAnd(
            inside, b.CreateOr(b.CreateNot(best[0]), b.CreateNot(keep.real)));
        Index element;
        element.dims.assign(offset.begin(), offset.end());
        llvm::Value *number = e.linearOf(element, sizes);
        llvm::SmallVector<llvm::Value *> next = {
            b.getTrue(), b.CreateTrunc(number, b.getInt32Ty()),
            e.linearOf(at, shape)};
        llvm::append_range(next, flatten(candidate));
        return choose(e, replace, next, best);
      });
  return {found[0], found[1], found[2]};
}

void Selecting::fillWithStart() {
  e.nest(shape, true, 1, [&](const Index &index) {
    e.store(type, place, e.linearOf(index, shape), e.scalar(op.getInitValue()));
  });
}

/// No two windows meet: all elements of a window are written together, one of
/// them with the source. That needs no branch, so that lanes may be windows.
void Selecting::emitDisjoint() {
  bool covers = true;
  for (auto [d, window] : llvm::enumerate(windows)) {
    covers &= window.stride == window.size &&
              sourceShape[d] * window.size == shape[d];
  }
  if (!covers) {
    fillWithStart();
  }
  e.nest(sourceShape, false, 4.0 * static_cast<double>(count),
         [&](const Index &index) {
           llvm::IRBuilder<> &b = e.builder();
           Index window;
           window.dims = e.dimsOf(index, sourceShape);
           Found found = find(window);
           Element start = e.scalar(op.getInitValue());
           Element source = e.emitElement(op.getSource(), window);
           Element sum =
               e.emitScalarRegion(op.getScatter(), {start, source}).front();
           for (int64_t i = 0; i < count; ++i) {
             Index flat;
             flat.linear = e.constant(i);
             llvm::Value *inside;
             Index at = windowIndex(e, window.dims, e.dimsOf(flat, sizes),
                                    windows, shape, inside);
             auto value = choose(e, b.CreateICmpEQ(found.number, b.getInt32(i)),
                                 flatten(sum), flatten(start));
             e.store(type, place, e.linearOf(at, shape),
                     unflatten(value, op.getResult().getType())[0]);
           }
         });
}

/// Windows one after the other. Threads take indices of the first dimensions,
/// as far as windows do not meet along those.
void Selecting::emitAny() {
  fillWithStart();
  size_t shared = 0;
  int64_t tasks = 1, each = count;
  for (auto [d, size] : llvm::enumerate(sourceShape)) {
    bool meets = windows[d].stride < windows[d].size;
    if (!meets && shared == d) {
      tasks *= size;
      ++shared;
    } else {
      each *= size;
    }
  }
  auto scatter = [&](const Index &window) {
    Found found = find(window);
    e.when(found.any, [&] {
      Element source = e.emitElement(op.getSource(), window);
      Element before = e.load(type, place, found.linear);
      Element after =
          e.emitScalarRegion(op.getScatter(), {before, source}).front();
      e.store(type, place, found.linear, after);
    });
  };
  double cost = 4.0 * static_cast<double>(each);
  e.parallel(tasks, cost, [&](llvm::Value *begin, llvm::Value *end) {
    e.loop(begin, end, [&](llvm::Value *task) {
      Index outer;
      outer.linear = task;
      auto first = e.dimsOf(outer, sourceShape.take_front(shared));
      e.serialNest(sourceShape.drop_front(shared), [&](const Index &inner) {
        Index window;
        window.dims = first;
        llvm::append_range(window.dims, inner.dims);
        scatter(window);
      });
    });
  });
}

void Selecting::emit() {
  Emitter::Writes written(e, place);
  if (elementCountOf(op.getSource()) == 0 ||
      elementCountOf(op.getOperand()) == 0) {
    fillWithStart();
    return;
  }
  bool areDisjoint =
      count <= mostTogether && llvm::all_of(windows, [](const WindowDim &w) {
        return w.stride >= w.size && w.low == 0 && w.high == 0;
      });
  if (areDisjoint) {
    emitDisjoint();
  } else {
    emitAny();
  }
}

void Emitter::emitSelectAndScatter(Operation *operation) {
  Selecting(*this, llvm::cast<SelectAndScatterOp>(operation)).emit();
}

} // namespace xla::cpu
