//===- Placement.h - Where the pieces of an array lie -----------*- C++ -*-===//
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
#include <string>

namespace xla::partition {

using GridAxes = llvm::SmallVector<int, 2>;
using Sizes = llvm::SmallVector<int64_t, 4>;

inline int64_t ceilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }

/// The devices in a grid. Partition ids are row-major positions in it, unless
/// `devices` lists them.
struct Grid {
  Sizes sizes;
  llvm::SmallVector<int64_t, 0> devices;

  int64_t count() const { return countOf({}, /*all=*/true); }
  /// The product of the sizes of some axes.
  int64_t countOf(llvm::ArrayRef<int> axes, bool all = false) const;
  int64_t deviceAt(int64_t position) const {
    return devices.empty() ? position : devices[position];
  }
  /// The distance of neighbours along an axis, in positions.
  int64_t strideOf(int axis) const;
  /// The number of a position among those that differ along `axes`, of which
  /// the first is the slowest.
  int64_t coordinate(int64_t position, llvm::ArrayRef<int> axes) const;
  /// Positions that differ along `axes` only, in the order of `coordinate`;
  /// one group after the other.
  llvm::SmallVector<int64_t, 0> groups(llvm::ArrayRef<int> axes) const;
};

/// How partial values make up the whole.
enum class Combination { Sum, Product, Min, Max, And, Or };

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
