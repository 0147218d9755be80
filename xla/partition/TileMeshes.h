//===- TileMeshes.h - Meshes for shardings by tiles -------------*- C++ -*-===//
//
// A sharding by tiles lists devices and names no axes. Where the list is the
// numbers of all devices in an array with its dimensions in some order, each
// dimension is an axis: a distance between devices, and a count. Axes of all
// shardings of a program are cut where any of them is cut, and become one mesh.
// A list in another order has a mesh of its own.
//
//===----------------------------------------------------------------------===//

#ifndef XLA_PARTITION_TILEMESHES_H
#define XLA_PARTITION_TILEMESHES_H

#include "xla/dialect/sdy/HloSharding.h"
#include "xla/dialect/sdy/SdyOps.h"

#include "mlir/IR/BuiltinOps.h"

#include <optional>
#include <set>
#include <vector>

namespace xla::partition {

/// Devices at equal distances: part of a mesh's axis, or several of them.
struct Strided {
  int64_t stride = 1;
  int64_t count = 1;

  int64_t end() const { return stride * count; }
  bool operator==(const Strided &) const = default;
};
using StridedList = llvm::SmallVector<Strided, 2>;

/// For each of the tile dimensions, major first, the devices that differ along
/// it only; none where that is no regular list.
std::optional<llvm::SmallVector<StridedList>>
stridesOf(const sdy::HloSharding &sharding);

class TileMeshes {
public:
  explicit TileMeshes(int64_t devices) : devices(devices) {}

  /// All shardings are added before any is written.
  Status add(const sdy::HloSharding &sharding);
  /// Makes the meshes' symbols.
  void finish(mlir::ModuleOp module);

  /// A mesh of the program.
  struct MeshRef {
    mlir::FlatSymbolRefAttr symbol;
    sdy::MeshAttr mesh;
  };
  /// That which has a sharding's axes; the first one where it names none.
  MeshRef meshOf(const sdy::HloSharding &sharding) const;

  /// The sharding of an array of that rank. Dimensions of `open` may be cut
  /// further. What names no axes is said of the mesh `otherwise`.
  StatusOr<sdy::TensorShardingAttr> write(const sdy::HloSharding &sharding,
                                          int64_t rank,
                                          llvm::ArrayRef<int64_t> open,
                                          MeshRef otherwise) const;
  /// The axes that are manual: all of the mesh, or those in the last tiles.
  llvm::SmallVector<mlir::StringAttr>
  manualAxes(const sdy::HloSharding &sharding, MeshRef mesh) const;

private:
  /// One mesh in the making.
  struct Making {
    /// Distances at which its axes begin and end.
    std::set<int64_t> cuts;
    /// Sizes and devices, where these are in no order of the numbers.
    llvm::SmallVector<int64_t> sizes, list;
    MeshRef made;
  };

  const Making *find(const sdy::HloSharding &sharding) const;
  /// The axes of each of the tile dimensions.
  llvm::SmallVector<llvm::SmallVector<sdy::AxisRefAttr>>
  axesOf(const sdy::HloSharding &sharding) const;

  int64_t devices;
  std::vector<Making> meshes;
};

} // namespace xla::partition

#endif // XLA_PARTITION_TILEMESHES_H
