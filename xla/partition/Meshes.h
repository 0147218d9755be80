//===- Meshes.h - The meshes of a program as one grid -----------*- C++ -*-===//

#ifndef XLA_PARTITION_MESHES_H
#define XLA_PARTITION_MESHES_H

#include "xla/dialect/sdy/SdyOps.h"
#include "xla/partition/Placement.h"
#include "xla/support/Status.h"

#include "llvm/ADT/DenseMap.h"

#include <set>

namespace xla::partition {

/// Cuts the axes of all meshes where any mesh or sharding cuts them. What
/// cannot be cut so, as thirds and halves of one axis, is left out of
/// placements: the array is whole along it.
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
  GridAxes axesOf(sdy::MeshAttr mesh, sdy::AxisRefAttr axis) const;
  void cutAt(int64_t stride);
  Status addMesh(sdy::MeshAttr mesh);
  void addSharding(sdy::TensorShardingAttr sharding);
  void finish();

  mlir::ModuleOp module;
  Grid theGrid;
  bool hasMesh = false;
  /// Products of minor sizes at which axes begin and end.
  std::set<int64_t> cuts;
  llvm::DenseMap<mlir::Attribute, sdy::MeshAttr> symbols;
};

} // namespace xla::partition

#endif // XLA_PARTITION_MESHES_H
