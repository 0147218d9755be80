#include "xla/partition/Sharding.h"

#include "xla/support/Testing.h"

using namespace xla::partition;

/// Every part of every axis.
static std::vector<AxisRef> partsOf(const Mesh &mesh) {
  std::vector<AxisRef> parts;
  for (int32_t axis = 0; axis < int32_t(mesh.axes.size()); ++axis) {
    int64_t n = mesh.axes[axis].size;
    for (int64_t before = 1; before <= n; ++before) {
      for (int64_t size = 2; before * size <= n; ++size) {
        if (n % (before * size) == 0) {
          parts.push_back({axis, before, size});
        }
      }
    }
  }
  return parts;
}

/// Every list of at most three parts that do not overlap, in normal form.
static std::vector<Axes> listsOf(const Mesh &mesh) {
  std::vector<AxisRef> parts = partsOf(mesh);
  std::vector<Axes> lists = {{}};
  for (size_t i = 0; i < lists.size(); ++i) {
    for (AxisRef part : parts) {
      Axes longer = lists[i];
      append(longer, part);
      if (longer.size() == lists[i].size() + 1 && longer.size() <= 3 &&
          !overlap(part, lists[i])) {
        lists.push_back(longer);
      }
    }
  }
  return lists;
}

/// Which piece a device holds of a dimension that is cut along the axes.
static int64_t pieceOf(int64_t device, AxesRef axes, const Mesh &mesh) {
  int64_t piece = 0;
  for (AxisRef part : axes) {
    int64_t minor = 1;
    for (size_t axis = part.axis + 1; axis < mesh.axes.size(); ++axis) {
      minor *= mesh.axes[axis].size;
    }
    int64_t n = mesh.axes[part.axis].size;
    int64_t coordinate = device / minor % n / (n / part.end()) % part.size;
    piece = piece * part.size + coordinate;
  }
  return piece;
}

static bool cutAlike(AxesRef a, AxesRef b, const Mesh &mesh) {
  for (int64_t device = 0; device < mesh.size(); ++device) {
    if (pieceOf(device, a, mesh) != pieceOf(device, b, mesh)) {
      return false;
    }
  }
  return sizeOf(a) == sizeOf(b);
}

/// Cut along both, each combination of pieces occurs equally often if and only
/// if the parts share nothing.
static bool areIndependent(AxisRef a, AxisRef b, const Mesh &mesh) {
  std::vector<int64_t> counts(a.size * b.size);
  for (int64_t device = 0; device < mesh.size(); ++device) {
    ++counts[pieceOf(device, {a}, mesh) * b.size + pieceOf(device, {b}, mesh)];
  }
  for (int64_t count : counts) {
    if (count * a.size * b.size != mesh.size()) {
      return false;
    }
  }
  return true;
}

static void testPartsOverlapWherePiecesDepend(const Mesh &mesh) {
  std::vector<AxisRef> parts = partsOf(mesh);
  for (AxisRef a : parts) {
    for (AxisRef b : parts) {
      XLA_CHECK(overlap(a, b) || areIndependent(a, b, mesh));
      XLA_CHECK(overlap(a, b) || !(isWithin(a, b) || isWithin(b, a)));
      std::optional<AxisRef> prefix = prefixWithout(a, b);
      for (AxisRef candidate : parts) {
        bool fits = isPrefix(candidate, a) && !overlap(candidate, b);
        if (fits && b.before % a.before == 0 && a.end() % b.before == 0) {
          XLA_CHECK(prefix && prefix->size >= candidate.size);
        }
      }
      XLA_CHECK(!prefix || (isPrefix(*prefix, a) && !overlap(*prefix, b)));
      XLA_CHECK(isWithin(a, b) ==
                !!(a.axis == b.axis && a.before % b.before == 0 &&
                   b.end() % a.end() == 0));
    }
    for (int64_t size = 1; size <= a.size; ++size) {
      if (auto halves = split(a, size)) {
        XLA_CHECK(cutAlike({a}, {halves->first, halves->second}, mesh));
        XLA_CHECK(merged({halves->first, halves->second}) == Axes{a});
      }
    }
  }
}

static void testPrefixesAreSharedMajorPieces(const Mesh &mesh) {
  std::vector<Axes> lists = listsOf(mesh);
  for (const Axes &a : lists) {
    for (const Axes &b : lists) {
      Axes common = commonPrefix(a, b);
      XLA_CHECK(isPrefix(common, a) && isPrefix(common, b));
      XLA_CHECK(common == commonPrefix(b, a));
      for (const Axes *axes : {&a, &b}) {
        Axes rest = withoutPrefix(*axes, common), whole = common;
        append(whole, rest);
        XLA_CHECK(whole == *axes);
      }
      XLA_CHECK(isPrefix(a, b) == (common == a));
      Axes aligned[] = {a, b};
      if (alignParts(aligned)) {
        XLA_CHECK(cutAlike(a, aligned[0], mesh));
        XLA_CHECK(cutAlike(b, aligned[1], mesh));
        for (AxisRef x : aligned[0]) {
          for (AxisRef y : aligned[1]) {
            XLA_CHECK(x == y || !overlap(x, y));
          }
        }
      }
    }
  }
}

static void testLocalShapesCoverTheArray(const Mesh &mesh) {
  for (const Axes &axes : listsOf(mesh)) {
    for (int64_t size : {0, 1, 6, 7, 8, 64}) {
      TensorSharding sharding = TensorSharding::open(1);
      sharding.dims[0].axes = axes;
      int64_t local = sharding.localShape({size})[0], pieces = sizeOf(axes);
      XLA_CHECK(local * pieces >= size && (local - 1) * pieces < size);
      XLA_CHECK(sharding.isEven({size}) == (local * pieces == size));
      XLA_CHECK(sharding.isWhole() == axes.empty());
      XLA_CHECK(!explainInvalid(sharding, mesh, 1));
      XLA_CHECK(explainInvalid(sharding, mesh, 2).has_value());
      sharding.replicated = axes;
      XLA_CHECK(explainInvalid(sharding, mesh, 1).has_value() == !axes.empty());
    }
  }
}

static void testTextIsTheDialects() {
  Mesh mesh{{{"x", 4}, {"y", 2}, {"z", 2}}, {}};
  TensorSharding sharding = TensorSharding::open(3);
  sharding.dims[0].axes = {{1, 1, 2}, {0, 1, 2}};
  sharding.dims[1].isClosed = true;
  sharding.dims[2] = {{{0, 2, 2}}, true, 1};
  sharding.unreduced = {{2, 1, 2}};
  XLA_CHECK(sharding.toString(mesh) ==
            "<[{\"y\", \"x\":(1)2, ?}, {}, {\"x\":(2)2}p1], "
            "unreduced={\"z\"}>");
}

int main() {
  for (const Mesh &mesh :
       {Mesh{{{"x", 8}}, {}}, Mesh{{{"x", 4}, {"y", 2}}, {}},
        Mesh{{{"x", 2}, {"y", 2}, {"z", 2}}, {}}, Mesh{{{"x", 12}}, {}},
        Mesh{{{"x", 3}, {"y", 6}}, {}}}) {
    testPartsOverlapWherePiecesDepend(mesh);
    testPrefixesAreSharedMajorPieces(mesh);
    testLocalShapesCoverTheArray(mesh);
  }
  testTextIsTheDialects();
  return xla::testing::failedChecks();
}
