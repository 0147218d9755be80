//===- Import.cpp - Programs in the form in which shardings spread --------===//

#include "xla/conversion/Conversion.h"
#include "xla/dialect/sdy/Values.h"
#include "xla/dialect/stablehlo/StablehloOps.h"
#include "xla/partition/DataFlow.h"
#include "xla/partition/Passes.h"
#include "xla/partition/RuleBuilder.h"

#include "mlir/IR/IRMapping.h"

using namespace llvm;
using namespace xla::stablehlo;
using mlir::OpBuilder;
using mlir::Operation;
using mlir::Value;

namespace xla::partition {

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

static Value constrain(OpBuilder &builder, Value value,
                       sdy::TensorShardingAttr sharding) {
  bool fits = sharding && isa<mlir::RankedTensorType>(value.getType()) &&
              sharding.getRank() == int64_t(shapeOf(value).size());
  return fits ? sdy::ShardingConstraintOp::create(builder, value.getLoc(),
                                                  value, sharding)
                    .getResult()
              : value;
}

/// What the arguments and results of a function other than main say becomes
/// constraints in its body, before the body replaces the calls.
static void constrainInside(mlir::func::FuncOp function) {
  if (function.isExternal() || !function.getBody().hasOneBlock()) {
    return;
  }
  OpBuilder builder(function.getBody());
  for (auto [index, argument] : enumerate(function.getArguments())) {
    auto sharding = function.getArgAttrOfType<sdy::TensorShardingAttr>(
        index, sdy::kShardingName);
    Value bound = constrain(builder, argument, sharding);
    if (bound != argument) {
      argument.replaceAllUsesExcept(bound, bound.getDefiningOp());
    }
  }
  Operation *end = function.getBody().front().getTerminator();
  builder.setInsertionPoint(end);
  for (unsigned i = 0; i < function.getNumResults(); ++i) {
    end->setOperand(i, constrain(builder, end->getOperand(i),
                                 sdy::getResultSharding(function, i)));
  }
}

/// The same for the results of a call.
static void constrainResults(Operation *call) {
  sdy::TensorShardingPerValueAttr shardings = sdy::getShardings(call);
  if (!shardings) {
    return;
  }
  OpBuilder builder(call->getContext());
  builder.setInsertionPointAfter(call);
  for (auto [result, sharding] : zip(call->getResults(), shardings)) {
    Value bound = constrain(builder, result, sharding);
    if (bound != result) {
      result.replaceAllUsesExcept(bound, bound.getDefiningOp());
    }
  }
}

/// A named computation is a call that was expanded already.
static void inlineNamed(sdy::NamedComputationOp op) {
  OpBuilder builder(op);
  mlir::Block &body = op.getBody().front();
  auto list = [](std::optional<sdy::TensorShardingPerValueAttr> shardings,
                 size_t index) {
    return shardings && index < shardings->size() ? (*shardings)[index]
                                                  : sdy::TensorShardingAttr();
  };
  for (auto [index, argument] : enumerate(body.getArguments())) {
    argument.replaceAllUsesWith(constrain(builder, op->getOperand(index),
                                          list(op.getInShardings(), index)));
  }
  Operation *end = body.getTerminator();
  SmallVector<Value> results(end->getOperands());
  op->getBlock()->getOperations().splice(op->getIterator(),
                                         body.getOperations(), body.begin(),
                                         end->getIterator());
  for (auto [index, result] : enumerate(results)) {
    result = constrain(builder, result, list(op.getOutShardings(), index));
  }
  op->replaceAllUsesWith(results);
  op->erase();
}

static Status expandCalls(mlir::ModuleOp module) {
  auto main = module.lookupSymbol<mlir::func::FuncOp>("main");
  if (main && !main.isExternal()) {
    for (auto function : module.getOps<mlir::func::FuncOp>()) {
      if (function != main) {
        constrainInside(function);
      }
      function.walk([](mlir::func::CallOp call) { constrainResults(call); });
    }
    XLA_RETURN_IF_ERROR(inlineCalls(module));
  }
  module.walk<mlir::WalkOrder::PostOrder>(
      [](sdy::NamedComputationOp op) { inlineNamed(op); });
  return okStatus();
}

/// Inside of a reduction's body there are numbers only, which have no sharding.
static void dropMarksInBodies(mlir::ModuleOp module) {
  module.walk([](Operation *op) {
    Operation *parent = op->getParentOp();
    if (!parent || roleOf(parent) != OpRole::Factors) {
      return;
    }
    if (isa<sdy::ShardingConstraintOp, sdy::ReshardOp>(op)) {
      op->getResult(0).replaceAllUsesWith(op->getOperand(0));
      op->erase();
    } else {
      sdy::removeShardings(op);
    }
  });
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

namespace {
/// Which values cost nothing to compute wherever they are wanted, and how many
/// operations that takes: constants, and arithmetic and shapes of those.
class Constants {
public:
  /// More operations than this are not computed twice.
  static constexpr int64_t mostOperations = 16;

  explicit Constants(mlir::Region &region) {
    walkArrays(region, [&](Operation *op) { visit(op); });
  }

  bool contains(Value value) const {
    return costs.contains(value.getDefiningOp());
  }
  ArrayRef<Operation *> inOrder() const { return order; }

private:
  void visit(Operation *op) {
    if (op->getNumResults() != 1 || op->getNumRegions() != 0 ||
        sdy::getShardings(op)) {
      return;
    }
    int64_t cost = 1;
    for (Value operand : op->getOperands()) {
      auto found = costs.find(operand.getDefiningOp());
      bool isNumber = shapeOf(operand).empty() && isa<BroadcastInDimOp>(op) &&
                      isa<mlir::RankedTensorType>(operand.getType());
      if (found == costs.end() && !isNumber) {
        return;
      }
      cost += found == costs.end() ? 0 : found->second;
    }
    bool isSource = isa<ConstantOp, IotaOp, sdy::ConstantOp>(op);
    bool isDerived =
        op->getNumOperands() > 0 &&
        (isa<BroadcastInDimOp, SliceOp, ReshapeOp>(op) ||
         (isPointwise(op) &&
          !isa<sdy::ShardingConstraintOp, sdy::ReshardOp, CustomCallOp>(op)));
    if ((isSource || isDerived) && cost <= mostOperations) {
      costs[op] = cost;
      order.push_back(op);
    }
  }

  DenseMap<Operation *, int64_t> costs;
  std::vector<Operation *> order;
};
} // namespace

/// Whoever gets a copy of a value is sharded as the groups of the value are.
static void joinGroups(OpBuilder &builder, Value value, Value copy) {
  for (Operation *user : value.getUsers()) {
    if (auto group = dyn_cast<sdy::ShardingGroupOp>(user)) {
      sdy::ShardingGroupOp::create(builder, group.getLoc(), copy,
                                   group.getGroupId());
    }
  }
}

/// Copies a constant and what it is made of, once for one user.
static Value copyFor(OpBuilder &builder, Value value,
                     const Constants &constants, mlir::IRMapping &copies) {
  Operation *op = value.getDefiningOp();
  if (Value copy = copies.lookupOrNull(value)) {
    return copy;
  }
  for (Value operand : op->getOperands()) {
    if (constants.contains(operand)) {
      copyFor(builder, operand, constants, copies);
    }
  }
  Value copy = builder.clone(*op, copies)->getResult(0);
  joinGroups(builder, value, copy);
  return copy;
}

/// Each user of a constant has its own, so that users do not bind each other.
static void splitConstants(mlir::func::FuncOp function) {
  Constants constants(function.getBody());
  for (Operation *op : reverse(constants.inOrder())) {
    Value result = op->getResult(0);
    SmallVector<mlir::OpOperand *> uses;
    bool isKept = false; // by one use, or by larger constants
    for (mlir::OpOperand &use : result.getUses()) {
      Operation *user = use.getOwner();
      if (isa<sdy::ShardingGroupOp>(user)) {
        continue; // copies join it as well
      }
      if (user->getNumResults() == 1 &&
          constants.contains(user->getResult(0))) {
        isKept = true;
      } else {
        uses.push_back(&use);
      }
    }
    for (mlir::OpOperand *use : uses) {
      if (!isKept) {
        isKept = true;
        continue;
      }
      OpBuilder builder(op);
      mlir::IRMapping copies;
      use->set(copyFor(builder, result, constants, copies));
    }
  }
  for (Operation *op : reverse(constants.inOrder())) {
    if (op->use_empty()) {
      op->erase();
    }
  }
}

//===----------------------------------------------------------------------===//
// Constraints
//===----------------------------------------------------------------------===//

/// Whether another constraint says how the value is sharded, too.
static bool hasOtherConstraint(sdy::ShardingConstraintOp constraint) {
  return any_of(constraint.getInput().getUses(), [&](mlir::OpOperand &use) {
    if (auto other = dyn_cast<sdy::ShardingConstraintOp>(use.getOwner())) {
      return other.getSharding() != constraint.getSharding();
    }
    if (auto manual = dyn_cast<sdy::ManualComputationOp>(use.getOwner())) {
      return manual.getInShardings()[use.getOperandNumber()] !=
             constraint.getSharding();
    }
    return false;
  });
}

/// A constraint that leaves nothing open binds the value it is applied to,
/// where nothing else does.
static void applyConstraint(sdy::ShardingConstraintOp constraint,
                            DataFlow &flow) {
  TensorSharding said = flow.meshes.read(constraint.getSharding());
  ShardingVariable variable = flow.variableOf(constraint.getInput());
  if (!said.isFullyClosed() || !variable || hasOtherConstraint(constraint)) {
    return;
  }
  Operation *producer = constraint.getInput().getDefiningOp();
  if (isa_and_nonnull<sdy::ShardingConstraintOp, sdy::ReshardOp>(producer)) {
    return;
  }
  TensorSharding old = flow.get(variable);
  bool isSaid = old.namesAxes() || any_of(old.dims, [](const DimSharding &dim) {
                  return dim.isClosed;
                });
  if (isSaid) {
    return;
  }
  bool flowsIn = !producer || roleOf(producer) == OpRole::DataFlow;
  if (flowsIn) {
    // Where the value came from shall not be bound; its uses are.
    constraint.getInput().replaceUsesWithIf(
        constraint.getResult(), [&](mlir::OpOperand &use) {
          return use.getOwner() != constraint &&
                 use.getOwner()->getBlock() == constraint->getBlock() &&
                 constraint->isBeforeInBlock(use.getOwner()) &&
                 !isa<sdy::ShardingConstraintOp>(use.getOwner());
        });
    return;
  }
  if (!isOnOneDevice(producer, flow.meshes)) {
    flow.set(variable, said);
  }
}

/// After a chain of constraints on one value, later uses of the value see what
/// the chain ends in.
static void redirectToChainEnd(sdy::ShardingConstraintOp first) {
  if (isa_and_nonnull<sdy::ShardingConstraintOp>(
          first.getInput().getDefiningOp())) {
    return;
  }
  sdy::ShardingConstraintOp last = first;
  while (last->hasOneUse()) {
    auto next = dyn_cast<sdy::ShardingConstraintOp>(*last->user_begin());
    if (!next || next->getBlock() != first->getBlock()) {
      break;
    }
    last = next;
  }
  if (last == first) {
    return;
  }
  first.getInput().replaceUsesWithIf(
      last.getResult(), [&](mlir::OpOperand &use) {
        return use.getOwner()->getBlock() == last->getBlock() &&
               last->isBeforeInBlock(use.getOwner());
      });
}

void bindBoundary(mlir::ModuleOp module, const std::vector<bool> &parameters,
                  const std::vector<bool> &results) {
  auto main = module.lookupSymbol<mlir::func::FuncOp>("main");
  if (!main || main.isExternal()) {
    return;
  }
  MeshTable meshes(module);
  auto isBound = [](const std::vector<bool> &chooses, unsigned index) {
    return chooses.empty() ||
           !chooses[std::min<size_t>(index, chooses.size() - 1)];
  };
  auto whole = [&](mlir::Type type) {
    return meshes.write(TensorSharding::whole(shapeOf(type).size()));
  };
  for (unsigned i = 0; i < main.getNumArguments(); ++i) {
    if (isBound(parameters, i) && !main.getArgAttr(i, sdy::kShardingName) &&
        isa<mlir::RankedTensorType>(main.getArgumentTypes()[i])) {
      main.setArgAttr(i, sdy::kShardingName, whole(main.getArgumentTypes()[i]));
    }
  }
  for (unsigned i = 0; i < main.getNumResults(); ++i) {
    if (isBound(results, i) && !sdy::getResultSharding(main, i) &&
        isa<mlir::RankedTensorType>(main.getResultTypes()[i])) {
      sdy::setResultSharding(main, i, whole(main.getResultTypes()[i]));
    }
  }
}

Status importShardings(mlir::ModuleOp module) {
  XLA_RETURN_IF_ERROR(expandCalls(module));
  dropMarksInBodies(module);
  for (auto function : module.getOps<mlir::func::FuncOp>()) {
    splitConstants(function);
  }
  module.walk([](sdy::ShardingConstraintOp op) { redirectToChainEnd(op); });
  DataFlow flow(module);
  for (auto function : module.getOps<mlir::func::FuncOp>()) {
    walkArrays(function.getBody(), [&](Operation *op) {
      if (auto constraint = dyn_cast<sdy::ShardingConstraintOp>(op)) {
        applyConstraint(constraint, flow);
      }
    });
  }
  flow.write();
  return okStatus();
}

} // namespace xla::partition
