//===- InlineCalls.cpp - Makes one function of a program ------------------===//

#include "xla/optimize/Passes.h"

#include "xla/dialect/stablehlo/StablehloOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace xla {

using mlir::Operation;
using mlir::func::FuncOp;

/// More operations than this in one program are refused.
static constexpr int64_t largestProgram = 2'000'000;

static mlir::FlatSymbolRefAttr calleeOf(Operation *op) {
  if (auto call = llvm::dyn_cast<mlir::func::CallOp>(op)) {
    return call.getCalleeAttr();
  }
  if (auto composite = llvm::dyn_cast<stablehlo::CompositeOp>(op)) {
    return composite.getDecompositionAttr();
  }
  return {};
}

namespace {

class Inliner {
public:
  explicit Inliner(mlir::ModuleOp module) : module(module) {}

  /// Callees first, so that every body is copied in its final form. The depth
  /// of the recursion is that of the call graph.
  Status visit(FuncOp function) {
    if (done.contains(function)) {
      return okStatus();
    }
    if (!active.insert(function).second) {
      return invalidArgument("the function '" + function.getName().str() +
                             "' calls itself; StableHLO has no recursion");
    }
    llvm::SmallVector<Operation *> calls;
    function.walk([&](Operation *op) {
      ++size;
      if (calleeOf(op)) {
        calls.push_back(op);
      }
    });
    for (Operation *call : calls) {
      auto callee = module.lookupSymbol<FuncOp>(calleeOf(call));
      if (!callee || callee.isDeclaration()) {
        return invalidArgument("the function '" +
                               calleeOf(call).getValue().str() +
                               "' is called but not defined");
      }
      XLA_RETURN_IF_ERROR(visit(callee));
      expand(call, callee);
      if (size > largestProgram) {
        return resourceExhausted(
            "with its calls expanded, the program has more than " +
            std::to_string(largestProgram) + " operations");
      }
    }
    active.erase(function);
    done.insert(function);
    return okStatus();
  }

private:
  void expand(Operation *call, FuncOp callee) {
    mlir::IRMapping mapping;
    mlir::Block &body = callee.getBody().front();
    mapping.map(body.getArguments(), call->getOperands());
    mlir::OpBuilder builder(call);
    for (Operation &op : body.without_terminator()) {
      builder.clone(op, mapping);
      ++size;
    }
    for (auto [result, value] : llvm::zip_equal(
             call->getResults(), body.getTerminator()->getOperands())) {
      result.replaceAllUsesWith(mapping.lookupOrDefault(value));
    }
    call->erase();
  }

  mlir::ModuleOp module;
  llvm::SmallPtrSet<Operation *, 8> active, done;
  int64_t size = 0;
};

} // namespace

Status inlineCalls(mlir::ModuleOp module) {
  auto main = module.lookupSymbol<FuncOp>("main");
  if (!main || main.isDeclaration()) {
    return invalidArgument("the module has no function 'main' with a body");
  }
  XLA_RETURN_IF_ERROR(Inliner(module).visit(main));
  for (FuncOp function : llvm::make_early_inc_range(module.getOps<FuncOp>())) {
    if (function != main) {
      function.erase();
    }
  }
  return okStatus();
}

} // namespace xla
