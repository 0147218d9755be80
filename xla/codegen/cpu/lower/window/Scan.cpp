//===- Scan.cpp - Running folds -------------------------------------------===//
//
// Along the last dimension a line is folded element by element, its carry in a
// register. Every step waits for the one before it, so several lines are folded
// at a time; a line of a few elements is written out, so that vectors hold many
// of them. Along another dimension lines of the arrays are folded, each element
// into its own carry: they are read and written in the order of memory.
//
//===----------------------------------------------------------------------===//

#include "xla/codegen/cpu/TargetDescription.h"
#include "xla/codegen/cpu/lower/reduce/Folds.h"
#include "xla/codegen/cpu/lower/reduce/Slots.h"
#include "xla/codegen/cpu/lower/window/Window.h"

#include <functional>
#include <numeric>
#include <utility>

namespace xla::cpu {

using namespace stablehlo;
using mlir::Value;

static int64_t countOf(llvm::ArrayRef<int64_t> sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), int64_t(1),
                         std::multiplies<int64_t>());
}

namespace {

/// Where the elements of a running fold are: element i of its dimension, at
/// `outer` before it and `column` behind. Backward windows are folded from
/// their far end, which is the same for the associative bodies that
/// reduce_window asks for.
class Scan {
public:
  Scan(Emitter &e, ReduceWindowOp op, const Kernel &kernel)
      : e(e), op(op), kernel(kernel), shape(shapeOf(op.getInputs().front())),
        dimension(kernel.size("dimension")), length(shape[dimension]),
        isReversed(kernel.size("reversed")),
        isFlat(e.fusion.isFlat(op.getInputs())), types(op.getResultTypes()) {
    for (Value result : op.getResults()) {
      slices.push_back(e.buffers.sliceOf(result));
    }
  }

  /// Carries in registers, along one line after the other.
  void emitAlong();
  /// Carries in registers, along several lines at a time.
  void emitTogether();
  /// Carries in memory, of a piece of a line.
  void emitLines();

private:
  llvm::SmallVector<Element> initial();
  /// Folds the element at `index` in, and stores the result there.
  llvm::SmallVector<Element> step(llvm::ArrayRef<Element> carried,
                                  const Index &index);
  llvm::Value *position(llvm::Value *i) {
    return isReversed ? e.builder().CreateSub(e.constant(length - 1), i) : i;
  }
  /// Folds `count` lines side by side, the first of which is line `first`.
  void foldLines(llvm::Value *first, int64_t count);
  void emitTask(llvm::Value *task);

  Emitter &e;
  ReduceWindowOp op;
  const Kernel &kernel;
  llvm::ArrayRef<int64_t> shape;
  int64_t dimension, length;
  bool isReversed, isFlat;
  mlir::TypeRange types;
  llvm::SmallVector<BufferSlice> slices;
};

} // namespace

llvm::SmallVector<Element> Scan::initial() {
  return llvm::map_to_vector(op.getInitValues(),
                             [&](Value value) { return e.scalar(value); });
}

llvm::SmallVector<Element> Scan::step(llvm::ArrayRef<Element> carried,
                                      const Index &index) {
  llvm::SmallVector<Element> arguments(carried);
  for (Value input : op.getInputs()) {
    arguments.push_back(e.emitElement(input, index));
  }
  auto next = e.emitScalarRegion(op.getBody(), arguments);
  llvm::Value *linear = e.linearOf(index, shape);
  for (auto [n, type] : llvm::enumerate(types)) {
    e.store(elementTypeOf(type), slices[n], linear, next[n]);
  }
  return next;
}

