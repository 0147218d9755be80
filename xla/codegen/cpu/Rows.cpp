//===- Rows.cpp - Whether elements stay in their row ----------------------===//

#include "xla/codegen/cpu/Rows.h"

#include "xla/codegen/cpu/Types.h"
#include "xla/dialect/stablehlo/StablehloOps.h"

namespace xla::cpu {

using namespace stablehlo;
using mlir::Operation;
using mlir::Value;

int64_t splitOf(llvm::ArrayRef<int64_t> shape, int64_t rows) {
  int64_t product = 1;
  for (auto [d, size] : llvm::enumerate(shape)) {
    if (product == rows) {
      return static_cast<int64_t>(d);
    }
    if (size == 0 || size > rows / product) {
      return -1;
    }
    product *= size;
  }
  return product == rows ? static_cast<int64_t>(shape.size()) : -1;
}

/// Whether an element of row r of the broadcast comes from row r of the
/// operand.
static bool keepsRows(BroadcastInDimOp op, int64_t rows) {
  llvm::ArrayRef<int64_t> from = shapeOf(op.getOperand());
  llvm::ArrayRef<int64_t> to = shapeOf(op.getResult());
  int64_t fromSplit = splitOf(from, rows), toSplit = splitOf(to, rows);
  if (fromSplit < 0 || toSplit < 0) {
    return false;
  }
  llvm::SmallVector<int64_t> mapped;
  for (int64_t d = 0; d < fromSplit; ++d) {
    if (from[d] != 1) {
      mapped.push_back(op.getBroadcastDimensions()[d]);
    }
  }
  llvm::SmallVector<int64_t> wanted;
  for (int64_t d = 0; d < toSplit; ++d) {
    if (to[d] != 1) {
      wanted.push_back(d);
    }
  }
  return mapped == wanted;
}

bool keepsRows(Operation *op, Value operand, int64_t rows) {
  if (llvm::isa<ReshapeOp>(op)) {
    return true; // elements keep their row-major numbers
  }
  if (auto broadcast = llvm::dyn_cast<BroadcastInDimOp>(op)) {
    return keepsRows(broadcast, rows);
  }
  llvm::ArrayRef<int64_t> from = shapeOf(operand);
  llvm::ArrayRef<int64_t> to = shapeOf(op->getResult(0));
  int64_t split = splitOf(to, rows);
  if (split < 0 || from.size() != to.size() ||
      from.take_front(split) != to.take_front(split)) {
    return false;
  }
  // What happens along the dimensions behind the split stays in the row.
  auto isBehind = [&](auto dimension) {
    return static_cast<int64_t>(dimension) >= split;
  };
  auto leads = [&](llvm::ArrayRef<int64_t> numbers, int64_t number) {
    return llvm::all_of(numbers.take_front(split),
                        [&](int64_t n) { return n == number; });
  };
  if (auto slice = llvm::dyn_cast<SliceOp>(op)) {
    return leads(slice.getStartIndices(), 0) && leads(slice.getStrides(), 1);
  }
  if (auto pad = llvm::dyn_cast<PadOp>(op)) {
    return leads(pad.getEdgePaddingLow(), 0) &&
           leads(pad.getEdgePaddingHigh(), 0) &&
           leads(pad.getInteriorPadding(), 0);
  }
  if (auto concatenate = llvm::dyn_cast<ConcatenateOp>(op)) {
    return isBehind(concatenate.getDimension());
  }
  if (auto reverse = llvm::dyn_cast<ReverseOp>(op)) {
    return llvm::all_of(reverse.getDimensions(), isBehind);
  }
  if (auto transpose = llvm::dyn_cast<TransposeOp>(op)) {
    for (int64_t d = 0; d < split; ++d) {
      if (transpose.getPermutation()[d] != d) {
        return false;
      }
    }
    return true;
  }
  return llvm::isa<DynamicSliceOp>(op); // a start in a whole dimension is 0
}

} // namespace xla::cpu
