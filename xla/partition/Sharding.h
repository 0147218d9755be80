//===- Sharding.h - How an array is sharded over a mesh ---------*- C++ -*-===//
//
// The structures in which the partitioner thinks. They know nothing of MLIR:
// ShardingAttributes.h turns `sdy` attributes into them and back.
//
// A mesh is a grid of devices with named axes. A dimension of an array is cut
// along a list of axes, major first. Part of an axis may be used as well: an
// axis of size n is looked at as a grid [before, size, n / (before * size)],
// and the middle coordinate is the part. A whole axis is the part with
// `before` 1 and all of its size.
//
//===----------------------------------------------------------------------===//

#ifndef XLA_PARTITION_SHARDING_H
#define XLA_PARTITION_SHARDING_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <optional>
#include <string>

namespace xla::partition {

struct MeshAxis {
  std::string name;
  int64_t size = 1;

  bool operator==(const MeshAxis &) const = default;
};

struct Mesh {
  llvm::SmallVector<MeshAxis> axes;
  /// The device at each position of the grid; empty means 0, 1, 2, ...
  llvm::SmallVector<int64_t> deviceIds;

  /// No axes but one device: the value is on that device alone.
  bool isMaximal() const { return axes.empty() && deviceIds.size() == 1; }
  /// How many devices there are; at most INT64_MAX.
  int64_t size() const;
  bool operator==(const Mesh &) const = default;
};

//===----------------------------------------------------------------------===//
// Axes and parts of axes
//===----------------------------------------------------------------------===//

struct AxisRef {
  /// Position in the mesh.
  int32_t axis = 0;
  /// The product of what is major to the part within its axis.
  int64_t before = 1;
  int64_t size = 1;

  /// Where the part ends: what comes next in its axis has this `before`.
  int64_t end() const { return before * size; }
  bool isWhole(const Mesh &mesh) const {
    return before == 1 && size == mesh.axes[axis].size;
  }
  bool operator==(const AxisRef &) const = default;
};

using Axes = llvm::SmallVector<AxisRef, 2>;
using AxesRef = llvm::ArrayRef<AxisRef>;

AxisRef wholeAxis(const Mesh &mesh, int32_t axis);

/// The product of the sizes; INT64_MAX if it is larger.
int64_t sizeOf(AxesRef axes);

/// Whether two parts share devices' coordinates, so that they must not cut one
/// array twice.
bool overlap(AxisRef a, AxisRef b);
bool overlap(AxisRef a, AxesRef axes);

/// Whether `a` is `b` or its major part.
bool isPrefix(AxisRef a, AxisRef b);

/// Whether `a` is within `b`.
bool isWithin(AxisRef a, AxisRef b);

/// The largest major part of `axis` that shares nothing with `taken`.
std::optional<AxisRef> prefixWithout(AxisRef axis, AxisRef taken);
std::optional<AxisRef> prefixWithout(AxisRef axis, AxesRef taken);

/// The largest part that is a major part of both.
std::optional<AxisRef> commonPrefix(AxisRef a, AxisRef b);

/// The major part of the given size and the rest, if `size` divides.
std::optional<std::pair<AxisRef, AxisRef>> split(AxisRef axis, int64_t size);

/// Appends; neighbouring parts of one axis become one.
void append(Axes &axes, AxisRef axis);
void append(Axes &axes, AxesRef more);

/// The same cut with neighbouring parts merged, which is the normal form.
Axes merged(AxesRef axes);

/// The longest list that both begin with; the last member may be a major part
/// of that in the lists. Both are in normal form, and so is the answer.
Axes commonPrefix(AxesRef a, AxesRef b);

/// Whether `b` begins with `a`.
bool isPrefix(AxesRef a, AxesRef b);

/// What follows the prefix `major` in `axes`, which begins with it.
Axes withoutPrefix(AxesRef axes, AxesRef major);

/// Cuts the axes of each list so finely that any two parts, of one list or of
/// two, are equal or apart. False if that is impossible, as with thirds and
/// halves of one axis.
bool alignParts(llvm::MutableArrayRef<Axes> lists);

/// In the order of the mesh, then of the parts.
void sortAxes(Axes &axes);

//===----------------------------------------------------------------------===//
// Arrays
//===----------------------------------------------------------------------===//

struct DimSharding {
  Axes axes;
  /// Whether propagation must leave it as it is.
  bool isClosed = false;
  /// 0 is propagated first.
  int64_t priority = 0;

  bool operator==(const DimSharding &) const = default;
};

/// Pending reductions over unreduced axes.
enum class Reduction { Sum, Max, Min };

/// How one array is sharded over a mesh. What no dimension is cut along holds
/// copies.
struct TensorSharding {
  /// Position in the list of meshes of the program; -1 where no axis is named,
  /// and any mesh would do.
  int32_t mesh = -1;
  llvm::SmallVector<DimSharding, 4> dims;
  /// Axes that propagation must not use.
  Axes replicated;
  /// Axes along which each device holds a summand of the value only.
  Axes unreduced;
  Reduction reduction = Reduction::Sum;

  /// Of an array that says nothing: every dimension is open.
  static TensorSharding open(int64_t rank);
  /// Of an array that is whole on every device, and stays so.
  static TensorSharding whole(int64_t rank);

  int64_t rank() const { return int64_t(dims.size()); }
  /// Whether every device holds all of it.
  bool isWhole() const;
  /// Whether some axis is named.
  bool namesAxes() const;
  bool isFullyClosed() const;
  /// Whether an axis of a dimension, a replicated or an unreduced one overlaps.
  bool uses(AxisRef axis) const;
  /// The number of pieces a dimension is cut into.
  int64_t pieces(int64_t dim) const { return sizeOf(dims[dim].axes); }
  int64_t pieces() const;
  /// The shape of the largest piece: sizes are divided, rounding up.
  llvm::SmallVector<int64_t> localShape(llvm::ArrayRef<int64_t> shape) const;
  /// Whether every cut divides its dimension.
  bool isEven(llvm::ArrayRef<int64_t> shape) const;
  /// Whether it lays out data alike: open, closed, priorities and explicitly
  /// replicated axes do not matter.
  bool laysOutLike(const TensorSharding &other) const;
  /// Closes every dimension and forgets what only propagation reads.
  void close();
  /// As in the dialect: `<[{"x", "y":(1)2}, {?}], unreduced={"z"}>`.
  std::string toString(const Mesh &mesh) const;

  bool operator==(const TensorSharding &) const = default;
};

/// What is wrong with the sharding of an array of that shape, or nothing.
std::optional<std::string> explainInvalid(const TensorSharding &sharding,
                                          const Mesh &mesh, int64_t rank);

} // namespace xla::partition

#endif // XLA_PARTITION_SHARDING_H
