//===- Window.cpp - Windows, and reduce_window ----------------------------===//

#include "xla/codegen/cpu/lower/window/Window.h"

#include "xla/codegen/cpu/Choose.h"
#include "xla/codegen/cpu/TargetDescription.h"
#include "xla/codegen/cpu/lower/Steps.h"
#include "xla/codegen/cpu/lower/reduce/Folds.h"

#include <cmath>
#include <utility>

namespace xla::cpu {

using namespace stablehlo;
using mlir::Operation;
using mlir::Value;

//===----------------------------------------------------------------------===//
// Windows
//===----------------------------------------------------------------------===//

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

Windows windowsOf(ReduceWindowOp op) {
  Windows windows(op.getWindowDimensions().size());
  fill(windows, op.getWindowDimensions(), &WindowDim::size);
  fill(windows, op.getWindowStrides(), &WindowDim::stride);
  fill(windows, op.getBaseDilations(), &WindowDim::base);
  fill(windows, op.getWindowDilations(), &WindowDim::dilation);
  fillPadding(windows, op.getPadding());
  return windows;
}

Windows windowsOf(SelectAndScatterOp op) {
  Windows windows(shapeOf(op.getOperand()).size());
  fill(windows, op.getWindowDimensions(), &WindowDim::size);
  fill(windows, op.getWindowStrides(), &WindowDim::stride);
  fillPadding(windows, op.getPadding());
  return windows;
}

llvm::SmallVector<int64_t> sizesOf(const Windows &windows) {
  llvm::SmallVector<int64_t> sizes;
  for (const WindowDim &window : windows) {
    sizes.push_back(window.size);
  }
  return sizes;
}

llvm::Value *forceInto(Emitter &e, llvm::Value *position, Bounds bounds,
                       int64_t size, llvm::Value *&inside) {
  llvm::IRBuilder<> &b = e.builder();
  if (bounds.second < 0 || bounds.first >= size) {
    inside = b.getFalse();
    return e.constant(0);
  }
  bool isLow = bounds.first < 0, isHigh = bounds.second >= size;
  llvm::Value *most = e.constant(size - 1);
  if (isLow && isHigh) {
    // Unsigned: a negative position is a large one.
    inside = b.CreateAnd(inside, b.CreateICmpULE(position, most));
  } else if (isLow) {
    inside = b.CreateAnd(inside, b.CreateICmpSGE(position, e.constant(0)));
  } else if (isHigh) {
    inside = b.CreateAnd(inside, b.CreateICmpSLE(position, most));
  }
  if (isLow) {
    position =
        b.CreateBinaryIntrinsic(llvm::Intrinsic::smax, position, e.constant(0));
  }
  return isHigh ? b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, position, most)
                : position;
}

WindowView::WindowView(const Windows &windows, llvm::ArrayRef<int64_t> shape,
                       llvm::ArrayRef<int64_t> counts)
    : windows(windows), shape(shape), counts(counts) {
  for (int64_t count : counts) {
    ranges.emplace_back(0, count - 1);
  }
}

Index windowIndex(Emitter &e, llvm::ArrayRef<llvm::Value *> at,
                  llvm::ArrayRef<llvm::Value *> offset, const WindowView &view,
                  llvm::Value *&inside) {
  llvm::IRBuilder<> &b = e.builder();
  Index index;
  inside = b.getTrue();
  for (auto [d, w] : llvm::enumerate(view.windows)) {
    Bounds range = e.extentOf(at[d]).value_or(view.ranges[d]);
    Bounds offsets = e.extentOf(offset[d]).value_or(Bounds(0, w.size - 1));
    Bounds bounds = {
        range.first * w.stride + offsets.first * w.dilation - w.low,
        range.second * w.stride + offsets.second * w.dilation - w.low};
    llvm::Value *position =
        b.CreateNSWAdd(b.CreateNSWMul(at[d], e.constant(w.stride)),
                       b.CreateNSWMul(offset[d], e.constant(w.dilation)));
    position = b.CreateNSWSub(position, e.constant(w.low));
    if (w.base > 1) {
      llvm::Value *rest = b.CreateSRem(position, e.constant(w.base));
      // The quotient of -1 is 0, so the sign is looked at before it is lost.
      inside = b.CreateAnd(inside, b.CreateICmpEQ(rest, e.constant(0)));
      inside = b.CreateAnd(inside, b.CreateICmpSGE(position, e.constant(0)));
      position = b.CreateSDiv(position, e.constant(w.base));
      bounds = {bounds.first / w.base, bounds.second / w.base};
    }
    index.dims.push_back(forceInto(e, position, bounds, view.shape[d], inside));
  }
  return index;
}

