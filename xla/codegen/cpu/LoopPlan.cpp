//===- LoopPlan.cpp - How loops over an array are cut ---------------------===//
//
// An element of a concatenation comes from one of its pieces, an element of a
// pad from its operand or the padding. In a loop over all elements each would
// choose; so the inner loop is cut where the choice changes, and within a
// segment the choice is made by the compiler.
//
//===----------------------------------------------------------------------===//

#include "xla/codegen/cpu/LoopPlan.h"

#include "xla/codegen/cpu/IndexArithmetic.h"
#include "xla/codegen/cpu/RowGroups.h"
#include "xla/codegen/cpu/TargetDescription.h"
#include "xla/codegen/cpu/Types.h"
#include "xla/dialect/stablehlo/StablehloOps.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>
#include <functional>
#include <numeric>
#include <tuple>

namespace xla::cpu {

using namespace stablehlo;
using mlir::Operation;
using mlir::Value;

static int64_t countOf(llvm::ArrayRef<int64_t> shape) {
  return std::accumulate(shape.begin(), shape.end(), int64_t(1),
                         std::multiplies<int64_t>());
}

int64_t LoopPlan::elements() const { return countOf(looped()); }

int64_t LoopPlan::tasks() const {
  if (order == LoopOrder::Nothing) {
    return 0;
  }
  llvm::ArrayRef<int64_t> dims = looped();
  if (order == LoopOrder::Flat) {
    return elements();
  }
  int64_t blocks = block ? (dims.back() - 1) / block + 1 : 1;
  return countOf(dims.drop_back()) * blocks;
}

LoopSite siteOf(Operation *op, const RowGroups &rows) {
  const RowGroup *group = rows.groupOf(op);
  return {op->getParentOfType<WhileOp>() != nullptr, group ? group->rows : 0};
}

bool isWorthSharing(double additions) {
  return additions >= cpuTarget.worthSharing;
}

int64_t grainOf(int64_t tasks, double cost) {
  if (tasks < 2 || !isWorthSharing(static_cast<double>(tasks) * cost)) {
    return 0;
  }
  return std::max<int64_t>(1, std::ceil(cpuTarget.pieceOfWork / cost));
}

llvm::SmallVector<ReshapeGroup> groupsOf(llvm::ArrayRef<int64_t> from,
                                         llvm::ArrayRef<int64_t> to) {
  llvm::SmallVector<ReshapeGroup> groups;
  size_t i = 0, j = 0;
  while (j < to.size()) {
    if (to[j] == 1) {
      ++j;
      continue;
    }
    while (i < from.size() && from[i] == 1) {
      ++i;
    }
    size_t i0 = i, j0 = j;
    int64_t a = from[i++], b = to[j++];
    while (a != b) {
      if (a < b) {
        a *= from[i++];
      } else {
        b *= to[j++];
      }
    }
    groups.push_back({i0, i, j0, j});
  }
  return groups;
}

LoopPlan planTasks(int64_t tasks, double cost) {
  LoopPlan plan;
  plan.order = LoopOrder::Flat;
  plan.shape = {tasks};
  plan.grain = grainOf(tasks, cost);
  return plan;
}

/// What finds an element among those of more than two dimensions is code too.
static int64_t indexCode(llvm::ArrayRef<int64_t> shape) {
  return static_cast<int64_t>(shape.size()) - 2;
}

/// Whether the elements along the last dimension are written out, so that the
/// dimension before becomes the inner loop: vector code then has the elements
/// of many lines side by side. Where they fill vectors, a line is enough.
static bool isWrittenOut(llvm::ArrayRef<int64_t> shape,
                         llvm::ArrayRef<int64_t> breaks, int64_t code) {
  // Few lines are not worth the code.
  constexpr int64_t most = 15, many = 1 << 14, mostCode = 256, littleCode = 64;
  int64_t inner = shape.back(), lines = 1;
  if (shape.size() == 1) {
    return false;
  }
  if (static_cast<int64_t>(breaks.size()) + 1 == inner) {
    return true; // each is a piece of its own
  }
  for (int64_t size : shape.drop_back()) {
    lines *= size;
  }
  // Without it arrays of many dimensions would be written out whole.
  code += indexCode(shape);
  bool fillsVectors = inner >= 4 && llvm::isPowerOf2_64(inner);
  return inner <= most && (!fillsVectors || !breaks.empty()) &&
         inner * code <= (lines >= many ? mostCode : littleCode);
}

LoopPlan planLoops(llvm::ArrayRef<int64_t> shape, bool isFlat, double cost,
                   LoopSite site, llvm::ArrayRef<int64_t> breaks,
                   int64_t code) {
  // A handful of elements in a loop of the program: written out, with constants
  // for indices, so that pieces and pads are chosen here and loads of one
  // element are one. For other lines it would cost compile time for nothing.
  constexpr int64_t handful = 8;
  LoopPlan plan;
  plan.shape.assign(shape.begin(), shape.end());
  while (true) {
    llvm::ArrayRef<int64_t> looped = plan.looped();
    int64_t count = countOf(looped);
    if (count == 0) {
      return plan;
    }
    if (looped.empty() || (count <= handful && site.inLoop)) {
      plan.order = isFlat && !looped.empty() ? LoopOrder::FlatElements
                                             : LoopOrder::Elements;
      return plan;
    }
    int64_t inner = looped.back(), lines = count / inner;
    // Of a row group's nest over an element per row the last dimension is cut.
    bool oneEach = site.groupRows && lines % site.groupRows != 0;
    if (oneEach && looped.size() > 1) {
      breaks = {};
    }
    if (!isFlat && !oneEach && isWrittenOut(looped, breaks, code)) {
      code = (code + (looped.size() > 3 ? indexCode(looped) : 0)) * inner;
      cost *= static_cast<double>(inner);
      breaks = {};
      ++plan.writtenOut;
      continue;
    }
    plan.breaks.assign(breaks.begin(), breaks.end());
    if (isFlat || looped.size() == 1 || oneEach) {
      plan.order = LoopOrder::Flat;
      plan.grain = grainOf(count, cost);
      if (plan.grain >= cpuTarget.wholePieces) { // vectors fill cache lines
        plan.grain = llvm::alignTo(plan.grain, cpuTarget.wholePieces);
      }
      return plan;
    }
    // Lines are shared out; long lines, if they are few, in blocks.
    constexpr int64_t fewLines = 16, block = cpuTarget.blockOfRow;
    plan.order = LoopOrder::Lines;
    plan.block = lines < fewLines && inner > block ? block : 0;
    plan.grain = grainOf(
        plan.tasks(), cost * static_cast<double>(plan.block ? block : inner));
    return plan;
  }
}

//===----------------------------------------------------------------------===//
// Breaks
//===----------------------------------------------------------------------===//

namespace {

/// A value read at `sign * i + offset` along dimension `dim`, i being the
/// nest's innermost index.
struct Read {
  Value value;
  int64_t dim, sign, offset;
};

class BreakFinder {
public:
  BreakFinder(const FusionPlan &fusion, int64_t size)
      : fusion(fusion), size(size) {}

