//===- SplitReductions.cpp - Long reductions by many blocks ---------------===//

#include "xla/codegen/gpu/SplitReductions.h"

#include "xla/dialect/stablehlo/StablehloOps.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"

namespace xla::gpu {

using namespace stablehlo;
using mlir::RankedTensorType;
using mlir::Value;

// Below that many elements for a result, and from that many results on, blocks
// have enough to do, and there are enough of them.
static constexpr int64_t longFrom = int64_t(1) << 16;
static constexpr int64_t enoughResults = 128;
static constexpr int64_t mostParts = 1024;

/// Into how many parts `terms` are divided: the most that divide them, no more
/// than their length; 1 where there is none.
static int64_t partsOf(int64_t terms) {
  for (int64_t parts = mostParts; parts > 1; --parts) {
    if (terms % parts == 0 && terms / parts >= parts) {
      return parts;
    }
  }
  return 1;
}

/// The number of elements that fold into one, where they are in a row; else 0.
static int64_t trailingTerms(ReduceOp op) {
  llvm::ArrayRef<int64_t> shape =
      llvm::cast<RankedTensorType>(op.getInputs().front().getType()).getShape();
  llvm::SmallVector<int64_t> folded(op.getDimensions());
  llvm::sort(folded);
  auto rank = static_cast<int64_t>(shape.size());
  auto first = rank - static_cast<int64_t>(folded.size());
  int64_t terms = 1;
  for (auto [i, d] : llvm::enumerate(folded)) {
    if (d != first + static_cast<int64_t>(i)) {
      return 0;
    }
    terms *= shape[d];
  }
  return terms;
}

static ReduceOp reduceLast(mlir::OpBuilder &b, ReduceOp op,
                           llvm::ArrayRef<Value> inputs) {
  llvm::SmallVector<mlir::Type> types;
  for (Value input : inputs) {
    auto type = llvm::cast<RankedTensorType>(input.getType());
    types.push_back(RankedTensorType::get(type.getShape().drop_back(),
                                          type.getElementType()));
  }
  int64_t last =
      llvm::cast<RankedTensorType>(inputs.front().getType()).getRank() - 1;
  auto made =
      ReduceOp::create(b, op.getLoc(), types, inputs, op.getInitValues(),
                       b.getDenseI64ArrayAttr(last));
  mlir::IRMapping mapping;
  op.getBody().cloneInto(&made.getBody(), mapping);
  return made;
}

static void split(ReduceOp op, int64_t terms, int64_t parts) {
  mlir::OpBuilder b(op);
  llvm::SmallVector<Value> inputs;
  for (Value input : op.getInputs()) {
    auto type = llvm::cast<RankedTensorType>(input.getType());
    llvm::SmallVector<int64_t> shape(
        type.getShape().drop_back(op.getDimensions().size()));
    shape.append({parts, terms / parts});
    inputs.push_back(ReshapeOp::create(
        b, op.getLoc(), RankedTensorType::get(shape, type.getElementType()),
        input));
  }
  ReduceOp ofParts = reduceLast(b, op, inputs);
  llvm::SmallVector<Value> partial(ofParts.getResults());
  op.replaceAllUsesWith(reduceLast(b, op, partial).getResults());
  op.erase();
}

void splitReductions(mlir::ModuleOp module) {
  llvm::SmallVector<ReduceOp> found;
  module.walk([&](ReduceOp op) {
    auto type = llvm::dyn_cast<RankedTensorType>(op.getResult(0).getType());
    int64_t terms = type ? trailingTerms(op) : 0;
    if (terms >= longFrom && type.getNumElements() < enoughResults) {
      found.push_back(op);
    }
  });
  for (ReduceOp op : found) {
    int64_t terms = trailingTerms(op), parts = partsOf(terms);
    if (parts > 1) {
      split(op, terms, parts);
    }
  }
}

} // namespace xla::gpu
