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

//===----------------------------------------------------------------------===//
// Collectives among one process
//===----------------------------------------------------------------------===//

static Status evaluateProcessId(const Step &step) {
  XLA_ASSIGN_OR_RETURN(Tensor out, step.zeros());
  step.results.push_back(std::move(out));
  return okStatus();
}

/// Whether an attribute that lists processes names any but number 0; -1 fills
/// rows that are shorter than others.
static bool namesOthers(DenseIntElementsAttr processes) {
  return llvm::any_of(processes.getValues<APInt>(), [](const APInt &number) {
    return number.getSExtValue() > 0;
  });
}

static Status severalProcesses() {
  return unimplemented("it is among several processes, and the interpreter "
                       "runs one");
}

static Status evaluateCollective(const Step &step) {
  auto groups = step.op->getAttrOfType<DenseIntElementsAttr>("replica_groups");
  if (step.op->getResultTypes() != step.op->getOperandTypes() ||
      (groups && namesOthers(groups))) {
    return severalProcesses();
  }
  step.results.append(step.operands.begin(), step.operands.end());
  return okStatus();
}

/// What nobody sends is zero.
static Status evaluateCollectivePermute(const Step &step) {
  DenseIntElementsAttr pairs =
      cast<stablehlo::CollectivePermuteOp>(step.op).getSourceTargetPairs();
  if (namesOthers(pairs)) {
    return severalProcesses();
  }
  if (!pairs.empty()) {
    step.results.push_back(step.operands[0]);
    return okStatus();
  }
  XLA_ASSIGN_OR_RETURN(Tensor out, step.zeros());
  step.results.push_back(std::move(out));
  return okStatus();
}

void addControlFlow(Handlers &handlers) {
  handlers["stablehlo.while"] = evaluateWhile;
  handlers["stablehlo.if"] = evaluateIf;
  handlers["stablehlo.case"] = evaluateCase;
  handlers["stablehlo.create_token"] = evaluateToken;
  handlers["stablehlo.after_all"] = evaluateToken;
  handlers["stablehlo.partition_id"] = evaluateProcessId;
  handlers["stablehlo.replica_id"] = evaluateProcessId;
  handlers["stablehlo.all_reduce"] = evaluateCollective;
  handlers["stablehlo.all_gather"] = evaluateCollective;
  handlers["stablehlo.all_to_all"] = evaluateCollective;
  handlers["stablehlo.reduce_scatter"] = evaluateCollective;
  handlers["stablehlo.collective_broadcast"] = evaluateCollective;
  handlers["stablehlo.collective_permute"] = evaluateCollectivePermute;
}

} // namespace xla::reference
