//===- TiledRegion.cpp - Loop nests over transposed arrays ----------------===//
//
// Where one array is written along the lines that another is read across, every
// element read would be a line of the cache, and the lines that neighbours
// share would be gone before they are needed again. So the nest goes by tiles:
// the transposed elements of a tile are read along their lines into a buffer
// that stays in the first-level cache, and the tile is computed from there.
//
//===----------------------------------------------------------------------===//

#include "xla/codegen/cpu/lower/elementwise/TiledRegion.h"

#include "xla/codegen/cpu/TargetDescription.h"
#include "xla/dialect/stablehlo/StablehloOps.h"

#include "llvm/ADT/SmallPtrSet.h"

namespace xla::cpu {

using namespace stablehlo;
using mlir::Operation;
using mlir::Value;

namespace {

/// Transposes that the nest computes at its own index and whose operands follow
/// each other in memory along `across`, a dimension of the nest but its last.
struct Tiling {
  int64_t across = -1;
  llvm::SmallVector<Value> turned;
};

} // namespace

/// Sides of a tile that are shorter are not worth one.
static constexpr int64_t shortestSide = 8;

static int64_t dimensionAlongMemory(TransposeOp op) {
  auto rank = static_cast<int64_t>(op.getPermutation().size());
  for (auto [d, from] : llvm::enumerate(op.getPermutation())) {
    if (from == rank - 1) {
      return static_cast<int64_t>(d);
    }
  }
  return rank - 1;
}

static Tiling findTiling(const FusionPlan &fusion,
                         llvm::ArrayRef<Value> outputs) {
  Tiling tiling;
  llvm::ArrayRef<int64_t> shape = shapeOf(outputs.front());
  int64_t last = static_cast<int64_t>(shape.size()) - 1;
  llvm::SmallVector<Value> work(outputs);
  llvm::SmallPtrSet<Operation *, 16> seen;
  while (!work.empty()) {
    Value value = work.pop_back_val();
    Operation *op = value.getDefiningOp();
    bool isComputed = op && (fusion.formOf(value) == Form::Inline ||
                             llvm::is_contained(outputs, value));
    if (!isComputed || shapeOf(value) != shape || !seen.insert(op).second) {
      continue;
    }
    if (isElementwise(op)) {
      llvm::append_range(work, op->getOperands());
      continue;
    }
    auto transpose = llvm::dyn_cast<TransposeOp>(op);
    if (!transpose || isComplex(elementTypeOf(value.getType())) ||
        isTrivial(value)) {
      continue;
    }
    int64_t across = dimensionAlongMemory(transpose);
    if (across == last || shape[across] < shortestSide ||
        shape[last] < shortestSide ||
        (tiling.across >= 0 && tiling.across != across)) {
      continue;
    }
    tiling.across = across;
    tiling.turned.push_back(value);
  }
  return tiling;
}

/// How many elements a vector holds that transposes are made of: 16 bytes, for
/// which every processor has instructions that interleave two. 0 where the
/// elements are not read as they are in memory.
static int64_t lanesOf(Emitter &e, Value value) {
  ElementType type = elementTypeOf(value.getType());
  Value operand = value.getDefiningOp()->getOperand(0);
  bool isRead =
      e.fusion.formOf(operand) == Form::Buffer &&
      memoryType(type, e.context()) == registerType(type, e.context());
  return isRead ? 16 / byteWidth(type) : 0;
}

/// Writes to the lines at `to` the columns of those at `from`, as many of them
/// as a line has elements: by interleaving the first half of the lines with the
/// second, as often as they can be halved.
static void transposeSquare(llvm::IRBuilder<> &b, llvm::Type *type,
                            llvm::ArrayRef<llvm::Value *> from,
                            llvm::ArrayRef<llvm::Value *> to) {
  auto lanes = static_cast<int64_t>(from.size());
  auto *vector = llvm::FixedVectorType::get(type, static_cast<unsigned>(lanes));
  llvm::Align align(type->getPrimitiveSizeInBits() / 8);
  llvm::SmallVector<llvm::Value *> lines;
  for (llvm::Value *line : from) {
    lines.push_back(b.CreateAlignedLoad(vector, line, align));
  }
  for (int64_t step = 1; step < lanes; step *= 2) {
    llvm::SmallVector<llvm::Value *> next;
    for (int64_t n = 0; n < lanes; ++n) {
      llvm::SmallVector<int> mask;
      for (int64_t i = 0; i < lanes; ++i) {
        int64_t at = (n % 2 * lanes + i) / 2;
        mask.push_back(static_cast<int>(i % 2 * lanes + at));
      }
      next.push_back(
          b.CreateShuffleVector(lines[n / 2], lines[n / 2 + lanes / 2], mask));
    }
    lines = std::move(next);
  }
  for (auto [line, target] : llvm::zip_equal(lines, to)) {
    b.CreateAlignedStore(line, target, align);
  }
}

namespace {

/// The lines [top, bottom) along dimension `across` of a nest, their elements
/// [left, right) along the last one.
struct Tile {
  size_t across;
  Index index;
  llvm::Value *top, *bottom, *left, *right;
};

} // namespace

using SlotOf = llvm::function_ref<llvm::Value *(llvm::Type *, const Index &)>;

static void fillSquare(Emitter &e, TransposeOp op, const Index &corner,
                       size_t across, int64_t lanes, SlotOf slot) {
  Value operand = op.getOperand();
  llvm::Type *type = e.registerTypeOf(operand);
  llvm::Value *memory = e.pointerTo(operand);
  size_t last = corner.dims.size() - 1;
  llvm::SmallVector<llvm::Value *> from, to;
  for (int64_t k = 0; k < lanes; ++k) {
    Index source, target = corner;
    source.dims.assign(corner.dims.size(), nullptr);
    for (auto [d, at] : llvm::enumerate(op.getPermutation())) {
      source.dims[at] =
          d == last ? e.shiftIndex(corner.dims[d], k) : corner.dims[d];
    }
    from.push_back(e.builder().CreateInBoundsGEP(
        type, memory, e.linearOf(source, shapeOf(operand))));
    target.dims[across] = e.shiftIndex(corner.dims[across], k);
    to.push_back(slot(type, target));
  }
  transposeSquare(e.builder(), type, from, to);
}

/// Reads a transposed value along its lines: squares first, then what they
/// leave below and beside them.
static void fillTile(Emitter &e, Value value, const Tile &tile, SlotOf slot) {
  size_t across = tile.across, last = tile.index.dims.size() - 1;
  auto fill = [&](llvm::Value *left, llvm::Value *right, llvm::Value *top,
                  llvm::Value *bottom) {
    e.loop(left, right, [&](llvm::Value *j) {
      e.loop(top, bottom, [&](llvm::Value *i) {
        Index index = tile.index;
        index.dims[across] = i;
        index.dims[last] = j;
        llvm::Value *x = e.computeElement(value.getDefiningOp(), index).real;
        if (x->getType()->isIntegerTy(1)) {
          x = e.builder().CreateZExt(x, e.builder().getInt8Ty());
        }
        e.builder().CreateStore(x, slot(x->getType(), index));
      });
    });
  };
  int64_t lanes = lanesOf(e, value);
  if (lanes < 2) {
    fill(tile.left, tile.right, tile.top, tile.bottom);
    return;
  }
  llvm::IRBuilder<> &b = e.builder();
  auto indexAt = [&](llvm::Value *first, llvm::Value *squares) {
    return e.builder().CreateNSWAdd(
        first, e.builder().CreateNSWMul(squares, e.constant(lanes)));
  };
  llvm::Value *down =
      b.CreateUDiv(b.CreateNSWSub(tile.bottom, tile.top), e.constant(lanes));
  llvm::Value *aside =
      b.CreateUDiv(b.CreateNSWSub(tile.right, tile.left), e.constant(lanes));
  e.loop(e.constant(0), aside, [&](llvm::Value *column) {
    e.loop(e.constant(0), down, [&](llvm::Value *line) {
      Index corner = tile.index;
      corner.dims[across] = indexAt(tile.top, line);
      corner.dims[last] = indexAt(tile.left, column);
      fillSquare(e, llvm::cast<TransposeOp>(value.getDefiningOp()), corner,
                 across, lanes, slot);
    });
  });
  llvm::Value *end = indexAt(tile.top, down), *side = indexAt(tile.left, aside);
  fill(tile.left, side, end, tile.bottom);
  fill(side, tile.right, tile.top, tile.bottom);
}

bool chooseTiles(const FusionPlan &fusion, llvm::ArrayRef<Value> outputs,
                 Kernel &kernel) {
  Tiling tiling = findTiling(fusion, outputs);
  llvm::ArrayRef<int64_t> shape = shapeOf(outputs.front());
  if (tiling.turned.empty() || llvm::is_contained(shape, 0)) {
    return false;
  }
  // A line of the cache along the lines read; enough lines to write in turn.
  int64_t widest = 1;
  for (Value value : tiling.turned) {
    widest = std::max(widest, byteWidth(elementTypeOf(value.getType())));
  }
  int64_t height = std::max<int64_t>(cpuTarget.cacheLine / widest, 8);
  llvm::SmallVector<int64_t> tasks(shape);
  tasks[tiling.across] = (shape[tiling.across] - 1) / height + 1;
  tasks.back() = 1;
  kernel.strategy = Strategy::Tiles;
  kernel.sizes.append(
      {{"across", tiling.across}, {"height", height}, {"width", 64}});
  kernel.loops = planLoops(tasks, /*isFlat=*/true,
                           3.0 * static_cast<double>(height * shape.back()));
  return true;
}

namespace {

/// The code of a nest by tiles.
class TiledNest {
public:
  TiledNest(Emitter &e, const Kernel &kernel, llvm::ArrayRef<Value> outputs,
            llvm::ArrayRef<BufferSlice> slices)
      : e(e), kernel(kernel), outputs(outputs), slices(slices),
        shape(shapeOf(outputs.front())), across(kernel.size("across")),
        last(shape.size() - 1), height(kernel.size("height")),
        width(kernel.size("width")),
        turned(findTiling(e.fusion, outputs).turned) {}

