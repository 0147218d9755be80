//===- MakeConsistent.cpp - Changes of shardings written out --------------===//
//
// After propagation every array has a sharding, but an operation may have
// operands that do not fit one another, or its result. Here each operation
// chooses how it is cut (ChooseCuts.h); its operands are moved there before it,
// its results moved from there after it.
//
//===----------------------------------------------------------------------===//

#include "xla/dialect/sdy/Values.h"
#include "xla/dialect/stablehlo/StablehloOps.h"
#include "xla/partition/ChooseCuts.h"
#include "xla/partition/DataFlow.h"
#include "xla/partition/Passes.h"
#include "xla/partition/RuleBuilder.h"

using namespace llvm;
using namespace xla::stablehlo;
using mlir::OpBuilder;
using mlir::Operation;
using mlir::OpOperand;
using mlir::Value;

namespace xla::partition {

//===----------------------------------------------------------------------===//
// Pending reductions
//===----------------------------------------------------------------------===//

/// How two values are joined by a function of two numbers, if that is one
/// operation on them.
static std::optional<Reduction> reductionOf(mlir::Region &function) {
  mlir::Block &body = function.front();
  Operation *end = body.getTerminator();
  Operation *join =
      end->getNumOperands() == 1 ? end->getOperand(0).getDefiningOp() : nullptr;
  if (!join || join->getNumOperands() != 2 || body.getNumArguments() != 2 ||
      join->getOperand(0) == join->getOperand(1) ||
      !all_of(join->getOperands(), [&](Value operand) {
        return is_contained(body.getArguments(), operand);
      })) {
    return std::nullopt;
  }
  // Of truth values it is not arithmetic.
  if (mlir::getElementTypeOrSelf(join->getResult(0).getType()).isInteger(1)) {
    return std::nullopt;
  }
  if (isa<AddOp>(join)) {
    return Reduction::Sum;
  }
  if (isa<MaxOp>(join)) {
    return Reduction::Max;
  }
  if (isa<MinOp>(join)) {
    return Reduction::Min;
  }
  return std::nullopt;
}

/// How the summands that devices compute of a result are joined. None where
/// only the operation itself can say; then its result is complete.
static std::optional<Reduction> reductionOf(Operation *op) {
  if (auto reduce = dyn_cast<ReduceOp>(op)) {
    return reductionOf(reduce.getBody());
  }
  if (auto scatter = dyn_cast<ScatterOp>(op)) {
    return reductionOf(scatter.getUpdateComputation());
  }
  return Reduction::Sum;
}

/// Whether the operation may be applied to summands: given the same pending sum
/// in the operands listed, the result has it too.
static bool keepsPending(Operation *op, ArrayRef<bool> isPending) {
  if (isa<AddOp, SubtractOp>(op)) {
    return isPending[0] && isPending[1];
  }
  if (isa<MulOp, DotGeneralOp, DotOp>(op)) {
    return isPending[0] != isPending[1];
  }
  if (isa<DivOp>(op)) {
    return isPending[0] && !isPending[1];
  }
  if (isa<SelectOp>(op)) {
    return !isPending[0] && isPending[1] && isPending[2];
  }
  if (auto reduce = dyn_cast<ReduceOp>(op)) {
    return isPending.size() == 2 && isPending[0] && !isPending[1] &&
           reductionOf(reduce.getBody()) == Reduction::Sum;
  }
  if (isa<ConcatenateOp>(op)) {
    return all_of(isPending, [](bool pending) { return pending; });
  }
  return isa<NegOp, TransposeOp, ReshapeOp, BroadcastInDimOp, SliceOp,
             ReverseOp, RealOp, ImagOp>(op) &&
         isPending[0];
}

//===----------------------------------------------------------------------===//
// The walk
//===----------------------------------------------------------------------===//

namespace {

class Mover {
public:
  explicit Mover(mlir::ModuleOp module) : flow(module), module(module) {}

  void run();

private:
  void visit(Operation *op);
  void visitFlows(Operation *op);
  void visitMark(Operation *op);
  void visitRule(Operation *op, const ShardingRule &rule);
  void visitWhole(Operation *op);
  void setOperand(OpOperand &operand, const TensorSharding &sharding);
  Value move(OpBuilder &builder, mlir::Location location, Value value,
             const TensorSharding &sharding);
  void moveResults(Operation *op, ArrayRef<TensorSharding> made);

