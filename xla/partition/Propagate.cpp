//===- Propagate.cpp - From some shardings to all -------------------------===//
//
// Loops, outermost first: priorities that the user gave; classes of operations,
// those first through which cuts pass without loss; a worklist until nothing
// changes. A step only ever adds axes, of which each array has at most as many
// as the mesh, so that the work is linear in the length of the program.
//
//===----------------------------------------------------------------------===//

#include "xla/partition/DataFlow.h"
#include "xla/partition/FactorShardings.h"
#include "xla/partition/Passes.h"
#include "xla/partition/RuleBuilder.h"

#include "xla/dialect/stablehlo/StablehloOps.h"

#include <set>

using namespace llvm;
using namespace xla::stablehlo;
using mlir::Operation;
using mlir::Value;

namespace xla::partition {

namespace {

/// The classes of operations, each with those before.
enum Level : int {
  PassThroughOfSingleUses, ///< moves, pointwise operations, data flow
  PassThroughOfAll,        ///< where operands have other uses too
  PassThroughFactors,      ///< of any operation; broadcasts backward only
  AllFactors,              ///< broadcasts still backward only
  Everything,
};

/// Where shardings meet: an operation by its rule, or a flow.
struct Node {
  ShardingRule rule;
  SmallVector<ShardingVariable, 3> tensors;
  SmallVector<Direction, 4> directions; ///< of the present level
  Operation *op = nullptr;              ///< null for a flow
  bool isPointwise = true;
};

class Propagation {
public:
  explicit Propagation(mlir::ModuleOp module);

  void run();
  /// Leaves arguments and results of main lying as a front end can name it.
  void makeBoundaryNameable(mlir::ModuleOp module);
  DataFlow flow;

private:
  void addNode(Node node);
  void addFlow(const Flow &through);
  void addGroups(mlir::ModuleOp module);
  Direction directionOf(const Node &node, const Factor &factor,
                        Level level) const;
  bool prepare(Node &node, Level level);
  void visit(int32_t node);
  void runLevel(Level level);
  void push(int32_t node);
  std::set<int64_t> hidePriorities();
  void showPriority(int64_t priority);

