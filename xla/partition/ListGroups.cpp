//===- ListGroups.cpp - From groups by mesh axes to lists of devices ------===//
//
// A collective may say which devices take part by axes of a mesh: those that
// differ along the axes only are together. Everything after this reads lists.
//
//===----------------------------------------------------------------------===//

#include "xla/dialect/sdy/SdyOps.h"
#include "xla/dialect/stablehlo/StablehloOps.h"
#include "xla/partition/Passes.h"

#include "mlir/IR/SymbolTable.h"

using namespace llvm;
using mlir::Attribute;
using mlir::DenseIntElementsAttr;
using mlir::Operation;
using xla::stablehlo::AxisRefAttr;
using xla::stablehlo::ReplicaGroupMeshAxesAttr;

namespace xla::partition {

static constexpr int64_t kMostDevices = 1 << 20;

namespace {
struct Axis {
  StringRef name;
  int64_t size;
};

/// Devices in a grid; no ids where they stand in order.
struct Grid {
  SmallVector<Axis> axes;
  SmallVector<int64_t> ids;
};

/// A part of an axis, that of sizes before and after it.
struct Part {
  int64_t stride;
  int64_t size;
};
} // namespace

static Status bad(Operation *op, const Twine &what) {
  return invalidArgument(
      (op->getName().getStringRef() + ": " + what + ".").str());
}

/// The grid that an attribute holds or names. False where there is none.
static bool readGrid(Operation *op, Attribute mesh, Grid &grid) {
  if (auto symbol = dyn_cast<mlir::SymbolRefAttr>(mesh)) {
    Operation *holder = mlir::SymbolTable::lookupNearestSymbolFrom(op, symbol);
    mesh = holder ? holder->getAttr("mesh") : Attribute();
  }
  if (auto own = dyn_cast_or_null<sdy::MeshAttr>(mesh)) {
    for (sdy::MeshAxisAttr axis : own.getAxes()) {
      grid.axes.push_back({axis.getName(), axis.getSize()});
    }
    llvm::append_range(grid.ids, own.getDeviceIds());
    return true;
  }
  auto plain = dyn_cast_or_null<stablehlo::MeshAttr>(mesh);
  if (!plain) {
    return false;
  }
  for (stablehlo::MeshAxisAttr axis : plain.getAxes()) {
    grid.axes.push_back({axis.getName(), axis.getSize()});
  }
  if (DenseIntElementsAttr ids = plain.getDeviceIds()) {
    for (const APInt &id : ids.getValues<APInt>()) {
      grid.ids.push_back(id.getSExtValue());
    }
  }
  return true;
}

/// The part of the grid that an axis reference names, counted in devices.
static bool findPart(const Grid &grid, AxisRefAttr reference, Part &part) {
  int64_t stride = 1;
  for (const Axis &axis : llvm::reverse(grid.axes)) {
    if (axis.name != reference.getName()) {
      stride *= axis.size;
      continue;
    }
    part = {stride, axis.size};
    if (auto sub = reference.getSubAxisInfo()) {
      int64_t before = sub.getPreSize();
      if (before < 1 || sub.getSize() < 1 || axis.size % before != 0 ||
          axis.size / before % sub.getSize() != 0) {
        return false;
      }
      part = {stride * (axis.size / before / sub.getSize()), sub.getSize()};
    }
    return true;
  }
  return false;
}

/// For each group its devices, by the numbers of their positions in the grid.
static bool listGroups(const Grid &grid, mlir::ArrayAttr references,
                       SmallVector<int64_t> &listed, int64_t &size) {
  int64_t count = 1;
  for (const Axis &axis : grid.axes) {
    if (axis.size < 1 || axis.size > kMostDevices / count) {
      return false;
    }
    count *= axis.size;
  }
  SmallVector<Part> parts;
  size = 1;
  for (Attribute each : references) {
    auto reference = dyn_cast<AxisRefAttr>(each);
    Part part;
    if (!reference || !findPart(grid, reference, part)) {
      return false;
    }
    parts.push_back(part);
    size *= part.size;
    if (size > count) {
      return false;
    }
  }
  if (!grid.ids.empty() && static_cast<int64_t>(grid.ids.size()) != count) {
    return false;
  }
  for (int64_t first = 0; first < count; ++first) {
    // The first of a group stands at 0 along each of the parts.
    bool isFirst = llvm::all_of(parts, [&](const Part &part) {
      return first / part.stride % part.size == 0;
    });
    for (int64_t member = 0; isFirst && member < size; ++member) {
      int64_t position = first, rest = member;
      for (const Part &part : llvm::reverse(parts)) {
        position += rest % part.size * part.stride;
        rest /= part.size;
      }
      if (position >= count) {
        return false;
      }
      listed.push_back(grid.ids.empty() ? position : grid.ids[position]);
    }
  }
  // Two references to one part would list a device twice.
  return static_cast<int64_t>(listed.size()) == count;
}

Status listReplicaGroups(mlir::ModuleOp module) {
  Status status = okStatus();
  module.walk([&](Operation *op) {
    auto axes = op->getAttrOfType<ReplicaGroupMeshAxesAttr>("replica_groups");
    if (!axes) {
      return mlir::WalkResult::advance();
    }
    Grid grid;
    SmallVector<int64_t> listed;
    int64_t size = 1;
    if (!readGrid(op, axes.getMesh(), grid)) {
      status = bad(op, "replica_groups names no mesh");
    } else if (!listGroups(grid, axes.getAxes(), listed, size)) {
      status = bad(op, "replica_groups names no axes of its mesh, each once");
    }
    if (!status.ok()) {
      return mlir::WalkResult::interrupt();
    }
    auto type = mlir::RankedTensorType::get(
        {static_cast<int64_t>(listed.size()) / size, size},
        mlir::IntegerType::get(op->getContext(), 64));
    op->setAttr("replica_groups",
                DenseIntElementsAttr::get(type, ArrayRef<int64_t>(listed)));
    return mlir::WalkResult::advance();
  });
  return status;
}

} // namespace xla::partition
