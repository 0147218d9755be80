//===- SplitReductions.cpp - Reductions that have nothing in common -------===//
//
// One reduction of hundreds of arrays would be one loop with hundreds of
// accumulators, for which there are no registers. Arrays whose folds read
// nothing of each other's are reduced apart.
//
//===----------------------------------------------------------------------===//

#include "xla/dialect/stablehlo/StablehloOps.h"
#include "xla/optimize/Patterns.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/IntEqClasses.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace xla {

using namespace stablehlo;

/// With fewer, reading the arrays in one loop may be worth more.
constexpr size_t kManyArrays = 32;

/// Calls `visit` with each value that the operation reads, and those within.
static void forOperands(Operation *op, llvm::function_ref<void(Value)> visit) {
  op->walk(
      [&](Operation *inner) { llvm::for_each(inner->getOperands(), visit); });
}

/// Numbers the arrays: equal where the folds of two have to do with each other.
static llvm::IntEqClasses groupsOf(ReduceOp op) {
  auto count = static_cast<unsigned>(op.getInputs().size());
  llvm::IntEqClasses groups(count);
  Block &block = op.getBody().front();
  llvm::DenseMap<Value, unsigned> arrayOf; // some array that it is made of
  for (BlockArgument argument : block.getArguments()) {
    arrayOf[argument] = argument.getArgNumber() % count;
  }
  for (Operation &inner : block.without_terminator()) {
    std::optional<unsigned> array;
    forOperands(&inner, [&](Value value) {
      if (auto found = arrayOf.find(value); found != arrayOf.end()) {
        array = groups.join(array.value_or(found->second), found->second);
      }
    });
    for (Value result : inner.getResults()) {
      if (array) {
        arrayOf[result] = *array;
      }
    }
  }
  for (auto [i, value] :
       llvm::enumerate(block.getTerminator()->getOperands())) {
    if (auto found = arrayOf.find(value); found != arrayOf.end()) {
      groups.join(static_cast<unsigned>(i), found->second);
    }
  }
  groups.compress();
  return groups;
}

/// The operations of the body that `results` are made of, in their order.
static llvm::SmallVector<Operation *> sourcesOf(Block &block,
                                                ArrayRef<Value> results) {
  llvm::SetVector<Operation *> needed;
  auto need = [&](Value value) {
    Operation *source = value.getDefiningOp();
    if (source && source->getBlock() == &block) {
      needed.insert(source);
    }
  };
  llvm::for_each(results, need);
  for (size_t i = 0; i < needed.size(); ++i) {
    forOperands(needed[i], need);
  }
  auto sources = needed.takeVector();
  llvm::sort(sources,
             [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  return sources;
}

/// The reduction of the `arrays` alone.
static void reduceApart(ReduceOp op, ArrayRef<unsigned> arrays) {
  OpBuilder b(op);
  OperationState state(op.getLoc(), op->getName());
  state.addAttributes(op->getAttrs());
  auto count = static_cast<unsigned>(op.getInputs().size());
  Block &block = op.getBody().front();
  Block *own = &state.addRegion()->emplaceBlock();
  IRMapping inside;
  for (unsigned half : {0u, count}) { // inputs and accumulators, then the rest
    for (unsigned i : arrays) {
      state.addOperands(op->getOperand(half + i));
      BlockArgument argument = block.getArgument(half + i);
      inside.map(argument, own->addArgument(argument.getType(), op.getLoc()));
    }
  }
  llvm::SmallVector<Value> yielded;
  for (unsigned i : arrays) {
    state.addTypes(op->getResult(i).getType());
    yielded.push_back(block.getTerminator()->getOperand(i));
  }
  OpBuilder body(op.getContext());
  body.setInsertionPointToEnd(own);
  for (Operation *source : sourcesOf(block, yielded)) {
    body.clone(*source, inside);
  }
  for (Value &value : yielded) {
    value = inside.lookupOrDefault(value);
  }
  ReturnOp::create(body, op.getLoc(), yielded);
  Operation *smaller = b.create(state);
  for (auto [i, result] : llvm::zip_equal(arrays, smaller->getResults())) {
    op->getResult(i).replaceAllUsesWith(result);
  }
}

void splitReductions(ModuleOp module) {
  module.walk([](ReduceOp op) {
    if (op.getInputs().size() <= kManyArrays) {
      return;
    }
    llvm::IntEqClasses groups = groupsOf(op);
    if (groups.getNumClasses() == 1) {
      return;
    }
    std::vector<llvm::SmallVector<unsigned>> arrays(groups.getNumClasses());
    for (unsigned i = 0; i < op.getInputs().size(); ++i) {
      arrays[groups[i]].push_back(i);
    }
    for (ArrayRef<unsigned> some : arrays) {
      reduceApart(op, some);
    }
    op->erase();
  });
}

} // namespace xla
