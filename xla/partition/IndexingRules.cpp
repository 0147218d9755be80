//===- IndexingRules.cpp - Rules of reads and writes by index -------------===//

#include "xla/dialect/stablehlo/StablehloOps.h"
#include "xla/partition/RuleBuilder.h"

using namespace llvm;
using namespace xla::stablehlo;

namespace xla::partition {

//===----------------------------------------------------------------------===//
// Slices, pads and their like
//===----------------------------------------------------------------------===//

bool sliceRule(RuleBuilder &b) {
  for (int64_t dim = 0; dim < int64_t(shapeOf(b.op->getResult(0)).size());
       ++dim) {
    bool isWhole = b.sizeOf(in(0, dim)) == b.sizeOf(out(dim));
    b.add(isWhole ? FactorKind::PassThrough : FactorKind::Permutation,
          {in(0, dim), out(dim)});
  }
  return true;
}

bool padRule(RuleBuilder &b) {
  auto op = cast<PadOp>(b.op);
  for (int64_t dim = 0; dim < int64_t(shapeOf(op.getResult()).size()); ++dim) {
    bool isWhole = op.getEdgePaddingLow()[dim] == 0 &&
                   op.getEdgePaddingHigh()[dim] == 0 &&
                   op.getInteriorPadding()[dim] == 0;
    b.add(isWhole ? FactorKind::PassThrough : FactorKind::Permutation,
          {out(dim), in(0, dim)});
  }
  return true;
}

bool reverseRule(RuleBuilder &b) {
  auto op = cast<ReverseOp>(b.op);
  for (int64_t dim = 0; dim < int64_t(shapeOf(op.getResult()).size()); ++dim) {
    b.add(is_contained(op.getDimensions(), dim) ? FactorKind::Permutation
                                                : FactorKind::PassThrough,
          {in(0, dim), out(dim)});
  }
  return true;
}

/// Whether a concatenation turns an array about, or wraps its edges around:
/// its operands are pieces of one array, or that array.
static bool isRoll(ConcatenateOp op) {
  mlir::Value whole;
  auto belongs = [&](mlir::Value value) {
    auto slice = value.getDefiningOp<SliceOp>();
    mlir::Value source = slice ? slice.getOperand() : value;
    if (!whole) {
      whole = source;
    }
    return source == whole;
  };
  return op.getInputs().size() > 1 && all_of(op.getInputs(), belongs);
}

bool concatenateRule(RuleBuilder &b) {
  auto op = cast<ConcatenateOp>(b.op);
  int64_t rank = shapeOf(op.getResult()).size();
  for (int64_t dim = 0; dim < rank; ++dim) {
    SmallVector<DimOf> dims = b.dimOfAll(dim, rank);
    if (dim != int64_t(op.getDimension())) {
      b.pass(dims);
      continue;
    }
    b.add(b.sizeOf(out(dim)),
          isRoll(op) ? FactorKind::Permutation : FactorKind::NeedReplication,
          dims);
  }
  return true;
}

bool dynamicSliceRule(RuleBuilder &b) {
  for (int64_t dim = 0; dim < int64_t(shapeOf(b.op->getResult(0)).size());
       ++dim) {
    if (b.sizeOf(in(0, dim)) == b.sizeOf(out(dim))) {
      b.pass({in(0, dim), out(dim)});
    } else {
      b.replicate(in(0, dim), /*isBlocked=*/true);
      b.replicate(out(dim), /*isBlocked=*/true);
    }
  }
  return true;
}

/// The update is small: where the operand is cut along an updated dimension,
/// each device writes what falls into its piece.
bool dynamicUpdateSliceRule(RuleBuilder &b) {
  auto op = cast<DynamicUpdateSliceOp>(b.op);
  for (int64_t dim = 0; dim < int64_t(shapeOf(op.getResult()).size()); ++dim) {
    if (b.sizeOf(in(1, dim)) == b.sizeOf(out(dim))) {
      b.pass({in(0, dim), in(1, dim), out(dim)});
      continue;
    }
    b.pass({in(0, dim), out(dim)});
    b.replicate(in(1, dim));
  }
  return true;
}

bool sortRule(RuleBuilder &b) {
  auto op = cast<SortOp>(b.op);
  int64_t rank = shapeOf(op->getResult(0)).size();
  int64_t sorted = op.sortedDimension();
  bool isAlone = true;
  for (int64_t dim = 0; dim < rank; ++dim) {
    isAlone &= dim == sorted || b.sizeOf(out(dim)) == 1;
  }
  for (int64_t dim = 0; dim < rank; ++dim) {
    if (dim == sorted) {
      b.add(FactorKind::NeedReplication, b.dimOfAll(dim, rank),
            /*isBlocked=*/isAlone);
    } else {
      b.pass(b.dimOfAll(dim, rank));
    }
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Gather and scatter
//===----------------------------------------------------------------------===//

namespace {
/// What gather and scatter share: an array is indexed, and a window of it
/// corresponds to dimensions of the picked one, which is the result of a gather
/// and the update of a scatter.
struct Indexing {
  ArrayRef<int64_t> windowDims;  ///< of the picked array
  ArrayRef<int64_t> droppedDims; ///< of the indexed one, of size 1 in windows
  ArrayRef<int64_t> batchDims;   ///< of the indexed one
  ArrayRef<int64_t> indexBatchDims;
  int64_t indexVectorDim;
  int64_t pickedRank, indexedRank, indicesRank;

  /// Dimensions of the indexed array that windows keep, in order; they pair
  /// with `windowDims`.
  SmallVector<int64_t> keptDims() const {
    SmallVector<int64_t> kept;
    for (int64_t dim = 0; dim < indexedRank; ++dim) {
      if (!is_contained(droppedDims, dim) && !is_contained(batchDims, dim)) {
        kept.push_back(dim);
      }
    }
    return kept;
  }
  /// Dimensions of the indices but for the vectors', with those of the picked
  /// array that correspond.
  SmallVector<std::pair<int64_t, int64_t>> indexDims() const {
    SmallVector<std::pair<int64_t, int64_t>> pairs;
    int64_t picked = 0;
    for (int64_t dim = 0; dim < indicesRank; ++dim) {
      if (dim == indexVectorDim) {
        continue;
      }
      while (is_contained(windowDims, picked)) {
        ++picked;
      }
      pairs.push_back({dim, picked++});
    }
    return pairs;
  }
  /// The dimension of the indexed array that a dimension of the indices runs
  /// along with, if any.
  std::optional<int64_t> batchOf(int64_t indexDim) const {
    for (auto [indexed, indices] : zip(batchDims, indexBatchDims)) {
      if (indices == indexDim) {
        return indexed;
      }
    }
    return std::nullopt;
  }
};
} // namespace

bool gatherRule(RuleBuilder &b) {
  auto op = cast<GatherOp>(b.op);
  GatherDimensionNumbersAttr numbers = op.getDimensionNumbers();
  Indexing indexing{numbers.getOffsetDims(),
                    numbers.getCollapsedSliceDims(),
                    numbers.getOperandBatchingDims(),
                    numbers.getStartIndicesBatchingDims(),
                    numbers.getIndexVectorDim(),
                    int64_t(shapeOf(op.getResult()).size()),
                    int64_t(shapeOf(op.getOperand()).size()),
                    int64_t(shapeOf(op.getStartIndices()).size())};
  for (auto [from, to] : zip(indexing.keptDims(), indexing.windowDims)) {
    int64_t size = b.sizeOf(in(0, from)), slice = b.sizeOf(out(to));
    if (size == slice) {
      b.pass({in(0, from), out(to)});
    } else if (slice == 1) {
      b.add(FactorKind::Reduction, {in(0, from)});
      b.replicate(out(to));
    } else {
      b.replicate(in(0, from), /*isBlocked=*/true);
      b.replicate(out(to), /*isBlocked=*/true);
    }
  }
  for (int64_t dim : indexing.droppedDims) {
    b.add(b.sizeOf(in(0, dim)) == 1 ? FactorKind::NeedReplication
                                    : FactorKind::Reduction,
          {in(0, dim)});
  }
  for (auto [indices, to] : indexing.indexDims()) {
    if (std::optional<int64_t> from = indexing.batchOf(indices)) {
      b.pass({in(0, *from), in(1, indices), out(to)});
    } else {
      b.pass({in(1, indices), out(to)});
    }
  }
  if (indexing.indexVectorDim < indexing.indicesRank) {
    b.replicate(in(1, indexing.indexVectorDim));
  }
  return true;
}

/// Whether updates may be joined in pieces: the body is one operation of its
/// arguments that is associative and commutative, with an identity.
static bool isSum(ScatterOp op) {
  mlir::Block &body = op.getUpdateComputation().front();
  if (op.getInputs().size() != 1 || body.getNumArguments() != 2) {
    return false;
  }
  mlir::Operation *combine =
      body.getTerminator()->getNumOperands() == 1
          ? body.getTerminator()->getOperand(0).getDefiningOp()
          : nullptr;
  return combine &&
         isa<AddOp, MulOp, MinOp, MaxOp, AndOp, OrOp, XorOp>(combine) &&
         combine->getOperand(0) != combine->getOperand(1) &&
         all_of(combine->getOperands(), [&](mlir::Value operand) {
           return is_contained(body.getArguments(), operand);
         });
}

bool scatterRule(RuleBuilder &b) {
  auto op = cast<ScatterOp>(b.op);
  ScatterDimensionNumbersAttr numbers = op.getScatterDimensionNumbers();
  unsigned count = op.getInputs().size();
  Indexing indexing{numbers.getUpdateWindowDims(),
                    numbers.getInsertedWindowDims(),
                    numbers.getInputBatchingDims(),
                    numbers.getScatterIndicesBatchingDims(),
                    numbers.getIndexVectorDim(),
                    int64_t(shapeOf(op.getUpdates()[0]).size()),
                    int64_t(shapeOf(op.getInputs()[0]).size()),
                    int64_t(shapeOf(op.getScatterIndices()).size())};
  auto inputs = [&](int64_t dim) {
    SmallVector<DimOf> dims;
    for (unsigned i = 0; i < count; ++i) {
      dims.append({in(i, dim), out(i, dim)});
    }
    return dims;
  };
  auto updates = [&](int64_t dim) {
    SmallVector<DimOf> dims;
    for (unsigned i = 0; i < count; ++i) {
      dims.push_back(in(count + 1 + i, dim));
    }
    return dims;
  };
  for (auto [to, from] : zip(indexing.keptDims(), indexing.windowDims)) {
    SmallVector<DimOf> dims = inputs(to);
    if (b.sizeOf(dims[0]) == b.sizeOf(in(count + 1, from))) {
      dims.append(updates(from));
      b.pass(dims);
    } else {
      b.add(FactorKind::NeedReplication, dims);
      b.add(FactorKind::NeedReplication, updates(from));
    }
  }
  for (int64_t dim : indexing.droppedDims) {
    b.pass(inputs(dim));
  }
  for (auto [indices, from] : indexing.indexDims()) {
    SmallVector<DimOf> dims = {in(count, indices)};
    dims.append(updates(from));
    if (std::optional<int64_t> to = indexing.batchOf(indices)) {
      dims.append(inputs(*to));
      b.pass(dims);
    } else {
      b.add(isSum(op) ? FactorKind::Reduction : FactorKind::NeedReplication,
            dims);
    }
  }
  if (indexing.indexVectorDim < indexing.indicesRank) {
    b.replicate(in(count, indexing.indexVectorDim));
  }
  return true;
}

} // namespace xla::partition
