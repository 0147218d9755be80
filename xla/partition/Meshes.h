//===- Meshes.h - The meshes of a program as one grid -----------*- C++ -*-===//

#ifndef XLA_PARTITION_MESHES_H
#define XLA_PARTITION_MESHES_H

#include "xla/dialect/sdy/SdyOps.h"
#include "xla/partition/Placement.h"
#include "xla/support/Status.h"

#include "llvm/ADT/DenseMap.h"

#include <set>

namespace xla::partition {

/// Cuts the axes of all meshes where any mesh or sharding cuts them. Meshes
/// that list the devices in another order, or cannot be cut to fit, have a
/// refined mesh of their own. Parts of axes that cannot be cut so, as thirds
/// and halves of one axis, are left out of placements: the array is whole along
/// them.
class Meshes {
public:
  static StatusOr<Meshes> of(mlir::ModuleOp module, int64_t partitions);

  const Grid &grid() const { return theGrid; }

  /// Axes that are manual around are not of this placement.
  Placement placementOf(sdy::TensorShardingAttr sharding, int64_t rank,
                        llvm::ArrayRef<int> manual) const;
  GridAxes axesOf(sdy::MeshAttr mesh, llvm::StringRef axis) const;
  sdy::MeshAttr meshOf(sdy::TensorShardingAttr sharding) const;

  /// A serialized OpSharding.
  std::string serialize(const Placement &placement) const;

private:
  /// The products of minor sizes at which the axes of a refined mesh begin and
  /// end.
  struct Cuts {
    std::set<int64_t> strides;
    llvm::SmallVector<int64_t> devices;
  };

  GridAxes axesOf(sdy::MeshAttr mesh, sdy::AxisRefAttr axis) const;
  Status addMesh(sdy::MeshAttr mesh);
  void addSharding(sdy::TensorShardingAttr sharding);
  void finish();

  int64_t partitions = 1;
  Grid theGrid;
  llvm::SmallVector<Cuts> refinedMeshes;
  llvm::DenseMap<mlir::Attribute, sdy::MeshAttr> symbols;
  llvm::DenseMap<mlir::Attribute, int> indexOfRefinedMesh;
};

} // namespace xla::partition

#endif // XLA_PARTITION_MESHES_H
