//===- WidenContractions.cpp - Products of narrow types in wide ones ------===//

#include "xla/optimize/Passes.h"

#include "xla/dialect/stablehlo/StablehloOps.h"

namespace xla {

using mlir::Operation;
using mlir::RankedTensorType;
using mlir::Type;

/// The type that stands in for `element`; null where it stands for itself.
static Type wideTypeOf(Type element) {
  mlir::MLIRContext *context = element.getContext();
  if (auto narrow = llvm::dyn_cast<mlir::FloatType>(element)) {
    return narrow.getWidth() <= 8 ? mlir::Float32Type::get(context) : Type();
  }
  auto narrow = llvm::dyn_cast<mlir::IntegerType>(element);
  bool isSmall = narrow && (narrow.getWidth() == 2 || narrow.getWidth() == 4);
  return isSmall ? mlir::IntegerType::get(context, 32) : Type();
}

/// dot(x, y) -> convert(dot(convert(x), convert(y))). Exact for integers;
/// floats are rounded once, at the end.
static void widen(Operation *op) {
  mlir::OpBuilder builder(op);
  for (mlir::OpOperand &operand : op->getOpOperands()) {
    auto type = llvm::dyn_cast<RankedTensorType>(operand.get().getType());
    if (Type wide = type ? wideTypeOf(type.getElementType()) : Type()) {
      operand.set(stablehlo::ConvertOp::create(
          builder, op->getLoc(), type.clone(wide), operand.get()));
    }
  }
  mlir::Value result = op->getResult(0);
  auto type = llvm::dyn_cast<RankedTensorType>(result.getType());
  if (Type wide = type ? wideTypeOf(type.getElementType()) : Type()) {
    result.setType(type.clone(wide));
    builder.setInsertionPointAfter(op);
    auto narrow =
        stablehlo::ConvertOp::create(builder, op->getLoc(), type, result);
    result.replaceAllUsesExcept(narrow.getResult(), narrow);
  }
}

void widenContractions(mlir::ModuleOp module) {
  module.walk([](Operation *op) {
    if (llvm::isa<stablehlo::ConvolutionOp, stablehlo::DotGeneralOp>(op)) {
      widen(op);
    }
  });
}

} // namespace xla
