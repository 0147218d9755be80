//===- ChooseCuts.cpp - One cut for each factor ---------------------------===//

#include "xla/partition/ChooseCuts.h"

#include "llvm/ADT/STLExtras.h"

#include <numeric>
#include <tuple>

using namespace llvm;

namespace xla::partition {

Axes CutChoice::reduced(const ShardingRule &rule) const {
  Axes all;
  for (auto [factor, axes] : zip(rule.factors, axes)) {
    if (factor.kind == FactorKind::Reduction) {
      append(all, axes);
    }
  }
  sortAxes(all);
  return merged(all);
}

TensorSharding CutChoice::shardingOf(const TensorMapping &mapping) const {
  TensorSharding sharding = TensorSharding::whole(mapping.size());
  for (auto [dim, factors] : zip(sharding.dims, mapping)) {
    for (int32_t factor : factors) {
      append(dim.axes, axes[factor]);
    }
  }
  sharding.mesh = sharding.namesAxes() ? mesh : -1;
  return sharding;
}

namespace {

/// A way to cut one factor.
struct Candidate {
  int32_t factor;
  Axes axes;

  bool operator==(const Candidate &) const = default;
};

class Chooser {
public:
  Chooser(const ShardingRule &rule, ArrayRef<const TensorSharding *> tensors);

  CutChoice run();

private:
  int64_t elementsOf(size_t tensor) const;
  void chooseMesh();
  void addCandidates();
  int64_t supportOf(const Candidate &candidate) const;
  bool mayFollow(int32_t factor) const;
  Axes dividing(int32_t factor, AxesRef axes) const;
  void restrict(const Candidate &chosen);
  void moveReplicated();
  bool isFree(AxisRef axis) const;

