//===- JoinProductDimensions.cpp - Products of what was cut into blocks ---===//
//
// A matrix whose dimensions were split, whether or not the parts were then put
// in another order, is still the matrix in memory. Where a product sums over
// all parts of a dimension, or keeps all of them side by side, it is the
// product of the matrices as they were:
//
//   dot(transpose(reshape(x)), transpose(reshape(y))) = reshape(dot(x, y))
//
//===----------------------------------------------------------------------===//

#include "xla/dialect/stablehlo/StablehloOps.h"
#include "xla/optimize/Patterns.h"

#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/DenseMap.h"

#include <numeric>

namespace xla {

using namespace stablehlo;
using mlir::failure;
using mlir::LogicalResult;
using mlir::Operation;
using mlir::PatternRewriter;
using mlir::RankedTensorType;
using mlir::success;
using mlir::Value;

namespace {

using Dims = llvm::SmallVector<int64_t, 4>;

/// A factor of a product, and of what it was made by splitting dimensions.
struct Factor {
  Value source;
  /// For each dimension of the source, the dimensions of the factor that it was
  /// split into, the outermost first.
  llvm::SmallVector<Dims, 4> groups;
  /// The dimensions of the source in the order of the factor's.
  Dims order;

  bool isSplit() const {
    return llvm::any_of(groups, [](const Dims &g) { return g.size() > 1; });
  }

  /// The source's dimension that was split into those, if they are all of it;
  /// else -1.
  int64_t groupOf(llvm::ArrayRef<int64_t> dims) const {
    for (auto [number, group] : llvm::enumerate(groups)) {
      if (llvm::ArrayRef<int64_t>(group) == dims) {
        return static_cast<int64_t>(number);
      }
    }
    return -1;
  }

  /// The dimension of the source, put in order, for a group.
  int64_t positionOf(int64_t group) const {
    return llvm::find(order, group) - order.begin();
  }

