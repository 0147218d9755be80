//===- SimplifyLoops.cpp - What a loop need not carry or repeat -----------===//
//
// A carry that the body hands on unchanged is read from outside: it needs no
// place of its own and no copy into it. A carry that nobody reads is dropped.
// Products, convolutions, reductions and sorts of what does not change in the
// loop are computed before it; cheap operations stay, for inside they need no
// memory.
//
//===----------------------------------------------------------------------===//

#include "xla/optimize/Passes.h"

#include "xla/dialect/stablehlo/StablehloOps.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

namespace xla {

using namespace stablehlo;
using mlir::Operation;
using mlir::Value;

/// Reads invariant carries from outside; says whether there was one.
static bool readInvariantsOutside(WhileOp loop) {
  mlir::Block &body = loop.getBody().front();
  mlir::Block &condition = loop.getCond().front();
  Operation *yield = body.getTerminator();
  bool changed = false;
  for (auto [i, operand] : llvm::enumerate(loop->getOperands())) {
    auto number = static_cast<unsigned>(i);
    Value inner = body.getArgument(number);
    bool isRead = !condition.getArgument(number).use_empty() ||
                  !inner.hasOneUse() || !loop->getResult(number).use_empty();
    if (yield->getOperand(number) != inner || !isRead) {
      continue;
    }
    condition.getArgument(number).replaceAllUsesWith(operand);
    inner.replaceAllUsesExcept(operand, yield);
    loop->getResult(number).replaceAllUsesWith(operand);
    changed = true;
  }
  return changed;
}

/// Whether `value` is read by nothing but what computes its own successor.
static bool isDeadCarry(WhileOp loop, unsigned number) {
  mlir::Block &body = loop.getBody().front();
  if (!loop->getResult(number).use_empty() ||
      !loop.getCond().front().getArgument(number).use_empty()) {
    return false;
  }
  Operation *yield = body.getTerminator();
  return llvm::all_of(
      body.getArgument(number).getUses(), [&](mlir::OpOperand &use) {
        return use.getOwner() == yield && use.getOperandNumber() == number;
      });
}

/// The loop without its dead carries; null if it has none.
static WhileOp dropDeadCarries(WhileOp loop) {
  llvm::SmallVector<Value> operands;
  llvm::SmallVector<mlir::Type> types;
  llvm::BitVector dead(loop->getNumOperands());
  for (unsigned i = 0; i < loop->getNumOperands(); ++i) {
    if (isDeadCarry(loop, i)) {
      dead.set(i);
      continue;
    }
    operands.push_back(loop->getOperand(i));
    types.push_back(loop->getResult(i).getType());
  }
  if (dead.none()) {
    return {};
  }
  mlir::OpBuilder builder(loop);
  mlir::OperationState state(loop.getLoc(), loop->getName());
  state.addOperands(operands);
  state.addTypes(types);
  state.addRegion();
  state.addRegion();
  auto smaller = llvm::cast<WhileOp>(builder.create(state));
  smaller.getCond().takeBody(loop.getCond());
  smaller.getBody().takeBody(loop.getBody());
  smaller.getBody().front().getTerminator()->eraseOperands(dead);
  smaller.getBody().front().eraseArguments(dead);
  smaller.getCond().front().eraseArguments(dead);
  unsigned next = 0;
  for (unsigned i = 0; i < dead.size(); ++i) {
    if (!dead[i]) {
      loop->getResult(i).replaceAllUsesWith(smaller->getResult(next++));
    }
  }
  loop->erase();
  return smaller;
}

static bool isCostly(Operation *op) {
  return llvm::isa<DotGeneralOp, ConvolutionOp, ReduceOp, ReduceWindowOp,
                   SortOp, FftOp, CholeskyOp, TriangularSolveOp>(op);
}

/// Computes before the loop what costs much and does not change in it.
static void hoist(WhileOp loop) {
  mlir::Block &body = loop.getBody().front();
  llvm::SetVector<Operation *> fixed; // operations with the same result always
  auto isFixed = [&](Value value) {
    Operation *op = value.getDefiningOp();
    bool isInside = value.getParentBlock() == &body;
    return !isInside || (op && fixed.contains(op));
  };
  for (Operation &op : body.without_terminator()) {
    if (!mlir::isMemoryEffectFree(&op) || op.getNumResults() == 0) {
      continue;
    }
    bool allFixed = true;
    op.walk([&](Operation *inner) {
      for (Value operand : inner->getOperands()) {
        bool isOwn = operand.getParentRegion()->getParentOp() &&
                     op.isAncestor(operand.getParentRegion()->getParentOp());
        allFixed &= isOwn || isFixed(operand);
      }
    });
    if (allFixed) {
      fixed.insert(&op);
    }
  }
  mlir::OpBuilder builder(loop);
  mlir::IRMapping outside;
  // What a costly operation needs is copied; what is left unused in the loop
  // goes away.
  auto copy = [&](auto &self, Operation *op) -> void {
    if (outside.contains(op->getResult(0))) {
      return;
    }
    op->walk([&](Operation *inner) {
      for (Value operand : inner->getOperands()) {
        Operation *source = operand.getDefiningOp();
        if (source && fixed.contains(source) && source != op) {
          self(self, source);
        }
      }
    });
    builder.clone(*op, outside);
  };
  for (Operation *op : fixed) {
    if (!isCostly(op)) {
      continue;
    }
    copy(copy, op);
    for (Value result : op->getResults()) {
      result.replaceAllUsesWith(outside.lookup(result));
    }
  }
  for (Operation *op : llvm::reverse(fixed)) {
    if (op->use_empty()) {
      op->erase();
    }
  }
}

void simplifyLoops(mlir::ModuleOp module) {
  llvm::SmallVector<WhileOp> loops; // inner ones first
  module.walk([&](WhileOp loop) { loops.push_back(loop); });
  for (WhileOp loop : loops) {
    // A carry may become invariant, or dead, when another is gone. Each round
    // but the last removes one.
    bool again = true;
    while (again) {
      again = readInvariantsOutside(loop);
      if (WhileOp smaller = dropDeadCarries(loop)) {
        loop = smaller;
        again = true;
      }
    }
    hoist(loop);
  }
}

} // namespace xla
