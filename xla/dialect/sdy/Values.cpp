//===- Values.cpp - Shardings of values, wherever they stand --------------===//

#include "xla/dialect/sdy/Values.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace xla::sdy {

//===----------------------------------------------------------------------===//
// Meshes
//===----------------------------------------------------------------------===//

MeshAttr findMesh(Operation *at, StringRef name) {
  auto module = dyn_cast<ModuleOp>(at);
  for (; at && !module; at = at->getParentOp()) {
    module = dyn_cast_or_null<ModuleOp>(at->getParentOp());
  }
  if (!module) {
    return nullptr;
  }
  auto mesh = dyn_cast_or_null<MeshOp>(SymbolTable::lookupSymbolIn(
      module, StringAttr::get(module.getContext(), name)));
  return mesh ? mesh.getMesh() : nullptr;
}

MeshAttr findMesh(Operation *at, Attribute meshOrRef) {
  if (auto mesh = dyn_cast_or_null<MeshAttr>(meshOrRef)) {
    return mesh;
  }
  auto symbol = dyn_cast_or_null<FlatSymbolRefAttr>(meshOrRef);
  return symbol ? findMesh(at, symbol.getValue()) : nullptr;
}

FlatSymbolRefAttr getOrCreateMesh(ModuleOp module, MeshAttr mesh,
                                  StringRef preferred) {
  for (auto op : module.getOps<MeshOp>()) {
    if (op.getMesh() == mesh) {
      return FlatSymbolRefAttr::get(op.getSymNameAttr());
    }
  }
  std::string name = preferred.str();
  for (int number = 0; module.lookupSymbol(name); ++number) {
    name = preferred.str() + "_" + std::to_string(number);
  }
  OpBuilder builder = OpBuilder::atBlockBegin(module.getBody());
  auto op = MeshOp::create(builder, module.getLoc(), name, mesh);
  return FlatSymbolRefAttr::get(op.getSymNameAttr());
}

int64_t getRank(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor ? tensor.getRank() : 0;
}

//===----------------------------------------------------------------------===//
// Manual axes
//===----------------------------------------------------------------------===//

SmallVector<StringAttr> getManualAxesAround(Operation *op) {
  SmallVector<StringAttr> axes;
  while ((op = op->getParentOp())) {
    if (auto manual = dyn_cast<ManualComputationOp>(op)) {
      axes.insert(axes.begin(), manual.getManualAxes().begin(),
                  manual.getManualAxes().end());
    }
  }
  return axes;
}

static TensorShardingAttr filter(TensorShardingAttr sharding,
                                 function_ref<bool(AxisRefAttr)> isKept) {
  auto keep = [&](ArrayRef<AxisRefAttr> axes) {
    return llvm::filter_to_vector(axes, isKept);
  };
  SmallVector<DimensionShardingAttr> dims;
  for (DimensionShardingAttr dim : sharding.getDimShardings()) {
    SmallVector<AxisRefAttr> axes = keep(dim.getAxes());
    bool mayHavePriority = !axes.empty() || dim.isOpen();
    dims.push_back(DimensionShardingAttr::get(
        sharding.getContext(), axes, dim.getIsClosed(),
        mayHavePriority ? dim.getPriority() : std::nullopt));
  }
  return sharding.withDimShardings(dims)
      .withReplicatedAxes(keep(sharding.getReplicatedAxes()))
      .withUnreducedAxes(keep(sharding.getUnreducedAxes()));
}

TensorShardingAttr onlyManual(TensorShardingAttr sharding,
                              ManualAxesAttr axes) {
  return filter(sharding, [&](AxisRefAttr axis) {
    return axes.contains(axis.getName());
  });
}

TensorShardingAttr withoutManual(TensorShardingAttr sharding,
                                 ManualAxesAttr axes) {
  return filter(sharding, [&](AxisRefAttr axis) {
    return !axes.contains(axis.getName());
  });
}

//===----------------------------------------------------------------------===//
// Where shardings stand
//===----------------------------------------------------------------------===//

/// The name of the property by which an operation of this dialect says where
/// its only result is on; empty for others.
static StringRef ownProperty(Operation *op) {
  return llvm::TypeSwitch<Operation *, StringRef>(op)
      .Case<ShardingConstraintOp, ReshardOp, DataFlowEdgeOp>(
          [](auto) { return "sharding"; })
      .Case<AllGatherOp, AllSliceOp, AllToAllOp, CollectivePermuteOp,
            AllReduceOp, ReduceScatterOp, ShardedToUnreducedOp,
            ReplicatedToUnreducedOp>([](auto) { return "out_sharding"; })
      .Default([](Operation *) { return ""; });
}

TensorShardingPerValueAttr getShardings(Operation *op) {
  if (auto manual = dyn_cast<ManualComputationOp>(op)) {
    return manual.getOutShardings();
  }
  if (auto named = dyn_cast<NamedComputationOp>(op)) {
    return named.getOutShardingsAttr();
  }
  return op->getAttrOfType<TensorShardingPerValueAttr>(kShardingName);
}

void setShardings(Operation *op, ArrayRef<TensorShardingAttr> shardings) {
  auto attribute = TensorShardingPerValueAttr::get(op->getContext(), shardings);
  if (auto manual = dyn_cast<ManualComputationOp>(op)) {
    manual.setOutShardingsAttr(attribute);
  } else if (auto named = dyn_cast<NamedComputationOp>(op)) {
    named.setOutShardingsAttr(attribute);
  } else if (StringRef name = ownProperty(op); !name.empty()) {
    op->setAttr(name, shardings.front());
  } else {
    op->setAttr(kShardingName, attribute);
  }
}

void removeShardings(Operation *op) {
  if (auto named = dyn_cast<NamedComputationOp>(op)) {
    named.removeOutShardingsAttr();
  } else if (auto edge = dyn_cast<DataFlowEdgeOp>(op)) {
    edge.removeShardingAttr();
  } else {
    op->removeDiscardableAttr(kShardingName);
  }
}

static TensorShardingAttr getArgumentSharding(BlockArgument argument) {
  Operation *parent = argument.getOwner()->getParentOp();
  unsigned i = argument.getArgNumber();
  if (!parent || !argument.getOwner()->isEntryBlock()) {
    return nullptr;
  }
  if (auto function = dyn_cast<FunctionOpInterface>(parent)) {
    return function.getArgAttrOfType<TensorShardingAttr>(i, kShardingName);
  }
  if (auto manual = dyn_cast<ManualComputationOp>(parent)) {
    return manual.getInnerInSharding(i);
  }
  if (auto named = dyn_cast<NamedComputationOp>(parent)) {
    TensorShardingPerValueAttr all = named.getInShardingsAttr();
    return all ? all[i] : nullptr;
  }
  return nullptr;
}

TensorShardingAttr getSharding(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    return getArgumentSharding(argument);
  }
  auto result = cast<OpResult>(value);
  if (StringRef name = ownProperty(result.getOwner()); !name.empty()) {
    return result.getOwner()->getAttrOfType<TensorShardingAttr>(name);
  }
  TensorShardingPerValueAttr all = getShardings(result.getOwner());
  return all && result.getResultNumber() < all.size()
             ? all[result.getResultNumber()]
             : nullptr;
}

TensorShardingAttr getResultSharding(FunctionOpInterface function, unsigned i) {
  return function.getResultAttrOfType<TensorShardingAttr>(i, kShardingName);
}

void setResultSharding(FunctionOpInterface function, unsigned i,
                       TensorShardingAttr sharding) {
  function.setResultAttr(i, kShardingName, sharding);
}

} // namespace xla::sdy
