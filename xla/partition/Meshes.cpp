//===- Meshes.cpp - The meshes of a program as one grid -------------------===//

#include "xla/partition/Meshes.h"

#include "xla/dialect/sdy/HloSharding.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;

namespace xla::partition {

/// The product of the sizes of the axes behind one.
static int64_t strideOf(sdy::MeshAttr mesh, StringRef name) {
  int64_t stride = 1;
  for (sdy::MeshAxisAttr axis : llvm::reverse(mesh.getAxes())) {
    if (axis.getName() == name) {
      break;
    }
    stride *= axis.getSize();
  }
  return stride;
}

/// Adds a cut; false where it does not nest with the others.
static bool cutAt(std::set<int64_t> &cuts, int64_t stride) {
  auto above = cuts.lower_bound(stride);
  if (above != cuts.end() && *above == stride) {
    return true;
  }
  if (above == cuts.end() || *above % stride != 0 ||
      stride % *std::prev(above) != 0) {
    return false;
  }
  cuts.insert(stride);
  return true;
}

/// The cuts with those of a mesh; none where they do not nest.
static std::optional<std::set<int64_t>> withMesh(std::set<int64_t> cuts,
                                                 sdy::MeshAttr mesh) {
  int64_t stride = 1;
  for (sdy::MeshAxisAttr axis : llvm::reverse(mesh.getAxes())) {
    if (!cutAt(cuts, stride)) {
      return std::nullopt;
    }
    stride *= axis.getSize();
  }
  return cuts;
}

Status Meshes::addMesh(sdy::MeshAttr mesh) {
  if (mesh.getAxes().empty() || indexOfRefinedMesh.contains(mesh)) {
    return okStatus();
  }
  if (mesh.getSize() != partitions) {
    return invalidArgument("a mesh of " + std::to_string(mesh.getSize()) +
                           " devices is in a program for " +
                           std::to_string(partitions));
  }
  for (auto [i, refined] : llvm::enumerate(refinedMeshes)) {
    if (ArrayRef<int64_t>(refined.devices) != mesh.getDeviceIds()) {
      continue;
    }
    if (auto cuts = withMesh(refined.strides, mesh)) {
      refined.strides = std::move(*cuts);
      indexOfRefinedMesh[mesh] = i;
      return okStatus();
    }
  }
  indexOfRefinedMesh[mesh] = refinedMeshes.size();
  refinedMeshes.push_back({*withMesh({1, partitions}, mesh),
                           SmallVector<int64_t>(mesh.getDeviceIds())});
  return okStatus();
}

sdy::MeshAttr Meshes::meshOf(sdy::TensorShardingAttr sharding) const {
  if (auto mesh = dyn_cast<sdy::MeshAttr>(sharding.getMeshOrRef())) {
    return mesh;
  }
  return symbols.lookup(sharding.getMeshOrRef());
}

void Meshes::addSharding(sdy::TensorShardingAttr sharding) {
  sdy::MeshAttr mesh = meshOf(sharding);
  auto refined = indexOfRefinedMesh.find(mesh);
  if (!mesh || refined == indexOfRefinedMesh.end()) {
    return;
  }
  std::set<int64_t> &cuts = refinedMeshes[refined->second].strides;
  for (sdy::AxisRefAttr axis : sharding.getAllAxes()) {
    if (sdy::SubAxisInfoAttr part = axis.getSubAxis()) {
      int64_t end = strideOf(mesh, axis.getName()) *
                    mesh.getAxisSize(axis.getName()) / part.getPreSize();
      cutAt(cuts, end);
      cutAt(cuts, end / part.getSize());
    }
  }
}

void Meshes::finish() {
  if (refinedMeshes.empty()) {
    refinedMeshes.push_back({{1, partitions}, {}});
  }
  for (const Cuts &cuts : refinedMeshes) {
    SmallVector<int64_t> strides(cuts.strides.begin(), cuts.strides.end());
    for (size_t i = strides.size() - 1; i > 0; --i) {
      theGrid.sizes.push_back(strides[i] / strides[i - 1]);
    }
    RefinedMesh &refined = theGrid.refinedMeshes.emplace_back();
    refined.end = theGrid.sizes.size();
    refined.devices.assign(cuts.devices.begin(), cuts.devices.end());
    refined.positions.resize(refined.devices.size());
    for (auto [position, device] : llvm::enumerate(refined.devices)) {
      refined.positions[device] = position;
    }
  }
}

StatusOr<Meshes> Meshes::of(ModuleOp module, int64_t partitions) {
  Meshes meshes;
  meshes.partitions = partitions;
  for (auto mesh : module.getOps<sdy::MeshOp>()) {
    XLA_RETURN_IF_ERROR(meshes.addMesh(mesh.getMesh()));
    meshes.symbols[FlatSymbolRefAttr::get(mesh.getSymNameAttr())] =
        mesh.getMesh();
  }
  DenseSet<Attribute> seen;
  Status status;
  SmallVector<sdy::TensorShardingAttr> shardings;
  module.walk([&](Operation *op) {
    for (NamedAttribute attribute : op->getAttrs()) {
      if (!seen.insert(attribute.getValue()).second) {
        continue;
      }
      attribute.getValue().walk([&](sdy::TensorShardingAttr sharding) {
        shardings.push_back(sharding);
      });
    }
  });
  for (sdy::TensorShardingAttr sharding : shardings) {
    if (auto mesh = dyn_cast<sdy::MeshAttr>(sharding.getMeshOrRef())) {
      XLA_RETURN_IF_ERROR(meshes.addMesh(mesh));
    }
  }
  for (sdy::TensorShardingAttr sharding : shardings) {
    meshes.addSharding(sharding);
  }
  meshes.finish();
  return meshes;
}

GridAxes Meshes::axesOf(sdy::MeshAttr mesh, sdy::AxisRefAttr axis) const {
  int64_t stride = strideOf(mesh, axis.getName());
  int64_t high = stride * mesh.getAxisSize(axis.getName()), low = stride;
  if (sdy::SubAxisInfoAttr part = axis.getSubAxis()) {
    high /= part.getPreSize();
    low = high / part.getSize();
  }
  GridAxes axes;
  auto refined = indexOfRefinedMesh.find(mesh);
  if (refined == indexOfRefinedMesh.end() ||
      !refinedMeshes[refined->second].strides.count(low) ||
      !refinedMeshes[refined->second].strides.count(high)) {
    return axes;
  }
  int64_t end = partitions;
  for (int axis : grid().axesOfRefinedMesh(refined->second)) {
    if (end <= high && end > low) {
      axes.push_back(axis);
    }
    end /= grid().sizes[axis];
  }
  return axes;
}

GridAxes Meshes::axesOf(sdy::MeshAttr mesh, StringRef axis) const {
  return axesOf(mesh, sdy::AxisRefAttr::get(mesh.getContext(), axis));
}

Placement Meshes::placementOf(sdy::TensorShardingAttr sharding, int64_t rank,
                              ArrayRef<int> manual) const {
  Placement placement = Placement::whole(rank);
  sdy::MeshAttr mesh = sharding ? meshOf(sharding) : sdy::MeshAttr();
  if (!mesh || mesh.getAxes().empty()) {
    return placement;
  }
  auto refined = indexOfRefinedMesh.find(mesh);
  if (refined == indexOfRefinedMesh.end() ||
      (!manual.empty() &&
       grid().refinedMeshOf(manual.front()) != refined->second)) {
    return placement;
  }
  auto add = [&](GridAxes &to, sdy::AxisRefAttr axis) {
    GridAxes axes = axesOf(mesh, axis);
    for (int one : axes) {
      if (!llvm::is_contained(manual, one) && !placement.uses(one)) {
        to.push_back(one);
      }
    }
    return !axes.empty() || axis.getSize(mesh) == 1;
  };
  for (auto [dim, axes] :
       llvm::zip(placement.dims, sharding.getDimShardings())) {
    for (sdy::AxisRefAttr axis : axes.getAxes()) {
      if (!add(dim, axis)) {
        break;
      }
    }
  }
  for (sdy::AxisRefAttr axis : sharding.getUnreducedAxes()) {
    add(placement.pending, axis);
  }
  llvm::sort(placement.pending);
  switch (sharding.getUnreducedKind()) {
  case sdy::ReductionKind::Sum:
    placement.combination = Combination::Sum;
    break;
  case sdy::ReductionKind::Max:
    placement.combination = Combination::Max;
    break;
  case sdy::ReductionKind::Min:
    placement.combination = Combination::Min;
    break;
  }
  return placement;
}

std::string Meshes::serialize(const Placement &placement) const {
  sdy::HloSharding sharding;
  if (placement.isWhole()) {
    return sdy::encode(sharding);
  }
  sharding.kind = sdy::HloSharding::Kind::Tiled;
  GridAxes order, unused;
  for (const GridAxes &axes : placement.dims) {
    order.append(axes.begin(), axes.end());
    sharding.tiles.push_back(grid().countOf(axes));
  }
  int refined = grid().refinedMeshOf(placement.anyAxis());
  for (int axis : grid().axesOfRefinedMesh(refined)) {
    if (!placement.uses(axis)) {
      unused.push_back(axis);
    }
  }
  auto addLast = [&](ArrayRef<int> axes, sdy::HloSharding::Kind kind) {
    order.append(axes.begin(), axes.end());
    if (grid().countOf(axes) > 1) {
      sharding.tiles.push_back(grid().countOf(axes));
      sharding.lastKinds.push_back(kind);
    }
  };
  addLast(unused, sdy::HloSharding::Kind::Replicated);
  addLast(placement.pending, sdy::HloSharding::Kind::Unreduced);
  if (sharding.lastKinds.size() == 1 && placement.pending.empty()) {
    sharding.lastKinds.clear();
    sharding.replicatesLast = true;
  }
  if (!grid().refinedMeshes[refined].devices.empty()) {
    sharding.devices.resize(partitions);
    for (int64_t device = 0; device < partitions; ++device) {
      sharding.devices[grid().coordinate(device, order)] = device;
    }
    return sdy::encode(sharding);
  }
  // Axes that follow each other are one.
  SmallVector<std::pair<int, int64_t>> runs;
  for (size_t i = 0; i < order.size(); ++i) {
    if (i > 0 && order[i] == order[i - 1] + 1) {
      runs.back().second *= grid().sizes[order[i]];
    } else {
      runs.push_back({order[i], grid().sizes[order[i]]});
    }
  }
  SmallVector<std::pair<int, int64_t>> sorted(runs);
  llvm::sort(sorted);
  for (auto [axis, size] : sorted) {
    sharding.iota.push_back(size);
  }
  for (auto &run : runs) {
    sharding.permutation.push_back(llvm::find(sorted, run) - sorted.begin());
  }
  return sdy::encode(sharding);
}

} // namespace xla::partition
