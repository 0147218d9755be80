//===- Placement.cpp - Where the pieces of an array lie -------------------===//

#include "xla/partition/Placement.h"

#include "llvm/ADT/STLExtras.h"

#include <numeric>

namespace xla::partition {

int64_t Grid::countOf(llvm::ArrayRef<int> axes, bool all) const {
  int64_t count = 1;
  if (all) {
    for (int64_t size : sizes) {
      count *= size;
    }
    return count;
  }
  for (int axis : axes) {
    count *= sizes[axis];
  }
  return count;
}

int64_t Grid::strideOf(int axis) const {
  return std::accumulate(sizes.begin() + axis + 1, sizes.end(), int64_t(1),
                         std::multiplies<int64_t>());
}

int64_t Grid::coordinate(int64_t position, llvm::ArrayRef<int> axes) const {
  int64_t coordinate = 0;
  for (int axis : axes) {
    coordinate =
        coordinate * sizes[axis] + position / strideOf(axis) % sizes[axis];
  }
  return coordinate;
}

llvm::SmallVector<int64_t, 0> Grid::groups(llvm::ArrayRef<int> axes) const {
  llvm::SmallVector<int64_t, 0> positions{0};
  // Positions that the axes `order` reach, in row-major order.
  auto extend = [&](llvm::ArrayRef<int> order) {
    for (int axis : order) {
      llvm::SmallVector<int64_t, 0> longer;
      longer.reserve(positions.size() * sizes[axis]);
      for (int64_t position : positions) {
        for (int64_t i = 0; i < sizes[axis]; ++i) {
          longer.push_back(position + i * strideOf(axis));
        }
      }
      positions = std::move(longer);
    }
  };
  GridAxes others;
  for (size_t axis = 0; axis < sizes.size(); ++axis) {
    if (!llvm::is_contained(axes, int(axis))) {
      others.push_back(axis);
    }
  }
  extend(others);
  extend(axes);
  for (int64_t &position : positions) {
    position = deviceAt(position);
  }
  return positions;
}

bool Placement::isWhole() const {
  return pending.empty() &&
         llvm::all_of(dims, [](const GridAxes &axes) { return axes.empty(); });
}

bool Placement::uses(int axis) const {
  return llvm::is_contained(pending, axis) ||
         llvm::any_of(dims, [&](const GridAxes &axes) {
           return llvm::is_contained(axes, axis);
         });
}

bool Placement::operator==(const Placement &other) const {
  return dims == other.dims && pending == other.pending &&
         (pending.empty() || combination == other.combination);
}

std::string Placement::text() const {
  std::string text = "[";
  for (auto [i, axes] : llvm::enumerate(dims)) {
    text += i ? ",{" : "{";
    for (int axis : axes) {
      text += std::to_string(axis) + " ";
    }
    text += "}";
  }
  text += "]";
  if (!pending.empty()) {
    text += "pending" + std::to_string(int(combination));
    for (int axis : pending) {
      text += " " + std::to_string(axis);
    }
  }
  return text;
}

Sizes localShape(const Grid &grid, llvm::ArrayRef<int64_t> shape,
                 const Placement &placement) {
  Sizes local(shape);
  for (auto [size, axes] : llvm::zip_equal(local, placement.dims)) {
    size = ceilDiv(size, grid.countOf(axes));
  }
  return local;
}

} // namespace xla::partition
