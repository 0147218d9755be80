//===- SplitConvolutions.cpp - Convolutions without holes -----------------===//
//
// An input with L - 1 holes between its elements, as in the gradient of a
// strided convolution: the output position o sees an element only through the
// taps t with o + t = low (mod L). Positions of one phase o mod L share their
// taps, of which every L-th counts, and are a convolution without holes.
// Phases that have equally many taps see the same elements and become features
// of one convolution; there are at most two kinds for each dimension, so that
// nothing is multiplied by zero. The results are put together by movements,
// which fuse with what follows.
//
//===----------------------------------------------------------------------===//

#include "xla/dialect/stablehlo/StablehloOps.h"
#include "xla/optimize/Patterns.h"

#include "mlir/IR/Builders.h"

#include <map>

using namespace mlir;

namespace xla {

using namespace stablehlo;

/// Movements of elements that replace one operation.
struct Movements {
  Movements(Operation *op) : builder(op), location(op->getLoc()) {}

  Type typeLike(Value value, ArrayRef<int64_t> shape) {
    return cast<RankedTensorType>(value.getType()).clone(shape);
  }

  Value reshape(Value value, ArrayRef<int64_t> shape) {
    return ReshapeOp::create(builder, location, typeLike(value, shape), value);
  }

  /// Dimensions with the names `from` in the order `to`.
  Value arrange(Value value, ArrayRef<int64_t> from, ArrayRef<int64_t> to) {
    Sizes order = llvm::map_to_vector(to, [&](int64_t name) -> int64_t {
      return llvm::find(from, name) - from.begin();
    });
    return TransposeOp::create(builder, location, value, order);
  }

  Value reverse(Value value, int64_t d) {
    if (shapeOf(value)[d] == 1) {
      return value;
    }
    return ReverseOp::create(builder, location, value.getType(), value,
                             builder.getDenseI64ArrayAttr({d}));
  }

  Value slice(Value value, int64_t d, int64_t begin, int64_t size) {
    if (size == shapeOf(value)[d]) {
      return value;
    }
    Sizes from(shapeOf(value).size(), 0), to(shapeOf(value));
    Sizes steps(from.size(), 1), shape = to;
    from[d] = begin;
    to[d] = begin + size;
    shape[d] = size;
    return SliceOp::create(builder, location, typeLike(value, shape), value,
                           from, to, steps);
  }

  /// Zeros at the ends of a dimension; fewer than none take elements away.
  Value pad(Value value, int64_t d, int64_t low, int64_t high) {
    if (low == 0 && high == 0) {
      return value;
    }
    Type element = cast<RankedTensorType>(value.getType()).getElementType();
    Value zero = ConstantOp::create(builder, location,
                                    cast<ElementsAttr>(builder.getZeroAttr(
                                        RankedTensorType::get({}, element))));
    Sizes before(shapeOf(value).size(), 0), after = before, between = before;
    before[d] = low;
    after[d] = high;
    Sizes shape(shapeOf(value));
    shape[d] += low + high;
    return PadOp::create(builder, location, typeLike(value, shape), value, zero,
                         before, after, between);
  }

  Value concatenate(ArrayRef<Value> parts, int64_t d) {
    if (parts.size() == 1) {
      return parts.front();
    }
    Sizes shape(shapeOf(parts.front()));
    for (Value part : parts.drop_front()) {
      shape[d] += shapeOf(part)[d];
    }
    return ConcatenateOp::create(builder, location,
                                 typeLike(parts.front(), shape), parts, d);
  }

