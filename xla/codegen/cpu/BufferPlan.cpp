//===- BufferPlan.cpp - Allocation slices of values -----------------------===//
//
// Time is counted in ticks: the step at position p reads at 2p and writes at
// 2p + 1. A read that must not meet the step's own write lasts until 2p + 2;
// one that may, where reader and writer agree to share (an update in place, a
// carry that is handed on), until 2p + 1. Lifetimes are closed intervals: two
// slices may overlap only if no tick is common to both; a sharing pair may have
// the one tick in common at which the value changes hands.
//
//===----------------------------------------------------------------------===//

#include "xla/codegen/cpu/BufferPlan.h"

#include "xla/codegen/cpu/Kernel.h"
#include "xla/codegen/cpu/Types.h"
#include "xla/dialect/stablehlo/StablehloOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/STLExtras.h"

#include <limits>
#include <map>
#include <set>
#include <tuple>

namespace xla::cpu {

using namespace stablehlo;
using mlir::Operation;
using mlir::Value;

namespace {
struct Interval {
  int64_t start, end;
  auto operator<=>(const Interval &) const = default;
};
using Intervals = llvm::SmallVector<Interval, 2>;
} // namespace

/// Joins intervals, which are in order, where one begins when or before another
/// ends: the same ticks, so that a value that goes through many updates in
/// slice has one interval and not one for each.
static void joinTouching(Intervals &intervals) {
  size_t last = 0;
  for (size_t i = 1; i < intervals.size(); ++i) {
    if (intervals[i].start <= intervals[last].end) {
      intervals[last].end = std::max(intervals[last].end, intervals[i].end);
    } else {
      intervals[++last] = intervals[i];
    }
  }
  intervals.truncate(std::min(intervals.size(), last + 1));
}

class BufferPlanner {
public:
  BufferPlanner(BufferPlan &plan, const FusionPlan &fusion,
                const RowGroups &rowGroups, llvm::ArrayRef<Donation> donations)
      : plan(plan), fusion(fusion), rowGroups(rowGroups), donations(donations) {
    for (const Donation &donation : donations) {
      argumentOf[donation.result] = donation.argument;
    }
  }

  void run(mlir::Block &body);
  /// Writes down what was decided.
  PlannedMemory list(mlir::Block &body);

private:
  struct Lifetime {
    /// In order and apart, once all are known.
    Intervals intervals;
    /// Without those of what shares its slice.
    Intervals own;
    int64_t bytes = 0;
    BufferSlice slice;
    bool pinned = false;
    int parent = -1;
    /// Where a value may change hands: the other class, and when.
    llvm::SmallVector<std::pair<int, int64_t>, 2> handovers;
  };

  int newClass(int64_t bytes) {
    lifetimes.push_back({});
    lifetimes.back().bytes = bytes;
    return static_cast<int>(lifetimes.size()) - 1;
  }
  int find(int c) {
    int root = c;
    while (lifetimes[root].parent >= 0) {
      root = lifetimes[root].parent;
    }
    while (c != root) { // the next search is shorter
      c = std::exchange(lifetimes[c].parent, root);
    }
    return root;
  }
  void live(int c, int64_t start, int64_t end) {
    lifetimes[c].intervals.push_back({start, end});
  }

  void number(mlir::Block &block);
  void numberGroups();
  void defineValues(mlir::Block &block);
  void defineWhile(WhileOp loop);
  void defineBranches(Operation *op);
  void defineReturned(Operation *end);
  int64_t useTick(Value value, Operation *user, int64_t slack);
  Operation *endOf(Operation *op) const;
  void readStep(Operation *op);
  void readMember(const RowGroup &group, Operation *op);
  void read(Value value, Operation *user, int64_t slack);
  bool areDisjoint(int a, int b, llvm::ArrayRef<int64_t> handovers = {});
  llvm::SmallVector<int64_t> handoversOf(int a, int b);
  bool share(int a, int b);
  void propose(Value a, Value b, Operation *step);
  void define(Value output, Operation *op);
  void proposeRegion(Operation *op);
  void proposeGroup(const RowGroup &group);
  void proposeAll(mlir::Block &body);
  void packDense(llvm::ArrayRef<int> wanted);
  void packInOrder(llvm::ArrayRef<int> wanted);
  void pack();
  void listValue(Value value, Operation *writer, PlannedMemory &memory);
  void listScratch(int c, Operation *step, PlannedMemory &memory);
  void listBlock(mlir::Block &block, PlannedMemory &memory);

