//===- RefineShapes.cpp - Shapes that are operands become attributes ------===//

#include "xla/analysis/ShapeOperands.h"
#include "xla/dialect/stablehlo/StablehloOps.h"
#include "xla/optimize/Patterns.h"

#include "mlir/IR/Builders.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace xla {

using namespace stablehlo;

/// The operand, where it keeps its size.
static Value wholeOperand(SetDimensionSizeOp op) {
  std::optional<Numbers> size = constantNumbers(op.getSize());
  auto type = cast<RankedTensorType>(op.getOperand().getType());
  bool isWhole = size && size->size() == 1 &&
                 (*size)[0] == type.getDimSize(op.getDimension());
  return isWhole && op.getType() == type ? op.getOperand() : Value();
}

static Status unknownSizes(Operation *op) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << "'" << op->getName()
         << "' has sizes that are not known when it is compiled\n"
            "  types    ";
  llvm::interleaveComma(op->getOperandTypes(), stream);
  stream << " -> " << op->getResult(0).getType() << "\n  at       "
         << op->getLoc();
  return unimplemented(std::move(text));
}

Status refineShapes(ModuleOp module) {
  Status status;
  module.walk([&](Operation *op) {
    Value value;
    if (auto resized = dyn_cast<SetDimensionSizeOp>(op)) {
      value = wholeOperand(resized);
    } else if (hasShapeOperands(op)) {
      OpBuilder builder(op);
      StatusOr<Operation *> fixed = withoutShapeOperands(
          builder, op, [](Value sizes) { return constantNumbers(sizes); });
      if (!fixed.ok()) {
        status = fixed.status();
        return WalkResult::interrupt();
      }
      value = *fixed ? (*fixed)->getResult(0) : Value();
    } else {
      return WalkResult::advance();
    }
    if (!value) {
      status = unknownSizes(op);
      return WalkResult::interrupt();
    }
    op->getResult(0).replaceAllUsesWith(value);
    op->erase();
    return WalkResult::skip();
  });
  return status;
}

} // namespace xla