  llvm::SmallVector<int64_t> find(llvm::ArrayRef<Value> outputs);

private:
  void visit(const Read &read, Operation *op);
  void push(const Read &from, Value value, int64_t dim, int64_t shift = 0) {
    work.push_back({value, dim, from.sign, from.offset + shift});
  }
  /// Notes that something changes between indices index - 1 and index of what
  /// is read.
  void note(const Read &read, int64_t slice) {
    int64_t i = read.sign > 0 ? slice - read.offset : read.offset - slice + 1;
    if (i > 0 && i < size) {
      breaks.push_back(i);
    }
  }

  const FusionPlan &fusion;
  int64_t size;
  llvm::SmallVector<Read> work;
  llvm::SmallVector<int64_t> breaks;
};

} // namespace

void BreakFinder::visit(const Read &read, Operation *op) {
  if (isElementwise(op)) {
    for (Value operand : op->getOperands()) {
      if (shapeOf(operand) == shapeOf(read.value)) {
        push(read, operand, read.dim);
      }
    }
  } else if (auto broadcast = llvm::dyn_cast<BroadcastInDimOp>(op)) {
    for (auto [d, to] : llvm::enumerate(broadcast.getBroadcastDimensions())) {
      if (to == read.dim && shapeOf(broadcast.getOperand())[d] > 1) {
        push(read, broadcast.getOperand(), static_cast<int64_t>(d));
      }
    }
  } else if (auto transpose = llvm::dyn_cast<TransposeOp>(op)) {
    push(read, transpose.getOperand(), transpose.getPermutation()[read.dim]);
  } else if (auto slice = llvm::dyn_cast<SliceOp>(op)) {
    if (slice.getStrides()[read.dim] == 1) {
      push(read, slice.getOperand(), read.dim,
           slice.getStartIndices()[read.dim]);
    }
  } else if (auto reverse = llvm::dyn_cast<ReverseOp>(op)) {
    Read inner = {reverse.getOperand(), read.dim, read.sign, read.offset};
    if (llvm::is_contained(reverse.getDimensions(), read.dim)) {
      inner.sign = -read.sign;
      inner.offset = shapeOf(read.value)[read.dim] - 1 - read.offset;
    }
    work.push_back(inner);
  } else if (auto pad = llvm::dyn_cast<PadOp>(op)) {
    int64_t low = pad.getEdgePaddingLow()[read.dim];
    if (pad.getInteriorPadding()[read.dim] == 0) {
      note(read, low);
      note(read, low + shapeOf(pad.getOperand())[read.dim]);
      push(read, pad.getOperand(), read.dim, -low);
    }
  } else if (auto concatenate = llvm::dyn_cast<ConcatenateOp>(op)) {
    bool along = static_cast<int64_t>(concatenate.getDimension()) == read.dim;
    int64_t offset = 0;
    for (Value input : concatenate.getInputs()) {
      push(read, input, read.dim, along ? -offset : 0);
      if (along) {
        offset += shapeOf(input)[read.dim];
        note(read, offset);
      }
    }
  }
}

llvm::SmallVector<int64_t> BreakFinder::find(llvm::ArrayRef<Value> outputs) {
  constexpr size_t mostValues = 256, mostBreaks = 12;
  for (Value output : outputs) {
    int64_t last = static_cast<int64_t>(shapeOf(output).size()) - 1;
    visit({output, last, 1, 0}, output.getDefiningOp());
  }
  llvm::DenseSet<std::tuple<Value, int64_t, int64_t, int64_t>> seen;
  while (!work.empty() && seen.size() < mostValues) {
    Read read = work.pop_back_val();
    Operation *op = read.value.getDefiningOp();
    if (op && fusion.formOf(read.value) == Form::Inline &&
        seen.insert({read.value, read.dim, read.sign, read.offset}).second) {
      visit(read, op);
    }
  }
  llvm::sort(breaks);
  breaks.erase(llvm::unique(breaks), breaks.end());
  if (breaks.size() > mostBreaks) {
    breaks.clear();
  }
  return breaks;
}

void cutAtLines(llvm::SmallVectorImpl<int64_t> &breaks, int64_t size,
                int64_t bytes) {
  constexpr int64_t enough = 16; // lines of the cache
  int64_t line = cpuTarget.cacheLine / bytes;
  if (line < 2 || size % line != 0) {
    return;
  }
  llvm::SmallVector<int64_t> cut;
  for (auto [n, begin] : llvm::enumerate(breaks)) {
    int64_t end = n + 1 < breaks.size() ? breaks[n + 1] : size;
    cut.push_back(begin);
    if (begin % line != 0 && end - begin >= enough * line) {
      cut.push_back(llvm::alignTo(begin, line));
    }
  }
  breaks.assign(cut.begin(), cut.end());
}

llvm::SmallVector<int64_t> findBreaks(const FusionPlan &fusion,
                                      llvm::ArrayRef<Value> outputs) {
  llvm::ArrayRef<int64_t> shape = shapeOf(outputs.front());
  if (shape.empty()) {
    return {};
  }
  return BreakFinder(fusion, shape.back()).find(outputs);
}

} // namespace xla::cpu