void Scan::emitAlong() {
  bool isWrittenOut = kernel.size("written_out", 0);
  e.nest(kernel.loops, [&](const Index &outer) {
    Index index;
    llvm::Value *line = nullptr;
    if (isWrittenOut && isFlat) {
      line = e.builder().CreateNSWMul(e.linearOf(outer, kernel.loops.shape),
                                      e.constant(length));
    } else {
      index.dims = e.dimsOf(outer, kernel.loops.shape);
    }
    auto at = [&](llvm::Value *i) {
      if (line) {
        index.linear = e.builder().CreateNSWAdd(line, position(i));
      } else {
        index.dims[dimension] = position(i);
      }
      return index;
    };
    if (isWrittenOut) {
      llvm::SmallVector<Element> carried = initial();
      for (int64_t i = 0; i < length; ++i) {
        carried = step(carried, at(e.constant(i)));
      }
      return;
    }
    e.loop(e.constant(0), e.constant(length), flatten(initial()),
           [&](llvm::Value *i, llvm::ArrayRef<llvm::Value *> carried) {
             return flatten(step(unflatten(carried, types), at(i)));
           });
  });
}

void Scan::foldLines(llvm::Value *first, int64_t count) {
  llvm::SmallVector<int64_t> others(shape);
  others[dimension] = 1;
  bool isLinear = isFlat && others.size() == static_cast<size_t>(dimension) + 1;
  llvm::SmallVector<Index> lines(count);
  llvm::SmallVector<Element> start;
  for (auto [k, line] : llvm::enumerate(lines)) {
    Index outer;
    outer.linear = e.builder().CreateNSWAdd(first, e.constant(k));
    if (isLinear) {
      line.linear = e.builder().CreateNSWMul(outer.linear, e.constant(length));
    } else {
      line.dims = e.dimsOf(outer, others);
    }
    start.append(initial());
  }
  e.loop(e.constant(0), e.constant(length), flatten(start),
         [&](llvm::Value *i, llvm::ArrayRef<llvm::Value *> carried) {
           llvm::SmallVector<Element> next;
           size_t width = carried.size() / lines.size();
           for (auto [k, line] : llvm::enumerate(lines)) {
             Index index = line;
             if (isLinear) {
               index.linear =
                   e.builder().CreateNSWAdd(line.linear, position(i));
             } else {
               index.dims[dimension] = position(i);
             }
             next.append(step(unflatten(carried.slice(k * width, width), types),
                              index));
           }
           return flatten(next);
         });
}

void Scan::emitTogether() {
  int64_t together = kernel.size("together");
  int64_t lines = elementCountOf(op.getResult(0)) / length;
  e.parallel(kernel.loops, [&](llvm::Value *begin, llvm::Value *end) {
    e.loop(begin, end, [&](llvm::Value *task) {
      foldLines(e.builder().CreateNSWMul(task, e.constant(together)), together);
    });
  });
  if (int64_t left = lines % together) {
    foldLines(e.constant(lines - left), left);
  }
}

void Scan::emitTask(llvm::Value *task) {
  llvm::IRBuilder<> &b = e.builder();
  int64_t columns = kernel.size("columns"), tile = kernel.size("tile");
  int64_t tiles = (columns + tile - 1) / tile;
  llvm::Value *first = e.constant(0), *count = e.constant(tile);
  Index outer;
  outer.linear = task;
  if (tiles > 1) {
    outer.linear = b.CreateUDiv(task, e.constant(tiles));
    first =
        b.CreateNSWMul(b.CreateURem(task, e.constant(tiles)), e.constant(tile));
    if (columns % tile != 0) {
      count =
          b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, count,
                                  b.CreateNSWSub(e.constant(columns), first));
    }
  }
  llvm::SmallVector<int64_t> others(shape);
  others[dimension] = others.back() = 1;
  llvm::SmallVector<llvm::Value *> dims;
  if (!isFlat) {
    dims = e.dimsOf(outer, others);
  }
  auto at = [&](llvm::Value *i, llvm::Value *j) {
    llvm::IRBuilder<> &b = e.builder();
    llvm::Value *column = b.CreateNSWAdd(first, j);
    Index index;
    if (isFlat) {
      llvm::Value *line = b.CreateNSWAdd(
          b.CreateNSWMul(outer.linear, e.constant(length)), position(i));
      index.linear =
          b.CreateNSWAdd(b.CreateNSWMul(line, e.constant(columns)), column);
    } else {
      index.dims.assign(dims.begin(), dims.end());
      index.dims[dimension] = position(i);
      index.dims.back() = column;
    }
    return index;
  };
  llvm::SmallVector<Element> start = initial();
  Slots carried(e, types, tile);
  e.loop(e.constant(0), count, [&](llvm::Value *j) {
    carried.save(j, step(start, at(e.constant(0), j)));
  });
  e.loop(e.constant(1), e.constant(length), [&](llvm::Value *i) {
    e.loop(e.constant(0), count, [&](llvm::Value *j) {
      carried.save(j, step(carried.load(j), at(i, j)));
    });
  });
}

