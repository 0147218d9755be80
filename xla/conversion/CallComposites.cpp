//===- CallComposites.cpp - A composite is a call of its decomposition ----===//
//
// One composite has an operation that does better: "xla.uninitialized", an
// array whose contents are unspecified, becomes memory that nothing fills.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "xla/conversion/Conversion.h"
#include "xla/dialect/stablehlo/StablehloOps.h"

using namespace mlir;

namespace xla {

/// Whether a composite makes an array of unspecified contents. A scalar is a
/// register, which something has to fill.
static bool isUninitialized(stablehlo::CompositeOp op) {
  if (op.getName() != "xla.uninitialized" || op->getNumOperands() != 0 ||
      op->getNumResults() != 1) {
    return false;
  }
  auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  return type && type.hasStaticShape() && type.getRank() > 0;
}

LogicalResult callComposites(ModuleOp module) {
  module.walk([](stablehlo::CompositeOp op) {
    OpBuilder builder(op);
    if (isUninitialized(op)) {
      NamedAttribute target = builder.getNamedAttr(
          "call_target_name",
          builder.getStringAttr(stablehlo::CustomCallOp::allocateBuffer));
      auto memory = stablehlo::CustomCallOp::create(
          builder, op.getLoc(), op.getResultTypes(), ValueRange(), {target});
      op->replaceAllUsesWith(memory);
      op->erase();
      return;
    }
    auto call =
        func::CallOp::create(builder, op.getLoc(), op.getDecomposition(),
                             op.getResultTypes(), op.getInputs());
    op->replaceAllUsesWith(call);
    op->erase();
  });
  return success();
}

} // namespace xla
