//===- Localizer.cpp - Operations on pieces of their arrays ---------------===//

#include "xla/partition/Localizer.h"

#include "xla/dialect/sdy/Values.h"
#include "xla/dialect/stablehlo/StablehloOps.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace xla::partition {

Localizer::Localizer(const Meshes &meshes, OpBuilder &builder,
                     PartitionReport &report)
    : emit(builder, meshes.grid()), meshes(meshes), report(report) {
  addMovements(families);
  addContractions(families);
  addIndexing(families);
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

Localizer::Scope::~Scope() {
  SmallVector<Value> made = localizer.scopes.pop_back_val();
  for (Value value : llvm::reverse(made)) {
    SmallVector<PartitionedValue, 1> &known = localizer.locals[value];
    // A function that is called again inside has defined its values anew.
    if (known.size() > 1) {
      known.pop_back();
    }
  }
}

void Localizer::define(Value original, Value value, Placement placement) {
  // A function that is called twice has its values defined twice.
  SmallVector<PartitionedValue, 1> &known = locals[original];
  known.clear();
  known.push_back({value, std::move(placement)});
}

const PartitionedValue &Localizer::localOf(Value original) {
  return locals.find(original)->second.front();
}

static ArrayRef<int64_t> shapeOf(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type ? type.getShape() : ArrayRef<int64_t>();
}

/// Values that cost nothing to make where they are wanted.
bool Localizer::recompute(Value original, const Placement &placement) {
  Operation *op = original.getDefiningOp();
  auto type = dyn_cast<RankedTensorType>(original.getType());
  if (!op || !type || !placement.pending.empty()) {
    return false;
  }
  auto local = cast<RankedTensorType>(localType(type, placement));
  Value value;
  if (auto constant = dyn_cast<stablehlo::ConstantOp>(op)) {
    auto elements = dyn_cast<DenseElementsAttr>(constant.getValue());
    if (!elements || !elements.isSplat()) {
      return false;
    }
    value = stablehlo::ConstantOp::create(emit.builder, emit.loc,
                                          elements.resizeSplat(local));
  } else if (auto iota = dyn_cast<stablehlo::IotaOp>(op)) {
    int64_t dim = iota.getIotaDimension();
    const GridAxes &axes = placement.dims[dim];
    value = stablehlo::IotaOp::create(emit.builder, emit.loc, local, dim);
    if (!axes.empty()) {
      Value offset =
          emit.multiply(emit.coordinate(axes), local.getDimSize(dim));
      offset = stablehlo::ConvertOp::create(
          emit.builder, emit.loc,
          RankedTensorType::get({}, local.getElementType()), offset);
      value = emit.add(value, emit.broadcast(offset, local));
    }
  } else {
    return false;
  }
  locals[original].push_back({value, placement});
  return true;
}

/// Before a loop its arrays are moved once, and held through all of it: what
/// was gathered for one step after the other is then there at once.
bool Localizer::mayHoist(Value original, const Placement &placement) {
  constexpr int64_t kMostBytes = int64_t(16) << 20;
  auto bytesOf = [&](const Placement &placement) {
    auto type =
        dyn_cast<RankedTensorType>(localType(original.getType(), placement));
    if (!type) {
      return int64_t(0);
    }
    Type element = type.getElementType();
    int64_t bits =
        element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 128;
    return type.getNumElements() * ceilDiv(bits, 8);
  };
  auto [outer, loop] = invariants[original];
  if (llvm::any_of(locals[outer], [&](const PartitionedValue &local) {
        return local.placement == placement;
      })) {
    return true;
  }
  int64_t growth = bytesOf(placement) - bytesOf(localOf(original).placement);
  int64_t &held = hoistedBytes[loop];
  if (held + growth > kMostBytes) {
    return false;
  }
  held += std::max<int64_t>(growth, 0);
  return true;
}

Value Localizer::at(Value original, const Placement &placement) {
  SmallVector<PartitionedValue, 1> &known = locals.find(original)->second;
  for (const PartitionedValue &local : known) {
    if (local.placement == placement) {
      return local.value;
    }
  }
  if (auto found = invariants.find(original);
      found != invariants.end() && mayHoist(original, placement)) {
    auto [outer, loop] = found->second;
    OpBuilder::InsertionGuard guard(emit.builder);
    emit.builder.setInsertionPoint(loop);
    return at(outer, placement);
  }
  if (!scopes.empty()) {
    scopes.back().push_back(original);
  }
  if (recompute(original, placement)) {
    return locals.find(original)->second.back().value;
  }
  // Several ways lead there; the first is the shortest of the cheapest.
  Type element = cast<RankedTensorType>(original.getType()).getElementType();
  const PartitionedValue *from = &known.front();
  double cost = -1;
  for (const PartitionedValue &local : known) {
    const ReshardPlan &plan =
        emit.plan(shapeOf(original), element, local.placement, placement);
    if (cost < 0 || plan.cost < cost) {
      cost = plan.cost;
      from = &local;
    }
  }
  Value value =
      emit.reshard(from->value, shapeOf(original), from->placement, placement);
  known.push_back({value, placement});
  return value;
}

Value Localizer::whole(Value original) {
  return at(original, Placement::whole(shapeOf(original).size()));
}

Placement Localizer::placementOf(sdy::TensorShardingAttr sharding, Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return meshes.placementOf(sharding, tensor ? tensor.getRank() : 0, manual);
}

std::optional<Placement> Localizer::wanted(Value result) {
  Operation *op = result.getDefiningOp();
  auto shardings =
      op->getAttrOfType<sdy::TensorShardingPerValueAttr>(sdy::kShardingName);
  unsigned number = cast<OpResult>(result).getResultNumber();
  if (!shardings || number >= shardings.size()) {
    return std::nullopt;
  }
  return placementOf(shardings[number], result.getType());
}

Type Localizer::localType(Type global, const Placement &placement) {
  auto type = dyn_cast<RankedTensorType>(global);
  if (!type) {
    return global;
  }
  return RankedTensorType::get(
      localShape(emit.grid, type.getShape(), placement), type.getElementType());
}

/// Whether the only use moves the value anyway.
static bool isMovedNext(Value value) {
  if (!value.hasOneUse()) {
    return false;
  }
  Operation *user = *value.user_begin();
  return isa<sdy::ReshardOp, sdy::ShardingConstraintOp, sdy::AllReduceOp,
             sdy::ReduceScatterOp>(user);
}

void Localizer::settle(Value original, Value value, Placement placement) {
  define(original, value, placement);
  std::optional<Placement> target = wanted(original);
  if (!target) {
    target = placement;
    target->pending.clear();
  }
  if (placement == *target ||
      (!placement.pending.empty() && isMovedNext(original))) {
    return;
  }
  Value moved = emit.reshard(value, shapeOf(original), placement, *target);
  define(original, moved, *target);
  if (placement.pending.empty()) {
    locals[original].push_back({value, std::move(placement)});
  }
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

Operation *Localizer::clone(Operation *op, ArrayRef<Value> operands,
                            ArrayRef<Placement> results) {
  Operation *copy = op->clone();
  emit.builder.insert(copy);
  copy->setOperands(operands);
  for (auto [result, placement] :
       llvm::zip_equal(copy->getResults(), results)) {
    result.setType(localType(result.getType(), placement));
  }
  copy->removeAttr(sdy::kShardingName);
  copy->removeAttr(sdy::kShardingRuleName);
  // Within reducers and comparators shardings say nothing.
  SmallVector<Operation *> marks;
  for (Region &region : copy->getRegions()) {
    region.walk([&](Operation *inner) {
      inner->removeAttr(sdy::kShardingName);
      if (isa<sdy::ShardingConstraintOp, sdy::ReshardOp>(inner)) {
        marks.push_back(inner);
      }
      for (OpOperand &operand : inner->getOpOperands()) {
        Operation *parent = operand.get().getParentRegion()->getParentOp();
        if (!copy->isAncestor(parent)) {
          OpBuilder::InsertionGuard guard(emit.builder);
          emit.builder.setInsertionPoint(copy);
          operand.set(whole(operand.get()));
        }
      }
    });
  }
  for (Operation *mark : marks) {
    mark->getResult(0).replaceAllUsesWith(mark->getOperand(0));
    mark->erase();
  }
  return copy;
}

/// Whether a device needs rows of its neighbours.
static bool needsWindow(Operation *op, unsigned operand, int64_t dim,
                        FactorKind kind) {
  if (kind == FactorKind::Permutation) {
    return true;
  }
  auto convolution = dyn_cast<stablehlo::ConvolutionOp>(op);
  return convolution && kind == FactorKind::Reduction && operand == 0 &&
         llvm::is_contained(
             convolution.getDimensionNumbers().getInputSpatialDimensions(),
             dim);
}

/// What only operands have cannot be taken piece by piece, unless the pieces
/// add up; nor can, in a reshape, what only the result has.
static void keepWhole(Operation *op, ShardingRule &rule) {
  SmallVector<bool> isOperand(rule.factors.size()), isResult(isOperand);
  for (size_t t = 0; t < rule.tensorCount(); ++t) {
    for (const DimMapping &factors : rule.tensor(t)) {
      for (int factor : factors) {
        (t < rule.operands.size() ? isOperand : isResult)[factor] = true;
      }
    }
  }
  bool isReshape = isa<stablehlo::ReshapeOp>(op);
  for (auto [factor, inOperands, inResults] :
       llvm::zip_equal(rule.factors, isOperand, isResult)) {
    if (factor.kind != FactorKind::Reduction &&
        (!inResults || (isReshape && !inOperands && factor.size > 1))) {
      factor.kind = FactorKind::NeedReplication;
    }
  }
}

Status Localizer::runByRule(Operation *op, ShardingRule rule) {
  auto found = families.find(op->getName().getStringRef());
  Family family = found == families.end() ? Family() : found->second;
  if (family.adjust) {
    family.adjust(op, rule);
  }
  keepWhole(op, rule);
  std::optional<Combination> combination;
  if (family.combination) {
    combination = family.combination(op);
  }
  SmallVector<bool> blocked(rule.factors.size(), false);
  for (auto [isBlocked, factor] : llvm::zip_equal(blocked, rule.factors)) {
    isBlocked = (factor.kind == FactorKind::Reduction && !combination) ||
                (factor.kind == FactorKind::Permutation && !family.window);
  }
  PendingOperands pending = pendingOperands(*this, op);
  Division division = divide(*this, op, rule, blocked, pending.axes);
  // Windows that need too much of the neighbours leave their factor whole.
  for (bool isSettled = !family.window; !isSettled;) {
    isSettled = true;
    for (auto [t, mapping] : llvm::enumerate(rule.operands)) {
      for (auto [dim, factors] : llvm::enumerate(mapping)) {
        if (factors.size() != 1 || division.axes[factors[0]].empty() ||
            !needsWindow(op, t, dim, rule.factors[factors[0]].kind)) {
          continue;
        }
        int64_t pieces = emit.grid.countOf(division.axes[factors[0]]);
        auto window = family.window(op, t, dim, pieces);
        if (!window || !emit.canExchange(shapeOf(op->getOperand(t))[dim],
                                         pieces, *window)) {
          blocked[factors[0]] = true;
          isSettled = false;
        }
      }
    }
    if (!isSettled) {
      division = divide(*this, op, rule, blocked, pending.axes);
    }
  }
  noteGathers(op, &division);
  SmallVector<Value> operands, results;
  for (auto [i, operand] : llvm::enumerate(op->getOperands())) {
    Placement placement = division.operands[i];
    if (!pending.axes.empty() && pending.isPending[i]) {
      placement.pending = pending.axes;
    }
    operands.push_back(at(operand, placement));
  }
  for (Placement &placement : division.results) {
    placement.pending = pending.axes;
    if (combination && !division.reduced.empty()) {
      placement.pending.append(division.reduced);
      llvm::sort(placement.pending);
      placement.combination = *combination;
    }
  }
  if (family.emit) {
    XLA_RETURN_IF_ERROR(family.emit(*this, op, division, operands, results));
  } else {
    llvm::append_range(results,
                       clone(op, operands, division.results)->getResults());
  }
  for (auto [original, value, placement] :
       llvm::zip_equal(op->getResults(), results, division.results)) {
    settle(original, value, placement);
  }
  return okStatus();
}

Status Localizer::runWhole(Operation *op) {
  noteGathers(op, nullptr);
  SmallVector<Value> operands;
  for (Value operand : op->getOperands()) {
    operands.push_back(whole(operand));
  }
  SmallVector<Placement> results;
  for (Value result : op->getResults()) {
    results.push_back(Placement::whole(shapeOf(result).size()));
  }
  Operation *copy = clone(op, operands, results);
  for (auto [original, value, placement] :
       llvm::zip_equal(op->getResults(), copy->getResults(), results)) {
    settle(original, value, placement);
  }
  return okStatus();
}

Status Localizer::runOperation(Operation *op) {
  emit.loc = op->getLoc();
  bool isDone = false;
  XLA_RETURN_IF_ERROR(runFlow(op, isDone));
  if (isDone) {
    return okStatus();
  }
  if (isa<stablehlo::ConstantOp, stablehlo::IotaOp>(op)) {
    // The first placement is the one that the program names; others are made
    // where they are wanted.
    Value result = op->getResult(0);
    Placement placement =
        wanted(result).value_or(Placement::whole(shapeOf(result).size()));
    locals[result].clear();
    if (recompute(result, placement)) {
      return okStatus();
    }
    return runWhole(op);
  }
  if (std::optional<ShardingRule> rule = ruleOf(op)) {
    return runByRule(op, std::move(*rule));
  }
  return runWhole(op);
}

Status Localizer::run(Block &block) {
  for (Operation &op : block.without_terminator()) {
    XLA_RETURN_IF_ERROR(runOperation(&op));
  }
  return okStatus();
}

} // namespace xla::partition
