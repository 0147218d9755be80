//===- SplitAllToAlls.cpp - One array for each all_to_all -----------------===//

#include "xla/conversion/Conversion.h"

#include "xla/dialect/stablehlo/StablehloOps.h"

using namespace mlir;

namespace xla {

void splitAllToAlls(ModuleOp module) {
  module.walk([](stablehlo::AllToAllOp exchange) {
    if (exchange->getNumOperands() < 2) {
      return;
    }
    OpBuilder builder(exchange);
    SmallVector<Value> results;
    for (auto [operand, result] :
         llvm::zip_equal(exchange->getOperands(), exchange->getResults())) {
      OperationState state(exchange.getLoc(), exchange->getName(), operand,
                           result.getType(), exchange->getAttrs());
      results.push_back(builder.create(state)->getResult(0));
    }
    exchange->replaceAllUsesWith(results);
    exchange->erase();
  });
}

} // namespace xla
