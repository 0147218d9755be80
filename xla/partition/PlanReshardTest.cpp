//===- PlanReshardTest.cpp - All changes of placement, step by step -------===//
//
// Every pair of placements on small grids: the steps are carried out on
// devices that hold arrays of numbers, and what each then has is compared with
// what its piece of the whole is.
//
//===----------------------------------------------------------------------===//

#include "xla/partition/PlanReshard.h"

#include "xla/support/Testing.h"
#include "llvm/ADT/STLExtras.h"

#include <cstdlib>
#include <functional>
#include <set>

using namespace xla::partition;

namespace {
/// Row-major numbers; rank 3 always, leading dimensions of 1 aside.
struct Piece {
  Sizes sizes;
  std::vector<int64_t> numbers;

  explicit Piece(Sizes sizes) : sizes(sizes), numbers(count(), 0) {}
  int64_t count() const {
    int64_t count = 1;
    for (int64_t size : sizes) {
      count *= size;
    }
    return count;
  }
  void each(std::function<void(Sizes &, int64_t &)> visit) {
    Sizes index(sizes.size(), 0);
    for (int64_t &number : numbers) {
      visit(index, number);
      for (int i = sizes.size() - 1; i >= 0; --i) {
        if (++index[i] < sizes[i]) {
          break;
        }
        index[i] = 0;
      }
    }
  }
  /// Zero beyond the end.
  int64_t at(const Sizes &index) const {
    int64_t position = 0;
    for (size_t i = 0; i < sizes.size(); ++i) {
      if (index[i] >= sizes[i]) {
        return 0;
      }
      position = position * sizes[i] + index[i];
    }
    return numbers[position];
  }
};
using Pieces = std::vector<Piece>;
} // namespace

static int64_t numberAt(const Sizes &index) {
  int64_t number = 1;
  for (int64_t i : index) {
    number = number * 31 + i;
  }
  return number;
}

/// What the devices hold under a placement. Of pending sums the device at the
/// origin holds all but what the others put in and it takes away.
static Pieces lay(const Grid &grid, const Sizes &shape, const Placement &at) {
  Pieces pieces;
  for (int64_t device = 0; device < grid.count(); ++device) {
    Piece piece(localShape(grid, shape, at));
    piece.each([&](Sizes &index, int64_t &number) {
      Sizes global(index);
      for (size_t i = 0; i < global.size(); ++i) {
        global[i] += grid.coordinate(device, at.dims[i]) * piece.sizes[i];
        if (global[i] >= shape[i]) {
          number = 0; // Padding.
          return;
        }
      }
      int64_t parties = grid.countOf(at.pending);
      int64_t position = grid.coordinate(device, at.pending);
      number = position
                   ? position * 1000 + global[0]
                   : numberAt(global) - parties * (parties - 1) / 2 * 1000 -
                         (parties - 1) * global[0];
    });
    pieces.push_back(std::move(piece));
  }
  return pieces;
}

/// Whether the pieces add up to the whole, padding aside.
static bool holds(const Grid &grid, const Sizes &shape, const Placement &at,
                  Pieces &pieces) {
  bool right = true;
  for (int64_t device = 0; device < grid.count(); ++device) {
    right &= pieces[device].sizes == localShape(grid, shape, at);
    pieces[device].each([&](Sizes &index, int64_t &number) {
      Sizes global(index);
      for (size_t i = 0; i < global.size(); ++i) {
        global[i] +=
            grid.coordinate(device, at.dims[i]) * pieces[device].sizes[i];
        if (global[i] >= shape[i]) {
          return;
        }
      }
      int64_t sum = 0;
      auto groups = grid.groups(at.pending);
      int64_t parties = grid.countOf(at.pending);
      for (size_t i = 0; i < groups.size(); i += parties) {
        auto group = llvm::ArrayRef<int64_t>(groups).slice(i, parties);
        if (llvm::is_contained(group, device)) {
          for (int64_t peer : group) {
            sum += pieces[peer].at(index);
          }
        }
      }
      right &= sum == numberAt(global);
    });
  }
  return right;
}

/// Calls `fill` with the device's peers in order and its number among them.
static Pieces
together(const Grid &grid, const GridAxes &axes, const Sizes &local,
         std::function<void(llvm::ArrayRef<int64_t>, int64_t, Piece &)> fill) {
  Pieces pieces(grid.count(), Piece(local));
  auto groups = grid.groups(axes);
  int64_t parties = grid.countOf(axes);
  for (size_t i = 0; i < groups.size(); i += parties) {
    auto group = llvm::ArrayRef<int64_t>(groups).slice(i, parties);
    for (int64_t j = 0; j < parties; ++j) {
      fill(group, j, pieces[group[j]]);
    }
  }
  return pieces;
}

static Pieces carryOut(const Grid &grid, const Sizes &shape,
                       const ReshardStep &step, const Pieces &old) {
  Sizes was = localShape(grid, shape, step.before);
  Sizes is = localShape(grid, shape, step.after);
  if (step.kind == ReshardStep::Permute) {
    Pieces pieces;
    for (int64_t source : permutationOf(grid, step.before, step.after)) {
      pieces.push_back(old[source]);
    }
    return pieces;
  }
  return together(
      grid, step.axes, is,
      [&](llvm::ArrayRef<int64_t> group, int64_t self, Piece &piece) {
        piece.each([&](Sizes &index, int64_t &number) {
          Sizes from(index);
          switch (step.kind) {
          case ReshardStep::Slice:
            from[step.dim] += self * is[step.dim];
            number = old[group[self]].at(from);
            return;
          case ReshardStep::Gather:
            from[step.dim] %= was[step.dim];
            number = old[group[index[step.dim] / was[step.dim]]].at(from);
            return;
          case ReshardStep::AllToAll:
            from[step.dim] %= was[step.dim];
            from[step.target] += self * is[step.target];
            number = old[group[index[step.dim] / was[step.dim]]].at(from);
            return;
          case ReshardStep::ReduceScatter:
            from[step.dim] += self * is[step.dim];
            [[fallthrough]];
          case ReshardStep::AllReduce:
            for (int64_t peer : group) {
              number += old[peer].at(from);
            }
            return;
          case ReshardStep::Suspend:
            number = self ? 0 : old[group[self]].at(from);
            return;
          case ReshardStep::Permute:
            return;
          }
        });
      });
}

