//===- Placement.cpp - How an array is divided over devices ---------------===//

#include "xla/partition/Placement.h"

#include "llvm/ADT/STLExtras.h"

#include <numeric>

namespace xla::partition {

int64_t Grid::count() const { return countOf(axesOfChart(0)); }

int64_t Grid::countOf(llvm::ArrayRef<int> axes) const {
  int64_t count = 1;
  for (int axis : axes) {
    count *= sizes[axis];
  }
  return count;
}

int Grid::chartOf(int axis) const {
  int chart = 0;
  while (chart + 1 < chartCount() && axis >= charts[chart].end) {
    ++chart;
  }
  return chart;
}

std::optional<int> Grid::chartOf(llvm::ArrayRef<int> axes) const {
  return axes.empty() ? std::nullopt : std::optional(chartOf(axes.front()));
}

GridAxes Grid::axesOfChart(int chart) const {
  int begin = chart == 0 ? 0 : charts[chart - 1].end;
  int end = charts.empty() ? int(sizes.size()) : charts[chart].end;
  GridAxes axes;
  for (int axis = begin; axis < end; ++axis) {
    axes.push_back(axis);
  }
  return axes;
}

int64_t Grid::deviceAt(int chart, int64_t position) const {
  return charts.empty() || charts[chart].devices.empty()
             ? position
             : charts[chart].devices[position];
}

int64_t Grid::positionOf(int chart, int64_t device) const {
  return charts.empty() || charts[chart].positions.empty()
             ? device
             : charts[chart].positions[device];
}

int64_t Grid::strideOf(int axis) const {
  int end = charts.empty() ? int(sizes.size()) : charts[chartOf(axis)].end;
  return std::accumulate(sizes.begin() + axis + 1, sizes.begin() + end,
                         int64_t(1), std::multiplies<int64_t>());
}

int64_t Grid::coordinate(int64_t device, llvm::ArrayRef<int> axes) const {
  int64_t coordinate = 0;
  for (int axis : axes) {
    int64_t position = positionOf(chartOf(axis), device);
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
  int chart = chartOf(axes).value_or(0);
  GridAxes others = axesOfChart(chart);
  llvm::erase_if(others,
                 [&](int axis) { return llvm::is_contained(axes, axis); });
  extend(others);
  extend(axes);
  for (int64_t &position : positions) {
    position = deviceAt(chart, position);
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
