//===- LocalizeFlow.cpp - Regions, calls, and what only marks values ------===//

#include "xla/partition/Localizer.h"

#include "xla/dialect/sdy/Values.h"
#include "xla/dialect/stablehlo/StablehloOps.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace xla::partition {

/// Calls may nest this deep.
static constexpr int kMaxDepth = 200;

static int64_t rankOf(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor ? tensor.getRank() : 0;
}

Status Localizer::runBody(Region &region, ValueRange operands,
                          SmallVectorImpl<Value> &returned) {
  if (depth == kMaxDepth) {
    return unimplemented("calls nest more than " + std::to_string(kMaxDepth) +
                         " deep");
  }
  ++depth;
  for (auto [argument, operand] :
       llvm::zip_equal(region.getArguments(), operands)) {
    PartitionedValue local = localOf(operand);
    define(argument, local.value, local.placement);
  }
  Status status = run(region.front());
  --depth;
  llvm::append_range(returned, region.front().getTerminator()->getOperands());
  return status;
}

//===----------------------------------------------------------------------===//
// Loops and branches
//===----------------------------------------------------------------------===//

/// The shardings of carried values: as the program says, else as they come in.
static SmallVector<Placement> carriedPlacements(Localizer &localizer,
                                                Operation *op) {
  SmallVector<Placement> placements;
  for (OpResult result : op->getResults()) {
    std::optional<Placement> wanted = localizer.wanted(result);
    if (!wanted && op->getNumOperands() == op->getNumResults()) {
      wanted =
          localizer.localOf(op->getOperand(result.getResultNumber())).placement;
    }
    placements.push_back(
        wanted.value_or(Placement::whole(rankOf(result.getType()))));
    placements.back().pending.clear();
  }
  return placements;
}

static SmallVector<Type> localTypes(Localizer &localizer, TypeRange types,
                                    ArrayRef<Placement> placements) {
  SmallVector<Type> local;
  for (auto [type, placement] : llvm::zip_equal(types, placements)) {
    local.push_back(localizer.localType(type, placement));
  }
  return local;
}

/// Writes a region; its results are sharded as `returned` says.
static Status runRegion(Localizer &localizer, Region &region, Region &target,
                        ArrayRef<Placement> arguments,
                        ArrayRef<Placement> returned, Operation *loop = nullptr,
                        ArrayRef<Value> carried = {}) {
  OpBuilder &builder = localizer.emit.builder;
  OpBuilder::InsertionGuard guard(builder);
  Localizer::Scope scope(localizer);
  SmallVector<Location> locations;
  for (BlockArgument argument : region.getArguments()) {
    locations.push_back(argument.getLoc());
  }
  Block *block = builder.createBlock(
      &target, {}, localTypes(localizer, region.getArgumentTypes(), arguments),
      locations);
  for (auto [original, local, placement] : llvm::zip_equal(
           region.getArguments(), block->getArguments(), arguments)) {
    localizer.define(original, local, placement);
    localizer.invariants.erase(original);
  }
  for (auto [i, outer] : llvm::enumerate(carried)) {
    if (outer) {
      localizer.invariants[region.getArgument(i)] = {outer, loop};
    }
  }
  XLA_RETURN_IF_ERROR(localizer.run(region.front()));
  Operation *terminator = region.front().getTerminator();
  localizer.emit.loc = terminator->getLoc();
  SmallVector<Value> values;
  for (auto [value, placement] :
       llvm::zip_equal(terminator->getOperands(), returned)) {
    values.push_back(localizer.at(value, placement));
  }
  stablehlo::ReturnOp::create(builder, terminator->getLoc(), values);
  return okStatus();
}

Status Localizer::runWhile(Operation *op) {
  SmallVector<Placement> carried = carriedPlacements(*this, op);
  SmallVector<Value> operands;
  for (auto [operand, placement] :
       llvm::zip_equal(op->getOperands(), carried)) {
    operands.push_back(at(operand, placement));
  }
  auto loop = stablehlo::WhileOp::create(
      emit.builder, op->getLoc(),
      localTypes(*this, op->getResultTypes(), carried), operands);
  // What the body returns as it came.
  Block &body = op->getRegion(1).front();
  SmallVector<Value> handedOn(op->getOperands());
  for (auto [i, value] : llvm::enumerate(body.getTerminator()->getOperands())) {
    if (value != body.getArgument(i)) {
      handedOn[i] = Value();
    }
  }
  // All devices must agree on whether to go on: the condition is whole.
  XLA_RETURN_IF_ERROR(runRegion(*this, op->getRegion(0), loop.getCond(),
                                carried, {Placement()}, loop, handedOn));
  XLA_RETURN_IF_ERROR(runRegion(*this, op->getRegion(1), loop.getBody(),
                                carried, carried, loop, handedOn));
  for (auto [original, value, placement] :
       llvm::zip_equal(op->getResults(), loop.getResults(), carried)) {
    settle(original, value, placement);
  }
  return okStatus();
}

