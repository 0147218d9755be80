//===- ShardingAttributes.cpp - Shardings as `sdy` attributes -------------===//

#include "xla/partition/ShardingAttributes.h"

#include "xla/dialect/sdy/Values.h"

using namespace llvm;

namespace xla::partition {

//===----------------------------------------------------------------------===//
// MeshTable
//===----------------------------------------------------------------------===//

MeshTable::MeshTable(mlir::ModuleOp module) : module(module) {
  for (auto op : module.getOps<sdy::MeshOp>()) {
    indices[mlir::FlatSymbolRefAttr::get(op.getSymNameAttr())] =
        add(op.getMesh(), mlir::FlatSymbolRefAttr::get(op.getSymNameAttr()));
  }
}

int32_t MeshTable::add(sdy::MeshAttr attribute,
                       mlir::FlatSymbolRefAttr symbol) {
  Entry entry;
  entry.symbol = symbol;
  for (sdy::MeshAxisAttr axis : attribute.getAxes()) {
    entry.axes[axis.getName()] = entry.mesh.axes.size();
    entry.mesh.axes.push_back({axis.getName().str(), axis.getSize()});
  }
  entry.mesh.deviceIds.assign(attribute.getDeviceIds().begin(),
                              attribute.getDeviceIds().end());
  for (auto [index, known] : enumerate(meshes)) {
    if (known.mesh == entry.mesh) {
      return index;
    }
  }
  meshes.push_back(std::move(entry));
  return meshes.size() - 1;
}

int32_t MeshTable::find(mlir::Attribute meshOrRef) {
  auto [known, isNew] = indices.try_emplace(meshOrRef, -1);
  if (isNew) {
    if (auto mesh = dyn_cast<sdy::MeshAttr>(meshOrRef)) {
      int32_t index = add(mesh, sdy::getOrCreateMesh(module, mesh));
      indices[meshOrRef] = index;
      return index;
    }
  }
  return known->second;
}

int32_t MeshTable::firstOfMany() const {
  for (auto [index, entry] : enumerate(meshes)) {
    if (entry.mesh.size() > 1) {
      return index;
    }
  }
  return -1;
}

std::optional<AxisRef> MeshTable::findAxis(int32_t mesh, StringRef name) const {
  auto found = meshes[mesh].axes.find(name);
  if (found == meshes[mesh].axes.end()) {
    return std::nullopt;
  }
  return wholeAxis(meshes[mesh].mesh, found->second);
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

AxisRef MeshTable::read(int32_t mesh, sdy::AxisRefAttr attribute) const {
  // The verifier knows that there is one.
  AxisRef axis = findAxis(mesh, attribute.getName()).value_or(AxisRef());
  if (sdy::SubAxisInfoAttr part = attribute.getSubAxis()) {
    axis.before = part.getPreSize();
    axis.size = part.getSize();
  }
  return axis;
}

Axes MeshTable::read(int32_t mesh,
                     ArrayRef<sdy::AxisRefAttr> attributes) const {
  Axes axes;
  for (sdy::AxisRefAttr attribute : attributes) {
    AxisRef axis = read(mesh, attribute);
    if (axis.size > 1) {
      append(axes, axis);
    }
  }
  return axes;
}

TensorSharding MeshTable::read(sdy::TensorShardingAttr attribute) {
  TensorSharding sharding;
  sharding.mesh = find(attribute.getMeshOrRef());
  for (sdy::DimensionShardingAttr dim : attribute.getDimShardings()) {
    sharding.dims.push_back({read(sharding.mesh, dim.getAxes()),
                             dim.getIsClosed(), dim.getPriorityOrDefault()});
  }
  sharding.replicated = read(sharding.mesh, attribute.getReplicatedAxes());
  sharding.unreduced = read(sharding.mesh, attribute.getUnreducedAxes());
  switch (attribute.getUnreducedKind()) {
  case sdy::ReductionKind::Sum:
    sharding.reduction = Reduction::Sum;
    break;
  case sdy::ReductionKind::Max:
    sharding.reduction = Reduction::Max;
    break;
  case sdy::ReductionKind::Min:
    sharding.reduction = Reduction::Min;
    break;
  }
  bool isMaximal = sharding.mesh >= 0 && meshes[sharding.mesh].mesh.isMaximal();
  if (!sharding.namesAxes() && !isMaximal) {
    sharding.mesh = -1;
  }
  return sharding;
}

TensorSharding MeshTable::read(sdy::TensorShardingAttr attribute,
                               int64_t rank) {
  return attribute ? read(attribute) : TensorSharding::open(rank);
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

sdy::AxisRefAttr MeshTable::write(int32_t mesh, AxisRef axis) {
  const Mesh &grid = meshes[mesh].mesh;
  mlir::MLIRContext *context = module.getContext();
  StringRef name = grid.axes[axis.axis].name;
  return axis.isWhole(grid)
             ? sdy::AxisRefAttr::get(context, name)
             : sdy::AxisRefAttr::get(context, name, axis.before, axis.size);
}

sdy::AxisRefListAttr MeshTable::write(int32_t mesh, AxesRef axes) {
  SmallVector<sdy::AxisRefAttr> list;
  for (AxisRef axis : axes) {
    list.push_back(write(mesh, axis));
  }
  return sdy::AxisRefListAttr::get(module.getContext(), list);
}

sdy::TensorShardingAttr MeshTable::write(const TensorSharding &sharding) {
  mlir::MLIRContext *context = module.getContext();
  int32_t mesh = sharding.mesh >= 0 ? sharding.mesh : firstOfMany();
  if (mesh < 0) {
    mesh = find(sdy::MeshAttr::get(context, {}));
  }
  auto list = [&](AxesRef axes) { return write(mesh, axes).getValue(); };
  SmallVector<sdy::DimensionShardingAttr> dims;
  for (const DimSharding &dim : sharding.dims) {
    dims.push_back(sdy::DimensionShardingAttr::get(
        context, list(dim.axes), dim.isClosed,
        dim.priority > 0 ? std::optional(dim.priority) : std::nullopt));
  }
  Axes replicated = sharding.replicated, unreduced = sharding.unreduced;
  sortAxes(replicated);
  sortAxes(unreduced);
  sdy::ReductionKind kind =
      sharding.reduction == Reduction::Max   ? sdy::ReductionKind::Max
      : sharding.reduction == Reduction::Min ? sdy::ReductionKind::Min
                                             : sdy::ReductionKind::Sum;
  return sdy::TensorShardingAttr::get(context, meshes[mesh].symbol, dims,
                                      list(replicated), list(unreduced), kind);
}

} // namespace xla::partition
