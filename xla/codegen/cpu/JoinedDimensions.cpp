//===- JoinedDimensions.cpp - Fewer, longer loops -------------------------===//
//
// A scale per channel of 8 x 64 x 14 x 14 elements is the same along the last
// two dimensions: nothing that is computed distinguishes 14 x 14 from 196. Such
// neighbours are walked as one. The later one's index then runs over the
// product, and the earlier one's is 0, which row-major numbers do not see.
//
//===----------------------------------------------------------------------===//

#include "xla/codegen/cpu/JoinedDimensions.h"

#include "xla/codegen/cpu/Types.h"
#include "xla/dialect/stablehlo/StablehloOps.h"

namespace xla::cpu {

using namespace stablehlo;
using mlir::Operation;
using mlir::Value;

/// The operand's dimension that is broadcast into each of the result's, -1
/// where the operand does not change along it.
static llvm::SmallVector<int64_t> sourcesOf(BroadcastInDimOp broadcast) {
  llvm::ArrayRef<int64_t> from = shapeOf(broadcast.getOperand());
  llvm::SmallVector<int64_t> sources(shapeOf(broadcast.getResult()).size(), -1);
  for (auto [d, dimension] :
       llvm::enumerate(broadcast.getBroadcastDimensions())) {
    if (from[d] != 1) {
      sources[dimension] = static_cast<int64_t>(d);
    }
  }
  return sources;
}

bool isContiguous(llvm::ArrayRef<int64_t> part, llvm::ArrayRef<int64_t> whole,
                  int64_t first, int64_t second) {
  return part[second] == whole[second] &&
         llvm::all_of(whole.slice(first + 1, second - first - 1),
                      [](int64_t size) { return size == 1; });
}

/// The dimension of `to` that the one at `dimension` of `from` becomes where a
/// reshape adds and drops dimensions of size 1 alone; -1 if it does more.
static int64_t reshapedTo(llvm::ArrayRef<int64_t> from,
                          llvm::ArrayRef<int64_t> to, int64_t dimension) {
  int64_t found = -1;
  size_t j = 0;
  for (auto [i, size] : llvm::enumerate(from)) {
    if (size == 1) {
      continue;
    }
    while (j < to.size() && to[j] == 1) {
      ++j;
    }
    if (j == to.size() || to[j] != size) {
      return -1;
    }
    found =
        static_cast<int64_t>(i) == dimension ? static_cast<int64_t>(j) : found;
    ++j;
  }
  return found;
}

/// Whether `op`, which moves elements of one array, reads joined dimensions
/// from memory as one stretch.
static bool movesStretch(const FusionPlan &fusion, Operation *op, int64_t first,
                         int64_t second) {
  while (llvm::isa<SliceOp, DynamicSliceOp, ReshapeOp>(op)) {
    Value operand = op->getOperand(0);
    llvm::ArrayRef<int64_t> to = shapeOf(op->getResult(0));
    llvm::ArrayRef<int64_t> from = shapeOf(operand);
    if (llvm::isa<ReshapeOp>(op)) {
      first = reshapedTo(to, from, first);
      second = reshapedTo(to, from, second);
      if (first < 0 || second < 0) {
        return false;
      }
    } else if (!isContiguous(to, from, first, second)) {
      return false;
    }
    auto slice = llvm::dyn_cast<SliceOp>(op);
    if (slice &&
        (slice.getStrides()[first] != 1 || slice.getStrides()[second] != 1)) {
      return false;
    }
    if (fusion.formOf(operand) == Form::Buffer) {
      return true;
    }
    op = operand.getDefiningOp();
    if (!op || fusion.formOf(operand) != Form::Inline) {
      return false;
    }
  }
  return false;
}

/// Whether `op` computes elements without telling the dimensions at `first` and
/// `second` apart: neighbours but for dimensions of size 1.
static bool joins(const FusionPlan &fusion, Operation *op, int64_t first,
                  int64_t second) {
  if (isElementwise(op) || llvm::isa<ConstantOp>(op)) {
    return true;
  }
  if (llvm::isa<SliceOp, DynamicSliceOp, ReshapeOp>(op)) {
    return movesStretch(fusion, op, first, second);
  }
  auto broadcast = llvm::dyn_cast<BroadcastInDimOp>(op);
  if (!broadcast) {
    return false;
  }
  auto sources = sourcesOf(broadcast);
  if (sources[first] < 0 || sources[second] < 0) {
    return sources[first] == sources[second];
  }
  llvm::ArrayRef<int64_t> from = shapeOf(broadcast.getOperand());
  for (int64_t d = sources[first] + 1; d < sources[second]; ++d) {
    if (from[d] != 1) {
      return false;
    }
  }
  return sources[first] < sources[second] &&
         fusion.formOf(broadcast.getOperand()) == Form::Buffer;
}

llvm::SmallVector<int64_t>
joinedShape(const FusionPlan &fusion, llvm::ArrayRef<int64_t> shape,
            mlir::ValueRange computed,
            llvm::function_ref<bool(int64_t first, int64_t second)> may) {
  llvm::SmallVector<Operation *> operations;
  llvm::SmallVector<Value> work(computed);
  llvm::DenseSet<Value> seen;
  while (!work.empty()) {
    Value value = work.pop_back_val();
    if (!seen.insert(value).second) {
      continue;
    }
    Operation *op = value.getDefiningOp();
    if (!op) {
      continue; // an argument is stored as it is walked
    }
    operations.push_back(op);
    if (!isElementwise(op)) {
      continue; // of a broadcast, each index is its operand's or none
    }
    for (Value operand : op->getOperands()) {
      if (isTensor(operand) && !isScalar(operand) &&
          fusion.formOf(operand) == Form::Inline && operand.getDefiningOp()) {
        work.push_back(operand);
      }
    }
  }
  llvm::SmallVector<int64_t> joined(shape);
  int64_t before = -1;
  for (int64_t d = 0; d < static_cast<int64_t>(shape.size()); ++d) {
    if (shape[d] == 1) {
      continue;
    }
    if (before >= 0 && may(before, d) &&
        llvm::all_of(operations, [&](Operation *op) {
          return joins(fusion, op, before, d);
        })) {
      joined[d] *= joined[before];
      joined[before] = 1;
    }
    before = d;
  }
  return joined;
}

} // namespace xla::cpu
