//===- CustomCallRules.cpp - Rules of custom calls ------------------------===//

#include "xla/dialect/sdy/Values.h"
#include "xla/dialect/stablehlo/StablehloOps.h"
#include "xla/partition/RuleBuilder.h"

#include "llvm/ADT/StringSwitch.h"

using namespace llvm;
using namespace xla::stablehlo;

namespace xla::partition {

namespace {
enum class Call { Unknown, Pointwise, Batched, BatchedMatrix, TopK };
} // namespace

/// How many leading dimensions of every operand and result are a batch, where
/// the front end says so: its linear algebra.
static std::optional<int64_t> batchDims(CustomCallOp call) {
  auto attributes =
      call->getAttrOfType<mlir::DictionaryAttr>("mhlo.frontend_attributes");
  auto text = attributes ? attributes.getAs<mlir::StringAttr>("num_batch_dims")
                         : nullptr;
  int64_t count = 0;
  if (!text || text.getValue().getAsInteger(10, count) || count < 0) {
    return std::nullopt;
  }
  return count;
}

static Call kindOf(mlir::Operation *op) {
  auto call = dyn_cast<CustomCallOp>(op);
  if (!call) {
    return Call::Unknown;
  }
  if (batchDims(call)) {
    return Call::Batched;
  }
  return StringSwitch<Call>(call.getCallTargetName())
      .Cases({"mhlo.erf", "MoveToHost", "MoveToDevice",
              "annotate_device_placement", "InspectSharding",
              "LayoutConstraint", "X64Combine", "X64SplitHigh", "X64SplitLow"},
             Call::Pointwise)
      .Cases({"Eigh", "HouseholderProduct",
              "ProductOfElementaryHouseholderReflectors", "Qr"},
             Call::BatchedMatrix)
      .Cases({"mhlo.topk", "ApproxTopK", "PartialReduce"}, Call::TopK)
      .Default(Call::Unknown);
}

bool isPointwiseCall(mlir::Operation *op) {
  return kindOf(op) == Call::Pointwise;
}

/// Whether every device calls it with the parts that it has.
static bool isCalledInParts(mlir::Operation *op) {
  auto call = dyn_cast<CustomCallOp>(op);
  bool hasArrays = any_of(op->getResultTypes(), [](mlir::Type type) {
    return isa<mlir::RankedTensorType>(type);
  });
  return call && !hasArrays &&
         call.getCallTargetName() == "xla_ffi_partitioned_python_cpu_callback";
}

OpRole customCallRole(mlir::Operation *op) {
  if (isCalledInParts(op)) {
    return OpRole::Structure; // it moves nothing
  }
  return kindOf(op) == Call::Unknown && !op->hasAttr(sdy::kShardingRuleName)
             ? OpRole::Whole
             : OpRole::Factors;
}

/// The first `batch` dimensions pass, where all arrays agree in them; the
/// others are whole.
static bool batched(RuleBuilder &b, int64_t batch) {
  if (b.op->getNumOperands() == 0 || batch < 0 ||
      batch > int64_t(shapeOf(b.op->getOperand(0)).size())) {
    return false;
  }
  SmallVector<SmallVector<DimOf>> common(batch);
  SmallVector<DimOf> whole;
  auto visit = [&](mlir::Value value, auto &&at) {
    ArrayRef<int64_t> shape = shapeOf(value);
    bool agrees = int64_t(shape.size()) >= batch &&
                  shape.take_front(batch) ==
                      shapeOf(b.op->getOperand(0)).take_front(batch);
    for (int64_t dim = 0; dim < int64_t(shape.size()); ++dim) {
      if (agrees && dim < batch) {
        common[dim].push_back(at(dim));
      } else {
        whole.push_back(at(dim));
      }
    }
  };
  for (auto [index, value] : enumerate(b.op->getOperands())) {
    visit(value, [&, index = index](int64_t dim) { return in(index, dim); });
  }
  for (auto [index, value] : enumerate(b.op->getResults())) {
    visit(value, [&, index = index](int64_t dim) { return out(index, dim); });
  }
  for (const SmallVector<DimOf> &dims : common) {
    b.pass(dims);
  }
  for (DimOf dim : whole) {
    b.replicate(dim);
  }
  return true;
}

/// Dimensions that differ between operand and results are searched.
static bool topK(RuleBuilder &b) {
  int64_t rank = shapeOf(b.op->getOperand(0)).size();
  for (int64_t dim = 0; dim < rank; ++dim) {
    SmallVector<DimOf> dims = b.dimOfAll(dim, rank);
    bool isKept = all_of(dims, [&](DimOf where) {
      return b.sizeOf(where) == b.sizeOf(dims[0]);
    });
    if (isKept) {
      b.pass(dims);
    } else {
      for (DimOf where : dims) {
        b.replicate(where, /*isBlocked=*/true);
      }
    }
  }
  return true;
}

/// A call is given pieces of its operands and makes pieces of its results. What
/// is not in both sides cannot be cut: of such operands it needs all, and of
/// such results nothing says which piece it is to make.
static void keepOneSidedWhole(ShardingRule &rule) {
  SmallVector<bool> isOperand(rule.factors.size()), isResult(isOperand);
  for (size_t t = 0; t < rule.tensorCount(); ++t) {
    for (const DimMapping &factors : rule.tensor(t)) {
      for (int32_t factor : factors) {
        (t < rule.operands.size() ? isOperand : isResult)[factor] = true;
      }
    }
  }
  for (auto [factor, inOperands, inResults] :
       zip_equal(rule.factors, isOperand, isResult)) {
    if (factor.kind == FactorKind::PassThrough && inOperands != inResults) {
      factor.kind = FactorKind::NeedReplication;
    }
  }
}

/// The rule that a front end wrote. One that does not fit the operands and
/// results is none.
static bool writtenRule(RuleBuilder &b) {
  auto attribute =
      b.op->getAttrOfType<sdy::OpShardingRuleAttr>(sdy::kShardingRuleName);
  if (!attribute) {
    return false;
  }
  ShardingRule rule;
  rule.isCustom = true;
  for (int64_t factor = 0; factor < attribute.getNumFactors(); ++factor) {
    FactorKind kind =
        attribute.isReductionFactor(factor) ? FactorKind::Reduction
        : attribute.isNeedReplicationFactor(factor)
            ? FactorKind::NeedReplication
        : attribute.isPermutationFactor(factor) ? FactorKind::Permutation
                                                : FactorKind::PassThrough;
    rule.factors.push_back({attribute.getFactorSize(factor), kind,
                            attribute.isBlockedPropagationFactor(factor)});
  }
  auto readSide = [&](ArrayRef<sdy::TensorMappingAttr> tensors,
                      const SmallVector<TensorMapping, 3> &expected,
                      SmallVector<TensorMapping, 3> &side) {
    if (tensors.size() != expected.size()) {
      return false;
    }
    for (auto [tensor, like] : zip(tensors, expected)) {
      if (tensor.getRank() != int64_t(like.size())) {
        return false;
      }
      TensorMapping &mapping = side.emplace_back();
      for (sdy::DimMappingAttr dim : tensor.getDimMappings()) {
        mapping.emplace_back(dim.getFactors().begin(), dim.getFactors().end());
      }
    }
    return true;
  };
  bool fits =
      readSide(attribute.getOperandMappings(), b.rule.operands,
               rule.operands) &&
      readSide(attribute.getResultMappings(), b.rule.results, rule.results);
  if (fits) {
    // This one is queried, and then replaced by what the answer says.
    if (cast<CustomCallOp>(b.op).getCallTargetName() !=
        "CustomSPMDPartitioning") {
      keepOneSidedWhole(rule);
    }
    b.rule = std::move(rule);
  }
  return fits;
}

bool customCallRule(RuleBuilder &b) {
  if (b.op->hasAttr(sdy::kShardingRuleName)) {
    return writtenRule(b);
  }
  switch (kindOf(b.op)) {
  case Call::Pointwise:
    b.pointwise();
    return true;
  case Call::Batched:
    return batched(b, *batchDims(cast<CustomCallOp>(b.op)));
  case Call::BatchedMatrix:
    return b.op->getNumOperands() > 0 &&
           batched(b, int64_t(shapeOf(b.op->getOperand(0)).size()) - 2);
  case Call::TopK:
    return b.op->getNumOperands() > 0 && topK(b);
  case Call::Unknown:
    return false;
  }
  llvm_unreachable("a kind of custom call that is not listed");
}

} // namespace xla::partition
