//===- InlineCalls.cpp - Makes one function of a program ------------------===//

#include "xla/conversion/Conversion.h"

#include "xla/dialect/stablehlo/StablehloOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/DenseMap.h"

namespace xla {

using mlir::Operation;
using mlir::Value;
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
  explicit Inliner(mlir::ModuleOp module) : symbols(module) {}

  Status run(FuncOp main);

private:
  /// What a function holds.
  struct Callee {
    int64_t own = 0;  ///< operations
    int64_t size = 0; ///< the same with all calls expanded
    int64_t uses = 0; ///< calls of it that are still to be expanded
    bool isOpen = true;
    llvm::SmallVector<Operation *> calls;
  };

  Status find(FuncOp main);
  StatusOr<FuncOp> calleeAt(Operation *call);
  void enter(FuncOp function, llvm::SmallVectorImpl<FuncOp> &stack);
  void expand(Operation *call);
  void note(Operation *op) {
    op->walk([&](Operation *inner) {
      if (calleeOf(inner)) {
        work.push_back(inner);
      }
    });
  }

  mlir::SymbolTable symbols;
  llvm::DenseMap<Operation *, Callee> callees;
  llvm::SmallVector<Operation *> work; ///< calls to expand
};

} // namespace

StatusOr<FuncOp> Inliner::calleeAt(Operation *call) {
  llvm::StringRef name = calleeOf(call).getValue();
  auto callee = symbols.lookup<FuncOp>(name);
  if (!callee || callee.isDeclaration()) {
    return invalidArgument("the function '" + name.str() +
                           "' is called but not defined");
  }
  return callee;
}

void Inliner::enter(FuncOp function, llvm::SmallVectorImpl<FuncOp> &stack) {
  Callee &made = callees[function];
  function.walk([&](Operation *op) {
    ++made.own;
    if (calleeOf(op)) {
      made.calls.push_back(op);
    }
  });
  stack.push_back(function);
}

/// Visits every function that `main` reaches, callees first, and says how large
/// each becomes.
Status Inliner::find(FuncOp main) {
  llvm::SmallVector<FuncOp> stack;
  llvm::SmallVector<size_t> next = {0};
  enter(main, stack);
  while (!stack.empty()) {
    Callee &top = callees[stack.back()];
    if (next.back() == 0) {
      top.size = top.own;
    }
    if (next.back() > 0) { // back from a call
      Operation *done = top.calls[next.back() - 1];
      top.size += callees[*calleeAt(done)].size;
      if (top.size > largestProgram) {
        return resourceExhausted(
            "with its calls expanded, the program has more than " +
            std::to_string(largestProgram) + " operations");
      }
    }
    if (next.back() == top.calls.size()) {
      top.isOpen = false;
      stack.pop_back();
      next.pop_back();
      continue;
    }
    StatusOr<FuncOp> callee = calleeAt(top.calls[next.back()++]);
    if (!callee.ok()) {
      return callee.status();
    }
    auto found = callees.find(*callee);
    if (found == callees.end()) {
      enter(*callee, stack);
      next.push_back(0);
    } else if (found->second.isOpen) {
      return invalidArgument("the function '" + callee->getName().str() +
                             "' calls itself; StableHLO has no recursion");
    }
    ++callees[*callee].uses;
  }
  return okStatus();
}

/// The last call of a function takes its body, others a copy.
void Inliner::expand(Operation *call) {
  FuncOp callee = *calleeAt(call);
  int64_t &uses = callees[callee].uses;
  mlir::Block &body = callee.getBody().front();
  llvm::SmallVector<Value> results;
  if (--uses > 0) {
    mlir::IRMapping mapping;
    mapping.map(body.getArguments(), call->getOperands());
    mlir::OpBuilder builder(call);
    for (Operation &op : body.without_terminator()) {
      note(builder.clone(op, mapping));
    }
    for (Value value : body.getTerminator()->getOperands()) {
      results.push_back(mapping.lookupOrDefault(value));
    }
    for (Operation *inner : callees[callee].calls) {
      ++callees[*calleeAt(inner)].uses;
    }
  } else {
    for (auto [argument, operand] :
         llvm::zip_equal(body.getArguments(), call->getOperands())) {
      argument.replaceAllUsesWith(operand);
    }
    llvm::append_range(results, body.getTerminator()->getOperands());
    llvm::append_range(work, callees[callee].calls);
    call->getBlock()->getOperations().splice(call->getIterator(),
                                             body.getOperations(), body.begin(),
                                             std::prev(body.end()));
  }
  call->replaceAllUsesWith(results);
  call->erase();
}

Status Inliner::run(FuncOp main) {
  XLA_RETURN_IF_ERROR(find(main));
  work = callees[main].calls;
  while (!work.empty()) {
    expand(work.pop_back_val());
  }
  return okStatus();
}

Status inlineCalls(mlir::ModuleOp module) {
  auto main = module.lookupSymbol<FuncOp>("main");
  if (!main || main.isDeclaration()) {
    return invalidArgument("the module has no function 'main' with a body");
  }
  XLA_RETURN_IF_ERROR(Inliner(module).run(main));
  for (FuncOp function : llvm::make_early_inc_range(module.getOps<FuncOp>())) {
    if (function != main) {
      function.erase();
    }
  }
  return okStatus();
}

} // namespace xla
