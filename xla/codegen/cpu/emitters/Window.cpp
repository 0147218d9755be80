//===- Window.cpp - reduce_window and select_and_scatter ------------------===//

#include "xla/codegen/cpu/emitters/Reduce.h"
#include "xla/dialect/stablehlo/StablehloOps.h"

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
overWindow(Emitter &e, llvm::ArrayRef<int64_t> sizes,
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
  if (count <= 16) {
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
      values = overWindow(
          *this, sizes, values,
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
      e, sizes, carried,
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
  constexpr int64_t mostTogether = 16;
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
