//===- FactorShardings.cpp - Shardings in terms of factors ----------------===//

#include "xla/partition/FactorShardings.h"

#include "llvm/ADT/STLExtras.h"

#include <numeric>
#include <tuple>

using namespace llvm;

namespace xla::partition {

const FactorSharding *TensorFactors::find(int32_t factor) const {
  const auto *found = find_if(factors, [&](const FactorSharding &sharding) {
    return sharding.factor == factor;
  });
  return found == factors.end() ? nullptr : found;
}

FactorSharding *TensorFactors::find(int32_t factor) {
  return const_cast<FactorSharding *>(std::as_const(*this).find(factor));
}

//===----------------------------------------------------------------------===//
// From dimensions to factors and back
//===----------------------------------------------------------------------===//

/// Takes the axes that divide a factor of the given size off the front of
/// `axes`; part of the last one where only that divides.
static Axes takeDividing(Axes &axes, int64_t size) {
  Axes taken;
  while (!axes.empty() && size > 1) {
    AxisRef axis = axes.front();
    if (size % axis.size == 0) {
      taken.push_back(axis);
      size /= axis.size;
      axes.erase(axes.begin());
      continue;
    }
    if (auto parts = split(axis, std::gcd(axis.size, size))) {
      taken.push_back(parts->first);
      axes.front() = parts->second;
    }
    break;
  }
  return taken;
}

TensorFactors project(const TensorSharding &sharding,
                      const TensorMapping &mapping, const ShardingRule &rule) {
  TensorFactors result;
  result.replicated = sharding.replicated;
  result.unreduced = sharding.unreduced;
  for (auto [dim, factors] : zip(sharding.dims, mapping)) {
    Axes left = dim.axes;
    for (auto [index, factor] : enumerate(factors)) {
      FactorSharding part;
      part.factor = factor;
      part.isClosed = dim.isClosed;
      part.isMinorMost = index + 1 == factors.size();
      if (part.isMinorMost) {
        part.axes = std::move(left);
        left.clear();
      } else {
        int64_t size = rule.factors[factor].size;
        part.axes = takeDividing(left, size);
        // Only a factor that is cut into single elements lets others follow.
        if (sizeOf(part.axes) != size) {
          part.overflow = std::move(left);
          left.clear();
        }
      }
      result.factors.push_back(std::move(part));
    }
  }
  return result;
}

Axes dimensionAxes(const TensorFactors &factors, const DimMapping &mapping,
                   const ShardingRule &rule) {
  Axes axes;
  for (int32_t factor : mapping) {
    const FactorSharding *part = factors.find(factor);
    append(axes, part->axes);
    append(axes, part->overflow);
    if (!part->overflow.empty() ||
        sizeOf(part->axes) != rule.factors[factor].size) {
      break;
    }
  }
  return axes;
}

//===----------------------------------------------------------------------===//
// One step
//===----------------------------------------------------------------------===//

namespace {

class Step {
public:
  Step(const ShardingRule &rule, bool isPointwise,
       ArrayRef<Direction> directions,
       MutableArrayRef<TensorSharding *> tensors)
      : rule(rule), isPointwise(isPointwise), directions(directions),
        tensors(tensors) {}

  SmallVector<bool> run();

private:
  /// What the arrays agree on along one factor.
  struct Agreement {
    int32_t factor = 0;
    Axes axes;
    int64_t sourceSize = 0;
    size_t source = 0;
  };

  bool isResult(size_t tensor) const { return tensor >= rule.operands.size(); }
  std::optional<Agreement> agree(int32_t factor) const;
  Axes acceptable(AxesRef wanted, const TensorFactors &tensor,
                  const FactorSharding &part) const;
  bool offer(const Agreement &agreement, size_t tensor, AxesRef axes);
  void spread(const Agreement &agreement);
  bool writeBack(size_t tensor);

