//===- Placement.h - How an array is divided --------------------*- C++ -*-===//
//
// What the partitioner computes with in place of `sdy` attributes. The axes of
// all meshes of a program are cut into the coarsest pieces that any sharding
// speaks of; such a piece is an axis of the grid, known by its number. So no
// axis here has sub-axes, and two of them are equal or disjoint.
//
//===----------------------------------------------------------------------===//

#ifndef XLA_PARTITION_PLACEMENT_H
#define XLA_PARTITION_PLACEMENT_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace xla::partition {

using GridAxes = llvm::SmallVector<int, 2>;
using Sizes = llvm::SmallVector<int64_t, 4>;

inline int64_t ceilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }

/// Meshes that list the devices in one order share a refined mesh. Meshes in
/// another order, or with axes that cannot be cut to fit, as halves and thirds
/// of one number of devices, have another one.
struct RefinedMesh {
  /// The axes are numbered through all refined meshes; this is behind its last
  /// one.
  int end = 0;
  /// The device, by partition id, at each row-major position; empty means
  /// 0, 1, 2, ...
  llvm::SmallVector<int64_t, 0> devices;
  /// The position of each device; empty as above.
  llvm::SmallVector<int64_t, 0> positions;
};

/// The devices in grids: one for each refined mesh. A device has coordinates in
/// each of them. An array is laid out along axes of one refined mesh.
struct Grid {
  Sizes sizes;
  /// None where there is one, in order.
  std::vector<RefinedMesh> refinedMeshes;

  /// How many devices there are.
  int64_t count() const;
  /// The product of the sizes of some axes.
  int64_t countOf(llvm::ArrayRef<int> axes) const;

  int refinedMeshCount() const {
    return refinedMeshes.empty() ? 1 : refinedMeshes.size();
  }
  int refinedMeshOf(int axis) const;
  /// Of the first of some axes; none where there are none.
  std::optional<int> refinedMeshOf(llvm::ArrayRef<int> axes) const;
  GridAxes axesOfRefinedMesh(int refined) const;
  int64_t deviceAt(int refined, int64_t position) const;
  int64_t positionOf(int refined, int64_t device) const;

  /// The distance of neighbours along an axis, in positions of its refined
  /// mesh.
  int64_t strideOf(int axis) const;
  /// The number of a device among those that differ along `axes`, of which
  /// the first is the slowest.
  int64_t coordinate(int64_t device, llvm::ArrayRef<int> axes) const;
  /// Devices that differ along `axes` only, in the order of `coordinate`;
  /// one group after the other.
  llvm::SmallVector<int64_t, 0> groups(llvm::ArrayRef<int> axes) const;
};

/// How partial values make up the whole.
enum class Combination { Sum, Product, Min, Max, And, Or, Xor };

/// Each dimension is divided along its axes, the first of them the slowest,
/// into pieces of equal size; the last pieces are padded with anything. Along
/// `pending` axes each device holds a part of what the elements combine to.
struct Placement {
  llvm::SmallVector<GridAxes, 4> dims;
  GridAxes pending;
  Combination combination = Combination::Sum;

  static Placement whole(int64_t rank) {
    Placement placement;
    placement.dims.resize(rank);
    return placement;
  }
  bool isWhole() const;
  bool uses(int axis) const;
  /// An axis that it is laid out along; -1 where there is none.
  int anyAxis() const;
  bool operator==(const Placement &other) const;
  bool operator!=(const Placement &other) const { return !(*this == other); }
  /// For use as a key, and for messages.
  std::string text() const;
};

/// The shape of a device's piece.
Sizes localShape(const Grid &grid, llvm::ArrayRef<int64_t> shape,
                 const Placement &placement);

/// Whether a division into `outer` pieces, each divided into `inner`, is the
/// division into `outer * inner`.
inline bool nests(int64_t size, int64_t outer, int64_t inner) {
  return outer == 1 ||
         ceilDiv(size, outer) == inner * ceilDiv(size, outer * inner);
}

} // namespace xla::partition

#endif // XLA_PARTITION_PLACEMENT_H
