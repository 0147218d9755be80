//===- PlanReshard.cpp - From one placement to another --------------------===//
//
// Dijkstra's search over placements, each edge one collective or one local
// step. Few placements come into question between two: axes that neither names
// stay out, and an axis goes only where the target or a step on the way wants
// it. Pieces of equal shapes change from one refined mesh to another by a
// permute.
//
//===----------------------------------------------------------------------===//

#include "xla/partition/PlanReshard.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <queue>
#include <unordered_map>

namespace xla::partition {

/// Placements looked at before the search gives up.
static constexpr size_t kMaxPlacements = 4000;
/// What a collective costs besides its bytes: of two ways the shorter one.
static constexpr double kBytesPerStep = 1;

namespace {
struct Node {
  double cost;
  Placement placement;
  int parent;
  ReshardStep step;
};

class Search {
public:
  Search(const Grid &grid, llvm::ArrayRef<int64_t> shape, double elementBytes,
         const Placement &from, const Placement &to)
      : grid(grid), shape(shape), elementBytes(elementBytes), to(to) {
    for (size_t axis = 0; axis < grid.sizes.size(); ++axis) {
      if (from.uses(axis) || to.uses(axis) || isInMeshToLeave(from, axis)) {
        relevant.push_back(axis);
      }
    }
    reach(0, from, -1, {});
  }

  std::optional<ReshardPlan> run();

private:
  double bytesOf(const Placement &placement) const {
    double bytes = elementBytes;
    for (int64_t size : localShape(grid, shape, placement)) {
      bytes *= size;
    }
    return bytes;
  }
  /// Whether a placement is laid out along axes of another refined mesh.
  bool isOnOtherMesh(const Placement &placement, int axis) const {
    int own = placement.anyAxis();
    return own >= 0 && axis >= 0 &&
           grid.refinedMeshOf(own) != grid.refinedMeshOf(axis);
  }
  /// Whether an axis can make pieces small enough for another refined mesh.
  bool isInMeshToLeave(const Placement &placement, int axis) const {
    return isOnOtherMesh(placement, to.anyAxis()) &&
           !isOnOtherMesh(placement, axis);
  }
  int64_t pieces(const Placement &placement, int dim) const {
    return grid.countOf(placement.dims[dim]);
  }

  void reach(double cost, Placement placement, int parent, ReshardStep step);
  void step(int node, ReshardStep::Kind kind, GridAxes axes, int dim,
            int target, Placement after);
  void slices(int node);
  void gathersAndExchanges(int node);
  bool layOutLike(const Placement &like, const Placement &preferred, size_t dim,
                  GridAxes &free, Placement &found) const;
  void changeMesh(int node);
  void permutes(int node);
  void reductions(int node);