Status Localizer::runBranches(Operation *op) {
  SmallVector<Placement> results;
  for (Value result : op->getResults()) {
    results.push_back(
        wanted(result).value_or(Placement::whole(rankOf(result.getType()))));
    results.back().pending.clear();
  }
  SmallVector<Type> types = localTypes(*this, op->getResultTypes(), results);
  Value choice = whole(op->getOperand(0));
  Operation *copy;
  if (isa<stablehlo::IfOp>(op)) {
    copy = stablehlo::IfOp::create(emit.builder, op->getLoc(), types, choice);
  } else {
    copy = stablehlo::CaseOp::create(emit.builder, op->getLoc(), types, choice,
                                     op->getNumRegions());
  }
  for (auto [from, to] :
       llvm::zip_equal(op->getRegions(), copy->getRegions())) {
    XLA_RETURN_IF_ERROR(runRegion(*this, from, to, {}, results));
  }
  for (auto [original, value, placement] :
       llvm::zip_equal(op->getResults(), copy->getResults(), results)) {
    settle(original, value, placement);
  }
  return okStatus();
}

//===----------------------------------------------------------------------===//
// Manual computations
//===----------------------------------------------------------------------===//

static Placement without(Placement placement, ArrayRef<int> axes) {
  auto isOf = [&](int axis) { return llvm::is_contained(axes, axis); };
  for (GridAxes &dim : placement.dims) {
    llvm::erase_if(dim, isOf);
  }
  llvm::erase_if(placement.pending, isOf);
  return placement;
}

Status Localizer::runManual(sdy::ManualComputationOp op) {
  GridAxes inner;
  sdy::MeshAttr mesh;
  for (auto shardings : {op.getInShardings(), op.getOutShardings()}) {
    for (sdy::TensorShardingAttr sharding : shardings) {
      sdy::MeshAttr one = meshes.meshOf(sharding);
      mesh = one && !one.getAxes().empty() ? one : mesh;
    }
  }
  for (StringAttr axis : op.getManualAxes()) {
    if (mesh) {
      inner.append(meshes.axesOf(mesh, axis.getValue()));
    }
  }
  if (!manual.empty() && !inner.empty() &&
      emit.grid.refinedMeshOf(manual.front()) !=
          emit.grid.refinedMeshOf(inner.front())) {
    return unimplemented("a manual computation is over another mesh than the "
                         "one around it, whose devices are in another order");
  }
  Block &body = op.getBody().front();
  for (auto [operand, argument, sharding] :
       llvm::zip_equal(op.getTensors(), body.getArguments(),
                       op.getInShardings().getShardings())) {
    Placement placement = placementOf(sharding, operand.getType());
    Value value = at(operand, placement);
    Placement own = without(placement, inner);
    if (localType(argument.getType(), own) != value.getType()) {
      return unimplemented("a manual computation's axes do not divide an "
                           "operand of " +
                           std::to_string(rankOf(operand.getType())) +
                           " dimensions");
    }
    define(argument, value, own);
  }
  GridAxes around = manual;
  manual.append(inner.begin(), inner.end());
  XLA_RETURN_IF_ERROR(run(body));
  emit.loc = op.getLoc();
  SmallVector<Value> returned;
  SmallVector<Placement> outside;
  for (auto [value, result, sharding] :
       llvm::zip_equal(body.getTerminator()->getOperands(), op.getResults(),
                       op.getOutShardings().getShardings())) {
    outside.push_back(
        meshes.placementOf(sharding, rankOf(result.getType()), around));
    returned.push_back(at(value, without(outside.back(), inner)));
  }
  manual = around;
  for (auto [result, value, placement] :
       llvm::zip_equal(op.getResults(), returned, outside)) {
    settle(result, value, placement);
  }
  return okStatus();
}

//===----------------------------------------------------------------------===//
// Custom calls
//===----------------------------------------------------------------------===//

