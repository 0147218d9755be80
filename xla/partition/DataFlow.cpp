//===- DataFlow.cpp - The values of a program and their shardings ---------===//

#include "xla/partition/DataFlow.h"

#include "xla/dialect/sdy/Values.h"
#include "xla/dialect/stablehlo/StablehloOps.h"
#include "xla/partition/ShardingRules.h"

using namespace llvm;
using namespace xla::stablehlo;
using mlir::Operation;
using mlir::OpOperand;
using mlir::Value;

namespace xla::partition {

/// The attribute by which collectives of `sdy` say how their results are
/// sharded.
static constexpr StringLiteral kOutSharding = "out_sharding";

static std::optional<int64_t> rankOf(mlir::Type type) {
  auto tensor = dyn_cast<mlir::RankedTensorType>(type);
  return tensor ? std::optional(tensor.getRank()) : std::nullopt;
}

/// What an attribute says of an array; nothing where it says nothing, or speaks
/// of another rank, as that of a value on a single device does. A dimension
/// without elements is not cut, whatever it says.
static TensorSharding readFor(MeshTable &meshes, mlir::Type type,
                              sdy::TensorShardingAttr attribute) {
  int64_t rank = *rankOf(type);
  if (attribute && attribute.getRank() != rank) {
    attribute = {};
  }
  TensorSharding sharding = meshes.read(attribute, rank);
  for (auto [dim, size] :
       zip(sharding.dims, cast<mlir::RankedTensorType>(type).getShape())) {
    if (size == 0) {
      dim.axes.clear();
    }
  }
  return sharding;
}

bool isOnOneDevice(Operation *op, MeshTable &meshes) {
  sdy::TensorShardingPerValueAttr shardings = sdy::getShardings(op);
  if (!shardings || shardings.empty()) {
    return false;
  }
  int32_t mesh = meshes.find(shardings[0].getMeshOrRef());
  return mesh >= 0 && meshes[mesh].isMaximal();
}

void walkArrays(mlir::Region &region, function_ref<void(Operation *)> visit) {
  for (mlir::Block &block : region) {
    for (Operation &op : make_early_inc_range(block)) {
      // What the visitor replaces is not entered.
      bool entersRegions = roleOf(&op) == OpRole::DataFlow;
      SmallVector<mlir::Region *> inner;
      if (entersRegions) {
        inner = to_vector(make_pointer_range(op.getRegions()));
      }
      visit(&op);
      for (mlir::Region *each : inner) {
        walkArrays(*each, visit);
      }
    }
  }
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

DataFlow::DataFlow(mlir::ModuleOp module) : meshes(module), module(module) {
  for (auto function : module.getOps<mlir::func::FuncOp>()) {
    if (!function.isExternal()) {
      addFunction(function);
    }
  }
}

ShardingVariable DataFlow::add(TensorSharding sharding) {
  variables.push_back({std::move(sharding), {}, {}});
  return {int32_t(variables.size()) - 1};
}

ShardingVariable DataFlow::addValue(Value value,
                                    sdy::TensorShardingAttr attribute) {
  if (!rankOf(value.getType())) {
    return {};
  }
  ShardingVariable variable = add(readFor(meshes, value.getType(), attribute));
  variableOfValue[value] = variable;
  return variable;
}

void DataFlow::addFlow(Flow flow) {
  auto [span, isNew] = flowsOfOp.try_emplace(
      flow.op, std::pair(allFlows.size(), allFlows.size()));
  span->second.second = allFlows.size() + 1;
  allFlows.push_back(std::move(flow));
}

void DataFlow::addFunction(mlir::func::FuncOp function) {
  for (auto [index, argument] : enumerate(function.getArguments())) {
    addValue(argument, function.getArgAttrOfType<sdy::TensorShardingAttr>(
                           index, sdy::kShardingName));
  }
  SmallVector<int32_t> &results = ends[function];
  Operation *end = function.getBody().back().getTerminator();
  for (auto [index, type] : enumerate(function.getResultTypes())) {
    if (!rankOf(type) || !function.getBody().hasOneBlock()) {
      results.push_back(-1);
      continue;
    }
    ShardingVariable variable =
        add(readFor(meshes, type, sdy::getResultSharding(function, index)));
    results.push_back(variable.index);
    addFlow({function, {&end->getOpOperand(index)}, variable, type});
  }
  walkArrays(function.getBody(), [&](Operation *op) { addOperation(op); });
}

void DataFlow::addOperation(Operation *op) {
  sdy::TensorShardingPerValueAttr shardings = sdy::getShardings(op);
  bool isThere = isOnOneDevice(op, meshes);
  for (auto [index, result] : enumerate(op->getResults())) {
    bool hasOne = shardings && index < shardings.size();
    ShardingVariable variable =
        addValue(result, hasOne ? shardings[index] : sdy::TensorShardingAttr());
    if (variable && isThere) {
      TensorSharding &sharding = variables[variable.index].sharding;
      sharding = TensorSharding::whole(sharding.rank());
    }
  }
  if (auto constraint = dyn_cast<sdy::ShardingConstraintOp>(op)) {
    addValue(constraint.getResult(), constraint.getSharding());
  } else if (auto reshard = dyn_cast<sdy::ReshardOp>(op)) {
    addValue(reshard.getResult(), reshard.getSharding());
  } else if (auto said =
                 op->getAttrOfType<sdy::TensorShardingAttr>(kOutSharding)) {
    addValue(op->getResult(0), said);
  } else if (isa<WhileOp, OptimizationBarrierOp>(op)) {
    addLoop(op);
  } else if (isa<CaseOp, IfOp>(op)) {
    addBranches(op);
  } else if (auto manual = dyn_cast<sdy::ManualComputationOp>(op)) {
    addManual(manual);
  }
}

/// A barrier is a loop without a body.
void DataFlow::addLoop(Operation *op) {
  for (auto [index, result] : enumerate(op->getResults())) {
    ShardingVariable variable = variableOfValue.lookup(result);
    if (!rankOf(result.getType())) {
      continue;
    }
    Flow flow{op, {&op->getOpOperand(index)}, variable, result.getType()};
    for (mlir::Region &region : op->getRegions()) {
      variableOfValue[region.getArgument(index)] = variable;
    }
    if (auto loop = dyn_cast<WhileOp>(op)) {
      flow.sources.push_back(
          &loop.getBody().front().getTerminator()->getOpOperand(index));
    }
    addFlow(std::move(flow));
  }
}

void DataFlow::addBranches(Operation *op) {
  for (auto [index, result] : enumerate(op->getResults())) {
    if (!rankOf(result.getType())) {
      continue;
    }
    Flow flow{op, {}, variableOfValue.lookup(result), result.getType()};
    for (mlir::Region &region : op->getRegions()) {
      flow.sources.push_back(
          &region.front().getTerminator()->getOpOperand(index));
    }
    addFlow(std::move(flow));
  }
}

/// Axes at the front of a dimension that are manual.
static Axes manualPrefix(AxesRef axes, AxesRef manual) {
  Axes prefix;
  for (AxisRef axis : axes) {
    if (!overlap(axis, manual)) {
      break;
    }
    prefix.push_back(axis);
  }
  return prefix;
}

void DataFlow::addManual(sdy::ManualComputationOp op) {
  auto addEnd = [&](sdy::TensorShardingAttr attribute, mlir::Type type) {
    if (!rankOf(type)) {
      return ShardingVariable();
    }
    ShardingVariable variable = add(readFor(meshes, type, attribute));
    Entry &entry = variables[variable.index];
    int32_t mesh = meshes.find(attribute.getMeshOrRef());
    for (mlir::StringAttr name : op.getManualAxes()) {
      std::optional<AxisRef> axis = meshes.findAxis(mesh, name);
      if (axis && axis->size > 1) {
        entry.manualAxes.push_back(*axis);
      }
    }
    if (entry.manualAxes.empty()) {
      return variable;
    }
    entry.sharding.mesh = mesh;
    for (const DimSharding &dim : entry.sharding.dims) {
      entry.manual.push_back(manualPrefix(dim.axes, entry.manualAxes));
    }
    // A manual axis that cuts nothing here is not for propagation to use.
    for (AxisRef axis : entry.manualAxes) {
      if (!entry.sharding.uses(axis)) {
        entry.sharding.replicated.push_back(axis);
      }
    }
    return variable;
  };
  SmallVector<int32_t> &own = ends[op];
  Operation *end = op.getBody().front().getTerminator();
  for (auto [index, operand] : enumerate(op->getOpOperands())) {
    ShardingVariable variable =
        addEnd(op.getInShardings()[index], operand.get().getType());
    own.push_back(variable.index);
    if (variable) {
      addFlow({op, {&operand}, variable, operand.get().getType()});
      variableOfValue[op.getBody().getArgument(index)] = {variable.index, true};
    }
  }
  for (auto [index, result] : enumerate(op->getResults())) {
    ShardingVariable variable =
        addEnd(op.getOutShardings()[index], result.getType());
    own.push_back(variable.index);
    if (variable) {
      variableOfValue[result] = variable;
      OpOperand &inner = end->getOpOperand(index);
      addFlow({op, {&inner}, {variable.index, true}, inner.get().getType()});
    }
  }
}

//===----------------------------------------------------------------------===//
// Asking
//===----------------------------------------------------------------------===//

ShardingVariable DataFlow::variableOf(Value value) const {
  return variableOfValue.lookup(value);
}

ArrayRef<Flow> DataFlow::flowsOf(Operation *op) const {
  auto [begin, end] = flowsOfOp.lookup(op);
  return ArrayRef(allFlows).slice(begin, end - begin);
}

TensorSharding DataFlow::get(ShardingVariable variable) const {
  const Entry &entry = variables[variable.index];
  TensorSharding sharding = entry.sharding;
  if (variable.isInside && !entry.manual.empty()) {
    for (auto [dim, manual] : zip(sharding.dims, entry.manual)) {
      dim.axes = withoutPrefix(dim.axes, manual);
    }
  }
  return sharding;
}

void DataFlow::set(ShardingVariable variable, TensorSharding sharding) {
  Entry &entry = variables[variable.index];
  if (variable.isInside && !entry.manual.empty()) {
    for (auto [dim, manual] : zip(sharding.dims, entry.manual)) {
      Axes axes = manual;
      append(axes, dim.axes);
      dim.axes = std::move(axes);
    }
    if (sharding.mesh < 0) {
      sharding.mesh = entry.sharding.mesh;
    }
  }
  entry.sharding = std::move(sharding);
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

void DataFlow::writeFunction(mlir::func::FuncOp function) {
  for (auto [index, argument] : enumerate(function.getArguments())) {
    if (ShardingVariable variable = variableOf(argument)) {
      function.setArgAttr(index, sdy::kShardingName,
                          meshes.write(variables[variable.index].sharding));
    }
  }
  for (auto [index, variable] : enumerate(ends[function])) {
    if (variable >= 0) {
      sdy::setResultSharding(function, index,
                             meshes.write(variables[variable].sharding));
    }
  }
}

/// Parts by the manual axes, and these divided further, are the parts by all
/// axes only where all are equally large: others stay undivided inside.
static void keepEven(TensorSharding &sharding, ArrayRef<Axes> manual,
                     mlir::Type type) {
  ArrayRef<int64_t> sizes = cast<mlir::ShapedType>(type).getShape();
  for (auto [dim, prefix, size] : zip(sharding.dims, manual, sizes)) {
    auto parts = [axes = &dim.axes] {
      int64_t count = 1;
      for (AxisRef axis : *axes) {
        count *= axis.size;
      }
      return count;
    };
    while (!prefix.empty() && dim.axes.size() > prefix.size() &&
           size % parts() != 0) {
      dim.axes.pop_back();
    }
  }
}

void DataFlow::writeManual(sdy::ManualComputationOp op) {
  ArrayRef<int32_t> own = ends[op];
  auto list = [&](ArrayRef<int32_t> ends, mlir::TypeRange types,
                  sdy::TensorShardingPerValueAttr old) {
    SmallVector<sdy::TensorShardingAttr> shardings;
    for (auto [index, end] : enumerate(ends)) {
      if (end < 0) {
        shardings.push_back(old[index]);
        continue;
      }
      TensorSharding sharding = variables[end].sharding;
      erase_if(sharding.replicated, [&](AxisRef axis) {
        return overlap(axis, variables[end].manualAxes);
      });
      if (sharding.mesh < 0) { // all of them name one mesh
        sharding.mesh = meshes.find(old[index].getMeshOrRef());
      }
      keepEven(sharding, variables[end].manual, types[index]);
      shardings.push_back(meshes.write(sharding));
    }
    return sdy::TensorShardingPerValueAttr::get(op.getContext(), shardings);
  };
  unsigned operands = op->getNumOperands();
  op.setInShardingsAttr(list(own.take_front(operands), op.getOperandTypes(),
                             op.getInShardings()));
  op.setOutShardingsAttr(list(own.drop_front(operands), op.getResultTypes(),
                              op.getOutShardings()));
}

void DataFlow::writeResults(Operation *op) {
  if (op->getNumResults() == 0 || isOnOneDevice(op, meshes)) {
    return;
  }
  SmallVector<sdy::TensorShardingAttr> shardings;
  bool hasArray = false;
  for (Value result : op->getResults()) {
    ShardingVariable variable = variableOf(result);
    hasArray |= bool(variable);
    shardings.push_back(meshes.write(variable
                                         ? variables[variable.index].sharding
                                         : TensorSharding::open(0)));
  }
  if (!hasArray) {
    return; // inserted since, with a sharding of its own
  }
  if (auto constraint = dyn_cast<sdy::ShardingConstraintOp>(op)) {
    constraint.setShardingAttr(shardings[0]);
  } else if (auto reshard = dyn_cast<sdy::ReshardOp>(op)) {
    reshard.setShardingAttr(shardings[0]);
  } else if (op->hasAttr(kOutSharding)) {
    op->setAttr(kOutSharding, shardings[0]);
  } else {
    sdy::setShardings(op, shardings);
  }
}

void DataFlow::write() {
  for (auto function : module.getOps<mlir::func::FuncOp>()) {
    if (function.isExternal()) {
      continue;
    }
    writeFunction(function);
    walkArrays(function.getBody(), [&](Operation *op) {
      if (auto manual = dyn_cast<sdy::ManualComputationOp>(op)) {
        writeManual(manual);
      } else {
        writeResults(op);
      }
    });
  }
}

} // namespace xla::partition