  const Grid &grid;
  llvm::ArrayRef<int64_t> shape;
  double elementBytes;
  const Placement &to;
  GridAxes relevant;
  std::vector<Node> nodes;
  std::unordered_map<std::string, double> best;
  using Entry = std::pair<double, int>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<Entry>> queue;
};
} // namespace

void Search::reach(double cost, Placement placement, int parent,
                   ReshardStep step) {
  auto [found, isNew] = best.try_emplace(placement.text(), cost);
  if (!isNew && found->second <= cost) {
    return;
  }
  found->second = cost;
  nodes.push_back({cost, std::move(placement), parent, std::move(step)});
  queue.push({cost, int(nodes.size()) - 1});
}

/// The bytes that a device sends in a step.
static double costOf(ReshardStep::Kind kind, double before, double after,
                     double parties) {
  double others = (parties - 1) / parties;
  switch (kind) {
  case ReshardStep::Slice:
  case ReshardStep::Suspend:
    return 0;
  case ReshardStep::Gather:
    return after * others + kBytesPerStep;
  case ReshardStep::AllToAll:
  case ReshardStep::ReduceScatter:
    return before * others + kBytesPerStep;
  case ReshardStep::Permute:
    return before + kBytesPerStep;
  case ReshardStep::AllReduce:
    return 2 * before * others + kBytesPerStep;
  }
  return 0;
}

void Search::step(int node, ReshardStep::Kind kind, GridAxes axes, int dim,
                  int target, Placement after) {
  const Placement &before = nodes[node].placement;
  double cost = nodes[node].cost + costOf(kind, bytesOf(before), bytesOf(after),
                                          grid.countOf(axes));
  ReshardStep step{kind, std::move(axes), dim, target, before, after};
  reach(cost, std::move(after), node, std::move(step));
}

void Search::slices(int node) {
  for (int axis : relevant) {
    Placement placement = nodes[node].placement;
    if (placement.uses(axis) || isOnOtherMesh(placement, axis) ||
        !(to.uses(axis) || isInMeshToLeave(placement, axis))) {
      continue;
    }
    for (size_t dim = 0; dim < shape.size(); ++dim) {
      if (nests(shape[dim], pieces(placement, dim), grid.sizes[axis])) {
        Placement after = placement;
        after.dims[dim].push_back(axis);
        step(node, ReshardStep::Slice, {axis}, dim, -1, std::move(after));
      }
    }
    if (llvm::is_contained(to.pending, axis)) {
      Placement after = placement;
      after.pending.push_back(axis);
      llvm::sort(after.pending);
      after.combination = to.combination;
      step(node, ReshardStep::Suspend, {axis}, -1, -1, std::move(after));
    }
  }
}

void Search::gathersAndExchanges(int node) {
  for (size_t dim = 0; dim < shape.size(); ++dim) {
    size_t length = nodes[node].placement.dims[dim].size();
    for (size_t taken = 1; taken <= length; ++taken) {
      Placement without = nodes[node].placement;
      GridAxes &from = without.dims[dim];
      GridAxes axes(from.end() - taken, from.end());
      from.truncate(length - taken);
      int64_t parties = grid.countOf(axes);
      if (!nests(shape[dim], pieces(without, dim), parties)) {
        continue;
      }
      for (size_t target = 0; target < shape.size(); ++target) {
        if (target == dim ||
            !nests(shape[target], pieces(without, target), parties)) {
          continue;
        }
        Placement after = without;
        after.dims[target].append(axes.begin(), axes.end());
        step(node, ReshardStep::AllToAll, axes, dim, target, std::move(after));
      }
      step(node, ReshardStep::Gather, axes, dim, -1, std::move(without));
    }
  }
}

/// Axes of `free`, each used once, such that each dimension from `dim` on has
/// as many pieces as it has in `like`; those that `preferred` names first.
bool Search::layOutLike(const Placement &like, const Placement &preferred,
                        size_t dim, GridAxes &free, Placement &found) const {
  while (dim < found.dims.size() && pieces(found, dim) == pieces(like, dim)) {
    ++dim;
  }
  if (dim == found.dims.size()) {
    return true;
  }
  GridAxes order = preferred.dims[dim];
  order.append(free);
  for (int axis : order) {
    auto entry = llvm::find(free, axis);
    if (entry == free.end() ||
        pieces(like, dim) % (pieces(found, dim) * grid.sizes[axis]) != 0) {
      continue;
    }
    free.erase(entry);
    found.dims[dim].push_back(axis);
    if (layOutLike(like, preferred, dim, free, found)) {
      return true;
    }
    found.dims[dim].pop_back();
    free.push_back(axis);
  }
  return false;
}

/// Pieces of the same shapes change to the refined mesh of the target.
void Search::changeMesh(int node) {
  const Placement &placement = nodes[node].placement;
  if (!placement.pending.empty() || !isOnOtherMesh(placement, to.anyAxis())) {
    return;
  }
  Placement found = Placement::whole(shape.size());
  GridAxes free = grid.axesOfRefinedMesh(grid.refinedMeshOf(to.anyAxis()));
  if (layOutLike(placement, to, 0, free, found)) {
    step(node, ReshardStep::Permute, {}, -1, -1, std::move(found));
  }
}

void Search::permutes(int node) {
  Placement placement = nodes[node].placement;
  if (isOnOtherMesh(placement, to.anyAxis())) {
    changeMesh(node);
    return;
  }
  bool reachesTarget = placement.pending == to.pending;
  Placement ordered = placement;
  for (size_t dim = 0; dim < shape.size(); ++dim) {
    reachesTarget &= pieces(placement, dim) == pieces(to, dim);
    // What stays in front, so that the rest can leave.
    GridAxes order;
    for (int axis : to.dims[dim]) {
      if (llvm::is_contained(placement.dims[dim], axis)) {
        order.push_back(axis);
      }
    }
    for (int axis : placement.dims[dim]) {
      if (!llvm::is_contained(order, axis)) {
        order.push_back(axis);
      }
    }
    ordered.dims[dim] = order;
  }
  if (reachesTarget && placement.dims != to.dims) {
    step(node, ReshardStep::Permute, {}, -1, -1, to);
  }
  if (ordered.dims != placement.dims) {
    step(node, ReshardStep::Permute, {}, -1, -1, std::move(ordered));
  }
}

void Search::reductions(int node) {
  Placement placement = nodes[node].placement;
  GridAxes done;
  for (int axis : placement.pending) {
    if (!llvm::is_contained(to.pending, axis)) {
      done.push_back(axis);
    }
  }
  if (done.empty()) {
    return;
  }
  Placement after = placement;
  llvm::erase_if(after.pending,
                 [&](int axis) { return llvm::is_contained(done, axis); });
  step(node, ReshardStep::AllReduce, done, -1, -1, std::move(after));
  for (size_t dim = 0; dim < shape.size(); ++dim) {
    // In the order that the target wants, else one by one.
    llvm::ArrayRef<int> wanted = to.dims[dim], held = placement.dims[dim];
    GridAxes run;
    if (wanted.size() > held.size() && wanted.take_front(held.size()) == held) {
      for (int axis : wanted.drop_front(held.size())) {
        if (!llvm::is_contained(done, axis)) {
          break;
        }
        run.push_back(axis);
      }
    }
    llvm::SmallVector<GridAxes, 4> choices;
    if (!run.empty()) {
      choices.push_back(run);
    }
    for (int axis : done) {
      choices.push_back({axis});
    }
    for (const GridAxes &axes : choices) {
      if (!nests(shape[dim], pieces(placement, dim), grid.countOf(axes))) {
        continue;
      }
      Placement scattered = placement;
      llvm::erase_if(scattered.pending,
                     [&](int axis) { return llvm::is_contained(axes, axis); });
      scattered.dims[dim].append(axes.begin(), axes.end());
      step(node, ReshardStep::ReduceScatter, axes, dim, -1,
           std::move(scattered));
    }
  }
}

std::optional<ReshardPlan> Search::run() {
  while (!queue.empty() && nodes.size() < kMaxPlacements) {
    auto [cost, node] = queue.top();
    queue.pop();
    if (cost > best[nodes[node].placement.text()]) {
      continue;
    }
    if (nodes[node].placement == to) {
      ReshardPlan plan;
      plan.cost = cost;
      for (; nodes[node].parent >= 0; node = nodes[node].parent) {
        plan.steps.push_back(nodes[node].step);
      }
      std::reverse(plan.steps.begin(), plan.steps.end());
      return plan;
    }
    slices(node);
    permutes(node);
    reductions(node);
    gathersAndExchanges(node);
  }
  return std::nullopt;
}

/// Gathers what differs and cuts it again.
static ReshardPlan planByGathers(const Placement &from, const Placement &to) {
  ReshardPlan plan;
  Placement now = from;
  auto add = [&](ReshardStep::Kind kind, GridAxes axes, int dim,
                 Placement after) {
    plan.steps.push_back({kind, std::move(axes), dim, -1, now, after});
    now = std::move(after);
  };
  GridAxes done;
  for (int axis : from.pending) {
    if (!llvm::is_contained(to.pending, axis)) {
      done.push_back(axis);
    }
  }
  if (!done.empty()) {
    Placement after = now;
    llvm::erase_if(after.pending,
                   [&](int axis) { return llvm::is_contained(done, axis); });
    add(ReshardStep::AllReduce, done, -1, after);
  }
  for (size_t dim = 0; dim < from.dims.size(); ++dim) {
    if (from.dims[dim] != to.dims[dim] && !from.dims[dim].empty()) {
      Placement after = now;
      after.dims[dim].clear();
      add(ReshardStep::Gather, from.dims[dim], dim, after);
    }
  }
  for (size_t dim = 0; dim < from.dims.size(); ++dim) {
    if (from.dims[dim] != to.dims[dim] && !to.dims[dim].empty()) {
      Placement after = now;
      after.dims[dim] = to.dims[dim];
      add(ReshardStep::Slice, to.dims[dim], dim, after);
    }
  }
  for (int axis : to.pending) {
    if (!llvm::is_contained(now.pending, axis)) {
      Placement after = now;
      after.pending.push_back(axis);
      llvm::sort(after.pending);
      after.combination = to.combination;
      add(ReshardStep::Suspend, {axis}, -1, after);
    }
  }
  return plan;
}

/// Joins local steps that follow each other on one dimension.
static void joinSlices(ReshardPlan &plan) {
  std::vector<ReshardStep> joined;
  for (ReshardStep &step : plan.steps) {
    if (step.kind == ReshardStep::Slice && !joined.empty() &&
        joined.back().kind == ReshardStep::Slice &&
        joined.back().dim == step.dim) {
      joined.back().axes.append(step.axes.begin(), step.axes.end());
      joined.back().after = step.after;
      continue;
    }
    joined.push_back(std::move(step));
  }
  plan.steps = std::move(joined);
}

llvm::SmallVector<int64_t, 0>
permutationOf(const Grid &grid, const Placement &from, const Placement &to) {
  int64_t count = grid.count();
  auto pieceAt = [&](const Placement &placement, int64_t device) {
    int64_t piece = grid.coordinate(device, placement.pending);
    for (const GridAxes &axes : placement.dims) {
      piece = piece * grid.countOf(axes) + grid.coordinate(device, axes);
    }
    return piece;
  };
  llvm::SmallVector<int64_t, 0> sources(count, -1);
  std::unordered_map<int64_t, std::vector<int64_t>> holders;
  for (int64_t i = 0; i < count; ++i) {
    int64_t piece = pieceAt(from, i);
    if (piece == pieceAt(to, i)) {
      sources[i] = i;
    } else {
      holders[piece].push_back(i);
    }
  }
  for (int64_t i = count - 1; i >= 0; --i) {
    if (sources[i] < 0) {
      std::vector<int64_t> &left = holders[pieceAt(to, i)];
      sources[i] = left.back();
      left.pop_back();
    }
  }
  return sources;
}

ReshardPlan planReshard(const Grid &grid, llvm::ArrayRef<int64_t> shape,
                        double elementBytes, const Placement &from,
                        const Placement &to) {
  if (from == to) {
    return {};
  }
  std::optional<ReshardPlan> plan =
      Search(grid, shape, elementBytes, from, to).run();
  if (!plan) {
    plan = planByGathers(from, to);
    for (const ReshardStep &step : plan->steps) {
      double before = elementBytes, after = elementBytes;
      for (int64_t size : localShape(grid, shape, step.before)) {
        before *= size;
      }
      for (int64_t size : localShape(grid, shape, step.after)) {
        after *= size;
      }
      plan->cost += costOf(step.kind, before, after, grid.countOf(step.axes));
    }
  }
  joinSlices(*plan);
  auto elements = [&](const Placement &placement) {
    double count = 1;
    for (int64_t size : localShape(grid, shape, placement)) {
      count *= size;
    }
    return count;
  };
  double bound = std::max(elements(from), elements(to));
  plan->gathersMore = llvm::any_of(plan->steps, [&](const ReshardStep &step) {
    return elements(step.after) > bound;
  });
  return *plan;
}

} // namespace xla::partition
