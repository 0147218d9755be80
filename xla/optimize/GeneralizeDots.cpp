//===- GeneralizeDots.cpp - dot is a dot_general --------------------------===//

#include "xla/dialect/stablehlo/StablehloOps.h"
#include "xla/optimize/Patterns.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

namespace xla {

using namespace stablehlo;

void generalizeDots(ModuleOp module) {
  module.walk([](DotOp op) {
    OpBuilder builder(op);
    int64_t last = cast<RankedTensorType>(op.getLhs().getType()).getRank() - 1;
    auto numbers = DotDimensionNumbersAttr::get(
        op.getContext(), {}, {}, ArrayRef<int64_t>(last), ArrayRef<int64_t>(0));
    op->replaceAllUsesWith(DotGeneralOp::create(
        builder, op.getLoc(), op.getType(), op.getLhs(), op.getRhs(), numbers,
        op.getPrecisionConfigAttr(), DotAlgorithmAttr()));
    op->erase();
  });
}

} // namespace xla
