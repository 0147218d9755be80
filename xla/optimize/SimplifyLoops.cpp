//===- SimplifyLoops.cpp - What a loop need not carry or repeat -----------===//
//
// A carry that the body hands on unchanged is read from outside: it needs no
// buffer of its own and no copy into it. A carry that nobody reads is dropped.
// Products, reductions, sorts and elementary functions of what does not change
// in the loop are computed before it; cheap operations stay, for inside they
// need no memory.
//
//===----------------------------------------------------------------------===//

#include "xla/optimize/Passes.h"

#include "xla/analysis/Costs.h"
#include "xla/dialect/stablehlo/StablehloOps.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"

namespace xla {

using namespace stablehlo;
using mlir::Operation;
using mlir::Value;

/// Reads invariant carries from outside.
static void readInvariantsOutside(WhileOp loop) {
  mlir::Block &body = loop.getBody().front();
  mlir::Block &condition = loop.getCond().front();
  Operation *yield = body.getTerminator();
  for (auto [i, operand] : llvm::enumerate(loop->getOperands())) {
    auto number = static_cast<unsigned>(i);
    Value inner = body.getArgument(number);
    if (yield->getOperand(number) != inner) {
      continue;
    }
    condition.getArgument(number).replaceAllUsesWith(operand);
    inner.replaceUsesWithIf(operand, [&](mlir::OpOperand &use) {
      return use.getOwner() != yield || use.getOperandNumber() != number;
    });
    loop->getResult(number).replaceAllUsesWith(operand);
  }
}

/// The carries of which nothing but dead ones is made.
static llvm::BitVector deadCarriesOf(WhileOp loop) {
  mlir::Block &body = loop.getBody().front();
  Operation *yield = body.getTerminator();
  llvm::BitVector dead(loop->getNumOperands(), true);
  llvm::SmallVector<unsigned> work;
  auto keep = [&](unsigned number) {
    if (dead[number]) {
      dead.reset(number);
      work.push_back(number);
    }
  };
  for (unsigned i = 0; i < dead.size(); ++i) {
    bool isRead = llvm::any_of(body.getArgument(i).getUsers(),
                               [&](Operation *user) { return user != yield; });
    if (isRead || !loop->getResult(i).use_empty() ||
        !loop.getCond().front().getArgument(i).use_empty()) {
      keep(i);
    }
  }
  while (!work.empty()) {
    Value yielded = yield->getOperand(work.pop_back_val());
    if (yielded.getParentBlock() == &body &&
        llvm::isa<mlir::BlockArgument>(yielded)) {
      keep(llvm::cast<mlir::BlockArgument>(yielded).getArgNumber());
    }
  }
  return dead;
}

/// The loop without its dead carries.
static WhileOp dropDeadCarries(WhileOp loop) {
  llvm::BitVector dead = deadCarriesOf(loop);
  if (dead.none()) {
    return loop;
  }
  llvm::SmallVector<Value> operands;
  llvm::SmallVector<mlir::Type> types;
  for (unsigned i = 0; i < dead.size(); ++i) {
    if (!dead[i]) {
      operands.push_back(loop->getOperand(i));
      types.push_back(loop->getResult(i).getType());
    }
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

/// What an element of the result takes, in additions; what is more than loading
/// one a thousand times over counts as `kernel`.
static constexpr int kernel = 1000;
static int priceOf(Operation *op) {
  if (llvm::isa<DotGeneralOp, ConvolutionOp, ReduceOp, ReduceWindowOp, SortOp,
                FftOp, CholeskyOp, TriangularSolveOp>(op)) {
    return kernel;
  }
  return std::max(additionsOf(op), 1);
}

static int64_t elementsOf(Operation *op) {
  auto array =
      llvm::dyn_cast<mlir::RankedTensorType>(op->getResult(0).getType());
  return array ? array.getNumElements() : 0;
}

namespace {
/// Computes before a loop what does not change in it and costs much more than
/// reading it. Of what is computed from such values, the last that is no larger
/// is moved, so that little is read in the loop.
class Hoist {
public:
  explicit Hoist(WhileOp loop) : loop(loop), body(loop.getBody().front()) {}
  void run();

private:
  void findFixed();
  bool isCostly(Operation *op) const;
  bool isRoot(Operation *op) const;

  WhileOp loop;
  mlir::Block &body;
  llvm::SetVector<Operation *> fixed;      ///< with the same result always
  llvm::DenseMap<Operation *, int> prices; ///< of an element and its operands'
};
} // namespace

void Hoist::findFixed() {
  // From what changes to its users, within inner regions too: to look through
  // all that an operation holds would visit inner loops once per loop around
  // them.
  llvm::DenseSet<Operation *> changing;
  auto noteUsers = [&](mlir::ValueRange values) {
    for (Value value : values) {
      for (Operation *user : value.getUsers()) {
        changing.insert(body.findAncestorOpInBlock(*user));
      }
    }
  };
  noteUsers(body.getArguments());
  for (Operation &op : body.without_terminator()) {
    if (!changing.contains(&op) && op.getNumResults() > 0 &&
        mlir::isMemoryEffectFree(&op)) {
      fixed.insert(&op);
    } else {
      noteUsers(op.getResults());
    }
  }
}

/// Whether it is a kernel, or much arithmetic on elements, or is no larger than
/// such an operand.
bool Hoist::isCostly(Operation *op) const {
  constexpr int much = 16;
  constexpr int64_t most = 16 << 20; // elements kept for all of the loop
  int price = prices.lookup(op);
  return price >= kernel || (price >= much && elementsOf(op) <= most);
}

/// Whether the loop itself wants it, not just what is moved too.
bool Hoist::isRoot(Operation *op) const {
  return isCostly(op) && llvm::any_of(op->getUsers(), [&](Operation *user) {
           return !fixed.contains(user) || !isCostly(user);
         });
}

void Hoist::run() {
  findFixed();
  for (Operation *op : fixed) {
    int price = priceOf(op);
    for (Value operand : op->getOperands()) {
      Operation *source = operand.getDefiningOp();
      if (source && fixed.contains(source) &&
          elementsOf(op) <= elementsOf(source)) {
        price += prices.lookup(source);
      }
    }
    prices[op] = std::min(price, kernel);
  }
  // What they need is copied; what is left unused in the loop goes away.
  llvm::DenseSet<Operation *> needed;
  for (Operation *op : llvm::reverse(fixed)) {
    if (!isRoot(op) && !needed.contains(op)) {
      continue;
    }
    needed.insert(op);
    op->walk([&](Operation *inner) {
      for (Value operand : inner->getOperands()) {
        if (Operation *source = operand.getDefiningOp()) {
          needed.insert(source);
        }
      }
    });
  }
  mlir::OpBuilder builder(loop);
  mlir::IRMapping outside;
  llvm::SmallVector<Operation *> roots;
  for (Operation *op : fixed) {
    if (needed.contains(op)) {
      builder.clone(*op, outside);
    }
    if (isRoot(op)) {
      roots.push_back(op);
    }
  }
  for (Operation *op : roots) {
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
    readInvariantsOutside(loop);
    loop = dropDeadCarries(loop);
    Hoist(loop).run();
  }
}

} // namespace xla
