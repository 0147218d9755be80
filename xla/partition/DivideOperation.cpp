//===- DivideOperation.cpp - Axes for the factors of an operation ---------===//
//
// Operands and results propose axes, the largest array first; an axis serves
// one factor. What the arrays cannot be laid out by is taken back.
//
//===----------------------------------------------------------------------===//

#include "xla/partition/Localizer.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace xla::partition {

namespace {
struct Proposal {
  int factor;
  GridAxes axes;
  double elements;
  int tensor;
};
} // namespace

static ArrayRef<int64_t> shapeOf(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type ? type.getShape() : ArrayRef<int64_t>();
}

static Value tensorOf(Operation *op, size_t i) {
  return i < op->getNumOperands() ? op->getOperand(i)
                                  : op->getResult(i - op->getNumOperands());
}

/// Deals the axes of a tensor's dimensions to its factors, major first.
static void propose(const Grid &grid, const ShardingRule &rule, int tensor,
                    const Placement &placement, double elements,
                    SmallVectorImpl<Proposal> &proposals) {
  for (auto [factors, axes] : llvm::zip(rule.tensor(tensor), placement.dims)) {
    size_t next = 0;
    SmallVector<GridAxes> dealt(factors.size());
    int64_t used = 1;
    for (int axis : axes) {
      while (next < factors.size() && factors.size() > 1 &&
             rule.factors[factors[next]].size == used) {
        ++next;
        used = 1;
      }
      if (next == factors.size()) {
        break;
      }
      if (factors.size() > 1 &&
          rule.factors[factors[next]].size % (used * grid.sizes[axis]) != 0) {
        break;
      }
      dealt[next].push_back(axis);
      used *= grid.sizes[axis];
    }
    for (auto [factor, axes] : llvm::zip_equal(factors, dealt)) {
      if (!axes.empty()) {
        proposals.push_back({factor, axes, elements, tensor});
      }
    }
  }
}

static int preference(FactorKind kind) {
  switch (kind) {
  case FactorKind::PassThrough:
    return 0;
  case FactorKind::Reduction:
    return 1;
  case FactorKind::Permutation:
    return 2;
  case FactorKind::NeedReplication:
    return 3;
  }
  return 3;
}

/// Takes back what some array cannot be laid out by.
static void retract(const Grid &grid, Operation *op, Division &division) {
  const ShardingRule &rule = division.rule;
  bool isStable = false;
  while (!isStable) {
    isStable = true;
    for (size_t t = 0; t < rule.tensorCount(); ++t) {
      for (const DimMapping &factors : rule.tensor(t)) {
        bool isFull = true;
        for (int factor : factors) {
          GridAxes &axes = division.axes[factor];
          int64_t size = rule.factors[factor].size;
          int64_t pieces = grid.countOf(axes);
          bool fits = factors.size() == 1 || (isFull && size % pieces == 0);
          if (!axes.empty() && !fits) {
            axes.clear();
            isStable = false;
          }
          isFull &= grid.countOf(axes) == size;
        }
      }
    }
  }
}

static Placement placementBy(const Division &division,
                             const TensorMapping &mapping, int64_t rank) {
  Placement placement = Placement::whole(rank);
  for (auto [axes, factors] : llvm::zip(placement.dims, mapping)) {
    for (int factor : factors) {
      axes.append(division.axes[factor].begin(), division.axes[factor].end());
    }
  }
  return placement;
}

Division divide(Localizer &localizer, Operation *op, ShardingRule rule,
                ArrayRef<bool> blocked, ArrayRef<int> pending) {
  const Grid &grid = localizer.emit.grid;
  Division division;
  division.rule = std::move(rule);
  division.axes.resize(division.rule.factors.size());
  SmallVector<Proposal> proposals;
  for (size_t t = 0; t < division.rule.tensorCount(); ++t) {
    Value tensor = tensorOf(op, t);
    std::optional<Placement> placement;
    if (t < op->getNumOperands()) {
      placement = localizer.localOf(tensor).placement;
    } else {
      placement = localizer.wanted(tensor);
    }
    double elements = 1;
    for (int64_t size : shapeOf(tensor)) {
      elements *= size;
    }
    if (placement) {
      propose(grid, division.rule, t, *placement, elements, proposals);
    }
  }
  llvm::sort(proposals, [&](const Proposal &a, const Proposal &b) {
    auto rank = [&](const Proposal &proposal) {
      return std::make_tuple(
          -proposal.elements,
          preference(division.rule.factors[proposal.factor].kind),
          -grid.countOf(proposal.axes), proposal.tensor, proposal.factor);
    };
    return rank(a) < rank(b);
  });
  GridAxes taken(pending);
  std::optional<int> refined = grid.refinedMeshOf(
      pending.empty() ? ArrayRef<int>(localizer.manual) : pending);
  for (const Proposal &proposal : proposals) {
    GridAxes &axes = division.axes[proposal.factor];
    int own = grid.refinedMeshOf(proposal.axes.front());
    if (!axes.empty() || own != refined.value_or(own) ||
        blocked[proposal.factor] ||
        division.rule.factors[proposal.factor].kind ==
            FactorKind::NeedReplication) {
      continue;
    }
    for (int axis : proposal.axes) {
      if (llvm::is_contained(taken, axis)) {
        break;
      }
      axes.push_back(axis);
      taken.push_back(axis);
      refined = own;
    }
  }
  retract(grid, op, division);
  for (size_t t = 0; t < division.rule.tensorCount(); ++t) {
    (t < op->getNumOperands() ? division.operands : division.results)
        .push_back(placementBy(division, division.rule.tensor(t),
                               shapeOf(tensorOf(op, t)).size()));
  }
  for (auto [factor, axes] :
       llvm::zip_equal(division.rule.factors, division.axes)) {
    if (factor.kind == FactorKind::Reduction) {
      division.reduced.append(axes.begin(), axes.end());
    }
  }
  llvm::sort(division.reduced);
  return division;
}

} // namespace xla::partition