llvm::SmallVector<llvm::Value *>
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

size_t innermostOf(llvm::ArrayRef<int64_t> shape) {
  for (size_t d = shape.size(); d-- > 0;) {
    if (shape[d] > 1) {
      return d;
    }
  }
  return 0;
}

/// for (i = begin; i < end; ++i), by pieces of whole vectors; the last of them
/// begins early enough to end at the end.
static void loopByVectors(Emitter &e, int64_t begin, int64_t end,
                          Emitter::Body body) {
  const int64_t count = end - begin;
  const int64_t lanes = count >= 256  ? 64
                        : count >= 64 ? 16
                        : count >= 8  ? 8
                        : count >= 4  ? 4
                                      : 1;
  const int64_t pieces = (count + lanes - 1) / lanes;
  if (lanes == 1 || count % lanes == 0) {
    e.loop(e.constant(begin), e.constant(end), body);
    return;
  }
  e.loop(e.constant(0), e.constant(pieces), [&](llvm::Value *piece) {
    llvm::IRBuilder<> &b = e.builder();
    llvm::Value *start = b.CreateBinaryIntrinsic(
        llvm::Intrinsic::smin, e.constant(end - lanes),
        b.CreateNSWAdd(e.constant(begin),
                       b.CreateNSWMul(piece, e.constant(lanes))));
    e.loop(e.constant(0), e.constant(lanes), [&](llvm::Value *lane) {
      body(e.builder().CreateNSWAdd(start, lane));
    });
  });
}

LoopPlan planLanes(llvm::ArrayRef<int64_t> shape, double cost,
                   llvm::ArrayRef<int64_t> breaks, bool isDense) {
  // Long lines, if they are few, are cut for the threads.
  constexpr int64_t block = cpuTarget.blockOfRow, fewLines = 16;
  LoopPlan plan;
  plan.order = isDense ? LoopOrder::Lanes : LoopOrder::Lines;
  plan.shape.assign(shape.begin(), shape.end());
  plan.breaks.assign(breaks.begin(), breaks.end());
  int64_t length = shape.empty() ? 1 : shape[innermostOf(shape)];
  int64_t lines = length ? plan.elements() / length : 0;
  if (lines >= fewLines || length <= block) {
    plan.grain = grainOf(lines, cost * static_cast<double>(length));
    return plan;
  }
  plan.block = lines == 1 ? 1 : block;
  double costOfTask = cost * static_cast<double>(plan.block);
  plan.fewestTasks = std::ceil(cpuTarget.worthSharing / costOfTask);
  plan.grain = grainOf(std::max<int64_t>(2, plan.fewestTasks), costOfTask);
  return plan;
}

