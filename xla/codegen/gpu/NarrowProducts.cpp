//===- NarrowProducts.cpp - Products of what was converted ----------------===//

#include "xla/codegen/gpu/NarrowProducts.h"

#include "xla/codegen/gpu/MatrixTiles.h"
#include "xla/dialect/ElementTypes.h"
#include "xla/dialect/stablehlo/StablehloOps.h"

namespace xla::gpu {

using namespace stablehlo;

void narrowProducts(mlir::ModuleOp module) {
  llvm::SmallVector<DotGeneralOp> products;
  module.walk([&](DotGeneralOp op) { products.push_back(op); });
  for (DotGeneralOp op : products) {
    auto x = op.getLhs().getDefiningOp<ConvertOp>();
    auto y = op.getRhs().getDefiningOp<ConvertOp>();
    if (!x || !y || elementTypeOf(op.getLhs().getType()) != ElementType::F32 ||
        elementTypeOf(op.getRhs().getType()) != ElementType::F32) {
      continue;
    }
    ElementType from = elementTypeOf(x.getOperand().getType());
    if (from != elementTypeOf(y.getOperand().getType()) || !isFloat(from) ||
        from == ElementType::F32 || !isMatrixElement(from)) {
      continue;
    }
    op->setOperands({x.getOperand(), y.getOperand()});
    if (y != x && y->use_empty()) {
      y->erase();
    }
    if (x->use_empty()) {
      x->erase();
    }
  }
}

} // namespace xla::gpu
