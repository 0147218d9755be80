//===- Placement.cpp - How an array is divided over devices ---------------===//

#include "xla/partition/Placement.h"

#include "llvm/ADT/STLExtras.h"

#include <numeric>

namespace xla::partition {

int64_t Grid::count() const { return countOf(axesOfRefinedMesh(0)); }

int64_t Grid::countOf(llvm::ArrayRef<int> axes) const {
  int64_t count = 1;
  for (int axis : axes) {
    count *= sizes[axis];
  }
  return count;
}

int Grid::refinedMeshOf(int axis) const {
  int refined = 0;
  while (refined + 1 < refinedMeshCount() &&
         axis >= refinedMeshes[refined].end) {
    ++refined;
  }
  return refined;
}

std::optional<int> Grid::refinedMeshOf(llvm::ArrayRef<int> axes) const {
  return axes.empty() ? std::nullopt
                      : std::optional(refinedMeshOf(axes.front()));
}

GridAxes Grid::axesOfRefinedMesh(int refined) const {
  int begin = refined == 0 ? 0 : refinedMeshes[refined - 1].end;
  int end =
      refinedMeshes.empty() ? int(sizes.size()) : refinedMeshes[refined].end;
  GridAxes axes;
  for (int axis = begin; axis < end; ++axis) {
    axes.push_back(axis);
  }
  return axes;
}

int64_t Grid::deviceAt(int refined, int64_t position) const {
  return refinedMeshes.empty() || refinedMeshes[refined].devices.empty()
             ? position
             : refinedMeshes[refined].devices[position];
}

int64_t Grid::positionOf(int refined, int64_t device) const {
  return refinedMeshes.empty() || refinedMeshes[refined].positions.empty()
             ? device
             : refinedMeshes[refined].positions[device];
}

int64_t Grid::strideOf(int axis) const {
  int end = refinedMeshes.empty() ? int(sizes.size())
                                  : refinedMeshes[refinedMeshOf(axis)].end;
  return std::accumulate(sizes.begin() + axis + 1, sizes.begin() + end,
                         int64_t(1), std::multiplies<int64_t>());
}

int64_t Grid::coordinate(int64_t device, llvm::ArrayRef<int> axes) const {
  int64_t coordinate = 0;
  for (int axis : axes) {
    int64_t position = positionOf(refinedMeshOf(axis), device);
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
  int refined = refinedMeshOf(axes).value_or(0);
  GridAxes others = axesOfRefinedMesh(refined);
  llvm::erase_if(others,
                 [&](int axis) { return llvm::is_contained(axes, axis); });
  extend(others);
  extend(axes);
  for (int64_t &position : positions) {
    position = deviceAt(refined, position);
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

int Placement::anyAxis() const {
  for (const GridAxes &axes : dims) {
    if (!axes.empty()) {
      return axes.front();
    }
  }
  return pending.empty() ? -1 : pending.front();
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
