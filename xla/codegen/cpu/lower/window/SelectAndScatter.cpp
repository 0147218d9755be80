//===- SelectAndScatter.cpp - Sources to what windows select --------------===//
//
// Three ways, by how windows overlap:
//
//   whole      no two meet: all elements of a window are written together
//   gathered   which of its elements each window selects is kept, in a byte;
//              then every element folds the sources of those windows that
//              selected it. Both are loops without a branch, whose lanes are
//              windows or elements
//   in order   windows have many elements: one follows the other
//
//===----------------------------------------------------------------------===//

#include "xla/codegen/cpu/Choose.h"
#include "xla/codegen/cpu/lower/Steps.h"
#include "xla/codegen/cpu/lower/reduce/Folds.h"
#include "xla/codegen/cpu/lower/window/Window.h"

namespace xla::cpu {

using namespace stablehlo;
using mlir::Operation;

namespace {

/// What is known of a select_and_scatter before anything is emitted.
struct Selection {
  explicit Selection(SelectAndScatterOp op);

  llvm::ArrayRef<int64_t> shape, counts; ///< of elements and of windows
  Windows windows;
  llvm::SmallVector<int64_t> sizes;
  Strategy strategy = Strategy::Nothing;
  LoopPlan loops() const;

private:
  int64_t gatheredPerRound() const;
};

/// A window that may have an element, along one dimension or several: its
/// index, the element's number in it, and whether it has it at all.
struct Meeting {
  llvm::SmallVector<llvm::Value *, 4> window;
  llvm::Value *number, *exists;
};

class Selecting {
public:
  Selecting(Emitter &e, SelectAndScatterOp op);
  void emit();

private:
  /// Whether a window has an element in the operand, and the number of the
  /// selected one in the window.
  struct Found {
    llvm::Value *any, *number;
  };
  Found find(const Index &window, const WindowView &view);
  void fillWithStart();
  void emitWhole();
  void emitInOrder();
  void keepNumbers();
  void gatherSources();
  /// From where the first window begins, along one dimension.
  struct Distance {
    llvm::Value *strides, *rest;
    Bounds bounds; ///< of the strides
  };
  struct Rounds {
    size_t dimension = 0;
    int64_t phases = 1; ///< elements of a round
    int64_t first = 0;  ///< strides of the first round
    int64_t count = 0;
    llvm::SmallVector<int64_t> breaks;
  };
  Distance distanceAlong(size_t d, llvm::Value *at);
  llvm::SmallVector<Meeting> meetingsAlong(size_t d, const Distance &from);
  Rounds roundsAlong(size_t d);
  void gatherRound(const Rounds &rounds, Index at, Bounds bounds);
  void gatherInto(const Index &at, llvm::ArrayRef<Distance> distances);