  const ShardingRule &rule;
  ArrayRef<const TensorSharding *> tensors;
  SmallVector<TensorFactors, 4> projections;
  /// Of a dimension with other factors: cuts must divide it.
  SmallVector<bool> isCompound;
  std::vector<Candidate> candidates;
  CutChoice choice;
};

} // namespace

Chooser::Chooser(const ShardingRule &rule,
                 ArrayRef<const TensorSharding *> tensors)
    : rule(rule), tensors(tensors), isCompound(rule.factors.size(), false) {
  choice.axes.resize(rule.factors.size());
  chooseMesh();
  for (size_t i = 0; i < tensors.size(); ++i) {
    bool counts = tensors[i] && tensors[i]->mesh == choice.mesh;
    projections.push_back(counts ? project(*tensors[i], rule.tensor(i), rule)
                                 : TensorFactors());
    for (const DimMapping &dim : rule.tensor(i)) {
      for (int32_t factor : dim) {
        isCompound[factor] = isCompound[factor] || dim.size() > 1;
      }
    }
  }
}

int64_t Chooser::elementsOf(size_t tensor) const {
  int64_t elements = 1;
  for (const DimMapping &dim : rule.tensor(tensor)) {
    for (int32_t factor : dim) {
      elements *= rule.factors[factor].size;
    }
  }
  return elements;
}

/// That of the largest array which is cut at all.
void Chooser::chooseMesh() {
  int64_t most = -1;
  for (size_t i = 0; i < tensors.size(); ++i) {
    if (tensors[i] && tensors[i]->mesh >= 0 && elementsOf(i) > most) {
      most = elementsOf(i);
      choice.mesh = tensors[i]->mesh;
    }
  }
}

/// The front of `axes` that divides the factor, or all where it stands alone
/// in each of its dimensions.
Axes Chooser::dividing(int32_t factor, AxesRef axes) const {
  Axes taken;
  int64_t left = rule.factors[factor].size;
  for (AxisRef axis : axes) {
    if (isCompound[factor]) {
      AxisRef whole = axis;
      axis.size = std::gcd(axis.size, left);
      if (axis.size == 1) {
        break;
      }
      left /= axis.size;
      taken.push_back(axis);
      if (axis.size != whole.size) {
        break;
      }
    } else {
      taken.push_back(axis);
    }
  }
  return taken;
}

void Chooser::addCandidates() {
  for (const TensorFactors &tensor : projections) {
    for (const FactorSharding &part : tensor.factors) {
      if (rule.factors[part.factor].kind == FactorKind::NeedReplication) {
        continue;
      }
      Axes axes = dividing(part.factor, part.axes);
      while (!axes.empty()) {
        Candidate candidate{part.factor, axes};
        if (!is_contained(candidates, candidate)) {
          candidates.push_back(std::move(candidate));
        }
        axes.pop_back();
      }
    }
  }
}

/// How many elements are sharded so already.
int64_t Chooser::supportOf(const Candidate &candidate) const {
  int64_t elements = 0;
  for (size_t i = 0; i < projections.size(); ++i) {
    const FactorSharding *part = projections[i].find(candidate.factor);
    if (part && isPrefix(candidate.axes, part->axes)) {
      elements += elementsOf(i);
    }
  }
  return elements;
}

/// Whether all factors that are major to it, in any dimension, are cut into
/// single elements.
bool Chooser::mayFollow(int32_t factor) const {
  for (size_t i = 0; i < rule.tensorCount(); ++i) {
    for (const DimMapping &dim : rule.tensor(i)) {
      if (!is_contained(dim, factor)) {
        continue;
      }
      for (int32_t major : dim) {
        if (major == factor) {
          break;
        }
        if (sizeOf(choice.axes[major]) != rule.factors[major].size) {
          return false;
        }
      }
    }
  }
  return true;
}

/// What is chosen leaves longer lists for the same factor, and what does not
/// overlap for others.
void Chooser::restrict(const Candidate &chosen) {
  std::vector<Candidate> left;
  for (Candidate &candidate : candidates) {
    if (candidate.factor == chosen.factor) {
      if (isPrefix(chosen.axes, candidate.axes) && candidate != chosen) {
        left.push_back(std::move(candidate));
      }
      continue;
    }
    Axes free;
    for (AxisRef axis : candidate.axes) {
      std::optional<AxisRef> part = prefixWithout(axis, chosen.axes);
      if (part) {
        free.push_back(*part);
      }
      if (!part || *part != axis) {
        break;
      }
    }
    candidate.axes = std::move(free);
    // What is left must still go on from what its own factor has.
    if (!candidate.axes.empty() &&
        candidate.axes != choice.axes[candidate.factor] &&
        !is_contained(left, candidate)) {
      left.push_back(std::move(candidate));
    }
  }
  candidates = std::move(left);
}

bool Chooser::isFree(AxisRef axis) const {
  return none_of(choice.axes,
                 [&](const Axes &taken) { return overlap(axis, taken); });
}

/// Axes of what must be whole go to something that passes: an exchange of
/// pieces in place of gathering them.
void Chooser::moveReplicated() {
  for (const TensorFactors &tensor : projections) {
    for (const FactorSharding &part : tensor.factors) {
      if (rule.factors[part.factor].kind != FactorKind::NeedReplication) {
        continue;
      }
      for (AxisRef axis : part.axes) {
        if (!isFree(axis)) {
          continue;
        }
        for (const FactorSharding &other : tensor.factors) {
          int32_t to = other.factor;
          const Factor &factor = rule.factors[to];
          bool fits = factor.kind == FactorKind::PassThrough && mayFollow(to) &&
                      factor.size % (sizeOf(choice.axes[to]) * axis.size) == 0;
          if (fits) {
            append(choice.axes[to], axis);
            break;
          }
        }
      }
    }
  }
}

CutChoice Chooser::run() {
  if (choice.mesh < 0) {
    return std::move(choice);
  }
  addCandidates();
  auto rank = [&](const Candidate &candidate) {
    int kind = 3 - int(rule.factors[candidate.factor].kind);
    // Pass-through, reduction, permutation.
    if (rule.factors[candidate.factor].kind == FactorKind::Permutation) {
      kind = 1;
    }
    return std::tuple(supportOf(candidate), kind, sizeOf(candidate.axes),
                      candidate.axes.size());
  };
  while (!candidates.empty()) {
    const Candidate *best = nullptr;
    for (const Candidate &candidate : candidates) {
      if (mayFollow(candidate.factor) &&
          isPrefix(choice.axes[candidate.factor], candidate.axes) &&
          (!best || rank(*best) < rank(candidate))) {
        best = &candidate;
      }
    }
    if (!best) {
      break;
    }
    Candidate chosen = *best;
    choice.axes[chosen.factor] = chosen.axes;
    restrict(chosen);
  }
  moveReplicated();
  return std::move(choice);
}

CutChoice chooseCuts(const ShardingRule &rule,
                     ArrayRef<const TensorSharding *> tensors) {
  return Chooser(rule, tensors).run();
}

} // namespace xla::partition