  Value inOrder(PatternRewriter &rewriter, mlir::Location loc) const {
    return llvm::is_sorted(order)
               ? source
               : TransposeOp::create(rewriter, loc, source,
                                     rewriter.getDenseI64ArrayAttr(order))
                     .getResult();
  }
};

} // namespace

static bool isStatic(Value value) {
  RankedTensorType type = typeOf(value);
  return type && type.hasStaticShape();
}

/// Splits each size of `from` into sizes of `to`; nothing where sizes are
/// joined, or are 1.
static llvm::SmallVector<Dims, 4> splitSizes(llvm::ArrayRef<int64_t> from,
                                             llvm::ArrayRef<int64_t> to) {
  if (llvm::any_of(to, [](int64_t size) { return size < 2; })) {
    return {};
  }
  llvm::SmallVector<Dims, 4> groups;
  size_t next = 0;
  for (int64_t size : from) {
    Dims &group = groups.emplace_back();
    int64_t product = 1;
    while (product < size && next < to.size()) {
      product *= to[next];
      group.push_back(static_cast<int64_t>(next++));
    }
    if (product != size || group.empty()) {
      return {};
    }
  }
  return next == to.size() ? groups : llvm::SmallVector<Dims, 4>();
}

/// Null source where the factor is not in memory under another shape.
static Factor factorOf(Value operand) {
  if (!isStatic(operand)) {
    return {};
  }
  auto rank = static_cast<int64_t>(shapeOf(operand).size());
  Dims at(rank); // for each dimension before the transpose, where it is now
  std::iota(at.begin(), at.end(), 0);
  Value value = operand;
  if (auto transpose = value.getDefiningOp<TransposeOp>()) {
    for (auto [now, before] : llvm::enumerate(transpose.getPermutation())) {
      at[before] = static_cast<int64_t>(now);
    }
    value = transpose.getOperand();
  }
  Factor factor;
  auto reshape = value.getDefiningOp<ReshapeOp>();
  if (reshape && isStatic(reshape.getOperand())) {
    factor.groups = splitSizes(shapeOf(reshape.getOperand()), shapeOf(value));
  }
  factor.source = factor.groups.empty() ? value : reshape.getOperand();
  if (factor.groups.empty()) {
    for (int64_t d = 0; d < rank; ++d) {
      factor.groups.push_back({d});
    }
  }
  for (Dims &group : factor.groups) {
    for (int64_t &d : group) {
      d = at[d];
    }
  }
  factor.order.resize(factor.groups.size());
  std::iota(factor.order.begin(), factor.order.end(), 0);
  llvm::sort(factor.order, [&](int64_t a, int64_t b) {
    return factor.groups[a].front() < factor.groups[b].front();
  });
  return factor;
}

/// The pairs of dimensions that go together, as pairs of the sources'. False
/// where some are not all parts of a dimension, in the same order in both.
/// `inSequence`: parts are next to each other among `lhs`, as in the result.
static bool joinPairs(const Factor &left, const Factor &right,
                      llvm::ArrayRef<int64_t> lhs, llvm::ArrayRef<int64_t> rhs,
                      bool inSequence, Dims &newLhs, Dims &newRhs) {
  llvm::SmallDenseMap<int64_t, int64_t> partners, numbers;
  for (auto [number, l, r] : llvm::enumerate(lhs, rhs)) {
    partners[l] = r;
    numbers[l] = static_cast<int64_t>(number);
  }
  for (int64_t l : lhs) {
    for (auto [number, group] : llvm::enumerate(left.groups)) {
      if (group.front() != l) {
        continue; // it is named once, by its first part
      }
      Dims of;
      for (int64_t d : group) {
        if (!partners.contains(d)) {
          return false;
        }
        bool follows =
            of.empty() || numbers[d] == numbers[l] + int64_t(of.size());
        if (inSequence && !follows) {
          return false;
        }
        of.push_back(partners[d]);
      }
      int64_t other = right.groupOf(of);
      if (other < 0) {
        return false;
      }
      newLhs.push_back(left.positionOf(static_cast<int64_t>(number)));
      newRhs.push_back(right.positionOf(other));
    }
  }
  return true;
}

/// Whether each dimension is split into parts that are all kept, side by side
/// in the result, or not kept at all. Adds the sizes of the result.
static bool joinKept(const Factor &factor, llvm::ArrayRef<int64_t> shared,
                     llvm::ArrayRef<int64_t> summed, int64_t rank,
                     Sizes &sizes) {
  Dims kept;
  for (int64_t d = 0; d < rank; ++d) {
    if (!llvm::is_contained(shared, d) && !llvm::is_contained(summed, d)) {
      kept.push_back(d);
    }
  }
  size_t next = 0;
  for (int64_t number : factor.order) {
    const Dims &group = factor.groups[number];
    if (!llvm::is_contained(kept, group.front())) {
      continue;
    }
    for (int64_t d : group) {
      if (next == kept.size() || kept[next++] != d) {
        return false;
      }
    }
    sizes.push_back(shapeOf(factor.source)[number]);
  }
  return next == kept.size();
}

/// Whether the result may get another shape: it is not memory that is passed
/// on as it is.
static bool isReadByIndex(DotGeneralOp op) {
  return llvm::all_of(op->getUsers(), [](Operation *user) {
    return llvm::isa<ReshapeOp, TransposeOp>(user) ||
           (user->hasTrait<mlir::OpTrait::Elementwise>() &&
            user->getNumRegions() == 0);
  });
}

namespace {

struct JoinProductDimensions : mlir::OpRewritePattern<DotGeneralOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(DotGeneralOp op,
                                PatternRewriter &rewriter) const override {
    Factor left = factorOf(op.getLhs()), right = factorOf(op.getRhs());
    if (!left.source || !right.source || !(left.isSplit() || right.isSplit()) ||
        !isStatic(op.getResult())) {
      return failure();
    }
    auto numbers = op.getDotDimensionNumbers();
    auto leftShared = numbers.getLhsBatchingDimensions();
    auto rightShared = numbers.getRhsBatchingDimensions();
    auto leftSummed = numbers.getLhsContractingDimensions();
    auto rightSummed = numbers.getRhsContractingDimensions();
    Dims shared[2], summed[2];
    Sizes sizes;
    bool fits = joinPairs(left, right, leftShared, rightShared, true, shared[0],
                          shared[1]) &&
                joinPairs(left, right, leftSummed, rightSummed, false,
                          summed[0], summed[1]);
    if (!fits) {
      return failure();
    }
    for (int64_t d : shared[0]) {
      sizes.push_back(shapeOf(left.source)[left.order[d]]);
    }
    auto rankOf = [](Value value) {
      return static_cast<int64_t>(shapeOf(value).size());
    };
    fits =
        joinKept(left, leftShared, leftSummed, rankOf(op.getLhs()), sizes) &&
        joinKept(right, rightShared, rightSummed, rankOf(op.getRhs()), sizes);
    bool isSame = sizes == Sizes(shapeOf(op.getResult()));
    if (!fits || !(isSame || isReadByIndex(op))) {
      return failure();
    }
    Operation *joined = rewriter.clone(*op);
    joined->setOperands({left.inOrder(rewriter, op.getLoc()),
                         right.inOrder(rewriter, op.getLoc())});
    rewriter.moveOpBefore(joined, op);
    RankedTensorType type = typeOf(op.getResult());
    joined->getResult(0).setType(
        RankedTensorType::get(sizes, type.getElementType()));
    llvm::cast<DotGeneralOp>(joined).setDotDimensionNumbersAttr(
        DotDimensionNumbersAttr::get(op.getContext(), shared[0], shared[1],
                                     summed[0], summed[1]));
    if (isSame) {
      rewriter.replaceOp(op, joined->getResults());
    } else {
      rewriter.replaceOpWithNewOp<ReshapeOp>(op, type, joined->getResult(0));
    }
    return success();
  }
};

} // namespace

void addProductJoining(mlir::RewritePatternSet &patterns) {
  patterns.add<JoinProductDimensions>(patterns.getContext());
}

} // namespace xla