/// All placements of an array of `rank` dimensions.
static std::vector<Placement> placements(const Grid &grid, int rank,
                                         bool withPending) {
  std::vector<Placement> all;
  std::set<std::string> seen;
  std::vector<Placement> todo{Placement::whole(rank)};
  while (!todo.empty()) {
    Placement placement = todo.back();
    todo.pop_back();
    if (!seen.insert(placement.text()).second) {
      continue;
    }
    all.push_back(placement);
    for (size_t axis = 0; axis < grid.sizes.size(); ++axis) {
      int own = placement.anyAxis();
      if (placement.uses(axis) ||
          (own >= 0 &&
           grid.refinedMeshOf(own) != grid.refinedMeshOf(int(axis)))) {
        continue;
      }
      for (int dim = 0; dim < rank; ++dim) {
        Placement more = placement;
        more.dims[dim].push_back(axis);
        todo.push_back(more);
      }
      if (withPending) {
        Placement more = placement;
        more.pending.push_back(axis);
        llvm::sort(more.pending);
        todo.push_back(more);
      }
    }
  }
  return all;
}

static void changePlacements(const Grid &grid, const Sizes &shape,
                             bool withPending, size_t stride) {
  std::vector<Placement> all = placements(grid, shape.size(), withPending);
  bool isEven = llvm::all_of(
      shape, [&](int64_t size) { return size % grid.count() == 0; });
  size_t number = 0;
  for (const Placement &from : all) {
    for (const Placement &to : all) {
      if (number++ % stride != 0) {
        continue;
      }
      ReshardPlan plan = planReshard(grid, shape, 1, from, to);
      Pieces pieces = lay(grid, shape, from);
      Placement at = from;
      bool gathers = false;
      for (const ReshardStep &step : plan.steps) {
        XLA_CHECK(step.before == at);
        pieces = carryOut(grid, shape, step, pieces);
        at = step.after;
        gathers |= step.kind == ReshardStep::Gather;
      }
      bool isRight =
          XLA_CHECK(at == to) && XLA_CHECK(holds(grid, shape, to, pieces));
      // Where sizes divide, nothing is made larger than both ends, and nothing
      // is gathered where both ends divide along the same axes. To another
      // refined mesh the whole may be the cheapest way.
      bool isOneMesh = from.anyAxis() < 0 || to.anyAxis() < 0 ||
                       grid.refinedMeshOf(from.anyAxis()) ==
                           grid.refinedMeshOf(to.anyAxis());
      isRight &=
          !isEven || !isOneMesh || withPending || XLA_CHECK(!plan.gathersMore);
      bool keepsAxes = true;
      for (size_t axis = 0; axis < grid.sizes.size(); ++axis) {
        keepsAxes &= from.uses(axis) == to.uses(axis);
      }
      isRight &= !isEven || withPending || !keepsAxes || XLA_CHECK(!gathers);
      // A device never sends more than it would for the whole array, twice for
      // what is summed.
      double whole = Piece(shape).count() * (withPending ? 2.0 : 1.0) + 8 +
                     (isEven ? 0 : 3.0 * Piece(shape).count());
      isRight &= XLA_CHECK(plan.cost <= whole);
      if (!isRight) {
        std::fprintf(stderr, "  from %s to %s of rank %zu\n",
                     from.text().c_str(), to.text().c_str(), shape.size());
      }
    }
  }
}

int main() {
  const Grid line{{8}, {}}, table{{4, 2}, {}}, cube{{2, 2, 2}, {}},
      odd{{3, 2}, {}};
  // The same devices in two orders; in an order that cannot be cut to fit.
  const Grid turned{
      {4, 2, 2, 4},
      {{2, {}, {}}, {4, {7, 6, 5, 4, 3, 2, 1, 0}, {7, 6, 5, 4, 3, 2, 1, 0}}}},
      thirds{{3, 2, 2, 3}, {{2, {}, {}}, {4, {}, {}}}},
      shuffled{{8, 2, 4},
               {{1, {}, {}},
                {3, {3, 0, 1, 7, 6, 2, 4, 5}, {1, 2, 5, 0, 6, 7, 4, 3}}}};
  for (const Grid *grid :
       {&line, &table, &cube, &odd, &turned, &thirds, &shuffled}) {
    int64_t n = grid->count();
    size_t some = grid == &cube || grid->refinedMeshCount() > 1 ? 41 : 1;
    changePlacements(*grid, {n}, false, 1);
    changePlacements(*grid, {n}, true, 1);
    changePlacements(*grid, {n + 1}, true, 1);
    changePlacements(*grid, {2 * n, n}, true, some);
    changePlacements(*grid, {5, 3}, true, some);
    changePlacements(*grid, {1, 7}, false, some);
    changePlacements(*grid, {n, n, n}, false, some);
    changePlacements(*grid, {4, 9, 2}, false, some);
  }
  return xla::testing::failedChecks();
}
