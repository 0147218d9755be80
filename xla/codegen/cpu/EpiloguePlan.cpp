//===- EpiloguePlan.cpp - Loop nests that run as part of a product --------===//
//
// A bias, an activation or a residual would be a further pass over the result
// of a product. Where a loop nest reads each element of the result at its own
// index and all else that it reads is there before the product, the product's
// kernel can call it on what it has just finished. The plan moves such a nest
// up to its product, so that no other step stands between the two: buffers and
// code then treat them as one step.
//
//===----------------------------------------------------------------------===//

#include "xla/codegen/cpu/FusionPlan.h"

#include "xla/codegen/cpu/Kernel.h"
#include "xla/codegen/cpu/TargetDescription.h"
#include "xla/codegen/cpu/Types.h"
#include "xla/dialect/stablehlo/StablehloOps.h"

#include "llvm/ADT/SetVector.h"

namespace xla::cpu {

using namespace stablehlo;
using mlir::Operation;
using mlir::Value;

class EpiloguePlanner {
public:
  EpiloguePlanner(FusionPlan &plan, Operation *product)
      : plan(plan), product(product), result(product->getResult(0)) {}

  bool isSuited() const;
  void attach();

private:
  struct Visit {
    Value value;
    bool same; ///< read at the index that the nest writes
  };

  void findNests(Value value, llvm::SetVector<Operation *> &nests) const;
  bool accepts(Operation *nest);
  bool visit(Visit at);
  bool pushOperands(Operation *op, bool same);
  bool isBehind(Operation *op) const {
    return op->getBlock() == product->getBlock() &&
           plan.order.lookup(op) > plan.order.lookup(product);
  }
  /// The step that writes the result of `op`: a nest may stand far behind it.
  Operation *writerOf(Operation *op) const {
    Operation *nest = plan.regionOf.lookup(op);
    return nest ? nest : op;
  }
  bool isWorthwhile(Operation *nest) const;
  bool wouldCopyCarry(llvm::ArrayRef<Value> outputs) const;
  bool isReadBy(Operation *nest) const;
  void moveUp(Operation *nest);

