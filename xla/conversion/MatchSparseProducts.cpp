//===- MatchSparseProducts.cpp - Sparse products that have a kernel -------===//

#include "xla/analysis/SparseProduct.h"
#include "xla/conversion/Conversion.h"
#include "xla/dialect/stablehlo/StablehloOps.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

namespace xla {

using stablehlo::CompositeOp;
using stablehlo::CustomCallOp;

void matchSparseProducts(ModuleOp module) {
  module.walk([](CompositeOp op) {
    if (!sparseProductOf(op)) {
      return;
    }
    OpBuilder builder(op);
    NamedAttribute attributes[] = {
        builder.getNamedAttr("call_target_name",
                             builder.getStringAttr(sparseProductCall)),
        builder.getNamedAttr("api_version", builder.getI32IntegerAttr(4)),
        builder.getNamedAttr(sparseProductAttributes,
                             op.getCompositeAttributesAttr())};
    auto call = CustomCallOp::create(builder, op.getLoc(), op.getResultTypes(),
                                     op.getInputs(), attributes);
    op->replaceAllUsesWith(call);
    op->erase();
  });
}

} // namespace xla
