//===- MergeOperations.cpp - What is computed twice is computed once ------===//
//
// An operation without effects whose like stands before it, in its block or one
// around that, is replaced by it. Operations with regions are alike if what
// they hold is; the hash knows of regions too, so that many branches with one
// condition are not all compared with each other. What a region holds is hashed
// once, when it was visited, and not again for each region around it. Memory
// that is not written yet is never merged.
//
//===----------------------------------------------------------------------===//

#include "xla/optimize/Passes.h"

#include "xla/dialect/stablehlo/StablehloOps.h"
#include "xla/optimize/Patterns.h"

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
  /// What the regions of an operation hold.
  struct Contents {
    llvm::hash_code shape = 0; ///< operations, and how values go between them
    size_t outside = 0;        ///< of the values from outside that they use
    bool areFree = true;       ///< of effects
  };

  Contents contentsOf(Operation *op);
  llvm::hash_code hashOf(Operation *op);
  bool isFree(Operation *op);

  llvm::DenseMap<Operation *, Contents> contents; ///< of those with regions
  /// By hash: what stands in this block or around it, innermost last.
  llvm::DenseMap<size_t, llvm::SmallVector<Operation *, 1>> known;
};

} // namespace

static llvm::hash_code hashAlone(Operation *op) {
  return llvm::hash_combine(
      op->getName(), op->getRawDictionaryAttrs(), op->hashProperties(),
      llvm::hash_combine_range(op->result_type_begin(), op->result_type_end()));
}

static size_t hashOf(Value value) {
  return llvm::hash_value(value.getAsOpaquePointer());
}

/// Values of a region count by their number there. Those from outside are added
/// up by identity, with those of regions within; all uses of a value are within
/// its own region, where it is taken away again.
Merger::Contents Merger::contentsOf(Operation *op) {
  Contents all;
  for (mlir::Region &region : op->getRegions()) {
    llvm::DenseMap<Value, unsigned> numbers;
    auto define = [&](Value value) {
      numbers.try_emplace(value, static_cast<unsigned>(numbers.size()));
      all.outside -= xla::hashOf(value) *
                     std::distance(value.use_begin(), value.use_end());
    };
    for (mlir::Block &block : region) {
      llvm::for_each(block.getArguments(), define);
      for (Operation &inner : block) {
        all.shape = llvm::hash_combine(all.shape, hashAlone(&inner));
        for (Value operand : inner.getOperands()) {
          auto found = numbers.find(operand);
          unsigned number = found == numbers.end() ? ~0u : found->second;
          all.shape = llvm::hash_combine(all.shape, number);
          all.outside += xla::hashOf(operand);
        }
        if (inner.getNumRegions() > 0) {
          const Contents &within = contents[&inner];
          all.shape = llvm::hash_combine(all.shape, within.shape);
          all.outside += within.outside;
        }
        all.areFree &= isFree(&inner);
        llvm::for_each(inner.getResults(), define);
      }
    }
  }
  return all;
}

llvm::hash_code Merger::hashOf(Operation *op) {
  llvm::hash_code hash = hashAlone(op);
  for (Value operand : op->getOperands()) {
    hash = llvm::hash_combine(hash, operand.getAsOpaquePointer());
  }
  if (op->getNumRegions() > 0) {
    const Contents &within = contents[op];
    hash = llvm::hash_combine(hash, within.shape, within.outside);
  }
  return hash;
}

/// As `mlir::isMemoryEffectFree`, which would visit all that is inside.
bool Merger::isFree(Operation *op) {
  if (!op->hasTrait<mlir::OpTrait::HasRecursiveMemoryEffects>()) {
    return mlir::isMemoryEffectFree(op);
  }
  auto effects = llvm::dyn_cast<mlir::MemoryEffectOpInterface>(op);
  return (!effects || effects.hasNoEffect()) && contents[op].areFree;
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
    if (op.getNumRegions() > 0) {
      contents[&op] = contentsOf(&op);
    }
    // Two allocations are two memories: loops that update both would copy one.
    auto call = llvm::dyn_cast<stablehlo::CustomCallOp>(op);
    if (op.hasTrait<mlir::OpTrait::IsTerminator>() || !isFree(&op) ||
        (call && call.isAllocation())) {
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
    contents.erase(&op);
    op.erase();
  }
  for (size_t hash : llvm::reverse(added)) {
    known[hash].pop_back();
  }
}

/// Backwards, so that what only dead operations read is dead too.
void dropDead(mlir::Block &block) {
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
