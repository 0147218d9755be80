//===- Interpreter.cpp - Evaluates operations one by one ------------------===//

#include "xla/reference/Interpreter.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "xla/analysis/DeviceGroups.h"
#include "xla/dialect/stablehlo/StablehloOps.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace xla::reference {

/// Calls may nest this deep; each level takes some of the stack.
static constexpr int kMaxDepth = 500;

std::string describe(Operation *op) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << "'" << op->getName() << "' of (";
  llvm::interleaveComma(op->getOperandTypes(), stream);
  stream << ") -> (";
  llvm::interleaveComma(op->getResultTypes(), stream);
  stream << ") at " << op->getLoc();
  return text;
}

const Tensor &Scope::get(Value value) const {
  for (const Scope *scope = this; scope; scope = scope->parent) {
    auto found = scope->values.find(value);
    if (found != scope->values.end()) {
      return found->second;
    }
  }
  llvm_unreachable("the verifier lets no use come before its definition");
}

StatusOr<Tensor> Step::zeros(unsigned index) const {
  XLA_ASSIGN_OR_RETURN(Shape shape, shapeOf(op->getResult(index).getType()));
  return Tensor::zeros(shape.type, shape.dimensions);
}

Status Step::run(Region &region, ArrayRef<Tensor> arguments,
                 Tensors &outputs) const {
  return interpreter.run(region.front(), &scope, arguments, outputs);
}

Tables::Tables(ModuleOp module) : module(module) {
  addElementwise(handlers);
  addConversions(handlers);
  addShapes(handlers);
  addIndexing(handlers);
  addReductions(handlers);
  addContractions(handlers);
  addLinearAlgebra(handlers);
  addRandom(handlers);
  addControlFlow(handlers);
  addCollectives(handlers);
  addCustomCalls(handlers);
  for (auto function : module.getOps<func::FuncOp>()) {
    functions[function.getName()] = function;
  }
}

/// Whether a function is its own callee, through however many calls.
static Status checkRecursion(ModuleOp module) {
  enum State { Open = 1, Done = 2 };
  DenseMap<Operation *, int> states;
  SymbolTable symbols(module);
  // Depth first, on a stack of our own: each entry is a function and whether
  // its callees have been seen.
  SmallVector<std::pair<Operation *, bool>> stack;
  for (auto function : module.getOps<func::FuncOp>()) {
    stack.push_back({function, false});
  }
  while (!stack.empty()) {
    auto [function, isLeaving] = stack.pop_back_val();
    if (isLeaving) {
      states[function] = Done;
      continue;
    }
    if (states[function] != 0) {
      continue;
    }
    states[function] = Open;
    stack.push_back({function, true});
    Operation *again = nullptr;
    function->walk([&](func::CallOp call) {
      Operation *callee = symbols.lookup(call.getCallee());
      if (callee && states[callee] == Open) {
        again = call;
      } else if (callee) {
        stack.push_back({callee, false});
      }
    });
    if (again) {
      return invalidArgument("functions must not call themselves: " +
                             describe(again));
    }
  }
  return okStatus();
}

Status Tables::check() {
  Operation *missing = nullptr;
  Status typeError;
  module.walk([&](Operation *op) {
    if (isa<ModuleOp, func::FuncOp, func::ReturnOp, func::CallOp,
            stablehlo::ReturnOp>(op)) {
      return WalkResult::advance();
    }
    if (!handlers.contains(op->getName().getStringRef())) {
      missing = op;
      return WalkResult::interrupt();
    }
    auto call = dyn_cast<stablehlo::CustomCallOp>(op);
    if (call && !isCollective(op)) {
      StatusOr<std::unique_ptr<ForeignCall>> bound = ForeignCall::create(call);
      if (!bound.ok()) {
        typeError = bound.status();
        return WalkResult::interrupt();
      }
      calls[op] = std::move(*bound);
    }
    for (Type type : op->getResultTypes()) {
      StatusOr<Shape> shape = shapeOf(type);
      if (!shape.ok()) {
        typeError = Status(shape.status().code(),
                           describe(op) + ": " + shape.status().message());
        return WalkResult::interrupt();
      }
    }
    return WalkResult::advance();
  });
  if (missing) {
    return unimplemented("the reference interpreter lacks the operation " +
                         describe(missing));
  }
  XLA_RETURN_IF_ERROR(typeError);
  return checkRecursion(module);
}

Status Interpreter::run(Block &block, const Scope *parent,
                        ArrayRef<Tensor> arguments, Tensors &results) {
  Scope scope(parent);
  for (auto [argument, tensor] :
       llvm::zip_equal(block.getArguments(), arguments)) {
    scope.set(argument, tensor);
  }
  for (Operation &op : block) {
    Tensors operands, outputs;
    for (Value operand : op.getOperands()) {
      operands.push_back(scope.get(operand));
    }
    if (op.hasTrait<OpTrait::IsTerminator>()) {
      results = std::move(operands);
      return okStatus();
    }
    Status status;
    if (auto callOp = dyn_cast<func::CallOp>(op)) {
      status = call(callOp.getCallee(), operands, outputs);
    } else {
      auto handler = tables.handlers.find(op.getName().getStringRef());
      if (handler == tables.handlers.end()) {
        return unimplemented("the reference interpreter lacks the operation " +
                             describe(&op));
      }
      status = handler->second({*this, &op, scope, operands, outputs});
      if (!status.ok()) {
        return Status(status.code(), describe(&op) + ": " + status.message());
      }
    }
    XLA_RETURN_IF_ERROR(status);
    for (auto [result, tensor] : llvm::zip_equal(op.getResults(), outputs)) {
      scope.set(result, std::move(tensor));
    }
  }
  return internalError("a block has no terminator");
}

Status Interpreter::call(StringRef name, ArrayRef<Tensor> arguments,
                         Tensors &results) {
  auto found = tables.functions.find(name);
  if (found == tables.functions.end() ||
      cast<func::FuncOp>(found->second).isExternal()) {
    return invalidArgument("function @" + name.str() + " has no body");
  }
  if (depth == kMaxDepth) {
    return unimplemented("calls nest more than " + std::to_string(kMaxDepth) +
                         " deep");
  }
  ++depth;
  auto function = cast<func::FuncOp>(found->second);
  Status status = run(function.getBody().front(), nullptr, arguments, results);
  --depth;
  return status;
}

} // namespace xla::reference
