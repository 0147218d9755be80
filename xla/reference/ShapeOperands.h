//===- ShapeOperands.h - Sizes that are operands ----------------*- C++ -*-===//

#ifndef XLA_REFERENCE_SHAPEOPERANDS_H
#define XLA_REFERENCE_SHAPEOPERANDS_H

#include "xla/analysis/ShapeOperands.h"
#include "xla/reference/Interpreter.h"

namespace xla::reference {

/// Evaluates an operation whose sizes are operands as the one with the sizes
/// for attributes, by that one's handler.
template <Handler evaluate>
Status withoutShapeOperands(const Step &step) {
  mlir::Block scratch;
  mlir::OpBuilder builder(step.op->getContext());
  builder.setInsertionPointToEnd(&scratch);
  auto numbersOf = [&](mlir::Value value) {
    const Tensor &tensor =
        step.operands[llvm::find(step.op->getOperands(), value).getIndex()];
    Numbers numbers;
    for (int64_t i = 0; i < tensor.count(); ++i) {
      numbers.push_back(tensor.integer(i));
    }
    return std::optional(std::move(numbers));
  };
  StatusOr<mlir::Operation *> fixed =
      xla::withoutShapeOperands(builder, step.op, numbersOf);
  if (!fixed.ok()) {
    return fixed.status();
  }
  // Sizes are the last operands.
  return evaluate({step.interpreter, *fixed, step.scope,
                   step.operands.take_front((*fixed)->getNumOperands()),
                   step.results});
}

} // namespace xla::reference

#endif // XLA_REFERENCE_SHAPEOPERANDS_H