void Scan::emitLines() {
  e.parallel(kernel.loops, [&](llvm::Value *begin, llvm::Value *end) {
    e.loop(begin, end, [&](llvm::Value *task) { emitTask(task); });
  });
}

Kernel chooseScan(ReduceWindowOp op, int64_t dimension, bool isReversed,
                  const FusionPlan &fusion, LoopSite site) {
  // What is worth vectors of columns; which carries stay in the first cache;
  // what vectors take to pieces.
  constexpr int64_t fewestColumns = 8, mostBytes = cpuTarget.firstCache / 4,
                    fewElements = 8, littleCode = 16;
  // As many lines as an addition takes cycles.
  constexpr int64_t together = 4;
  llvm::ArrayRef<int64_t> shape = shapeOf(op.getInputs().front());
  bool isFlat = fusion.isFlat(op.getInputs());
  llvm::SmallVector<int64_t> others(shape);
  int64_t length = std::exchange(others[dimension], 1), bytes = 0;
  int64_t behind = countOf(shape.drop_front(dimension + 1));
  int64_t columns = isFlat ? behind
                    : dimension + 1 == static_cast<int64_t>(shape.size())
                        ? 1
                        : shape.back();
  for (Value result : op.getResults()) {
    bytes += byteWidth(elementTypeOf(result.getType()));
  }
  Kernel kernel = {Strategy::Scan};
  kernel.sizes = {{"dimension", dimension}, {"reversed", isReversed}};
  auto cost = 4.0 * static_cast<double>(length);
  if (columns >= fewestColumns && length > 1) {
    int64_t tiles = (columns * bytes + mostBytes - 1) / mostBytes;
    int64_t tile = (columns + tiles - 1) / tiles;
    kernel.strategy = Strategy::ScanLines;
    kernel.sizes.push_back({"columns", columns});
    kernel.sizes.push_back({"tile", tile});
    kernel.loops =
        planTasks(countOf(others) / columns * ((columns + tile - 1) / tile),
                  cost * static_cast<double>(tile));
    return kernel;
  }
  auto code = static_cast<int64_t>(op.getBody().front().getOperations().size());
  if (behind == 1 && length <= fewElements && code <= littleCode) {
    kernel.sizes.push_back({"written_out", 1});
  } else if (int64_t lines = countOf(others);
             lines >= together && code <= littleCode) {
    kernel.sizes.push_back({"together", together});
    kernel.loops =
        planTasks(lines / together, cost * static_cast<double>(together));
    return kernel;
  }
  kernel.loops = planLoops(others, true, cost, site);
  return kernel;
}

void emitScan(Emitter &e, ReduceWindowOp op, const Kernel &kernel) {
  Scan scan(e, op, kernel);
  if (kernel.strategy == Strategy::ScanLines) {
    scan.emitLines();
  } else if (kernel.size("together", 0)) {
    scan.emitTogether();
  } else {
    scan.emitAlong();
  }
}

} // namespace xla::cpu