  BufferPlan &plan;
  const FusionPlan &fusion;
  const RowGroups &rowGroups;
  llvm::ArrayRef<Donation> donations;
  std::vector<Lifetime> lifetimes;
  llvm::DenseMap<Operation *, int64_t> begins, ends;
  llvm::DenseMap<Value, int64_t> definitions; // tick of the write
  llvm::DenseMap<Value, int64_t> lastUses;
  llvm::SmallVector<int> resultClasses;
  std::vector<std::pair<int, int>> proposals;
  llvm::SmallVector<int> argumentClasses;
  llvm::DenseMap<int64_t, int32_t> argumentOf; ///< given for a result
  llvm::DenseSet<int> listed;
  int64_t now = 0;
};

//===----------------------------------------------------------------------===//
// Lifetimes
//===----------------------------------------------------------------------===//

void BufferPlanner::number(mlir::Block &block) {
  for (Operation &op : block) {
    begins[&op] = now++;
    for (mlir::Region &region : op.getRegions()) {
      for (mlir::Block &inner : region) {
        number(inner);
      }
    }
    ends[&op] = op.getNumRegions() ? now++ : begins[&op];
  }
}

/// The members of a row group read and write when the last of them stands.
void BufferPlanner::numberGroups() {
  for (const auto &group : rowGroups.all()) {
    for (const RowMember &member : group->members) {
      begins[member.step] = ends[member.step] = begins[group->insertionPoint()];
    }
  }
}

/// When a read of `value` by `user` is over; inside a loop that began after the
/// value was made, when that loop is.
int64_t BufferPlanner::useTick(Value value, Operation *user, int64_t slack) {
  int64_t tick = 2 * begins[user] + slack;
  mlir::Block *home = value.getParentBlock();
  for (mlir::Block *block = user->getBlock(); block != home;) {
    Operation *parent = block->getParentOp();
    if (!llvm::isa<IfOp, CaseOp>(parent)) {
      tick = std::max(tick, 2 * ends[parent] + 1);
    }
    block = parent->getBlock();
  }
  return tick;
}

void BufferPlanner::read(Value value, Operation *user, int64_t slack) {
  int64_t tick = useTick(value, user, slack);
  int64_t &last = lastUses.try_emplace(value, tick).first->second;
  last = std::max(last, tick);
}

/// Whether a result of the call takes the memory of its operand `number`.
static bool isAliased(CustomCallOp call, unsigned number) {
  for (unsigned i = 0; i < call->getNumResults(); ++i) {
    if (call.aliasedOperand(i) == int64_t(number)) {
      return true;
    }
  }
  return false;
}

/// When the step at `op` is over: a product whose elements a loop nest takes as
/// they come reads until that nest has written.
Operation *BufferPlanner::endOf(Operation *op) const {
  Operation *nest = fusion.epilogueOf(op).nest;
  return nest ? nest : op;
}

/// What a group reads by row alone may hand its slice on to a later member.
void BufferPlanner::readMember(const RowGroup &group, Operation *op) {
  for (const RowMember &member : group.members) {
    if (member.step != op) {
      continue;
    }
    for (const RowRead &access : member.reads) {
      read(access.value, op, access.sameRow ? 1 : 2);
    }
  }
}

/// How long the reads of the step at `op` last.
void BufferPlanner::readStep(Operation *op) {
  if (const RowGroup *group = rowGroups.groupOf(op)) {
    readMember(*group, op);
    return;
  }
  llvm::SmallVector<Leaf> leaves;
  auto readLeaves = [&](int64_t sameSlack, int64_t otherSlack) {
    for (const Leaf &leaf : leaves) {
      read(leaf.value, endOf(op), leaf.sameIndex ? sameSlack : otherSlack);
    }
    leaves.clear();
  };
  if (isElementOp(op)) {
    llvm::SmallVector<Value> outputs(fusion.regionAt(op));
    if (outputs.empty() && fusion.formOf(op->getResult(0)) == Form::Register) {
      outputs.push_back(op->getResult(0));
    }
    for (Value output : outputs) {
      Operation *source = output.getDefiningOp();
      bool elementwise = isElementwise(source);
      for (Value operand : source->getOperands()) {
        if (isTensor(operand)) {
          fusion.collectLeaves(
              operand, elementwise && shapeOf(operand) == shapeOf(output),
              leaves);
        }
      }
    }
    // What is read at the written index alone may hand its slice on. With
    // several outputs too: a loop reads at an index before it writes any there.
    readLeaves(1, 2);
    return;
  }
  bool isYield = op->hasTrait<mlir::OpTrait::IsTerminator>();
  for (mlir::OpOperand &operand : op->getOpOperands()) {
    Value value = operand.get();
    if (!isTensor(value)) {
      continue;
    }
    unsigned number = operand.getOperandNumber();
    // Several values change hands at a loop's ends, in an order of the
    // emitter's: an argument under a donated result may not be among them.
    bool fromOutside =
        llvm::isa<mlir::BlockArgument>(value) &&
        llvm::isa<mlir::func::FuncOp>(value.getParentBlock()->getParentOp());
    bool handsOn = (isYield && !fromOutside) ||
                   (llvm::isa<WhileOp>(op) && !fromOutside) ||
                   llvm::isa<OptimizationBarrierOp>(op) ||
                   (llvm::isa<DynamicUpdateSliceOp>(op) && number == 0);
    if (auto scatter = llvm::dyn_cast<ScatterOp>(op)) {
      handsOn |= number < scatter.getInputs().size();
    }
    if (auto sort = llvm::dyn_cast<SortOp>(op)) {
      handsOn |= true;
    }
    handsOn |= llvm::isa<CholeskyOp>(op) ||
               (llvm::isa<TriangularSolveOp>(op) && number == 1);
    if (auto call = llvm::dyn_cast<CustomCallOp>(op)) {
      handsOn |= isAliased(call, number);
    }
    fusion.collectLeaves(value, false, leaves);
    bool direct = leaves.size() == 1 && leaves[0].value == value;
    readLeaves(2, handsOn && direct ? 1 : 2);
  }
}

void BufferPlanner::defineWhile(WhileOp loop) {
  mlir::Block &condition = loop.getCond().front();
  mlir::Block &body = loop.getBody().front();
  for (auto [i, result] : llvm::enumerate(loop.getResults())) {
    if (!isTensor(result) || isScalar(result)) {
      continue;
    }
    int c = newClass(byteSizeOf(result));
    plan.classOf[result] = c;
    plan.classOf[condition.getArgument(i)] = c;
    plan.classOf[body.getArgument(i)] = c;
    Value yielded = body.getTerminator()->getOperand(i);
    bool swaps = yielded.getParentBlock() == &body &&
                 llvm::isa<mlir::BlockArgument>(yielded) &&
                 yielded != body.getArgument(i);
    if (swaps) {
      int64_t tick = 2 * begins[body.getTerminator()];
      int space = newClass(byteSizeOf(result));
      live(space, tick, tick + 2);
      plan.swaps[{loop, static_cast<unsigned>(i)}] = space;
    }
  }
}

void BufferPlanner::defineBranches(Operation *op) {
  for (Value result : op->getResults()) {
    if (isTensor(result) && !isScalar(result)) {
      plan.classOf[result] = newClass(byteSizeOf(result));
    }
  }
}

/// Arguments that are results too, under other numbers than those to which
/// they were given away: results are written in their order.
void BufferPlanner::defineReturned(Operation *end) {
  llvm::DenseMap<int32_t, int32_t> resultOf;
  for (const Donation &donation : donations) {
    resultOf[donation.argument] = donation.result;
  }
  for (auto [i, value] : llvm::enumerate(end->getOperands())) {
    auto argument = llvm::dyn_cast<mlir::BlockArgument>(value);
    if (!argument || fusion.formOf(value) != Form::Buffer) {
      continue;
    }
    auto given = resultOf.find(static_cast<int32_t>(argument.getArgNumber()));
    if (given == resultOf.end() || given->second >= static_cast<int32_t>(i)) {
      continue;
    }
    int space = newClass(byteSizeOf(value));
    live(space, 2 * begins[end], 2 * begins[end] + 2);
    plan.swaps[{end, static_cast<unsigned>(i)}] = space;
  }
}

/// Makes a class for a value that the step at `op` writes.
void BufferPlanner::define(Value output, Operation *op) {
  int c = newClass(byteSizeOf(output));
  plan.classOf[output] = c;
  if (int64_t offset = rowGroups.scratchOffset(output); offset >= 0) {
    lifetimes[c].pinned = true;
    lifetimes[c].slice = {BufferSlice::Rows, offset};
  } else {
    definitions[output] = 2 * begins[op] + 1;
  }
}

/// Makes a class for every value in memory and notes when it is written.
void BufferPlanner::defineValues(mlir::Block &block) {
  for (Operation &op : block) {
    if (auto loop = llvm::dyn_cast<WhileOp>(op)) {
      defineWhile(loop);
    } else if (llvm::isa<IfOp, CaseOp>(op)) {
      defineBranches(&op);
    } else if (!isElementOp(&op)) {
      for (Value result : op.getResults()) {
        if (isTensor(result)) {
          define(result, &op);
        }
      }
    }
    for (Value output : fusion.regionAt(&op)) {
      define(output, &op);
    }
    if (llvm::isa<ConstantOp>(op) &&
        fusion.formOf(op.getResult(0)) == Form::Buffer) {
      int c = newClass(byteSizeOf(op.getResult(0)));
      plan.classOf[op.getResult(0)] = c;
      lifetimes[c].pinned = true;
      lifetimes[c].slice = {BufferSlice::Constant, 0, op.getResult(0)};
    }
    for (mlir::Region &region : op.getRegions()) {
      for (mlir::Block &inner : region) {
        defineValues(inner);
      }
    }
  }
}

//===----------------------------------------------------------------------===//
// Sharing
//===----------------------------------------------------------------------===//

/// Whether no tick is common to both but those in `handovers`.
bool BufferPlanner::areDisjoint(int a, int b,
                                llvm::ArrayRef<int64_t> handovers) {
  const Intervals &ofA = lifetimes[a].intervals, &ofB = lifetimes[b].intervals;
  const Interval *x = ofA.begin(), *y = ofB.begin();
  while (x != ofA.end() && y != ofB.end()) {
    int64_t start = std::max(x->start, y->start);
    int64_t end = std::min(x->end, y->end);
    if (start < end ||
        (start == end && !llvm::is_contained(handovers, start))) {
      return false;
    }
    ++(x->end < y->end ? x : y);
  }
  return true;
}

llvm::SmallVector<int64_t> BufferPlanner::handoversOf(int a, int b) {
  llvm::SmallVector<int64_t> ticks;
  bool fewer = lifetimes[a].handovers.size() < lifetimes[b].handovers.size();
  int from = fewer ? a : b, to = fewer ? b : a;
  for (auto [other, tick] : lifetimes[from].handovers) {
    if (find(other) == to) {
      ticks.push_back(tick);
    }
  }
  return ticks;
}

/// Puts two classes in one slice if that is right.
bool BufferPlanner::share(int a, int b) {
  a = find(a);
  b = find(b);
  if (a == b) {
    return true;
  }
  if (lifetimes[b].pinned) {
    std::swap(a, b);
  }
  if (lifetimes[b].pinned || lifetimes[a].bytes != lifetimes[b].bytes ||
      !areDisjoint(a, b, handoversOf(a, b))) {
    return false;
  }
  BufferSlice slice = lifetimes[a].slice;
  if (lifetimes[a].pinned && slice.kind != BufferSlice::Result) {
    return false;
  }
  if (lifetimes[a].pinned) {
    // The caller may have laid the result over an argument that he gave away.
    auto given = argumentOf.find(slice.index);
    if (given != argumentOf.end()) {
      int argument = argumentClasses[given->second];
      if (!areDisjoint(argument, b, handoversOf(argument, b))) {
        return false;
      }
    }
  }
  lifetimes[b].parent = a;
  Intervals joined;
  joined.reserve(lifetimes[a].intervals.size() + lifetimes[b].intervals.size());
  std::merge(lifetimes[a].intervals.begin(), lifetimes[a].intervals.end(),
             lifetimes[b].intervals.begin(), lifetimes[b].intervals.end(),
             std::back_inserter(joined));
  joinTouching(joined);
  lifetimes[a].intervals = std::move(joined);
  llvm::append_range(lifetimes[a].handovers, lifetimes[b].handovers);
  return true;
}

/// Notes that `a` could take the slice of `b`, or `b` that of `a`, at `step`.
void BufferPlanner::propose(Value a, Value b, Operation *step) {
  auto x = plan.classOf.find(a), y = plan.classOf.find(b);
  if (x == plan.classOf.end() || y == plan.classOf.end() ||
      x->second == y->second) {
    return;
  }
  int64_t tick = 2 * begins[step] + 1;
  lifetimes[x->second].handovers.push_back({y->second, tick});
  lifetimes[y->second].handovers.push_back({x->second, tick});
  proposals.push_back({x->second, y->second});
}

/// The outputs of a loop nest and the inputs that end there.
void BufferPlanner::proposeRegion(Operation *op) {
  llvm::ArrayRef<Value> outputs = fusion.regionAt(op);
  llvm::SmallVector<Leaf> leaves;
  for (Value output : outputs) {
    Operation *source = output.getDefiningOp();
    for (Value operand : source->getOperands()) {
      if (isElementwise(source) && isTensor(operand) &&
          shapeOf(operand) == shapeOf(output)) {
        fusion.collectLeaves(operand, true, leaves);
      }
    }
  }
  for (Value output : outputs) {
    for (const Leaf &leaf : leaves) {
      if (leaf.sameIndex && elementTypeOf(leaf.value.getType()) ==
                                elementTypeOf(output.getType())) {
        propose(output, leaf.value, op);
      }
    }
  }
}

/// The outputs of a row group and the inputs that are read before, or at the
/// same index, when a block is written.
void BufferPlanner::proposeGroup(const RowGroup &group) {
  for (auto [writer, member] : llvm::enumerate(group.members)) {
    for (Value output : member.outputs) {
      for (const RowMember &reader : group.members) {
        for (const RowRead &access : reader.reads) {
          if (group.mayOverwrite(writer, output, access.value)) {
            propose(output, access.value, group.insertionPoint());
          }
        }
      }
    }
  }
}

/// Every pair whose sharing saves a copy, inner blocks first: a copy in a loop
/// costs most.
void BufferPlanner::proposeAll(mlir::Block &block) {
  for (Operation &op : block) {
    for (mlir::Region &region : op.getRegions()) {
      for (mlir::Block &inner : region) {
        proposeAll(inner);
      }
    }
  }
  for (Operation &op : llvm::reverse(block)) {
    if (auto loop = llvm::dyn_cast<WhileOp>(op)) {
      Operation *yield = loop.getBody().front().getTerminator();
      for (auto [i, result] : llvm::enumerate(loop.getResults())) {
        propose(result, yield->getOperand(i), yield);
      }
      for (auto [i, result] : llvm::enumerate(loop.getResults())) {
        propose(result, loop->getOperand(i), loop);
      }
    } else if (llvm::isa<IfOp, CaseOp>(op)) {
      for (mlir::Region &region : op.getRegions()) {
        Operation *yield = region.front().getTerminator();
        for (auto [i, result] : llvm::enumerate(op.getResults())) {
          propose(result, yield->getOperand(i), yield);
        }
      }
    } else if (auto update = llvm::dyn_cast<DynamicUpdateSliceOp>(op)) {
      propose(update.getResult(), update.getOperand(), update);
    } else if (auto scatter = llvm::dyn_cast<ScatterOp>(op)) {
      for (auto [i, result] : llvm::enumerate(scatter.getResults())) {
        propose(result, scatter.getInputs()[i], scatter);
      }
    } else if (llvm::isa<CholeskyOp, TriangularSolveOp>(op)) {
      propose(op.getResult(0), op.getOperands().back(), &op);
    } else if (llvm::isa<SortOp, OptimizationBarrierOp>(op)) {
      for (auto [i, result] : llvm::enumerate(op.getResults())) {
        propose(result, op.getOperand(i), &op);
      }
    }
    if (auto call = llvm::dyn_cast<CustomCallOp>(op)) {
      for (auto [i, result] : llvm::enumerate(op.getResults())) {
        if (int64_t operand = call.aliasedOperand(i); operand >= 0) {
          propose(result, op.getOperand(operand), &op);
        }
      }
    }
    if (const RowGroup *group = rowGroups.groupOf(&op)) {
      if (group->insertionPoint() == &op) {
        proposeGroup(*group);
      }
    } else {
      proposeRegion(&op);
    }
  }
}

//===----------------------------------------------------------------------===//
// Offsets
//===----------------------------------------------------------------------===//

/// Plans that need more stop growing here, as arrays do.
constexpr int64_t mostBytes = int64_t(1) << 62;

static int64_t alignUp(int64_t bytes) {
  return (std::min(bytes, mostBytes) + 63) & ~int64_t(63);
}

/// Where an array ends; no further than an arena may.
static int64_t endAt(int64_t offset, int64_t size) {
  return std::min(offset, mostBytes - size) + size;
}

/// Largest first, each at the lowest offset where no living neighbour is.
void BufferPlanner::packDense(llvm::ArrayRef<int> wanted) {
  llvm::SmallVector<int> placed; // by offset
  for (int c : wanted) {
    int64_t size = alignUp(lifetimes[c].bytes);
    int64_t offset = 0;
    for (int other : placed) {
      int64_t start = lifetimes[other].slice.index;
      int64_t end = endAt(start, alignUp(lifetimes[other].bytes));
      if (end <= offset || areDisjoint(c, other)) {
        continue;
      }
      if (endAt(offset, size) <= start) {
        break;
      }
      offset = end;
    }
    lifetimes[c].slice = {BufferSlice::Arena, offset};
    plan.arenaSize = std::max(plan.arenaSize, endAt(offset, size));
    auto position = llvm::upper_bound(placed, offset, [&](int64_t o, int p) {
      return o < lifetimes[p].slice.index;
    });
    placed.insert(position, c);
  }
}

/// In the order of time, behind all that have offsets: each in the smallest gap
/// that those before it have left, from its first tick to its last.
void BufferPlanner::packInOrder(llvm::ArrayRef<int> wanted) {
  std::vector<std::tuple<int64_t, int64_t, int>> spans; // first, last, class
  for (int c : wanted) {
    int64_t first = 0, last = -1;
    for (const Interval &interval : lifetimes[c].intervals) {
      first = last < 0 ? interval.start : std::min(first, interval.start);
      last = std::max(last, interval.end);
    }
    spans.push_back({first, last, c});
  }
  llvm::sort(spans);
  std::set<std::pair<int64_t, int64_t>> living; // last tick, offset
  std::map<int64_t, int64_t> sizes;             // of the living, by offset
  std::map<int64_t, int64_t> gaps;              // their ends, by offset
  std::set<std::pair<int64_t, int64_t>> bySize; // size and offset of a gap
  for (auto [first, last, c] : spans) {
    while (!living.empty() && living.begin()->first < first) {
      int64_t start = living.begin()->second;
      int64_t end = start + sizes.extract(start).mapped();
      living.erase(living.begin());
      auto next = gaps.lower_bound(start);
      if (next != gaps.end() && next->first == end) {
        bySize.erase({next->second - next->first, next->first});
        end = next->second;
        next = gaps.erase(next);
      }
      if (next != gaps.begin() && std::prev(next)->second == start) {
        --next;
        bySize.erase({next->second - next->first, next->first});
        start = next->first;
        gaps.erase(next);
      }
      gaps[start] = end;
      bySize.insert({end - start, start});
    }
    int64_t size = alignUp(lifetimes[c].bytes);
    int64_t offset = plan.arenaSize;
    if (auto gap = bySize.lower_bound({size, 0}); gap != bySize.end()) {
      offset = gap->second;
      int64_t end = offset + gap->first;
      bySize.erase(gap);
      gaps.erase(offset);
      if (offset + size < end) {
        gaps[offset + size] = end;
        bySize.insert({end - offset - size, offset + size});
      }
    }
    plan.arenaSize = std::max(plan.arenaSize, endAt(offset, size));
    lifetimes[c].slice = {BufferSlice::Arena, offset};
    if (size > 0) {
      living.insert({last, offset});
      sizes[offset] = endAt(offset, size) - offset;
    }
  }
}

void BufferPlanner::pack() {
  llvm::SmallVector<int> wanted;
  for (int c = 0; c < static_cast<int>(lifetimes.size()); ++c) {
    if (lifetimes[c].parent < 0 && !lifetimes[c].pinned) {
      wanted.push_back(c);
    }
  }
  llvm::sort(wanted, [&](int a, int b) {
    return std::pair(-lifetimes[a].bytes, a) <
           std::pair(-lifetimes[b].bytes, b);
  });
  // The search among the living takes the square of their number in time. Of
  // many, the large ones have most of the memory.
  constexpr size_t many = 4000, large = 1000;
  size_t dense = wanted.size() <= many ? wanted.size() : large;
  packDense(llvm::ArrayRef(wanted).take_front(dense));
  packInOrder(llvm::ArrayRef(wanted).drop_front(dense));
}

void BufferPlanner::run(mlir::Block &body) {
  number(body);
  numberGroups();
  Operation *end = body.getTerminator();
  for (mlir::BlockArgument argument : body.getArguments()) {
    int c = newClass(isTensor(argument) ? byteSizeOf(argument) : 0);
    lifetimes[c].pinned = true;
    lifetimes[c].slice = {BufferSlice::Argument, argument.getArgNumber()};
    argumentClasses.push_back(c);
    plan.classOf[argument] = c;
    definitions[argument] = -1;
  }
  for (auto [i, value] : llvm::enumerate(end->getOperands())) {
    int c = newClass(isTensor(value) ? byteSizeOf(value) : 0);
    lifetimes[c].pinned = true;
    lifetimes[c].slice = {BufferSlice::Result, static_cast<int64_t>(i)};
    live(c, 2 * begins[end] + 1, std::numeric_limits<int64_t>::max());
    resultClasses.push_back(c);
  }
  defineReturned(end);
  defineValues(body);
  body.walk([&](Operation *op) {
    readStep(op);
    if (int64_t bytes = kernelOf(op).scratch) {
      int c = newClass(bytes);
      live(c, 2 * begins[op], 2 * begins[endOf(op)] + 2);
      plan.scratch[op] = c;
    }
  });

  for (auto [value, tick] : definitions) {
    auto last = lastUses.find(value);
    // Even what nobody reads is not to be written over by its own step.
    live(plan.classOf[value], tick,
         std::max(tick + 1, last == lastUses.end() ? tick : last->second));
  }
  body.walk([&](Operation *op) {
    if (auto loop = llvm::dyn_cast<WhileOp>(op)) {
      mlir::Block &body = loop.getBody().front();
      for (auto [i, result] : llvm::enumerate(loop.getResults())) {
        auto found = plan.classOf.find(result);
        if (found == plan.classOf.end()) {
          continue;
        }
        int64_t start = 2 * begins[op] + 1;
        mlir::Block &condition = loop.getCond().front();
        int64_t last =
            std::max({start, lastUses.lookup(condition.getArgument(i)),
                      lastUses.lookup(body.getArgument(i))});
        if (lastUses.contains(result)) {
          // The loop ends after its condition, with this value as result.
          last = std::max(last, 2 * begins[condition.getTerminator()] + 2);
        }
        live(found->second, start, last);
        live(found->second, 2 * begins[body.getTerminator()] + 1,
             std::max(2 * ends[op], lastUses.lookup(result)));
      }
    } else if (llvm::isa<IfOp, CaseOp>(op)) {
      for (Value result : op->getResults()) {
        auto found = plan.classOf.find(result);
        if (found == plan.classOf.end()) {
          continue;
        }
        for (mlir::Region &region : op->getRegions()) {
          int64_t yield = 2 * begins[region.front().getTerminator()] + 1;
          live(found->second, yield, yield);
        }
        live(found->second, 2 * ends[op],
             std::max(2 * ends[op], lastUses.lookup(result)));
      }
    }
  });

  for (Lifetime &lifetime : lifetimes) {
    llvm::sort(lifetime.intervals);
    joinTouching(lifetime.intervals);
    lifetime.own = lifetime.intervals;
  }
  for (auto [i, value] : llvm::enumerate(end->getOperands())) {
    auto found = plan.classOf.find(value);
    if (found != plan.classOf.end()) {
      lifetimes[resultClasses[i]].handovers.push_back(
          {found->second, 2 * begins[end] + 1});
      lifetimes[found->second].handovers.push_back(
          {resultClasses[i], 2 * begins[end] + 1});
      proposals.push_back({resultClasses[i], found->second});
    }
  }
  proposeAll(body);
  for (auto [a, b] : proposals) {
    share(a, b);
  }
  pack();
  for (int c = 0; c < static_cast<int>(lifetimes.size()); ++c) {
    plan.slices.push_back(lifetimes[find(c)].slice);
  }
}

//===----------------------------------------------------------------------===//
// Lists for reports
//===----------------------------------------------------------------------===//

void BufferPlanner::listScratch(int c, Operation *step, PlannedMemory &memory) {
  const Lifetime &root = lifetimes[find(c)];
  PlannedValue &entry = memory.values.emplace_back();
  entry.slice = root.slice;
  entry.bytes = root.bytes;
  entry.writer = step;
  for (const Interval &interval : lifetimes[c].own) {
    entry.ticks.push_back({interval.start, interval.end});
  }
}

/// Of values in one class, such as a carry outside and inside of its loop, the
/// first stands for all.
void BufferPlanner::listValue(Value value, Operation *writer,
                              PlannedMemory &memory) {
  auto found = plan.classOf.find(value);
  if (found == plan.classOf.end() || !listed.insert(found->second).second ||
      lifetimes[find(found->second)].slice.kind == BufferSlice::Rows) {
    return;
  }
  listScratch(found->second, writer, memory);
  memory.values.back().value = value;
}

void BufferPlanner::listBlock(mlir::Block &block, PlannedMemory &memory) {
  auto note = [&](Operation *op, int64_t position) {
    memory.steps.resize(
        std::max(memory.steps.size(), static_cast<size_t>(position) + 1));
    memory.steps[position] = op;
  };
  for (Operation &op : block) {
    note(&op, begins[&op]);
    note(&op, ends[&op]);
    for (Value result : op.getResults()) {
      listValue(result, &op, memory);
    }
    for (Value output : fusion.regionAt(&op)) {
      listValue(output, output.getDefiningOp(), memory);
    }
    if (auto scratch = plan.scratch.find(&op); scratch != plan.scratch.end()) {
      listScratch(scratch->second, &op, memory);
    }
    for (unsigned i = 0; i < op.getNumOperands(); ++i) {
      auto space = plan.swaps.find({&op, i});
      if (space != plan.swaps.end()) {
        listScratch(space->second, &op, memory);
      }
    }
    for (mlir::Region &region : op.getRegions()) {
      for (mlir::Block &inner : region) {
        listBlock(inner, memory);
      }
    }
  }
}

PlannedMemory BufferPlanner::list(mlir::Block &body) {
  PlannedMemory memory;
  memory.arenaBytes = plan.arenaSize;
  for (mlir::BlockArgument argument : body.getArguments()) {
    listValue(argument, nullptr, memory);
  }
  listBlock(body, memory);
  return memory;
}

PlannedMemory listMemory(mlir::Block &body, const FusionPlan &fusion,
                         const RowGroups &rows,
                         llvm::ArrayRef<Donation> donations) {
  BufferPlan plan;
  BufferPlanner planner(plan, fusion, rows, donations);
  planner.run(body);
  return planner.list(body);
}

BufferPlan::BufferPlan(mlir::Block &body, const FusionPlan &fusion,
                       const RowGroups &rows,
                       llvm::ArrayRef<Donation> donations) {
  BufferPlanner(*this, fusion, rows, donations).run(body);
}

BufferSlice BufferPlan::sliceOf(Value value) const {
  auto found = classOf.find(value);
  assert(found != classOf.end() &&
         "a value that is not in memory has no slice");
  return slices[found->second];
}

BufferSlice BufferPlan::scratchOf(Operation *op) const {
  auto found = scratch.find(op);
  return found == scratch.end() ? BufferSlice() : slices[found->second];
}

BufferSlice BufferPlan::swapSpaceOf(Operation *loop, unsigned number) const {
  return slices[swaps.find({loop, number})->second];
}

} // namespace xla::cpu