  void emit();

private:
  llvm::Type *storedType(Value value) {
    llvm::Type *type = e.registerTypeOf(value);
    return type->isIntegerTy(1) ? e.builder().getInt8Ty() : type;
  }
  void emitTile(Index index, llvm::Value *top, llvm::Value *left);

  Emitter &e;
  const Kernel &kernel;
  llvm::ArrayRef<Value> outputs;
  llvm::ArrayRef<BufferSlice> slices;
  llvm::ArrayRef<int64_t> shape;
  size_t across, last;
  int64_t height, width;
  llvm::SmallVector<Value> turned;
  llvm::SmallVector<llvm::Value *> tiles; ///< memory, for each of `turned`
};

} // namespace

void TiledNest::emitTile(Index index, llvm::Value *top, llvm::Value *left) {
  auto bound = [&](llvm::Value *start, int64_t step, int64_t size) {
    llvm::IRBuilder<> &b = e.builder();
    return b.CreateBinaryIntrinsic(llvm::Intrinsic::smin,
                                   b.CreateNSWAdd(start, e.constant(step)),
                                   e.constant(size));
  };
  llvm::Value *bottom = bound(top, height, shape[across]);
  llvm::Value *right = bound(left, width, shape[last]);
  auto slot = [&](size_t n, llvm::Type *type, const Index &at) {
    llvm::IRBuilder<> &b = e.builder();
    llvm::Value *line =
        b.CreateNSWMul(b.CreateNSWSub(at.dims[across], top), e.constant(width));
    return b.CreateInBoundsGEP(
        type, tiles[n],
        b.CreateNSWAdd(line, b.CreateNSWSub(at.dims[last], left)));
  };
  for (auto [n, value] : llvm::enumerate(turned)) {
    Tile tile = {across, index, top, bottom, left, right};
    fillTile(e, value, tile, [&, n = n](llvm::Type *type, const Index &at) {
      return slot(n, type, at);
    });
  }
  e.loop(top, bottom, [&](llvm::Value *i) {
    e.loop(left, right, [&](llvm::Value *j) {
      index.dims[across] = i;
      index.dims[last] = j;
      for (auto [n, value] : llvm::enumerate(turned)) {
        llvm::Type *type = e.registerTypeOf(value), *stored = storedType(value);
        llvm::Value *x = e.builder().CreateLoad(stored, slot(n, stored, index));
        e.setKnown(value, index,
                   {stored == type ? x : e.builder().CreateTrunc(x, type)});
      }
      e.storeRegion(outputs, slices, index);
    });
  });
}

void TiledNest::emit() {
  e.parallel(kernel.loops, [&](llvm::Value *begin, llvm::Value *end) {
    tiles.clear();
    for (Value value : turned) {
      tiles.push_back(
          e.frameSlot(llvm::ArrayType::get(storedType(value), height * width)));
    }
    e.loop(begin, end, [&](llvm::Value *task) {
      Index number, index;
      number.linear = task;
      index.dims = e.dimsOf(number, kernel.loops.shape);
      llvm::Value *top =
          e.builder().CreateNSWMul(index.dims[across], e.constant(height));
      e.loop(e.constant(0), e.constant((shape[last] + width - 1) / width),
             [&](llvm::Value *column) {
               llvm::Value *left =
                   e.builder().CreateNSWMul(column, e.constant(width));
               emitTile(index, top, left);
             });
    });
  });
}

void emitTiledRegion(Emitter &e, const Kernel &kernel,
                     llvm::ArrayRef<Value> outputs,
                     llvm::ArrayRef<BufferSlice> slices) {
  TiledNest(e, kernel, outputs, slices).emit();
}

} // namespace xla::cpu