/// Whether the program puts the operation on one device.
static bool isOnOneDevice(Localizer &localizer, Operation *op) {
  auto shardings =
      op->getAttrOfType<sdy::TensorShardingPerValueAttr>(sdy::kShardingName);
  return shardings && llvm::any_of(shardings.getShardings(),
                                   [&](sdy::TensorShardingAttr sharding) {
                                     auto mesh =
                                         localizer.meshes.meshOf(sharding);
                                     return mesh && mesh.isMaximal();
                                   });
}

Status Localizer::runOnFirst(Operation *op) {
  noteGathers(op, nullptr);
  SmallVector<Value> operands;
  SmallVector<Placement> results;
  for (Value operand : op->getOperands()) {
    operands.push_back(whole(operand));
  }
  for (Value result : op->getResults()) {
    results.push_back(Placement::whole(rankOf(result.getType())));
  }
  GridAxes all = emit.grid.axesOfRefinedMesh(0);
  auto branch = stablehlo::IfOp::create(
      emit.builder, op->getLoc(), op->getResultTypes(), emit.isFirst(all));
  {
    OpBuilder::InsertionGuard guard(emit.builder);
    emit.builder.createBlock(&branch.getTrueBranch());
    Operation *copy = clone(op, operands, results);
    stablehlo::ReturnOp::create(emit.builder, op->getLoc(), copy->getResults());
    emit.builder.createBlock(&branch.getFalseBranch());
    SmallVector<Value> nothing;
    for (Type type : op->getResultTypes()) {
      if (auto tensor = dyn_cast<RankedTensorType>(type)) {
        nothing.push_back(emit.broadcast(
            emit.identity(tensor.getElementType(), Combination::Sum), tensor));
      } else {
        nothing.push_back(
            stablehlo::CreateTokenOp::create(emit.builder, op->getLoc(), type));
      }
    }
    stablehlo::ReturnOp::create(emit.builder, op->getLoc(), nothing);
  }
  for (auto [original, value, placement] :
       llvm::zip_equal(op->getResults(), branch.getResults(), results)) {
    if (auto tensor = dyn_cast<RankedTensorType>(original.getType())) {
      placement.pending = all;
      bool isBoolean = tensor.getElementType().isInteger(1);
      placement.combination = isBoolean ? Combination::Or : Combination::Sum;
    }
    settle(original, value, placement);
  }
  return okStatus();
}

/// Every device calls, with what it has of the operands.
Status Localizer::runInParts(Operation *op) {
  SmallVector<Value> operands;
  SmallVector<Placement> results;
  for (Value operand : op->getOperands()) {
    Placement placement = localOf(operand).placement;
    placement.pending.clear();
    operands.push_back(at(operand, placement));
  }
  for (Value result : op->getResults()) {
    results.push_back(Placement::whole(rankOf(result.getType())));
  }
  Operation *copy = clone(op, operands, results);
  for (auto [original, value, placement] :
       llvm::zip_equal(op->getResults(), copy->getResults(), results)) {
    settle(original, value, placement);
  }
  return okStatus();
}

/// Puts the shardings of the operands and results of a call into the report.
void Localizer::recordShardings(stablehlo::CustomCallOp call) {
  auto key = dyn_cast_or_null<StringAttr>(call.getBackendConfigAttr());
  SeenCall seen{key ? key.str() : "", {}};
  for (Value operand : call->getOperands()) {
    seen.shardings.push_back(meshes.serialize(localOf(operand).placement));
  }
  for (OpResult result : call->getResults()) {
    auto tensor = dyn_cast<RankedTensorType>(result.getType());
    int64_t rank = tensor ? tensor.getRank() : 0;
    Placement placement = wanted(result).value_or(Placement::whole(rank));
    placement.pending.clear(); // the front end takes care of sums itself
    seen.shardings.push_back(meshes.serialize(placement));
  }
  report.seen.push_back(std::move(seen));
}

Status Localizer::runCustomCall(Operation *op) {
  auto call = cast<stablehlo::CustomCallOp>(op);
  StringRef target = call.getCallTargetName();
  if (target == "InspectSharding" || target == "CustomSPMDPartitioning") {
    recordShardings(call);
  }
  if (target == "InspectSharding") {
    for (auto [result, operand] :
         llvm::zip(op->getResults(), op->getOperands())) {
      PartitionedValue local = localOf(operand);
      define(result, local.value, local.placement);
    }
    return okStatus();
  }
  if (roleOf(op) == OpRole::Structure) {
    return runInParts(op);
  }
  if (manual.empty() && (isOnOneDevice(*this, op) || call.getHasSideEffect())) {
    return runOnFirst(op);
  }
  if (std::optional<ShardingRule> rule = ruleOf(op)) {
    return runByRule(op, std::move(*rule));
  }
  return runWhole(op);
}

