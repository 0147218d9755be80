//===- NormalizeLayouts.cpp - Arrays of custom calls as memory has them ---===//

#include "xla/optimize/Passes.h"

#include "xla/dialect/stablehlo/StablehloOps.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

namespace xla {

using stablehlo::CustomCallOp;
using stablehlo::TransposeOp;

static Type permuted(Type type, ArrayRef<int64_t> order) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor) {
    return type; // a token
  }
  SmallVector<int64_t> sizes;
  for (int64_t dimension : order) {
    sizes.push_back(tensor.getDimSize(dimension));
  }
  return tensor.clone(sizes);
}

static Value transpose(OpBuilder &builder, Value value,
                       ArrayRef<int64_t> order) {
  return llvm::is_sorted(order)
             ? value
             : TransposeOp::create(builder, value.getLoc(), value, order)
                   .getResult();
}

static void normalizeLayouts(CustomCallOp op) {
  OpBuilder builder(op);
  SmallVector<Value> operands;
  for (auto [i, operand] : llvm::enumerate(op->getOperands())) {
    operands.push_back(transpose(builder, operand, op.operandOrder(i)));
  }
  SmallVector<Type> types;
  for (auto [i, type] : llvm::enumerate(op->getResultTypes())) {
    types.push_back(permuted(type, op.resultOrder(i)));
  }
  auto call = CustomCallOp::create(builder, op.getLoc(), types, operands,
                                   op->getAttrDictionary().getValue());
  call->setAttr(CustomCallOp::inMemoryOrder, builder.getUnitAttr());
  for (auto [i, result] : llvm::enumerate(op->getResults())) {
    SmallVector<int64_t> order = op.resultOrder(i), back(order.size());
    for (auto [position, dimension] : llvm::enumerate(order)) {
      back[dimension] = int64_t(position);
    }
    result.replaceAllUsesWith(transpose(builder, call->getResult(i), back));
  }
  op->erase();
}

void normalizeLayouts(ModuleOp module) {
  module.walk([](CustomCallOp op) {
    if (op.getOperandLayouts() && !op->hasAttr(CustomCallOp::inMemoryOrder)) {
      normalizeLayouts(op);
    }
  });
}

} // namespace xla