  /// The sharding that a value has, be it the program's or inserted here.
  TensorSharding shardingOf(Value value) {
    auto found = inserted.find(value);
    return found != inserted.end() ? found->second
                                   : flow.get(flow.variableOf(value));
  }
  bool isArray(Value value) {
    return inserted.contains(value) || bool(flow.variableOf(value));
  }

  DataFlow flow;
  mlir::ModuleOp module;
  DenseMap<Value, TensorSharding> inserted;
  /// Values that were moved already, by block and target.
  DenseMap<std::pair<Value, std::pair<mlir::Block *, mlir::Attribute>>, Value>
      moved;
  std::vector<Operation *> dropped;
};

} // namespace

Value Mover::move(OpBuilder &builder, mlir::Location location, Value value,
                  const TensorSharding &sharding) {
  auto reshard = sdy::ReshardOp::create(builder, location, value,
                                        flow.meshes.write(sharding));
  inserted[reshard.getResult()] = sharding;
  return reshard.getResult();
}

/// Gives the operand the sharding that is required, which may have been done
/// for another user in the same block before.
void Mover::setOperand(OpOperand &operand, const TensorSharding &sharding) {
  Value value = operand.get();
  if (shardingOf(value).laysOutLike(sharding)) {
    return;
  }
  Operation *user = operand.getOwner();
  mlir::Attribute target = flow.meshes.write(sharding);
  Value &known = moved[{value, {user->getBlock(), target}}];
  if (!known) {
    OpBuilder builder(user);
    // `move` adds to another table than the one that holds `known`.
    known = move(builder, user->getLoc(), value, sharding);
  } else if (user->isBeforeInBlock(known.getDefiningOp())) {
    // The end of a region is visited before what stands in it.
    known.getDefiningOp()->moveBefore(user);
  }
  operand.set(known);
}

/// The results are sharded as `made`; their users see the sharding that
/// propagation said.
void Mover::moveResults(Operation *op, ArrayRef<TensorSharding> made) {
  bool isAsSaid = true;
  for (auto [result, sharding] : zip(op->getResults(), made)) {
    isAsSaid &= !isArray(result) || shardingOf(result).laysOutLike(sharding);
  }
  if (isAsSaid) {
    return;
  }
  OpBuilder builder(op->getContext());
  builder.setInsertionPointAfter(op);
  for (auto [result, sharding] : zip(op->getResults(), made)) {
    if (!isArray(result)) {
      continue;
    }
    TensorSharding wanted = shardingOf(result);
    ShardingVariable variable = flow.variableOf(result);
    if (wanted.laysOutLike(sharding)) {
      continue;
    }
    Value value = result;
    Operation *first = nullptr;
    Axes reduced;
    for (AxisRef axis : sharding.unreduced) {
      if (!overlap(axis, wanted.unreduced)) {
        reduced.push_back(axis);
      }
    }
    if (!reduced.empty()) {
      TensorSharding complete = sharding;
      erase_if(complete.unreduced,
               [&](AxisRef axis) { return overlap(axis, reduced); });
      auto sum = sdy::AllReduceOp::create(
          builder, op->getLoc(), value.getType(), value,
          flow.meshes.write(sharding.mesh, reduced),
          flow.meshes.write(complete));
      value = sum.getResult();
      first = sum;
      inserted[value] = complete;
    }
    if (value == result || !inserted[value].laysOutLike(wanted)) {
      value = move(builder, op->getLoc(), value, wanted);
      first = first ? first : value.getDefiningOp();
    }
    result.replaceAllUsesExcept(value, first);
    flow.set(variable, sharding);
  }
}

void Mover::visitRule(Operation *op, const ShardingRule &rule) {
  SmallVector<TensorSharding, 3> shardings;
  shardings.reserve(rule.tensorCount());
  bool hasCut = false;
  auto add = [&](Value value) {
    shardings.push_back(isArray(value) ? shardingOf(value) : TensorSharding());
    hasCut |= shardings.back().namesAxes();
  };
  for (Value operand : op->getOperands()) {
    add(operand);
  }
  for (Value result : op->getResults()) {
    add(result);
  }
  if (!hasCut) {
    return;
  }
  SmallVector<const TensorSharding *> tensors;
  for (auto [index, sharding] : enumerate(shardings)) {
    bool isTensor = index < rule.operands.size()
                        ? isArray(op->getOperand(index))
                        : isArray(op->getResult(index - rule.operands.size()));
    tensors.push_back(isTensor ? &sharding : nullptr);
  }
  CutChoice choice = chooseCuts(rule, tensors);
  // Sums that are pending in operands stay so if the result's are to be.
  Axes pending;
  if (op->getNumResults() == 1 && tensors.back()) {
    pending = tensors.back()->unreduced;
  }
  Axes reduced = choice.reduced(rule);
  SmallVector<bool> isPending;
  for (Value operand : op->getOperands()) {
    isPending.push_back(!pending.empty() && isArray(operand) &&
                        shardingOf(operand).unreduced == pending);
  }
  bool keeps = !pending.empty() && keepsPending(op, isPending) &&
               none_of(choice.axes, [&](const Axes &axes) {
                 return any_of(axes, [&](AxisRef axis) {
                   return overlap(axis, pending);
                 });
               });
  for (auto [index, operand] : enumerate(op->getOpOperands())) {
    if (!tensors[index]) {
      continue;
    }
    TensorSharding needed = choice.shardingOf(rule.operands[index]);
    if (keeps && isPending[index]) {
      needed.unreduced = pending;
      needed.mesh = shardings[index].mesh;
    }
    setOperand(operand, needed);
  }
  std::vector<TensorSharding> made;
  std::optional<Reduction> kind = reductionOf(op);
  for (const TensorMapping &mapping : rule.results) {
    made.push_back(choice.shardingOf(mapping));
    if (kind && !reduced.empty()) {
      made.back().unreduced = reduced;
      made.back().reduction = *kind;
      made.back().mesh = choice.mesh;
    }
    if (keeps) {
      append(made.back().unreduced, pending);
      sortAxes(made.back().unreduced);
      made.back().mesh = shardings.back().mesh;
    }
  }
  moveResults(op, made);
}

void Mover::visitWhole(Operation *op) {
  for (OpOperand &operand : op->getOpOperands()) {
    if (isArray(operand.get())) {
      setOperand(operand, TensorSharding::whole(shapeOf(operand.get()).size()));
    }
  }
  std::vector<TensorSharding> made;
  for (Value result : op->getResults()) {
    made.push_back(TensorSharding::whole(shapeOf(result).size()));
  }
  if (!isOnOneDevice(op, flow.meshes)) {
    moveResults(op, made);
  }
}

/// Operands that flow into a loop, a branch's end, a function's result.
void Mover::visitFlows(Operation *op) {
  for (const Flow &through : flow.flowsOf(op)) {
    TensorSharding target = flow.get(through.target);
    for (OpOperand *source : through.sources) {
      if (isArray(source->get())) {
        setOperand(*source, target);
      }
    }
  }
}

/// A constraint is a move from now on; one to the value's own sharding is
/// dropped.
void Mover::visitMark(Operation *op) {
  Value operand = op->getOperand(0), result = op->getResult(0);
  if (!isArray(operand)) {
    result.replaceAllUsesWith(operand);
    dropped.push_back(op);
    return;
  }
  OpBuilder builder(op);
  TensorSharding wanted = shardingOf(result);
  Value value = operand;
  if (!shardingOf(operand).laysOutLike(wanted)) {
    value = move(builder, op->getLoc(), operand, wanted);
    value.getDefiningOp()->setAttr(sdy::kRequestedName, builder.getUnitAttr());
  }
  result.replaceAllUsesWith(value);
  dropped.push_back(op);
}

void Mover::visit(Operation *op) {
  if (isa<sdy::ShardingConstraintOp, sdy::ReshardOp, sdy::PropagationBarrierOp>(
          op)) {
    return inserted.contains(op->getResult(0)) ? void() : visitMark(op);
  }
  if (isa<sdy::ShardingGroupOp>(op)) {
    dropped.push_back(op);
    return;
  }
  switch (roleOf(op)) {
  case OpRole::Factors:
    if (std::optional<ShardingRule> rule = ruleOf(op)) {
      visitRule(op, *rule);
    } else {
      visitWhole(op);
    }
    return;
  case OpRole::DataFlow:
    return visitFlows(op);
  case OpRole::Whole:
    return visitWhole(op);
  case OpRole::InPlace:
  case OpRole::Structure:
    return;
  }
}

void Mover::run() {
  for (auto function : module.getOps<mlir::func::FuncOp>()) {
    // Moves that are inserted on the way need no visit.
    std::vector<Operation *> operations;
    walkArrays(function.getBody(),
               [&](Operation *op) { operations.push_back(op); });
    for (Operation *op : operations) {
      visit(op);
    }
    visitFlows(function);
  }
  flow.write();
  for (Operation *op : reverse(dropped)) {
    op->erase();
  }
}

Status makeShardingsConsistent(mlir::ModuleOp module) {
  Mover(module).run();
  return okStatus();
}

} // namespace xla::partition
