//===- Sharding.cpp - How an array is sharded over a mesh -----------------===//

#include "xla/partition/Sharding.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <limits>
#include <numeric>
#include <tuple>

using namespace llvm;

namespace xla::partition {

static int64_t saturatingProduct(int64_t a, int64_t b) {
  int64_t product;
  return __builtin_mul_overflow(a, b, &product)
             ? std::numeric_limits<int64_t>::max()
             : product;
}

int64_t Mesh::size() const {
  if (isMaximal()) {
    return 1;
  }
  int64_t product = 1;
  for (const MeshAxis &axis : axes) {
    product = saturatingProduct(product, axis.size);
  }
  return product;
}

//===----------------------------------------------------------------------===//
// Axes and parts of axes
//===----------------------------------------------------------------------===//

AxisRef wholeAxis(const Mesh &mesh, int32_t axis) {
  return {axis, 1, mesh.axes[axis].size};
}

int64_t sizeOf(AxesRef axes) {
  int64_t product = 1;
  for (const AxisRef &axis : axes) {
    product = saturatingProduct(product, axis.size);
  }
  return product;
}

bool overlap(AxisRef a, AxisRef b) {
  // One begins where the other has ended, and at a multiple: else thirds of an
  // axis depend on its halves.
  return a.axis == b.axis && a.before % b.end() != 0 && b.before % a.end() != 0;
}

bool overlap(AxisRef a, AxesRef axes) {
  return any_of(axes, [&](AxisRef b) { return overlap(a, b); });
}

bool isPrefix(AxisRef a, AxisRef b) {
  return a.axis == b.axis && a.before == b.before && b.size % a.size == 0;
}

bool isWithin(AxisRef a, AxisRef b) {
  return a.axis == b.axis && a.before % b.before == 0 && b.end() % a.end() == 0;
}

std::optional<AxisRef> prefixWithout(AxisRef axis, AxisRef taken) {
  if (!overlap(axis, taken)) {
    return axis;
  }
  // Thirds cannot be cut off at a half.
  if (taken.before <= axis.before || taken.before % axis.before != 0 ||
      axis.end() % taken.before != 0) {
    return std::nullopt;
  }
  return AxisRef{axis.axis, axis.before, taken.before / axis.before};
}

std::optional<AxisRef> prefixWithout(AxisRef axis, AxesRef taken) {
  for (AxisRef other : taken) {
    std::optional<AxisRef> prefix = prefixWithout(axis, other);
    if (!prefix) {
      return std::nullopt;
    }
    axis = *prefix;
  }
  return axis;
}

std::optional<AxisRef> commonPrefix(AxisRef a, AxisRef b) {
  if (a.axis != b.axis || a.before != b.before) {
    return std::nullopt;
  }
  if (isPrefix(a, b)) {
    return a;
  }
  if (isPrefix(b, a)) {
    return b;
  }
  return std::nullopt;
}

std::optional<std::pair<AxisRef, AxisRef>> split(AxisRef axis, int64_t size) {
  if (size <= 1 || size >= axis.size || axis.size % size != 0) {
    return std::nullopt;
  }
  AxisRef major{axis.axis, axis.before, size};
  return std::pair(major, AxisRef{axis.axis, major.end(), axis.size / size});
}

void append(Axes &axes, AxisRef axis) {
  if (!axes.empty() && axes.back().axis == axis.axis &&
      axes.back().end() == axis.before) {
    axes.back().size *= axis.size;
    return;
  }
  axes.push_back(axis);
}

void append(Axes &axes, AxesRef more) {
  for (AxisRef axis : more) {
    append(axes, axis);
  }
}

Axes merged(AxesRef axes) {
  Axes result;
  append(result, axes);
  return result;
}

Axes commonPrefix(AxesRef a, AxesRef b) {
  Axes common;
  for (auto [x, y] : zip(a, b)) {
    if (x == y) {
      common.push_back(x);
      continue;
    }
    if (std::optional<AxisRef> part = commonPrefix(x, y)) {
      common.push_back(*part);
    }
    break;
  }
  return common;
}

bool isPrefix(AxesRef a, AxesRef b) { return AxesRef(commonPrefix(a, b)) == a; }

Axes withoutPrefix(AxesRef axes, AxesRef major) {
  Axes rest;
  for (auto [index, axis] : enumerate(axes)) {
    if (index >= major.size()) {
      rest.push_back(axis);
    } else if (auto parts = split(axis, major[index].size);
               parts && major[index] != axis) {
      rest.push_back(parts->second);
    }
  }
  return rest;
}

bool alignParts(MutableArrayRef<Axes> lists) {
  // Where parts of each axis begin and end.
  SmallVector<std::pair<int32_t, int64_t>> cuts;
  for (const Axes &axes : lists) {
    for (AxisRef axis : axes) {
      cuts.push_back({axis.axis, axis.before});
      cuts.push_back({axis.axis, axis.end()});
    }
  }
  sort(cuts);
  cuts.erase(llvm::unique(cuts), cuts.end());
  for (size_t i = 1; i < cuts.size(); ++i) {
    if (cuts[i].first == cuts[i - 1].first &&
        cuts[i].second % cuts[i - 1].second != 0) {
      return false;
    }
  }
  for (Axes &axes : lists) {
    Axes fine;
    for (AxisRef axis : axes) {
      int64_t begin = axis.before;
      for (auto [number, cut] : cuts) {
        if (number == axis.axis && cut > begin && cut <= axis.end()) {
          fine.push_back({axis.axis, begin, cut / begin});
          begin = cut;
        }
      }
    }
    axes = std::move(fine);
  }
  return true;
}

void sortAxes(Axes &axes) {
  sort(axes, [](AxisRef a, AxisRef b) {
    return std::tie(a.axis, a.before) < std::tie(b.axis, b.before);
  });
}

//===----------------------------------------------------------------------===//
// Arrays
//===----------------------------------------------------------------------===//

TensorSharding TensorSharding::open(int64_t rank) {
  TensorSharding sharding;
  sharding.dims.resize(rank);
  return sharding;
}

TensorSharding TensorSharding::whole(int64_t rank) {
  TensorSharding sharding = open(rank);
  sharding.close();
  return sharding;
}

bool TensorSharding::isWhole() const {
  return unreduced.empty() && pieces() == 1;
}

bool TensorSharding::namesAxes() const {
  return !replicated.empty() || !unreduced.empty() ||
         any_of(dims, [](const DimSharding &dim) { return !dim.axes.empty(); });
}

bool TensorSharding::isFullyClosed() const {
  return all_of(dims, [](const DimSharding &dim) { return dim.isClosed; });
}

bool TensorSharding::uses(AxisRef axis) const {
  return overlap(axis, replicated) || overlap(axis, unreduced) ||
         any_of(dims, [&](const DimSharding &dim) {
           return overlap(axis, dim.axes);
         });
}

int64_t TensorSharding::pieces() const {
  int64_t product = 1;
  for (const DimSharding &dim : dims) {
    product = saturatingProduct(product, sizeOf(dim.axes));
  }
  return product;
}

SmallVector<int64_t> TensorSharding::localShape(ArrayRef<int64_t> shape) const {
  SmallVector<int64_t> local;
  for (auto [size, dim] : zip(shape, dims)) {
    int64_t pieces = sizeOf(dim.axes);
    local.push_back(size / pieces + (size % pieces != 0));
  }
  return local;
}

bool TensorSharding::isEven(ArrayRef<int64_t> shape) const {
  return all_of(zip(shape, dims), [](auto pair) {
    return std::get<0>(pair) % sizeOf(std::get<1>(pair).axes) == 0;
  });
}

bool TensorSharding::laysOutLike(const TensorSharding &other) const {
  if (rank() != other.rank() || unreduced != other.unreduced ||
      (!unreduced.empty() && reduction != other.reduction)) {
    return false;
  }
  bool isCut = !unreduced.empty();
  for (auto [a, b] : zip(dims, other.dims)) {
    if (a.axes != b.axes) {
      return false;
    }
    isCut |= !a.axes.empty();
  }
  return !isCut || mesh == other.mesh;
}

void TensorSharding::close() {
  replicated.clear();
  for (DimSharding &dim : dims) {
    dim.isClosed = true;
    dim.priority = 0;
  }
  if (!namesAxes()) {
    mesh = -1;
  }
}

static void print(raw_ostream &stream, AxesRef axes, const Mesh &mesh) {
  interleaveComma(axes, stream, [&](AxisRef axis) {
    stream << '"' << mesh.axes[axis.axis].name << '"';
    if (!axis.isWhole(mesh)) {
      stream << ":(" << axis.before << ")" << axis.size;
    }
  });
}

std::string TensorSharding::toString(const Mesh &mesh) const {
  std::string text;
  raw_string_ostream stream(text);
  stream << "<[";
  interleaveComma(dims, stream, [&](const DimSharding &dim) {
    stream << "{";
    print(stream, dim.axes, mesh);
    if (!dim.isClosed) {
      stream << (dim.axes.empty() ? "?" : ", ?");
    }
    stream << "}";
    if (dim.priority != 0) {
      stream << "p" << dim.priority;
    }
  });
  stream << "]";
  for (auto [name, axes] : {std::pair("replicated", AxesRef(replicated)),
                            std::pair("unreduced", AxesRef(unreduced))}) {
    if (!axes.empty()) {
      stream << ", " << name << "={";
      print(stream, axes, mesh);
      stream << "}";
    }
  }
  stream << ">";
  return text;
}

std::optional<std::string> explainInvalid(const TensorSharding &sharding,
                                          const Mesh &mesh, int64_t rank) {
  if (sharding.rank() != rank) {
    return "a sharding of " + std::to_string(sharding.rank()) +
           " dimensions for an array of " + std::to_string(rank);
  }
  Axes all;
  for (const DimSharding &dim : sharding.dims) {
    all.append(dim.axes.begin(), dim.axes.end());
  }
  all.append(sharding.replicated.begin(), sharding.replicated.end());
  all.append(sharding.unreduced.begin(), sharding.unreduced.end());
  sortAxes(all);
  for (auto [index, axis] : enumerate(all)) {
    if (axis.axis < 0 || axis.axis >= int32_t(mesh.axes.size())) {
      return "an axis that the mesh does not have";
    }
    int64_t end;
    if (axis.before < 1 || axis.size < 1 ||
        __builtin_mul_overflow(axis.before, axis.size, &end) ||
        mesh.axes[axis.axis].size % end != 0) {
      return "a part that does not divide axis \"" + mesh.axes[axis.axis].name +
             '"';
    }
    if (index > 0 && overlap(axis, all[index - 1])) {
      return "axis \"" + mesh.axes[axis.axis].name + "\" is used twice";
    }
  }
  return std::nullopt;
}

} // namespace xla::partition
