//===- MergeOperations.cpp - What is computed twice is computed once ------===//
//
// An operation without effects whose like stands before it, in its block or one
// around that, is replaced by it. Operations with regions are alike if what
// they hold is; the hash looks into regions too, so that many branches with one
// condition are not all compared with each other.
//
//===----------------------------------------------------------------------===//

#include "xla/optimize/Passes.h"

#include "mlir/IR/OperationSupport.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/SmallVector.h"

namespace xla {

using mlir::Operation;
using mlir::Value;

namespace {

class Merger {
public:
  /// Merges what is alike in `block`. The depth of the recursion is that of the
  /// nesting.
  void visit(mlir::Block &block);

private:
  llvm::hash_code hashOf(Operation *op);
  llvm::hash_code hashOf(Operation *op, llvm::DenseMap<Value, unsigned> &inner);

  /// By hash: what stands in this block or around it, innermost last.
  llvm::DenseMap<size_t, llvm::SmallVector<Operation *, 1>> known;
};

} // namespace

/// Values of the operation's own regions count by their number there, others by
/// identity.
llvm::hash_code Merger::hashOf(Operation *op,
                               llvm::DenseMap<Value, unsigned> &inner) {
  llvm::hash_code hash = llvm::hash_combine(
      op->getName(), op->getRawDictionaryAttrs(), op->hashProperties(),
      llvm::hash_combine_range(op->result_type_begin(), op->result_type_end()));
  for (Value operand : op->getOperands()) {
    auto found = inner.find(operand);
    hash = found == inner.end()
               ? llvm::hash_combine(hash, operand.getAsOpaquePointer())
               : llvm::hash_combine(hash, found->second);
  }
  auto number = [&](Value value) {
    inner.try_emplace(value, static_cast<unsigned>(inner.size()));
  };
  for (mlir::Region &region : op->getRegions()) {
    for (mlir::Block &block : region) {
      llvm::for_each(block.getArguments(), number);
      for (Operation &nested : block) {
        hash = llvm::hash_combine(hash, hashOf(&nested, inner));
        llvm::for_each(nested.getResults(), number);
      }
    }
  }
  return hash;
}

llvm::hash_code Merger::hashOf(Operation *op) {
  llvm::DenseMap<Value, unsigned> inner;
  return hashOf(op, inner);
}

void Merger::visit(mlir::Block &block) {
  llvm::SmallVector<size_t> added;
  for (Operation &op : llvm::make_early_inc_range(block)) {
    for (mlir::Region &region : op.getRegions()) {
      if (op.hasTrait<mlir::OpTrait::IsIsolatedFromAbove>()) {
        Merger own;
        llvm::for_each(region, [&](mlir::Block &inner) { own.visit(inner); });
      } else {
        llvm::for_each(region, [&](mlir::Block &inner) { visit(inner); });
      }
    }
    if (op.hasTrait<mlir::OpTrait::IsTerminator>() ||
        !mlir::isMemoryEffectFree(&op)) {
      continue;
    }
    size_t hash = hashOf(&op);
    llvm::SmallVector<Operation *, 1> &alike = known[hash];
    Operation **same = llvm::find_if(alike, [&](Operation *other) {
      return mlir::OperationEquivalence::isEquivalentTo(
          &op, other, mlir::OperationEquivalence::IgnoreLocations);
    });
    if (same == alike.end()) {
      alike.push_back(&op);
      added.push_back(hash);
      continue;
    }
    op.replaceAllUsesWith(*same);
    op.erase();
  }
  for (size_t hash : llvm::reverse(added)) {
    known[hash].pop_back();
  }
}

/// Backwards, so that what only dead operations read is dead too.
static void dropDead(mlir::Block &block) {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block))) {
    if (mlir::isOpTriviallyDead(&op)) {
      op.erase();
      continue;
    }
    for (mlir::Region &region : op.getRegions()) {
      llvm::for_each(region, dropDead);
    }
  }
}

void mergeOperations(mlir::ModuleOp module) {
  dropDead(*module.getBody());
  Merger().visit(*module.getBody());
}

} // namespace xla
