//===- RuleBuilder.h - Writing down a sharding rule -------------*- C++ -*-===//

#ifndef XLA_PARTITION_RULEBUILDER_H
#define XLA_PARTITION_RULEBUILDER_H

#include "xla/partition/ShardingRules.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"

namespace xla::partition {

/// Sizes of an array; none for tokens and other values without.
inline llvm::ArrayRef<int64_t> shapeOf(mlir::Type type) {
  auto tensor = llvm::dyn_cast<mlir::RankedTensorType>(type);
  return tensor ? tensor.getShape() : llvm::ArrayRef<int64_t>();
}
inline llvm::ArrayRef<int64_t> shapeOf(mlir::Value value) {
  return shapeOf(value.getType());
}

/// A dimension of an operand or of a result.
struct DimOf {
  enum Side { Operand, Result } side;
  unsigned index;
  int64_t dim;
};

inline DimOf in(unsigned operand, int64_t dim) {
  return {DimOf::Operand, operand, dim};
}
inline DimOf out(unsigned result, int64_t dim) {
  return {DimOf::Result, result, dim};
}
inline DimOf out(int64_t dim) { return out(0, dim); }

class RuleBuilder {
public:
  explicit RuleBuilder(mlir::Operation *op) : op(op) {
    for (mlir::Value operand : op->getOperands()) {
      rule.operands.emplace_back(shapeOf(operand).size());
    }
    for (mlir::Value result : op->getResults()) {
      rule.results.emplace_back(shapeOf(result).size());
    }
  }

  /// A factor of the given size; each of the dimensions gets it as its minor
  /// most so far.
  void add(int64_t size, FactorKind kind, llvm::ArrayRef<DimOf> dims,
           bool isBlocked = false) {
    for (DimOf where : dims) {
      auto &side = where.side == DimOf::Operand ? rule.operands : rule.results;
      side[where.index][where.dim].push_back(rule.factors.size());
    }
    rule.factors.push_back({size, kind, isBlocked});
  }
  /// The same with the size of the first dimension.
  void add(FactorKind kind, llvm::ArrayRef<DimOf> dims,
           bool isBlocked = false) {
    add(sizeOf(dims.front()), kind, dims, isBlocked);
  }
  void pass(llvm::ArrayRef<DimOf> dims) { add(FactorKind::PassThrough, dims); }
  void replicate(DimOf dim, bool isBlocked = false) {
    add(FactorKind::NeedReplication, {dim}, isBlocked);
  }

  /// Every dimension of every array of the first result's rank, or of the
  /// first operand's where there is no result, passes. Others are scalars.
  void pointwise();

  /// The dimension in all operands and results of the same rank as `rank`.
  llvm::SmallVector<DimOf> dimOfAll(int64_t dim, int64_t rank) const;

  int64_t sizeOf(DimOf where) const {
    return where.side == DimOf::Operand
               ? shapeOf(op->getOperand(where.index))[where.dim]
               : shapeOf(op->getResult(where.index))[where.dim];
  }

  mlir::Operation *op;
  ShardingRule rule;
};

/// Writes the rule of the builder's operation; false where it has none.
using RuleFunction = bool (*)(RuleBuilder &);

// IndexingRules.cpp
bool concatenateRule(RuleBuilder &);
bool dynamicSliceRule(RuleBuilder &);
bool dynamicUpdateSliceRule(RuleBuilder &);
bool gatherRule(RuleBuilder &);
bool padRule(RuleBuilder &);
bool reverseRule(RuleBuilder &);
bool scatterRule(RuleBuilder &);
bool sliceRule(RuleBuilder &);
bool sortRule(RuleBuilder &);

// ContractionRules.cpp
bool batchNormInferenceRule(RuleBuilder &);
bool batchNormRule(RuleBuilder &);
bool choleskyRule(RuleBuilder &);
bool convolutionRule(RuleBuilder &);
bool dotGeneralRule(RuleBuilder &);
bool dotRule(RuleBuilder &);
bool fftRule(RuleBuilder &);
bool reduceRule(RuleBuilder &);
bool reduceWindowRule(RuleBuilder &);
bool selectAndScatterRule(RuleBuilder &);
bool triangularSolveRule(RuleBuilder &);

// CustomCallRules.cpp
OpRole customCallRole(mlir::Operation *op);
bool customCallRule(RuleBuilder &);
bool isPointwiseCall(mlir::Operation *op);

} // namespace xla::partition

#endif // XLA_PARTITION_RULEBUILDER_H
