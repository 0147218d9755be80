//===- CallComposites.cpp - A composite is a call of its decomposition ----===//

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "xla/conversion/Conversion.h"
#include "xla/dialect/stablehlo/StablehloOps.h"

using namespace mlir;

namespace xla {

LogicalResult callComposites(ModuleOp module) {
  module.walk([](stablehlo::CompositeOp op) {
    OpBuilder builder(op);
    auto call =
        func::CallOp::create(builder, op.getLoc(), op.getDecomposition(),
                             op.getResultTypes(), op.getInputs());
    op->replaceAllUsesWith(call);
    op->erase();
  });
  return success();
}

} // namespace xla