  std::vector<Node> nodes;
  std::vector<SmallVector<int32_t, 2>> nodesOf; ///< by variable
  std::vector<TensorSharding> original;         ///< by variable
  std::vector<char> isEmpty;                    ///< by variable
  std::vector<int32_t> worklist;
  std::vector<char> isListed;
};

} // namespace

//===----------------------------------------------------------------------===//
// The graph
//===----------------------------------------------------------------------===//

static ShardingRule flowRule(mlir::Type type, size_t sources) {
  ShardingRule rule;
  TensorMapping mapping;
  for (auto [dim, size] : enumerate(shapeOf(type))) {
    rule.factors.push_back({size, FactorKind::PassThrough, false});
    mapping.push_back({int32_t(dim)});
  }
  rule.operands.assign(sources, mapping);
  rule.results.assign(1, mapping);
  return rule;
}

void Propagation::addNode(Node node) {
  if (node.rule.factors.empty()) {
    return;
  }
  // An array without elements is never cut.
  for (ShardingVariable &variable : node.tensors) {
    if (variable && isEmpty[variable.index]) {
      variable = ShardingVariable();
    }
  }
  for (ShardingVariable variable : node.tensors) {
    if (variable && (nodesOf[variable.index].empty() ||
                     nodesOf[variable.index].back() != int32_t(nodes.size()))) {
      nodesOf[variable.index].push_back(nodes.size());
    }
  }
  nodes.push_back(std::move(node));
}

void Propagation::addFlow(const Flow &through) {
  Node node;
  node.rule = flowRule(through.type, through.sources.size());
  for (mlir::OpOperand *source : through.sources) {
    node.tensors.push_back(flow.variableOf(*source));
  }
  node.tensors.push_back(through.target);
  addNode(std::move(node));
}

/// Values of one group flow into each other.
void Propagation::addGroups(mlir::ModuleOp module) {
  std::map<int64_t, SmallVector<Value>> groups;
  module.walk([&](sdy::ShardingGroupOp op) {
    groups[op.getGroupId()].push_back(op.getInput());
  });
  for (const auto &[id, values] : groups) {
    Node node;
    node.rule = flowRule(values.front().getType(), values.size() - 1);
    bool isAlike = all_of(values, [&](Value value) {
      return shapeOf(value) == shapeOf(values.front()) &&
             flow.variableOf(value);
    });
    for (Value value : values) {
      node.tensors.push_back(flow.variableOf(value));
    }
    if (isAlike) {
      addNode(std::move(node));
    }
  }
}

Propagation::Propagation(mlir::ModuleOp module) : flow(module) {
  nodesOf.resize(flow.variableCount());
  isEmpty.resize(flow.variableCount());
  auto note = [&](ShardingVariable variable, mlir::Type type) {
    if (variable) {
      isEmpty[variable.index] = is_contained(shapeOf(type), 0);
    }
  };
  module.walk([&](Operation *op) {
    for (Value result : op->getResults()) {
      note(flow.variableOf(result), result.getType());
    }
  });
  for (const Flow &through : flow.flows()) {
    note(through.target, through.type);
  }
  for (auto function : module.getOps<mlir::func::FuncOp>()) {
    walkArrays(function.getBody(), [&](Operation *op) {
      for (const Flow &through : flow.flowsOf(op)) {
        addFlow(through);
      }
      std::optional<ShardingRule> rule = ruleOf(op);
      if (!rule || isOnOneDevice(op, flow.meshes)) {
        return;
      }
      Node node;
      node.rule = std::move(*rule);
      node.op = op;
      node.isPointwise = isPointwise(op);
      for (Value operand : op->getOperands()) {
        node.tensors.push_back(flow.variableOf(operand));
      }
      for (Value result : op->getResults()) {
        node.tensors.push_back(flow.variableOf(result));
      }
      addNode(std::move(node));
    });
    for (const Flow &result : flow.flowsOf(function)) {
      addFlow(result);
    }
  }
  addGroups(module);
  isListed.resize(nodes.size());
}

//===----------------------------------------------------------------------===//
// One level
//===----------------------------------------------------------------------===//

static bool hasSingleUses(Operation *op) {
  return all_of(op->getOperands(), [](Value operand) {
    return shapeOf(operand).empty() || operand.hasOneUse();
  });
}

static Direction barrierDirection(sdy::PropagationBarrierOp op) {
  switch (op.getAllowedDirection()) {
  case sdy::PropagationDirection::NONE:
    return Direction::None;
  case sdy::PropagationDirection::FORWARD:
    return Direction::Forward;
  case sdy::PropagationDirection::BACKWARD:
    return Direction::Backward;
  case sdy::PropagationDirection::BOTH:
    return Direction::Both;
  }
  return Direction::None;
}

Direction Propagation::directionOf(const Node &node, const Factor &factor,
                                   Level level) const {
  if (factor.isBlocked) {
    return Direction::None;
  }
  if (!node.op) {
    return Direction::Both;
  }
  if (auto barrier = dyn_cast<sdy::PropagationBarrierOp>(node.op)) {
    return barrierDirection(barrier);
  }
  if (level <= PassThroughOfAll) {
    if (!isPassThrough(node.op) ||
        (level == PassThroughOfSingleUses && !hasSingleUses(node.op))) {
      return Direction::None;
    }
    return isa<DynamicSliceOp, DynamicUpdateSliceOp>(node.op)
               ? Direction::Forward
               : Direction::Both;
  }
  if (level == PassThroughFactors && factor.kind != FactorKind::PassThrough) {
    return Direction::None;
  }
  return isa<BroadcastInDimOp, BroadcastOp>(node.op) && level < Everything
             ? Direction::Backward
             : Direction::Both;
}

/// Whether the node does anything at this level.
bool Propagation::prepare(Node &node, Level level) {
  node.directions.clear();
  for (const Factor &factor : node.rule.factors) {
    node.directions.push_back(directionOf(node, factor, level));
  }
  return any_of(node.directions, [](Direction direction) {
    return direction != Direction::None;
  });
}

void Propagation::push(int32_t node) {
  if (!isListed[node]) {
    isListed[node] = true;
    worklist.push_back(node);
  }
}

void Propagation::visit(int32_t index) {
  Node &node = nodes[index];
  SmallVector<TensorSharding, 3> shardings;
  shardings.reserve(node.tensors.size());
  bool hasCut = false;
  for (ShardingVariable variable : node.tensors) {
    shardings.push_back(variable ? flow.get(variable) : TensorSharding());
    hasCut |= shardings.back().namesAxes();
  }
  if (!hasCut) {
    return;
  }
  SmallVector<TensorSharding *> tensors;
  for (auto [variable, sharding] : zip(node.tensors, shardings)) {
    tensors.push_back(variable ? &sharding : nullptr);
  }
  SmallVector<bool> changed =
      spreadCuts(node.rule, node.isPointwise, node.directions, tensors);
  for (size_t i = 0; i < changed.size(); ++i) {
    if (!changed[i]) {
      continue;
    }
    // Another operand or result of the operation may be the same array and have
    // got axes too.
    TensorSharding current = flow.get(node.tensors[i]);
    current.mesh = shardings[i].mesh;
    for (auto [dim, next] : zip(current.dims, shardings[i].dims)) {
      bool isFree = isPrefix(dim.axes, next.axes) &&
                    all_of(withoutPrefix(next.axes, dim.axes),
                           [&](AxisRef axis) { return !current.uses(axis); });
      if (isFree) {
        dim.axes = next.axes;
      }
    }
    flow.set(node.tensors[i], std::move(current));
    for (int32_t user : nodesOf[node.tensors[i].index]) {
      push(user);
    }
  }
}

void Propagation::runLevel(Level level) {
  std::vector<char> isActive(nodes.size());
  for (size_t i = 0; i < nodes.size(); ++i) {
    isActive[i] = prepare(nodes[i], level);
  }
  for (size_t i = nodes.size(); i-- > 0;) {
    if (isActive[i]) {
      push(i);
    }
  }
  while (!worklist.empty()) {
    int32_t node = worklist.back();
    worklist.pop_back();
    isListed[node] = false;
    if (isActive[node]) {
      visit(node);
    }
  }
}

//===----------------------------------------------------------------------===//
// Priorities
//===----------------------------------------------------------------------===//

/// Takes away what has a priority above 0: such dimensions are closed and
/// empty, and nothing else may use their axes meanwhile.
std::set<int64_t> Propagation::hidePriorities() {
  std::set<int64_t> priorities = {0};
  for (size_t i = 0; i < flow.variableCount(); ++i) {
    TensorSharding &sharding = flow.outer(i);
    original.push_back(sharding);
    for (DimSharding &dim : sharding.dims) {
      if (dim.priority > 0) {
        priorities.insert(dim.priority);
        sharding.replicated.append(dim.axes.begin(), dim.axes.end());
        dim.axes.clear();
        dim.isClosed = true;
      }
    }
  }
  return priorities;
}

void Propagation::showPriority(int64_t priority) {
  for (size_t i = 0; i < flow.variableCount(); ++i) {
    TensorSharding &sharding = flow.outer(i);
    for (auto [dim, said] : zip(sharding.dims, original[i].dims)) {
      if (said.priority != priority || priority == 0) {
        continue;
      }
      dim = said;
      dim.priority = 0;
      erase_if(sharding.replicated,
               [&](AxisRef axis) { return is_contained(said.axes, axis); });
    }
  }
}

void Propagation::run() {
  std::set<int64_t> priorities = hidePriorities();
  for (int64_t priority : priorities) {
    showPriority(priority);
    for (Level level : {PassThroughOfSingleUses, PassThroughOfAll,
                        PassThroughFactors, AllFactors, Everything}) {
      runLevel(level);
    }
  }
}

//===----------------------------------------------------------------------===//
// The end
//===----------------------------------------------------------------------===//

/// The part of an axis that a front end can name: all of it, or what it said
/// itself.
static std::optional<AxisRef> nameable(AxisRef axis, AxesRef said,
                                       const Mesh &mesh) {
  if (axis.isWhole(mesh)) {
    return axis;
  }
  for (AxisRef named : said) {
    if (isPrefix(named, axis)) {
      return named;
    }
  }
  return std::nullopt;
}

/// Leaves what a front end can name, of equal pieces.
static void makeNameable(TensorSharding &sharding, const TensorSharding &said,
                         ArrayRef<int64_t> shape, const Mesh &mesh) {
  for (auto [dim, saidDim, size] : zip_equal(sharding.dims, said.dims, shape)) {
    Axes kept;
    int64_t pieces = 1;
    for (AxisRef axis : dim.axes) {
      std::optional<AxisRef> part = nameable(axis, saidDim.axes, mesh);
      if (!part || size % (pieces * part->size) != 0) {
        break;
      }
      pieces *= part->size;
      kept.push_back(*part);
      if (*part != axis) {
        break;
      }
    }
    dim.axes = std::move(kept);
  }
}

void Propagation::makeBoundaryNameable(mlir::ModuleOp module) {
  auto main = module.lookupSymbol<mlir::func::FuncOp>("main");
  if (!main || main.isExternal()) {
    return;
  }
  auto restrict = [&](ShardingVariable variable, mlir::Type type) {
    if (variable && flow.outer(variable.index).mesh >= 0) {
      TensorSharding &sharding = flow.outer(variable.index);
      makeNameable(sharding, original[variable.index], shapeOf(type),
                   flow.meshes[sharding.mesh]);
    }
  };
  for (Value argument : main.getArguments()) {
    restrict(flow.variableOf(argument), argument.getType());
  }
  for (const Flow &result : flow.flowsOf(main)) {
    restrict(result.target, result.type);
  }
}

Status propagateShardings(mlir::ModuleOp module) {
  Propagation propagation(module);
  propagation.run();
  propagation.makeBoundaryNameable(module);
  for (size_t i = 0; i < propagation.flow.variableCount(); ++i) {
    propagation.flow.outer(i).close();
  }
  propagation.flow.write();
  return okStatus();
}

} // namespace xla::partition