void nestOfLanes(Emitter &e, const LoopPlan &loops,
                 llvm::function_ref<void(const Index &, Bounds)> body) {
  llvm::ArrayRef<int64_t> shape = loops.shape;
  if (shape.empty()) {
    body({}, {0, 0});
    return;
  }
  const size_t along = innermostOf(shape);
  llvm::SmallVector<int64_t> outer(shape);
  const int64_t length = std::exchange(outer[along], 1);
  int64_t rows = 1;
  for (int64_t size : outer) {
    rows *= size;
  }
  llvm::SmallVector<Bounds> segments;
  int64_t begin = 0;
  for (int64_t end : loops.breaks) {
    segments.emplace_back(begin, end - 1);
    begin = end;
  }
  segments.emplace_back(begin, length - 1);
  auto visit = [&](llvm::Value *row, Bounds bounds, llvm::Value *i) {
    Index flat, index;
    flat.linear = row;
    index.dims = e.dimsOf(flat, outer);
    index.dims[along] = i;
    body(index, bounds);
  };
  if (loops.block == 0) {
    auto emitLine = [&](llvm::Value *row) {
      for (Bounds bounds : segments) {
        auto one = [&](llvm::Value *i) { visit(row, bounds, i); };
        if (loops.order == LoopOrder::Lanes) {
          loopByVectors(e, bounds.first, bounds.second + 1, one);
        } else {
          e.loop(e.constant(bounds.first), e.constant(bounds.second + 1), one);
        }
      }
    };
    e.parallel(rows, loops.grain, [&](llvm::Value *first, llvm::Value *last) {
      e.loop(first, last, emitLine);
    });
    return;
  }
  auto share = [&](int64_t tasks, Emitter::RangeBody body) {
    e.parallel(tasks, tasks >= loops.fewestTasks ? loops.grain : 0, body);
  };
  for (Bounds bounds : segments) {
    const int64_t count = bounds.second - bounds.first + 1;
    if (rows == 1) {
      auto one = [&](llvm::Value *i) { visit(e.constant(0), bounds, i); };
      share(count, [&](llvm::Value *first, llvm::Value *last) {
        llvm::IRBuilder<> &b = e.builder();
        llvm::Value *shift = e.constant(bounds.first);
        e.loop(b.CreateNSWAdd(first, shift), b.CreateNSWAdd(last, shift), one);
      });
      continue;
    }
    const int64_t block = loops.block, blocks = (count - 1) / block + 1;
    auto task = [&](llvm::Value *number) {
      llvm::IRBuilder<> &b = e.builder();
      llvm::Value *first = b.CreateNSWMul(
          b.CreateURem(number, e.constant(blocks)), e.constant(block));
      first = b.CreateNSWAdd(first, e.constant(bounds.first));
      llvm::Value *last = b.CreateBinaryIntrinsic(
          llvm::Intrinsic::smin, e.constant(bounds.second + 1),
          b.CreateNSWAdd(first, e.constant(block)));
      llvm::Value *row = b.CreateUDiv(number, e.constant(blocks));
      e.loop(first, last, [&](llvm::Value *i) { visit(row, bounds, i); });
    };
    share(rows * blocks, [&](llvm::Value *first, llvm::Value *last) {
      e.loop(first, last, task);
    });
  }
}

LoopPlan planWindows(const WindowView &view, double cost) {
  if (view.counts.empty()) {
    return planLanes({}, cost, {}, true);
  }
  constexpr int64_t fewest = 8; // that are worth a loop of their own
  const size_t d = innermostOf(view.counts);
  const WindowDim &w = view.windows[d];
  int64_t count = view.counts[d];
  int64_t room = view.shape[d] - 1 + w.low - (w.size - 1) * w.dilation;
  int64_t first = w.low > 0 ? (w.low - 1) / w.stride + 1 : 0;
  int64_t end = room < 0 ? 0 : std::min(count, room / w.stride + 1);
  bool isDense = w.stride == 1 && w.base == 1;
  llvm::SmallVector<int64_t> breaks;
  if (isDense && end - first >= fewest) {
    llvm::copy_if(llvm::ArrayRef({first, end}), std::back_inserter(breaks),
                  [&](int64_t at) { return at > 0 && at < count; });
  }
  return planLanes(view.counts, cost, breaks, isDense);
}

void overWindows(
    Emitter &e, const WindowView &view, const LoopPlan &loops,
    llvm::function_ref<void(const Index &, const WindowView &)> body) {
  nestOfLanes(e, loops, [&](const Index &at, Bounds bounds) {
    WindowView known = view;
    if (!known.ranges.empty()) {
      known.ranges[innermostOf(view.counts)] = bounds;
    }
    body(at, known);
  });
}