  OpBuilder builder;
  Location location;
};

namespace {

/// Phases that follow one another: those of the taps [firstTap, firstTap +
/// count) from the last one, and of these, `taps` each.
struct Phases {
  int64_t firstTap = 0, count = 1, taps = 0;
};

struct Spatial {
  int64_t dilation = 1, size = 0, input = 0, positions = 0, low = 0, high = 0;
  bool reversed = false;
  // Where there are holes: how many positions each phase has, and how many of
  // the first period are none of the result's.
  bool isSplit = false;
  int64_t periods = 0, skipped = 0;
  SmallVector<Phases, 2> kinds = {{}}; // by position
};

/// What a dimension of an array is: the batch or the input's features, the
/// group of a feature, the feature in its group; for each spatial dimension the
/// positions, and the phases or, of the kernel, all taps of a period.
using Role = int64_t;
constexpr Role kBatch = 0, kGroup = 1, kFeature = 2;
constexpr Role spatialRole(size_t d) { return 3 + 2 * static_cast<Role>(d); }
constexpr Role phaseOf(size_t d) { return 4 + 2 * static_cast<Role>(d); }
using Roles = SmallVector<Role>;

class Splitter {
public:
  explicit Splitter(ConvolutionOp op);
  void rewrite();

private:
  using Chosen = SmallVector<Phases>;
  void plan(size_t d);
  Roles rolesOf(int64_t features, ArrayRef<int64_t> dimensions) const;
  Roles splitRoles(ArrayRef<Role> roles) const;
  Value build(Chosen &chosen);
  Value convolve(const Chosen &chosen);
  Value kernelOf(const Chosen &chosen);
  ConvDimensionNumbersAttr numbersOfParts() const;