  const ShardingRule &rule;
  bool isPointwise;
  ArrayRef<Direction> directions;
  MutableArrayRef<TensorSharding *> tensors;
  SmallVector<TensorFactors, 4> projections;
  SmallVector<int64_t> sizes;
  SmallVector<bool> isChanged;
  int32_t mesh = -1;
};

} // namespace

std::optional<Step::Agreement> Step::agree(int32_t factor) const {
  Direction direction = directions[factor];
  if (direction == Direction::None) {
    return std::nullopt;
  }
  Agreement agreement;
  agreement.factor = factor;
  bool mayGrow = true;
  for (size_t i = 0; i < projections.size(); ++i) {
    const FactorSharding *part = projections[i].find(factor);
    if (!part) {
      continue;
    }
    Axes common = commonPrefix(agreement.axes, part->axes);
    if (common == part->axes) {
      continue;
    }
    bool isSource =
        isResult(i) ? allowsBackward(direction) : allowsForward(direction);
    if (common == agreement.axes) {
      if (mayGrow && isSource) {
        agreement.axes = part->axes;
      }
      continue;
    }
    agreement.axes = common;
    mayGrow = false;
  }
  if (agreement.axes.empty()) {
    return std::nullopt;
  }
  for (size_t i = 0; i < projections.size(); ++i) {
    const FactorSharding *part = projections[i].find(factor);
    if (part && isPrefix(agreement.axes, part->axes) &&
        sizes[i] > agreement.sourceSize) {
      agreement.sourceSize = sizes[i];
      agreement.source = i;
    }
  }
  return agreement;
}

Axes Step::acceptable(AxesRef wanted, const TensorFactors &tensor,
                      const FactorSharding &part) const {
  if (part.isClosed || !part.overflow.empty()) {
    return part.axes;
  }
  int64_t size = rule.factors[part.factor].size;
  if (size == 0) {
    return part.axes; // there is nothing to divide
  }
  Axes taken;
  for (AxisRef axis : wanted) {
    std::optional<AxisRef> free = prefixWithout(axis, tensor.replicated);
    if (free) {
      free = prefixWithout(*free, tensor.unreduced);
    }
    for (const FactorSharding &other : tensor.factors) {
      if (free && other.factor != part.factor) {
        free = prefixWithout(*free, other.axes);
        if (free) {
          free = prefixWithout(*free, other.overflow);
        }
      }
    }
    if (free && !part.isMinorMost) {
      free->size = std::gcd(free->size, size / sizeOf(taken));
    }
    if (!free || free->size == 1) {
      break;
    }
    taken.push_back(*free);
    if (*free != axis) {
      break;
    }
  }
  return taken;
}

/// Whether the array took something.
bool Step::offer(const Agreement &agreement, size_t tensor, AxesRef axes) {
  FactorSharding *part = projections[tensor].find(agreement.factor);
  if (!part || !tensors[tensor]) {
    return false;
  }
  Axes taken = acceptable(axes, projections[tensor], *part);
  if (taken == part->axes || !isPrefix(part->axes, taken)) {
    return false;
  }
  part->axes = std::move(taken);
  isChanged[tensor] = true;
  return true;
}

void Step::spread(const Agreement &agreement) {
  Direction direction = directions[agreement.factor];
  Axes forOperands = agreement.axes;
  for (size_t i = rule.operands.size(); i < projections.size(); ++i) {
    if (allowsForward(direction)) {
      offer(agreement, i, agreement.axes);
    }
    const FactorSharding *part = projections[i].find(agreement.factor);
    // An operand that were cut further than the result would be gathered here.
    if (isPointwise && part && tensors[i]) {
      forOperands = commonPrefix(forOperands, part->axes);
    }
  }
  if (allowsBackward(direction)) {
    for (size_t i = 0; i < rule.operands.size(); ++i) {
      offer(agreement, i, forOperands);
    }
  }
}

/// Another occurrence of the array in the same operation may have changed it.
bool Step::writeBack(size_t tensor) {
  TensorSharding next = *tensors[tensor];
  bool hasChanged = false;
  for (auto [dim, mapping] : zip(next.dims, rule.tensor(tensor))) {
    Axes axes = dimensionAxes(projections[tensor], mapping, rule);
    if (axes == dim.axes || !isPrefix(dim.axes, axes)) {
      continue;
    }
    Axes added = withoutPrefix(axes, dim.axes);
    if (all_of(added, [&](AxisRef axis) { return !next.uses(axis); })) {
      dim.axes = std::move(axes);
      hasChanged = true;
    }
  }
  if (hasChanged) {
    next.mesh = mesh;
    *tensors[tensor] = std::move(next);
  }
  return hasChanged;
}

SmallVector<bool> Step::run() {
  isChanged.assign(tensors.size(), false);
  for (auto [index, tensor] : enumerate(tensors)) {
    int64_t size = 1;
    if (tensor) {
      if (tensor->mesh >= 0 && mesh >= 0 && tensor->mesh != mesh) {
        return isChanged; // axes of two meshes do not compare
      }
      mesh = std::max(mesh, tensor->mesh);
      for (const DimMapping &dim : rule.tensor(index)) {
        for (int32_t factor : dim) {
          size *= rule.factors[factor].size;
        }
      }
    }
    sizes.push_back(size);
    projections.push_back(tensor ? project(*tensor, rule.tensor(index), rule)
                                 : TensorFactors());
  }
  if (mesh < 0) {
    return isChanged;
  }
  SmallVector<Agreement, 4> agreements;
  for (int32_t factor = 0; factor < int32_t(rule.factors.size()); ++factor) {
    if (std::optional<Agreement> agreement = agree(factor)) {
      agreements.push_back(std::move(*agreement));
    }
  }
  sort(agreements, [&](const Agreement &a, const Agreement &b) {
    auto key = [&](const Agreement &c) {
      return std::tuple(-c.sourceSize, isPointwise ? -sizeOf(c.axes) : 0,
                        c.source, c.factor);
    };
    return key(a) < key(b);
  });
  for (const Agreement &agreement : agreements) {
    spread(agreement);
  }
  for (size_t i = 0; i < tensors.size(); ++i) {
    isChanged[i] = isChanged[i] && writeBack(i);
  }
  return isChanged;
}

SmallVector<bool> spreadCuts(const ShardingRule &rule, bool isPointwise,
                             ArrayRef<Direction> directions,
                             MutableArrayRef<TensorSharding *> tensors) {
  return Step(rule, isPointwise, directions, tensors).run();
}

} // namespace xla::partition