//===----------------------------------------------------------------------===//
// All of them
//===----------------------------------------------------------------------===//

/// The value moved, or as it is.
static void forward(Localizer &localizer, Operation *op,
                    sdy::TensorShardingAttr sharding) {
  Value operand = op->getOperand(0), result = op->getResult(0);
  PartitionedValue local = localizer.localOf(operand);
  if (sharding) {
    local.placement = localizer.placementOf(sharding, operand.getType());
    local.value = localizer.at(operand, local.placement);
  }
  localizer.define(result, local.value, local.placement);
}

Status Localizer::runFlow(Operation *op, bool &isDone) {
  isDone = true;
  return llvm::TypeSwitch<Operation *, Status>(op)
      .Case<stablehlo::WhileOp>([&](auto) { return runWhile(op); })
      .Case<stablehlo::IfOp, stablehlo::CaseOp>(
          [&](auto) { return runBranches(op); })
      .Case<stablehlo::CustomCallOp>([&](auto) { return runCustomCall(op); })
      .Case<sdy::ManualComputationOp>(
          [&](sdy::ManualComputationOp manual) { return runManual(manual); })
      .Case<sdy::ShardingConstraintOp, sdy::ReshardOp>([&](auto mark) {
        forward(*this, op, mark.getSharding());
        return okStatus();
      })
      .Case<sdy::AllGatherOp, sdy::AllSliceOp, sdy::AllToAllOp,
            sdy::CollectivePermuteOp, sdy::AllReduceOp, sdy::ReduceScatterOp,
            sdy::ShardedToUnreducedOp, sdy::ReplicatedToUnreducedOp>(
          [&](auto move) {
            forward(*this, op, move.getOutSharding());
            return okStatus();
          })
      .Case<sdy::PropagationBarrierOp, sdy::DataFlowEdgeOp,
            sdy::FuncDataFlowEdgeOp>([&](auto) {
        forward(*this, op, {});
        return okStatus();
      })
      .Case<sdy::ShardingGroupOp>([&](auto) { return okStatus(); })
      .Case<sdy::ConstantOp>([&](sdy::ConstantOp constant) {
        Placement placement = Placement::whole(rankOf(constant.getType()));
        Value value = stablehlo::ConstantOp::create(emit.builder, op->getLoc(),
                                                    constant.getValue());
        settle(constant.getResult(), value, placement);
        return okStatus();
      })
      .Case<stablehlo::OptimizationBarrierOp>([&](auto) {
        SmallVector<Value> operands;
        SmallVector<Placement> placements = carriedPlacements(*this, op);
        for (auto [operand, placement] :
             llvm::zip_equal(op->getOperands(), placements)) {
          operands.push_back(at(operand, placement));
        }
        Operation *copy = clone(op, operands, placements);
        for (auto [original, value, placement] : llvm::zip_equal(
                 op->getResults(), copy->getResults(), placements)) {
          define(original, value, placement);
        }
        return okStatus();
      })
      .Case<func::CallOp, sdy::NamedComputationOp>([&](auto) {
        Region *body = nullptr;
        if (auto call = dyn_cast<func::CallOp>(op)) {
          auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
              op, call.getCalleeAttr());
          if (!callee || callee.isExternal()) {
            return invalidArgument("function @" + call.getCallee().str() +
                                   " has no body");
          }
          body = &callee.getBody();
        } else {
          body = &op->getRegion(0);
        }
        SmallVector<Value> returned;
        XLA_RETURN_IF_ERROR(runBody(*body, op->getOperands(), returned));
        for (auto [result, value] :
             llvm::zip_equal(op->getResults(), returned)) {
          PartitionedValue local = localOf(value);
          settle(result, local.value, local.placement);
        }
        return okStatus();
      })
      .Case<stablehlo::GetDimensionSizeOp>(
          [&](stablehlo::GetDimensionSizeOp size) {
            auto type = cast<RankedTensorType>(size.getOperand().getType());
            Value value = emit.scalar(emit.builder.getI32Type(),
                                      type.getDimSize(size.getDimension()));
            define(size.getResult(), value, Placement());
            return okStatus();
          })
      .Default([&](Operation *) {
        isDone = false;
        return okStatus();
      });
}

} // namespace xla::partition
