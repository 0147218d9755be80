//===- ControlFlow.cpp - Loops, branches, tokens, processes ---------------===//

#include "xla/dialect/stablehlo/StablehloOps.h"
#include "xla/reference/Interpreter.h"

using namespace mlir;

namespace xla::reference {

static Status evaluateWhile(const Step &step) {
  auto op = cast<stablehlo::WhileOp>(step.op);
  Tensors values(step.operands);
  while (true) {
    Tensors verdict, next;
    XLA_RETURN_IF_ERROR(step.run(op.getCond(), values, verdict));
    if (verdict[0].integer(0) == 0) {
      step.results = std::move(values);
      return okStatus();
    }
    XLA_RETURN_IF_ERROR(step.run(op.getBody(), values, next));
    values = std::move(next);
  }
}

static Status evaluateIf(const Step &step) {
  auto op = cast<stablehlo::IfOp>(step.op);
  bool isTrue = step.operands[0].integer(0) != 0;
  return step.run(isTrue ? op.getTrueBranch() : op.getFalseBranch(), {},
                  step.results);
}

static Status evaluateCase(const Step &step) {
  auto op = cast<stablehlo::CaseOp>(step.op);
  int64_t index = step.operands[0].integer(0);
  int64_t last = int64_t(op.getBranches().size()) - 1;
  bool isInRange = index >= 0 && index <= last;
  return step.run(op.getBranches()[isInRange ? index : last], {}, step.results);
}

static Status evaluateToken(const Step &step) {
  step.results.push_back(Tensor::token());
  return okStatus();
}

void addControlFlow(Handlers &handlers) {
  handlers["stablehlo.while"] = evaluateWhile;
  handlers["stablehlo.if"] = evaluateIf;
  handlers["stablehlo.case"] = evaluateCase;
  handlers["stablehlo.create_token"] = evaluateToken;
  handlers["stablehlo.after_all"] = evaluateToken;
}

} // namespace xla::reference