llvm::SmallVector<llvm::Value *> choose(Emitter &e, llvm::Value *condition,
                                        llvm::ArrayRef<llvm::Value *> yes,
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
    if (w.isNothing()) {
      continue;
    }
    bool plain = w.stride == 1 && w.dilation == 1 && w.base == 1;
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

Kernel chooseWindow(ReduceWindowOp op, const FusionPlan &fusion,
                    const RowGroups &rows) {
  if (elementCountOf(op.getResult(0)) == 0) {
    return {};
  }
  llvm::ArrayRef<int64_t> shape = shapeOf(op.getInputs().front());
  Windows windows = windowsOf(op);
  bool reversed = false, empty = elementCountOf(op.getInputs().front()) == 0;
  int64_t scanned = scannedDimension(windows, shape, reversed);
  if (scanned >= 0 && !empty) {
    return chooseScan(op, scanned, reversed, fusion, siteOf(op, rows));
  }
  if (!empty) {
    if (auto sliding = chooseSlidingFold(op, windows)) {
      return *sliding;
    }
  }
  double cost = 4;
  for (int64_t size : sizesOf(windows)) {
    cost *= static_cast<double>(size);
  }
  Kernel kernel = {Strategy::EachWindow};
  kernel.loops =
      planWindows(WindowView(windows, shape, shapeOf(op.getResult(0))), cost);
  return kernel;
}

void emitReduceWindow(Emitter &e, Operation *operation) {
  auto op = llvm::cast<ReduceWindowOp>(operation);
  llvm::ArrayRef<int64_t> shape = shapeOf(op.getInputs().front());
  llvm::ArrayRef<int64_t> target = shapeOf(op.getResult(0));
  Windows windows = windowsOf(op);
  llvm::SmallVector<BufferSlice> slices;
  for (Value result : op.getResults()) {
    slices.push_back(e.buffers.sliceOf(result));
  }
  Kernel kernel = kernelOf(op);
  Emitter::Writes written(e, slices);
  switch (kernel.strategy) {
  case Strategy::Nothing:
    return;
  case Strategy::Scan:
  case Strategy::ScanLines:
    emitScan(e, op, kernel);
    return;
  case Strategy::SlidingFold:
    emitSlidingFold(e, op, windows, kernel);
    return;
  default:
    break;
  }
  bool empty = elementCountOf(op.getInputs().front()) == 0;
  mlir::TypeRange types = op.getResultTypes();
  llvm::SmallVector<int64_t> sizes = sizesOf(windows);
  overWindows(
      e, WindowView(windows, shape, target), kernel.loops,
      [&](const Index &index, const WindowView &view) {
        llvm::SmallVector<Element> start;
        for (Value value : op.getInitValues()) {
          start.push_back(e.scalar(value));
        }
        auto values = flatten(start);
        if (!empty) {
          constexpr int64_t mostInLine = 64;
          values = overWindow(
              e, sizes, mostInLine, values,
              [&](llvm::ArrayRef<llvm::Value *> offset,
                  llvm::ArrayRef<llvm::Value *> carried) {
                llvm::Value *inside;
                Index source = windowIndex(e, index.dims, offset, view, inside);
                llvm::SmallVector<Element> arguments =
                    unflatten(carried, types);
                for (Value input : op.getInputs()) {
                  arguments.push_back(e.emitElement(input, source));
                }
                auto next = e.emitScalarRegion(op.getBody(), arguments);
                return choose(e, inside, flatten(next), carried);
              });
        }
        llvm::Value *linear = e.linearOf(index, target);
        for (auto [n, element] : llvm::enumerate(unflatten(values, types))) {
          e.store(elementTypeOf(types[n]), slices[n], linear, element);
        }
      });
}

} // namespace xla::cpu