  FusionPlan &plan;
  Operation *product;
  Value result;
  llvm::ArrayRef<Value> outputs;
  llvm::SmallVector<Visit> work;
  llvm::DenseMap<Value, int>
      seen; // bit 0: at the same index, bit 1: at another
  llvm::SetVector<Operation *> moved;
  bool readsOthers = false; ///< other arrays of the result's size
};

/// Whether the product is large enough to go through the kernel, and is no
/// vector, whose product is bound by reading the matrix. A kernel of a device
/// has every sum in a register when it is done.
bool EpiloguePlanner::isSuited() const {
  if (plan.hasScalarsInMemory()) {
    return true;
  }
  constexpr int64_t fewest = 1024;
  if (elementCountOf(result) < fewest) {
    return false;
  }
  auto dot = llvm::dyn_cast<DotGeneralOp>(product);
  if (!dot) {
    return kernelOf(product).strategy == Strategy::ImplicitGemm;
  }
  auto numbers = dot.getDotDimensionNumbers();
  int64_t batch = 1, terms = 1;
  for (int64_t d : numbers.getLhsBatchingDimensions()) {
    batch *= shapeOf(dot.getLhs())[d];
  }
  for (int64_t d : numbers.getLhsContractingDimensions()) {
    terms *= shapeOf(dot.getLhs())[d];
  }
  return kernelOf(product).strategy == Strategy::Gemm &&
         elementCountOf(dot.getLhs()) > batch * terms &&
         elementCountOf(dot.getRhs()) > batch * terms;
}

/// The loop nests that read `value` at their own index, through reshapes too.
void EpiloguePlanner::findNests(Value value,
                                llvm::SetVector<Operation *> &nests) const {
  auto add = [&](Operation *step) {
    Operation *leader = plan.regionOf.lookup(step);
    if (leader && plan.regions.contains(leader)) {
      nests.insert(leader);
    }
  };
  for (Operation *user : value.getUsers()) {
    if (user->getBlock() != product->getBlock()) {
      continue;
    }
    if (llvm::isa<ReshapeOp>(user) &&
        plan.formOf(user->getResult(0)) == Form::Inline) {
      findNests(user->getResult(0), nests);
    } else if (isElementwise(user)) {
      if (plan.formOf(user->getResult(0)) == Form::Buffer) {
        add(user);
      }
      for (const auto &use : plan.uses.lookup(user)) {
        if (use.path == 0) {
          add(use.root);
        }
      }
    }
  }
}

/// What a nest may compute from, element by element and without branches.
static bool isPlain(Operation *op) {
  bool isMovement = llvm::isa<BroadcastInDimOp, BroadcastOp, ConstantOp, IotaOp,
                              ReshapeOp, SliceOp>(op);
  return op->getNumRegions() == 0 && (isElementwise(op) || isMovement);
}

bool EpiloguePlanner::pushOperands(Operation *op, bool same) {
  Value value = op->getResult(0);
  for (Value operand : op->getOperands()) {
    bool follows = llvm::isa<ReshapeOp>(op) ||
                   (isElementwise(op) && shapeOf(operand) == shapeOf(value));
    work.push_back({operand, same && follows});
  }
  if (isBehind(op)) {
    moved.insert(op);
  }
  return true;
}

bool EpiloguePlanner::visit(Visit at) {
  int bit = at.same ? 1 : 2;
  if (seen[at.value] & bit) {
    return true;
  }
  seen[at.value] |= bit;
  if (at.value == result) {
    return at.same;
  }
  Operation *op = at.value.getDefiningOp();
  switch (plan.formOf(at.value)) {
  case Form::Buffer:
    if (llvm::is_contained(outputs, at.value)) {
      return at.same;
    }
    readsOthers |= at.same;
    if (!op || !isBehind(writerOf(op))) {
      return true;
    }
    return llvm::isa<ConstantOp>(op) && pushOperands(op, false);
  case Form::Register:
    // Computed where it stands: before the product, from now on.
    if (!op || !isBehind(op)) {
      return true;
    }
    return isElementOp(op) && op->getNumRegions() == 0 &&
           pushOperands(op, false);
  case Form::Inline:
    return isPlain(op) && pushOperands(op, at.same);
  }
  return false;
}

/// Whether what a loop hands on could share the slice of the product's operand
/// if the nest ran after the product: fused, it would have to be copied there.
bool EpiloguePlanner::wouldCopyCarry(llvm::ArrayRef<Value> outputs) const {
  mlir::Block *block = product->getBlock();
  // Kernels of a device hand on by copies anyway.
  if (plan.hasScalarsInMemory() || !llvm::isa<WhileOp>(block->getParentOp())) {
    return false;
  }
  llvm::SmallVector<Leaf> leaves;
  for (Value operand : product->getOperands()) {
    plan.collectLeaves(operand, false, leaves);
  }
  for (auto [i, yielded] :
       llvm::enumerate(block->getTerminator()->getOperands())) {
    if (!llvm::is_contained(outputs, yielded)) {
      continue;
    }
    for (const Leaf &leaf : leaves) {
      if (leaf.value == block->getArgument(i)) {
        return true;
      }
    }
  }
  return false;
}

bool EpiloguePlanner::accepts(Operation *nest) {
  outputs = plan.regions.find(nest)->second;
  work.clear();
  seen.clear();
  moved.clear();
  readsOthers = false;
  if (elementCountOf(outputs.front()) != elementCountOf(result) ||
      wouldCopyCarry(outputs)) {
    return false;
  }
  for (Value output : outputs) {
    if (!isPlain(output.getDefiningOp()) || !isBehind(output.getDefiningOp())) {
      return false;
    }
    pushOperands(output.getDefiningOp(), true);
  }
  while (!work.empty()) {
    if (!visit(work.pop_back_val())) {
      return false;
    }
  }
  return seen.contains(result) && isWorthwhile(nest);
}

/// In place, a nest always is. Where it reads or writes other arrays, tile by
/// tile, these must stay in a cache: a loop over whole arrays in memory is seen
/// coming by the processor, short rows of them are not. A device saves writing
/// and reading the result in any case.
bool EpiloguePlanner::isWorthwhile(Operation *nest) const {
  bool isInPlace = !readsOthers && outputs.size() == 1 && isReadBy(nest) &&
                   elementTypeOf(outputs.front().getType()) ==
                       elementTypeOf(result.getType()) &&
                   !isHalf(elementTypeOf(result.getType()));
  return isInPlace || plan.hasScalarsInMemory() ||
         byteSizeOf(result) <= cpuTarget.lastCacheShare;
}

/// Whether every element of the result that is read is read by `nest`.
bool EpiloguePlanner::isReadBy(Operation *nest) const {
  return llvm::all_of(result.getUsers(), [&](Operation *user) {
    if (user->getBlock() != product->getBlock() || !isElementwise(user)) {
      return false;
    }
    if (plan.formOf(user->getResult(0)) == Form::Buffer) {
      return plan.regionOf.lookup(user) == nest;
    }
    auto uses = plan.uses.lookup(user);
    return plan.formOf(user->getResult(0)) == Form::Inline && !uses.empty() &&
           llvm::all_of(uses, [&](const auto &use) {
             return plan.regionOf.lookup(use.root) == nest;
           });
  });
}

/// What does not depend on the product goes before it, the rest behind it, and
/// last the operation where the nest is emitted.
void EpiloguePlanner::moveUp(Operation *nest) {
  llvm::SmallVector<Operation *> ops(moved.begin(), moved.end());
  llvm::sort(ops, [&](Operation *a, Operation *b) {
    return plan.order.lookup(a) < plan.order.lookup(b);
  });
  llvm::SmallPtrSet<Operation *, 16> dependent = {product};
  Operation *last = product;
  for (Operation *op : ops) {
    bool depends = llvm::any_of(op->getOperands(), [&](Value operand) {
      return dependent.contains(operand.getDefiningOp());
    });
    if (depends || op == nest) {
      dependent.insert(op);
      op->moveAfter(last);
      last = op;
    } else {
      op->moveBefore(product);
    }
  }
  for (Operation *op : ops) {
    plan.order[op] = plan.order.lookup(product);
  }
}

void EpiloguePlanner::attach() {
  llvm::SetVector<Operation *> found;
  findNests(result, found);
  llvm::SmallVector<Operation *> nests = found.takeVector();
  llvm::sort(nests, [&](Operation *a, Operation *b) {
    return plan.order.lookup(a) < plan.order.lookup(b);
  });
  for (Operation *nest : nests) {
    if (accepts(nest)) {
      moveUp(nest);
      plan.epilogues[product] = {nest, isReadBy(nest)};
      return;
    }
  }
}

void FusionPlan::planEpilogues(mlir::Block &body) {
  llvm::SmallVector<Operation *> products;
  body.walk([&](Operation *op) {
    if (llvm::isa<DotGeneralOp, ConvolutionOp>(op)) {
      products.push_back(op);
    }
  });
  for (Operation *product : products) {
    EpiloguePlanner planner(*this, product);
    if (planner.isSuited()) {
      planner.attach();
    }
  }
}

} // namespace xla::cpu
