//===- CustomCalls.cpp - Calls of handlers that the user registered -------===//

#include "xla/analysis/DeviceGroups.h"
#include "xla/dialect/stablehlo/StablehloOps.h"
#include "xla/reference/Interpreter.h"

using namespace mlir;

namespace xla::reference {

/// The elements of `from` with dimension `order[i]` in place of dimension i.
static StatusOr<Tensor> transposed(const Tensor &from, Index order) {
  Sizes sizes;
  for (int64_t dimension : order) {
    sizes.push_back(from.sizes()[dimension]);
  }
  XLA_ASSIGN_OR_RETURN(Tensor to, Tensor::zeros(from.type(), sizes));
  Sizes strides = stridesOf(from.sizes());
  int64_t position = 0;
  forEachIndex(sizes, [&](Index index) {
    int64_t source = 0;
    for (size_t i = 0; i < order.size(); ++i) {
      source += index[i] * strides[order[i]];
    }
    to.copyElement(position++, from, source);
    return true;
  });
  return to;
}

static StatusOr<Tensor> inMemoryOrder(const Tensor &tensor, Index order) {
  // Also a copy: handlers may write on operands that are aliased.
  return tensor.type() == ElementType::Token ? StatusOr<Tensor>(tensor)
                                             : transposed(tensor, order);
}

static Status evaluateCustomCall(const Step &step) {
  if (isCollective(step.op)) {
    return evaluateCollective(step);
  }
  auto op = cast<stablehlo::CustomCallOp>(step.op);
  if (op.isAllocation()) {
    for (Type type : op->getResultTypes()) {
      XLA_ASSIGN_OR_RETURN(Shape shape, shapeOf(type));
      XLA_ASSIGN_OR_RETURN(Tensor tensor,
                           Tensor::zeros(shape.type, shape.dimensions));
      step.results.push_back(std::move(tensor));
    }
    return okStatus();
  }
  Tensors operands, results;
  SmallVector<void *> operandPointers, resultPointers;
  for (auto [i, operand] : llvm::enumerate(step.operands)) {
    XLA_ASSIGN_OR_RETURN(Tensor tensor,
                         inMemoryOrder(operand, op.operandOrder(i)));
    operandPointers.push_back(tensor.mutableData());
    operands.push_back(std::move(tensor));
  }
  for (unsigned i = 0; i < op->getNumResults(); ++i) {
    XLA_ASSIGN_OR_RETURN(Shape shape, shapeOf(op->getResult(i).getType()));
    int64_t aliased = op.aliasedOperand(i);
    if (shape.type == ElementType::Token) {
      results.push_back(Tensor::token());
    } else if (aliased >= 0) {
      results.push_back(operands[aliased]); // shares its memory
    } else {
      Sizes sizes;
      for (int64_t dimension : op.resultOrder(i)) {
        sizes.push_back(shape.dimensions[dimension]);
      }
      XLA_ASSIGN_OR_RETURN(Tensor tensor, Tensor::zeros(shape.type, sizes));
      results.push_back(std::move(tensor));
    }
    resultPointers.push_back(results.back().mutableData());
  }
  XLA_RETURN_IF_ERROR(step.interpreter.foreignCall(op).run(
      step.interpreter.runContext(), operandPointers.data(),
      resultPointers.data()));
  for (auto [i, result] : llvm::enumerate(results)) {
    Sizes order(op.resultOrder(i)), back(order.size());
    for (auto [index, dimension] : llvm::enumerate(order)) {
      back[dimension] = int64_t(index);
    }
    XLA_ASSIGN_OR_RETURN(Tensor tensor, inMemoryOrder(result, back));
    step.results.push_back(std::move(tensor));
  }
  return okStatus();
}

void addCustomCalls(Handlers &handlers) {
  handlers["stablehlo.custom_call"] = evaluateCustomCall;
}

} // namespace xla::reference
