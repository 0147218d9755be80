//===- TiledRegion.cpp - Loop nests over transposed arrays ----------------===//
//
// Where one array is written along the lines that another is read across, every
// element read would be a line of the cache, and the lines that neighbours
// share would be gone before they are needed again. So the nest goes by tiles:
// the transposed elements of a tile are read along their lines into a buffer
// that stays in the first-level cache, and the tile is computed from there.
//
//===----------------------------------------------------------------------===//

#include "xla/codegen/cpu/Emitter.h"

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

bool Emitter::emitTiledRegion(llvm::ArrayRef<Value> outputs,
                              llvm::ArrayRef<Place> places) {
  llvm::ArrayRef<int64_t> shape = shapeOf(outputs.front());
  Tiling tiling = findTiling(fusion, outputs);
  if (tiling.turned.empty()) {
    return false;
  }
  size_t last = shape.size() - 1, across = tiling.across;
  // A line of the cache along the lines read; enough lines to write in turn.
  int64_t widest = 1;
  for (Value value : tiling.turned) {
    widest = std::max(widest, byteWidth(elementTypeOf(value.getType())));
  }
  const int64_t height = std::max<int64_t>(64 / widest, 8), width = 64;
  llvm::SmallVector<int64_t> tasks(shape);
  tasks[across] = (shape[across] + height - 1) / height;
  tasks[last] = 1;
  int64_t count = 1;
  for (int64_t size : tasks) {
    count *= size;
  }
  auto bound = [&](llvm::Value *start, int64_t step, int64_t size) {
    return builder().CreateBinaryIntrinsic(
        llvm::Intrinsic::smin, builder().CreateNSWAdd(start, constant(step)),
        constant(size));
  };
  auto emitTile = [&](Index index, llvm::ArrayRef<llvm::Value *> buffers,
                      llvm::Value *top, llvm::Value *left) {
    llvm::Value *bottom = bound(top, height, shape[across]);
    llvm::Value *right = bound(left, width, shape[last]);
    auto slot = [&](size_t n, llvm::Type *type, const Index &at) {
      llvm::IRBuilder<> &b = builder();
      llvm::Value *line =
          b.CreateNSWMul(b.CreateNSWSub(at.dims[across], top), constant(width));
      return b.CreateInBoundsGEP(
          type, buffers[n],
          b.CreateNSWAdd(line, b.CreateNSWSub(at.dims[last], left)));
    };
    loop(left, right, [&](llvm::Value *j) {
      loop(top, bottom, [&](llvm::Value *i) {
        index.dims[across] = i;
        index.dims[last] = j;
        for (auto [n, value] : llvm::enumerate(tiling.turned)) {
          llvm::Value *x = computeElement(value.getDefiningOp(), index).real;
          if (x->getType()->isIntegerTy(1)) {
            x = builder().CreateZExt(x, builder().getInt8Ty());
          }
          builder().CreateStore(x, slot(n, x->getType(), index));
        }
      });
    });
    loop(top, bottom, [&](llvm::Value *i) {
      loop(left, right, [&](llvm::Value *j) {
        index.dims[across] = i;
        index.dims[last] = j;
        for (auto [n, value] : llvm::enumerate(tiling.turned)) {
          llvm::Type *type = registerTypeOf(value);
          bool bit = type->isIntegerTy(1);
          llvm::Type *memory = bit ? builder().getInt8Ty() : type;
          llvm::Value *x = builder().CreateLoad(memory, slot(n, memory, index));
          known[value].push_back(
              {index, {bit ? builder().CreateTrunc(x, type) : x}});
        }
        storeRegion(outputs, places, index);
      });
    });
  };
  double cost = 3.0 * static_cast<double>(height * shape[last]);
  parallel(count, cost, [&](llvm::Value *begin, llvm::Value *end) {
    llvm::SmallVector<llvm::Value *> buffers;
    for (Value value : tiling.turned) {
      llvm::Type *type = registerTypeOf(value);
      type = type->isIntegerTy(1) ? builder().getInt8Ty() : type;
      buffers.push_back(frameSlot(llvm::ArrayType::get(type, height * width)));
    }
    loop(begin, end, [&](llvm::Value *task) {
      Index number;
      number.linear = task;
      Index index;
      index.dims = dimsOf(number, tasks);
      llvm::Value *top =
          builder().CreateNSWMul(index.dims[across], constant(height));
      loop(constant(0), constant((shape[last] + width - 1) / width),
           [&](llvm::Value *column) {
             emitTile(index, buffers, top,
                      builder().CreateNSWMul(column, constant(width)));
           });
    });
  });
  return true;
}

} // namespace xla::cpu
