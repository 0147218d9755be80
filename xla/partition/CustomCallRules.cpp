//===- CustomCallRules.cpp - Rules of custom calls ------------------------===//

#include "xla/dialect/stablehlo/StablehloOps.h"
#include "xla/partition/RuleBuilder.h"

#include "llvm/ADT/StringSwitch.h"

using namespace llvm;
using namespace xla::stablehlo;

namespace xla::partition {

namespace {
enum class Call { Unknown, Pointwise, BatchedMatrix, Eigen, TopK };
} // namespace

static Call kindOf(mlir::Operation *op) {
  auto call = dyn_cast<CustomCallOp>(op);
  if (!call) {
    return Call::Unknown;
  }
  return StringSwitch<Call>(call.getCallTargetName())
      .Cases({"mhlo.erf", "MoveToHost", "MoveToDevice",
              "annotate_device_placement", "InspectSharding",
              "LayoutConstraint", "X64Combine", "X64SplitHigh", "X64SplitLow"},
             Call::Pointwise)
      .Cases({"Qr", "HouseholderProduct",
              "ProductOfElementaryHouseholderReflectors"},
             Call::BatchedMatrix)
      .Case("Eigh", Call::Eigen)
      .Cases({"mhlo.topk", "ApproxTopK", "PartialReduce"}, Call::TopK)
      .Default(Call::Unknown);
}

bool isPointwiseCall(mlir::Operation *op) {
  return kindOf(op) == Call::Pointwise;
}

OpRole customCallRole(mlir::Operation *op) {
  return kindOf(op) == Call::Unknown && !op->hasAttr("sdy.sharding_rule")
             ? OpRole::Whole
             : OpRole::Factors;
}

/// All dimensions but the last `minor` pass, where all arrays agree in them;
/// the others are whole.
static bool batched(RuleBuilder &b, int64_t minor) {
  int64_t rank = shapeOf(b.op->getOperand(0)).size();
  int64_t batch = rank - minor;
  if (batch < 0) {
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
    SmallVector<DimOf> dims = b.everywhere(dim, rank);
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

bool customCallRule(RuleBuilder &b) {
  switch (kindOf(b.op)) {
  case Call::Pointwise:
    b.pointwise();
    return true;
  case Call::BatchedMatrix:
  case Call::Eigen:
    return b.op->getNumOperands() > 0 && batched(b, 2);
  case Call::TopK:
    return b.op->getNumOperands() > 0 && topK(b);
  case Call::Unknown:
    return false;
  }
  llvm_unreachable("a kind of custom call that is not listed");
}

} // namespace xla::partition