  ConvolutionOp op;
  ConvDimensionNumbersAttr numbers;
  Movements make;
  SmallVector<Spatial> spatial;
  int64_t groups, features; // features of a group
  Roles kernelRoles, resultRoles, partKernel, partRoles, featureRoles;
};

} // namespace

/// More kinds of windows than those of three dimensions are not worth it.
constexpr size_t kMostSplit = 3;

/// One for each dimension, of the features that of those in a group.
Roles Splitter::rolesOf(int64_t features, ArrayRef<int64_t> dimensions) const {
  Roles roles(dimensions.size() + 2, kBatch);
  roles[features] = kFeature;
  for (auto [d, dimension] : llvm::enumerate(dimensions)) {
    roles[dimension] = spatialRole(d);
  }
  return roles;
}

/// Features by groups, and positions by phases.
Roles Splitter::splitRoles(ArrayRef<Role> roles) const {
  Roles split;
  for (Role role : roles) {
    if (role == kFeature) {
      split.push_back(kGroup);
    }
    split.push_back(role);
    if (role > kFeature && spatial[(role - 3) / 2].isSplit) {
      split.push_back(role + 1);
    }
  }
  return split;
}

Splitter::Splitter(ConvolutionOp op)
    : op(op), numbers(op.getDimensionNumbers()), make(op),
      spatial(numbers.getInputSpatialDimensions().size()),
      groups(std::max(op.getBatchGroupCount(), op.getFeatureGroupCount())) {
  features =
      shapeOf(op.getResult())[numbers.getOutputFeatureDimension()] / groups;
  kernelRoles = rolesOf(numbers.getKernelOutputFeatureDimension(),
                        numbers.getKernelSpatialDimensions());
  resultRoles = rolesOf(numbers.getOutputFeatureDimension(),
                        numbers.getOutputSpatialDimensions());
  featureRoles = {kGroup};
  for (size_t d = 0; d < spatial.size(); ++d) {
    plan(d);
    if (spatial[d].isSplit) {
      featureRoles.push_back(phaseOf(d));
    }
  }
  featureRoles.push_back(kFeature);
  // As products like them best: features last, but for a kernel whose other
  // features are; the order of these is the input's.
  for (size_t d = 0; d < spatial.size(); ++d) {
    partKernel.push_back(spatialRole(d));
  }
  partRoles = partKernel;
  partRoles.insert(partRoles.begin(), kBatch);
  partRoles.push_back(kFeature);
  partKernel.push_back(kBatch);
  partKernel.insert(kernelRoles.back() == kBatch ? partKernel.begin()
                                                 : partKernel.end(),
                    kFeature);
}

/// With low = p, the tap t of the position o falls on an element where
/// o + t = p (mod L), on the number (o + t - p) / L. Counted from the position
/// of which t = L - 1 is such a tap, taps go down while positions go up, and
/// the number stays the same.
void Splitter::plan(size_t d) {
  Spatial &s = spatial[d];
  auto valueOf = [&](std::optional<ArrayRef<int64_t>> values) {
    return values ? (*values)[d] : 1;
  };
  s.dilation = valueOf(op.getLhsDilation());
  s.size = shapeOf(op.getRhs())[numbers.getKernelSpatialDimensions()[d]];
  s.input = shapeOf(op.getLhs())[numbers.getInputSpatialDimensions()[d]];
  s.positions =
      shapeOf(op.getResult())[numbers.getOutputSpatialDimensions()[d]];
  s.reversed = op.getWindowReversal() && (*op.getWindowReversal())[d];
  if (auto padding = op.getPadding()) {
    s.low = padding->getValues<int64_t>()[{d, 0}];
    s.high = padding->getValues<int64_t>()[{d, 1}];
  }
  int64_t period = s.dilation;
  s.isSplit = featureRoles.size() <= kMostSplit && period > 1 &&
              period <= s.positions && valueOf(op.getWindowStrides()) == 1 &&
              valueOf(op.getRhsDilation()) == 1;
  if (!s.isSplit) {
    return;
  }
  int64_t number = llvm::divideFloorSigned(period - 1 - s.low, period);
  s.skipped = period - 1 - s.low - number * period;
  s.periods = llvm::divideCeilSigned(s.positions + s.skipped, period);
  s.low = -number;
  int64_t fewer = s.size / period, withMore = s.size % period;
  s.kinds = {{withMore, period - withMore, fewer}};
  if (withMore > 0) {
    s.kinds.push_back({0, withMore, fewer + 1});
  }
}

ConvDimensionNumbersAttr Splitter::numbersOfParts() const {
  auto dimensionOf = [&](ArrayRef<Role> roles, Role role) -> int64_t {
    return llvm::find(roles, role) - roles.begin();
  };
  Sizes inKernel, inPart;
  for (size_t d = 0; d < spatial.size(); ++d) {
    inKernel.push_back(dimensionOf(partKernel, spatialRole(d)));
    inPart.push_back(dimensionOf(partRoles, spatialRole(d)));
  }
  int64_t last = dimensionOf(partRoles, kFeature);
  return ConvDimensionNumbersAttr::get(
      numbers.getContext(), 0, last, inPart, dimensionOf(partKernel, kBatch),
      dimensionOf(partKernel, kFeature), inKernel, 0, last, inPart);
}

/// The taps of some phases. Those of one feature are features of its group.
Value Splitter::kernelOf(const Chosen &chosen) {
  Value kernel = op.getRhs();
  ArrayRef<int64_t> dimensions = numbers.getKernelSpatialDimensions();
  std::map<Role, int64_t> sizes = {{kGroup, groups}, {kFeature, features}};
  sizes[kBatch] = shapeOf(kernel)[numbers.getKernelInputFeatureDimension()];
  for (auto [d, s] : llvm::enumerate(spatial)) {
    sizes[spatialRole(d)] = s.size;
    if (s.isSplit) {
      kernel = s.reversed ? make.reverse(kernel, dimensions[d]) : kernel;
      int64_t taps = s.dilation * chosen[d].taps;
      kernel = make.pad(kernel, dimensions[d], 0, taps - s.size);
      sizes[spatialRole(d)] = chosen[d].taps;
      sizes[phaseOf(d)] = s.dilation;
    }
  }
  Roles split = splitRoles(kernelRoles);
  kernel = make.reshape(kernel, llvm::map_to_vector(split, [&](Role role) {
                          return sizes[role];
                        }));
  int64_t all = groups * features;
  for (auto [d, s] : llvm::enumerate(spatial)) {
    if (s.isSplit) {
      int64_t at = llvm::find(split, phaseOf(d)) - split.begin();
      kernel = make.slice(kernel, at, chosen[d].firstTap, chosen[d].count);
      kernel = make.reverse(kernel, at);
      all *= chosen[d].count;
    }
  }
  Roles order;
  Sizes shape;
  for (Role role : partKernel) {
    llvm::append_range(order, role == kFeature ? featureRoles : Roles({role}));
    shape.push_back(role == kFeature ? all : sizes[role]);
  }
  return make.reshape(make.arrange(kernel, split, order), shape);
}

/// The positions of some phases: the result with features by groups, and
/// positions by phases.
Value Splitter::convolve(const Chosen &chosen) {
  OpBuilder &b = make.builder;
  Value kernel = kernelOf(chosen);
  Value input = make.arrange(op.getLhs(),
                             rolesOf(numbers.getInputFeatureDimension(),
                                     numbers.getInputSpatialDimensions()),
                             partRoles);
  Sizes shape, padding, dilation;
  SmallVector<bool> reversal;
  int64_t all = groups * features;
  std::map<Role, int64_t> sizes = {{kGroup, groups}, {kFeature, features}};
  sizes[kBatch] = shapeOf(op.getResult())[numbers.getOutputBatchDimension()];
  for (auto [d, s] : llvm::enumerate(spatial)) {
    int64_t high = s.high;
    sizes[spatialRole(d)] = s.positions;
    if (s.isSplit) {
      sizes[spatialRole(d)] = s.periods;
      sizes[phaseOf(d)] = chosen[d].count;
      all *= chosen[d].count;
      high = s.periods + chosen[d].taps - 1 - s.low - s.input;
    }
    llvm::append_values(padding, s.low, high);
    dilation.push_back(s.isSplit ? 1 : s.dilation);
    reversal.push_back(!s.isSplit && s.reversed);
  }
  Roles split;
  for (Role role : partRoles) {
    shape.push_back(role == kFeature ? all : sizes[role]);
    llvm::append_range(split, role == kFeature ? featureRoles : Roles({role}));
  }
  auto padded = RankedTensorType::get({static_cast<int64_t>(spatial.size()), 2},
                                      b.getI64Type());
  Value part = ConvolutionOp::create(
      b, make.location, make.typeLike(op.getResult(), shape), input, kernel,
      op.getWindowStridesAttr(),
      DenseIntElementsAttr::get(padded, ArrayRef<int64_t>(padding)),
      b.getDenseI64ArrayAttr(dilation), op.getRhsDilationAttr(),
      b.getDenseBoolArrayAttr(reversal), numbersOfParts(),
      op.getFeatureGroupCountAttr(), op.getBatchGroupCountAttr(),
      op.getPrecisionConfigAttr());
  part = make.reshape(
      part, llvm::map_to_vector(split, [&](Role role) { return sizes[role]; }));
  return make.arrange(part, split, splitRoles(resultRoles));
}

/// All phases of the dimensions that are not yet chosen.
Value Splitter::build(Chosen &chosen) {
  size_t d = chosen.size();
  if (d == spatial.size()) {
    return convolve(chosen);
  }
  SmallVector<Value> parts;
  int64_t without = 0; // phases that see nothing
  for (const Phases &kind : spatial[d].kinds) {
    if (spatial[d].isSplit && kind.taps == 0) {
      without = kind.count;
      continue;
    }
    chosen.push_back(kind);
    parts.push_back(build(chosen));
    chosen.pop_back();
  }
  if (!spatial[d].isSplit) {
    return parts.front();
  }
  Roles roles = splitRoles(resultRoles);
  int64_t at = llvm::find(roles, phaseOf(d)) - roles.begin();
  return make.pad(make.concatenate(parts, at), at, without, 0);
}

void Splitter::rewrite() {
  // Groups of few features are no products.
  bool isPossible = groups == 1 || features >= 8;
  if (featureRoles.size() == 2 || !isPossible) {
    return;
  }
  Chosen chosen;
  Value all = build(chosen);
  Sizes shape(shapeOf(op.getResult()));
  ArrayRef<int64_t> dimensions = numbers.getOutputSpatialDimensions();
  for (auto [d, s] : llvm::enumerate(spatial)) {
    shape[dimensions[d]] = s.isSplit ? s.periods * s.dilation : s.positions;
  }
  all = make.reshape(all, shape);
  for (auto [d, s] : llvm::enumerate(spatial)) {
    if (s.isSplit) {
      all = make.slice(all, dimensions[d], s.skipped, s.positions);
    }
  }
  op.replaceAllUsesWith(all);
  op->erase();
}

void splitConvolutions(ModuleOp module) {
  module.walk([](ConvolutionOp op) {
    auto sizeOf = [](Value value) {
      return cast<RankedTensorType>(value.getType()).getNumElements();
    };
    bool isEmpty = sizeOf(op.getLhs()) == 0 || sizeOf(op.getRhs()) == 0 ||
                   sizeOf(op.getResult()) == 0;
    Type element = cast<RankedTensorType>(op.getType()).getElementType();
    if (!isEmpty && isLarge(op) && element.isIntOrFloat()) {
      Splitter(op).rewrite();
    }
  });
}

} // namespace xla