  Emitter &e;
  SelectAndScatterOp op;
  Kernel kernel;
  Selection selection;
  const Windows &windows;
  llvm::ArrayRef<int64_t> shape, counts;
  ElementType type;
  BufferSlice slice, numbers;
};

} // namespace

/// Numbers of elements in windows are bytes, of which these two are none.
static constexpr uint8_t noElement = 255, noMatch = 254;
/// What is looked at, written and gathered side by side: elements of a window,
/// sources, elements between where one window begins and where the next does.
/// Beyond these, machine code takes tenths of a second to be made.
static constexpr int64_t mostTogether = 64, mostWritten = 16, mostGathered = 32,
                         mostPhases = 8;

/// Of a positive number.
static int64_t divideUp(int64_t a, int64_t b) { return (a - 1) / b + 1; }

static int64_t divideDown(int64_t a, int64_t b) {
  return a / b - (a % b < 0 ? 1 : 0);
}

/// How many windows may have an element, along one dimension.
static int64_t meetingCount(const WindowDim &window, int64_t count) {
  return std::min(divideUp(window.size, window.stride), count);
}

Selection::Selection(SelectAndScatterOp op)
    : shape(shapeOf(op.getOperand())), counts(shapeOf(op.getSource())),
      windows(windowsOf(op)), sizes(sizesOf(windows)) {
  if (elementCountOf(op.getSource()) == 0 ||
      elementCountOf(op.getOperand()) == 0) {
    return;
  }
  bool areDisjoint = true, areSmall = true;
  int64_t elements = 1;
  for (const WindowDim &window : windows) {
    areDisjoint &=
        window.stride >= window.size && window.low == 0 && window.high == 0;
    areSmall = areSmall && window.size <= mostTogether / elements;
    elements *= areSmall ? window.size : 1;
  }
  // Sources that are not selected are folded as well, in vain: by a body that
  // surely ends.
  bool isStraight = llvm::all_of(op.getScatter().front(), [](Operation &inner) {
    return inner.getNumRegions() == 0;
  });
  strategy = areDisjoint && areSmall && elements <= mostWritten
                 ? Strategy::WholeWindows
             : areSmall && isStraight && gatheredPerRound() <= mostGathered
                 ? Strategy::GatheredWindows
                 : Strategy::WindowsInOrder;
}

/// How many sources a round of the loop over the innermost dimension looks at.
int64_t Selection::gatheredPerRound() const {
  const size_t last = innermostOf(shape);
  int64_t sources = 1;
  for (auto [d, window] : llvm::enumerate(windows)) {
    const int64_t phases = d == last ? window.stride : 1;
    if (phases > mostPhases) {
      return mostGathered + 1;
    }
    sources *= std::min(phases * meetingCount(window, counts[d]), window.size);
  }
  return sources;
}

/// The loop in which windows select: over all of them, or over those along the
/// first dimensions, as far as windows do not meet along these.
LoopPlan Selection::loops() const {
  double cost = 4;
  for (int64_t size : sizes) {
    cost *= static_cast<double>(size);
  }
  if (strategy != Strategy::WindowsInOrder) {
    return planWindows(WindowView(windows, shape, counts), cost);
  }
  LoopPlan plan;
  int64_t tasks = 1;
  for (auto [d, size] : llvm::enumerate(counts)) {
    bool meets = windows[d].stride < windows[d].size;
    if (!meets && plan.shape.size() == d) {
      plan.shape.push_back(size);
      tasks *= size;
    } else {
      cost *= static_cast<double>(size);
    }
  }
  plan.order = LoopOrder::Flat;
  plan.grain = grainOf(tasks, cost);
  return plan;
}

Kernel chooseSelection(SelectAndScatterOp op) {
  Selection selection(op);
  Kernel kernel = {selection.strategy};
  if (kernel.strategy == Strategy::GatheredWindows) {
    kernel.scratch = elementCountOf(op.getSource());
  }
  if (kernel.strategy != Strategy::Nothing) {
    kernel.loops = selection.loops();
  }
  return kernel;
}

Selecting::Selecting(Emitter &e, SelectAndScatterOp op)
    : e(e), op(op), kernel(kernelOf(op)), selection(op),
      windows(selection.windows), shape(selection.shape),
      counts(selection.counts), type(elementTypeOf(op.getResult().getType())),
      slice(e.buffers.sliceOf(op.getResult())) {}

Selecting::Found Selecting::find(const Index &window, const WindowView &view) {
  llvm::IRBuilder<> &b = e.builder();
  mlir::Type tensor = op.getOperand().getType();
  const bool inOrder = selection.strategy == Strategy::WindowsInOrder;
  llvm::SmallVector<llvm::Value *> carried = {
      b.getFalse(), inOrder ? e.constant(0) : b.getInt32(0)};
  llvm::append_range(carried, flatten(e.scalar(op.getInitValue())));
  auto found = overWindow(
      e, selection.sizes, inOrder ? mostWritten : mostTogether, carried,
      [&](llvm::ArrayRef<llvm::Value *> offset,
          llvm::ArrayRef<llvm::Value *> best) {
        llvm::Value *inside;
        Index at = windowIndex(e, window.dims, offset, view, inside);
        Element candidate = e.emitElement(op.getOperand(), at);
        Element leader = unflatten(best.drop_front(2), tensor)[0];
        Element keep =
            e.emitScalarRegion(op.getSelect(), {leader, candidate}).front();
        llvm::Value *replace = b.CreateAnd(
            inside, b.CreateOr(b.CreateNot(best[0]), b.CreateNot(keep.real)));
        Index element;
        element.dims.assign(offset.begin(), offset.end());
        // Numbers in loops over windows are narrow: there are more lanes.
        llvm::Value *number = e.linearOf(element, selection.sizes);
        llvm::SmallVector<llvm::Value *> next = {
            b.getTrue(),
            inOrder ? number : b.CreateTrunc(number, b.getInt32Ty())};
        llvm::append_range(next, flatten(candidate));
        auto chosen = choose(e, replace, next, best);
        if (!inOrder) {
          // Known before any element is, and so the same for all lanes.
          chosen[0] = b.CreateOr(best[0], inside);
        }
        return chosen;
      });
  return {found[0], found[1]};
}

void Selecting::fillWithStart() {
  e.nest(planLoops(shape, true, 1, e.site()), [&](const Index &index) {
    e.store(type, slice, e.linearOf(index, shape), e.scalar(op.getInitValue()));
  });
}

/// No two windows meet: all elements of a window are written together, one of
/// them with the source. That needs no branch, so that lanes may be windows.
void Selecting::emitWhole() {
  int64_t elements = 1;
  bool covers = true;
  for (auto [d, window] : llvm::enumerate(windows)) {
    covers &=
        window.stride == window.size && counts[d] * window.size == shape[d];
    elements *= window.size;
  }
  if (!covers) {
    fillWithStart();
  }
  const WindowView view(windows, shape, counts);
  overWindows(
      e, view, kernel.loops, [&](const Index &window, const WindowView &view) {
        llvm::IRBuilder<> &b = e.builder();
        Found found = find(window, view);
        Element start = e.scalar(op.getInitValue());
        Element source = e.emitElement(op.getSource(), window);
        Element sum =
            e.emitScalarRegion(op.getScatter(), {start, source}).front();
        for (int64_t i = 0; i < elements; ++i) {
          Index flat;
          flat.linear = e.constant(i);
          llvm::Value *inside;
          Index at = windowIndex(e, window.dims,
                                 e.dimsOf(flat, selection.sizes), view, inside);
          auto value = choose(e, b.CreateICmpEQ(found.number, b.getInt32(i)),
                              flatten(sum), flatten(start));
          e.store(type, slice, e.linearOf(at, shape),
                  unflatten(value, op.getResult().getType())[0]);
        }
      });
}

/// Windows one after the other. Threads take indices of the first dimensions,
/// as far as windows do not meet along those.
void Selecting::emitInOrder() {
  fillWithStart();
  size_t shared = kernel.loops.shape.size();
  const WindowView view(windows, shape, counts);
  auto scatter = [&](const Index &window) {
    Found found = find(window, view);
    e.when(found.any, [&] {
      Index flat;
      flat.linear = found.number;
      llvm::Value *inside;
      Index at = windowIndex(e, window.dims, e.dimsOf(flat, selection.sizes),
                             view, inside);
      llvm::Value *linear = e.linearOf(at, shape);
      Element source = e.emitElement(op.getSource(), window);
      Element before = e.load(type, slice, linear);
      Element after =
          e.emitScalarRegion(op.getScatter(), {before, source}).front();
      e.store(type, slice, linear, after);
    });
  };
  e.parallel(kernel.loops, [&](llvm::Value *begin, llvm::Value *end) {
    e.loop(begin, end, [&](llvm::Value *task) {
      Index outer;
      outer.linear = task;
      auto first = e.dimsOf(outer, counts.take_front(shared));
      e.serialNest(counts.drop_front(shared), [&](const Index &inner) {
        Index window;
        window.dims = first;
        llvm::append_range(window.dims, inner.dims);
        scatter(window);
      });
    });
  });
}

//===----------------------------------------------------------------------===//
// Gathered
//===----------------------------------------------------------------------===//

void Selecting::keepNumbers() {
  Emitter::Writes written(e, numbers);
  const WindowView view(windows, shape, counts);
  overWindows(e, view, kernel.loops,
              [&](const Index &window, const WindowView &view) {
                llvm::IRBuilder<> &b = e.builder();
                Found found = find(window, view);
                llvm::Value *number = b.CreateSelect(
                    found.any, found.number, b.getInt32(uint32_t(noElement)));
                e.store(ElementType::U8, numbers, e.linearOf(window, counts),
                        {b.CreateTrunc(number, b.getInt8Ty())});
              });
}

/// The windows along dimension `d` that may have the element at `from`, in
/// their order.
llvm::SmallVector<Meeting> Selecting::meetingsAlong(size_t d,
                                                    const Distance &from) {
  llvm::IRBuilder<> &b = e.builder();
  const WindowDim &w = windows[d];
  if (w.isNothing()) {
    return {{{from.strides}, e.constant(0), b.getTrue()}};
  }
  llvm::SmallVector<Meeting> meetings;
  auto add = [&](llvm::Value *window, Bounds bounds, llvm::Value *number) {
    Meeting meeting = {{}, number, b.getTrue()};
    // Unsigned: a negative number is a large one.
    if (auto *known = llvm::dyn_cast<llvm::ConstantInt>(number)) {
      if (known->getZExtValue() >= static_cast<uint64_t>(w.size)) {
        return;
      }
    } else {
      meeting.exists = b.CreateICmpULT(number, e.constant(w.size));
    }
    meeting.window = {forceInto(e, window, bounds, counts[d], meeting.exists)};
    meetings.push_back(meeting);
  };
  const int64_t near = divideUp(w.size, w.stride);
  if (counts[d] < near) {
    llvm::Value *distance = b.CreateNSWAdd(
        b.CreateNSWMul(from.strides, e.constant(w.stride)), from.rest);
    for (int64_t i = 0; i < counts[d]; ++i) {
      add(e.constant(i), {i, i},
          b.CreateNSWSub(distance, e.constant(i * w.stride)));
    }
    return meetings;
  }
  for (int64_t k = near - 1; k >= 0; --k) {
    add(b.CreateNSWSub(from.strides, e.constant(k)),
        {from.bounds.first - k, from.bounds.second - k},
        b.CreateNSWAdd(from.rest, e.constant(k * w.stride)));
  }
  return meetings;
}

/// Folds into the element at `at` the sources of the windows that selected it.
void Selecting::gatherInto(const Index &at,
                           llvm::ArrayRef<Distance> distances) {
  llvm::IRBuilder<> &b = e.builder();
  llvm::SmallVector<Meeting> all = {{{}, e.constant(0), b.getTrue()}};
  for (size_t d = 0; d < shape.size(); ++d) {
    auto along = meetingsAlong(d, distances[d]);
    llvm::SmallVector<Meeting> longer;
    for (const Meeting &outer : all) {
      llvm::Value *line =
          b.CreateNSWMul(outer.number, e.constant(windows[d].size));
      for (const Meeting &inner : along) {
        longer.push_back(outer);
        longer.back().window.push_back(inner.window.front());
        longer.back().number = b.CreateNSWAdd(line, inner.number);
        longer.back().exists = b.CreateAnd(outer.exists, inner.exists);
      }
    }
    all = std::move(longer);
  }
  Element sum = e.scalar(op.getInitValue());
  for (const Meeting &meeting : all) {
    Index window;
    window.dims = meeting.window;
    llvm::Value *wanted = b.CreateSelect(
        meeting.exists, b.CreateTrunc(meeting.number, b.getInt8Ty()),
        b.getInt8(noMatch));
    llvm::Value *number =
        e.load(ElementType::U8, numbers, e.linearOf(window, counts)).real;
    Element source = e.emitElement(op.getSource(), window);
    auto next = e.emitScalarRegion(op.getScatter(), {sum, source});
    auto chosen =
        choose(e, b.CreateICmpEQ(number, wanted), flatten(next), flatten(sum));
    sum = unflatten(chosen, op.getResult().getType())[0];
  }
  e.store(type, slice, e.linearOf(at, shape), sum);
}

/// Where along `d` the element at `at` is: strides behind where the first
/// window begins, and what is left.
Selecting::Distance Selecting::distanceAlong(size_t d, llvm::Value *at) {
  llvm::IRBuilder<> &b = e.builder();
  const WindowDim &w = windows[d];
  if (w.isNothing()) {
    return {at, e.constant(0), {0, shape[d] - 1}};
  }
  // What is divided is not negative.
  const int64_t shift = w.low < 0 ? divideUp(-w.low, w.stride) : 0;
  llvm::Value *distance =
      b.CreateNSWAdd(at, e.constant(w.low + shift * w.stride));
  llvm::Value *stride = e.constant(w.stride);
  return {b.CreateNSWSub(b.CreateUDiv(distance, stride), e.constant(shift)),
          b.CreateURem(distance, stride),
          {divideDown(w.low, w.stride),
           divideDown(shape[d] - 1 + w.low, w.stride)}};
}

/// A round of a loop along `d` computes the elements from where one window
/// begins to where the next does: each has windows of its own, and a known
/// number in them. The loop is cut where all of these begin and cease to exist.
Selecting::Rounds Selecting::roundsAlong(size_t d) {
  const WindowDim &w = windows[d];
  const int64_t size = shape[d];
  Rounds rounds;
  rounds.dimension = d;
  rounds.phases = w.stride;
  rounds.first = divideDown(w.low, w.stride);
  rounds.count = divideDown(size - 1 + w.low, w.stride) - rounds.first + 1;
  int64_t begin =
      std::max(-divideDown(-w.low, w.stride), divideUp(w.size, w.stride) - 1);
  int64_t end = std::min(divideDown(size + w.low, w.stride), counts[d]);
  constexpr int64_t fewest = 8; // that are worth a loop of their own
  if (end - begin >= fewest) {
    for (int64_t round : {begin - rounds.first, end - rounds.first}) {
      if (round > 0 && round < rounds.count) {
        rounds.breaks.push_back(round);
      }
    }
  }
  return rounds;
}

void Selecting::gatherRound(const Rounds &rounds, Index at, Bounds bounds) {
  llvm::IRBuilder<> &b = e.builder();
  llvm::SmallVector<Distance> distances;
  for (auto [d, i] : llvm::enumerate(at.dims)) {
    distances.push_back(distanceAlong(d, i));
  }
  const size_t d = rounds.dimension;
  const WindowDim &w = windows[d];
  llvm::Value *start = b.CreateNSWAdd(at.dims[d], e.constant(rounds.first));
  bounds = e.extentOf(at.dims[d]).value_or(bounds);
  bounds = {bounds.first + rounds.first, bounds.second + rounds.first};
  for (int64_t phase = 0; phase < rounds.phases; ++phase) {
    const int64_t shift = phase - w.low;
    llvm::Value *position = b.CreateNSWAdd(
        b.CreateNSWMul(start, e.constant(w.stride)), e.constant(shift));
    at.dims[d] = position;
    distances[d] = {start, e.constant(phase), bounds};
    if (bounds.first * w.stride + shift >= 0 &&
        bounds.second * w.stride + shift < shape[d]) {
      gatherInto(at, distances);
      continue;
    }
    // Unsigned: a negative position is a large one.
    e.when(b.CreateICmpULT(position, e.constant(shape[d])),
           [&] { gatherInto(at, distances); });
  }
}

void Selecting::gatherSources() {
  Emitter::Writes written(e, slice);
  llvm::SmallVector<int64_t> loops(shape);
  const Rounds rounds = roundsAlong(innermostOf(shape));
  loops[rounds.dimension] = rounds.count;
  double cost = 4 * static_cast<double>(rounds.phases);
  for (auto [window, count] : llvm::zip_equal(windows, counts)) {
    cost *= static_cast<double>(meetingCount(window, count));
  }
  nestOfLanes(
      e, planLanes(loops, cost, rounds.breaks, /*isDense=*/true),
      [&](const Index &at, Bounds bounds) { gatherRound(rounds, at, bounds); });
}

void Selecting::emit() {
  Emitter::Writes written(e, slice);
  switch (kernel.strategy) {
  case Strategy::Nothing:
    fillWithStart();
    break;
  case Strategy::WholeWindows:
    emitWhole();
    break;
  case Strategy::GatheredWindows:
    numbers = e.buffers.scratchOf(op);
    keepNumbers();
    gatherSources();
    break;
  default:
    assert(kernel.strategy == Strategy::WindowsInOrder &&
           "no kernel of a selection");
    emitInOrder();
    break;
  }
}

void emitSelectAndScatter(Emitter &e, Operation *operation) {
  Selecting(e, llvm::cast<SelectAndScatterOp>(operation)).emit();
}

} // namespace xla::cpu
