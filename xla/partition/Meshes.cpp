//===- Meshes.cpp - The meshes of a program as one grid -------------------===//

#include "xla/partition/Meshes.h"

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

void Meshes::cutAt(int64_t stride) {
  auto above = cuts.lower_bound(stride);
  if (above == cuts.end() || *above == stride || *above % stride != 0 ||
      stride % *std::prev(above) != 0) {
    return;
  }
  cuts.insert(stride);
}

Status Meshes::addMesh(sdy::MeshAttr mesh) {
  if (mesh.getAxes().empty()) {
    return okStatus();
  }
  int64_t count = *cuts.rbegin();
  if (mesh.getSize() != count) {
    return invalidArgument("a mesh of " + std::to_string(mesh.getSize()) +
                           " devices is in a program for " +
                           std::to_string(count));
  }
  ArrayRef<int64_t> ids = mesh.getDeviceIds();
  if (hasMesh && ids != ArrayRef<int64_t>(theGrid.devices)) {
    return unimplemented("the meshes of a program list its devices in "
                         "different orders");
  }
  hasMesh = true;
  theGrid.devices.assign(ids.begin(), ids.end());
  int64_t stride = 1;
  for (sdy::MeshAxisAttr axis : llvm::reverse(mesh.getAxes())) {
    cutAt(stride);
    stride *= axis.getSize();
  }
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
  if (!mesh) {
    return;
  }
  for (sdy::AxisRefAttr axis : sharding.getAllAxes()) {
    if (sdy::SubAxisInfoAttr part = axis.getSubAxis()) {
      int64_t end = strideOf(mesh, axis.getName()) *
                    mesh.getAxisSize(axis.getName()) / part.getPreSize();
      cutAt(end);
      cutAt(end / part.getSize());
    }
  }
}

void Meshes::finish() {
  SmallVector<int64_t> strides(cuts.begin(), cuts.end());
  for (size_t i = strides.size() - 1; i > 0; --i) {
    theGrid.sizes.push_back(strides[i] / strides[i - 1]);
  }
}

StatusOr<Meshes> Meshes::of(ModuleOp module, int64_t partitions) {
  Meshes meshes;
  meshes.module = module;
  meshes.cuts = {1, partitions};
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
  if (!cuts.count(low) || !cuts.count(high)) {
    return axes;
  }
  int64_t end = grid().count();
  for (auto [i, size] : llvm::enumerate(grid().sizes)) {
    if (end <= high && end > low) {
      axes.push_back(i);
    }
    end /= size;
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

//===----------------------------------------------------------------------===//
// OpSharding messages
//===----------------------------------------------------------------------===//

static void writeNumber(std::string &bytes, uint64_t number) {
  for (; number >= 0x80; number >>= 7) {
    bytes.push_back(char(number | 0x80));
  }
  bytes.push_back(char(number));
}

static void writeNumbers(std::string &bytes, int field,
                         ArrayRef<int64_t> numbers) {
  std::string packed;
  for (int64_t number : numbers) {
    writeNumber(packed, number);
  }
  bytes.push_back(char(field << 3 | 2));
  writeNumber(bytes, packed.size());
  bytes += packed;
}

std::string Meshes::serialize(const Placement &placement) const {
  // The fields of OpSharding and its enumerators.
  constexpr int kType = 1, kDims = 3, kLastDims = 8, kReshape = 9,
                kTranspose = 10, kReplicateLast = 6;
  constexpr char kOther = 3, kUnreduced = 6;
  if (placement.isWhole()) {
    return {};
  }
  GridAxes order;
  Sizes dims;
  for (const GridAxes &axes : placement.dims) {
    order.append(axes.begin(), axes.end());
    dims.push_back(grid().countOf(axes));
  }
  GridAxes unused;
  for (size_t axis = 0; axis < grid().sizes.size(); ++axis) {
    if (!placement.uses(axis)) {
      unused.push_back(axis);
    }
  }
  order.append(unused.begin(), unused.end());
  order.append(placement.pending.begin(), placement.pending.end());
  bool isPartlyWhole = grid().countOf(unused) > 1;
  if (isPartlyWhole) {
    dims.push_back(grid().countOf(unused));
  }
  if (!placement.pending.empty()) {
    dims.push_back(grid().countOf(placement.pending));
  }
  std::string bytes{char(kType << 3), kOther};
  writeNumbers(bytes, kDims, dims);
  if (placement.pending.empty()) {
    if (isPartlyWhole) {
      bytes += {char(kReplicateLast << 3), 1};
    }
  } else if (isPartlyWhole) {
    writeNumbers(bytes, kLastDims, {0, kUnreduced});
  } else {
    writeNumbers(bytes, kLastDims, {kUnreduced});
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
  Sizes reshape, transpose;
  for (auto [axis, size] : sorted) {
    reshape.push_back(size);
  }
  for (auto &run : runs) {
    transpose.push_back(llvm::find(sorted, run) - sorted.begin());
  }
  writeNumbers(bytes, kReshape, reshape);
  writeNumbers(bytes, kTranspose, transpose);
  return bytes;
}

} // namespace xla::partition
