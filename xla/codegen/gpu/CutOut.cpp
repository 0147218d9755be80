//===- CutOut.cpp - A part of a program as a module of its own ------------===//

#include "xla/codegen/gpu/CutOut.h"

#include "xla/dialect/stablehlo/StablehloOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

namespace xla::gpu {

using mlir::Operation;
using mlir::Value;

static bool isToken(Value value) {
  return llvm::isa<stablehlo::TokenType>(value.getType());
}

/// What an operation reads, the operations in its regions too.
static llvm::SmallVector<Value> readBy(Operation *op) {
  llvm::SetVector<Value> read;
  op->walk([&](Operation *inner) {
    for (Value value : inner->getOperands()) {
      mlir::Region *region = value.getParentRegion();
      bool isInside = llvm::any_of(op->getRegions(), [&](mlir::Region &own) {
        return own.isAncestor(region);
      });
      if (!isInside) {
        read.insert(value);
      }
    }
  });
  return read.takeVector();
}

namespace {

/// Puts what is copied behind what it reads. Without recursion: what is
/// computed in place may be as long as the program.
class Gatherer {
public:
  explicit Gatherer(llvm::function_ref<bool(Value)> isInMemory)
      : isInMemory(isInMemory) {}

  void add(Operation *root);

  llvm::SetVector<Value> inputs;
  llvm::SmallVector<Operation *> order;

private:
  struct Visit {
    Operation *op;
    llvm::SmallVector<Value> read;
    size_t next = 0;
  };

  void enter(Operation *op) {
    if (seen.insert(op).second) {
      stack.push_back({op, readBy(op)});
    }
  }

  llvm::function_ref<bool(Value)> isInMemory;
  llvm::DenseSet<Operation *> seen;
  llvm::SmallVector<Visit> stack;
};

} // namespace

void Gatherer::add(Operation *root) {
  enter(root);
  while (!stack.empty()) {
    Visit &visit = stack.back();
    if (visit.next == visit.read.size()) {
      order.push_back(visit.op);
      stack.pop_back();
      continue;
    }
    Value value = visit.read[visit.next++];
    Operation *source = value.getDefiningOp();
    if (isToken(value)) {
      continue;
    }
    if (source &&
        (llvm::isa<stablehlo::ConstantOp>(source) || !isInMemory(value))) {
      enter(source);
    } else {
      inputs.insert(value);
    }
  }
}

CutOut cutOut(llvm::ArrayRef<Operation *> roots, llvm::ArrayRef<Value> outputs,
              llvm::function_ref<bool(Value)> isInMemory) {
  Gatherer gatherer(isInMemory);
  for (Operation *root : roots) {
    gatherer.add(root);
  }
  CutOut cut;
  cut.inputs.assign(gatherer.inputs.begin(), gatherer.inputs.end());
  mlir::MLIRContext *context = roots.front()->getContext();
  mlir::Location location = roots.front()->getLoc();
  mlir::OpBuilder builder(context);
  cut.module = mlir::ModuleOp::create(location, "host");
  builder.setInsertionPointToStart(cut.module->getBody());
  auto type = builder.getFunctionType(mlir::ValueRange(cut.inputs).getTypes(),
                                      mlir::ValueRange(outputs).getTypes());
  auto main = mlir::func::FuncOp::create(builder, location, "main", type);
  mlir::Block *body = main.addEntryBlock();
  builder.setInsertionPointToStart(body);
  mlir::IRMapping copies;
  copies.map(cut.inputs, body->getArguments());
  for (Operation *op : gatherer.order) {
    for (Value value : op->getOperands()) {
      if (isToken(value) && !copies.contains(value)) {
        copies.map(value, Value(stablehlo::CreateTokenOp::create(
                              builder, location, value.getType())));
      }
    }
    builder.clone(*op, copies);
  }
  llvm::SmallVector<Value> returned;
  for (Value value : outputs) {
    returned.push_back(copies.lookup(value));
  }
  mlir::func::ReturnOp::create(builder, location, returned);
  return cut;
}

} // namespace xla::gpu
