//===- OperationTable.h - What records of a program distinguish -*- C++ -*-===//
//
// The steps of a program as people know them: each loop nest with the names and
// source lines of all that is fused into it, and what one execution costs.
//
//===----------------------------------------------------------------------===//

#ifndef XLA_CODEGEN_CPU_OPERATIONTABLE_H
#define XLA_CODEGEN_CPU_OPERATIONTABLE_H

#include "xla/analysis/Costs.h"
#include "xla/codegen/cpu/FusionPlan.h"
#include "xla/codegen/cpu/RowGroups.h"
#include "xla/runtime/OperationRecord.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace xla::cpu {

class OperationTable {
public:
  /// Of `main` of `module`, whose body is `body`.
  OperationTable(mlir::ModuleOp module, mlir::Block &body,
                 const FusionPlan &fusion, const RowGroups &rows);

  /// The number of the operation that begins at `op`, which is noted as one
  /// that the code marks; nothing where none begins.
  std::optional<int64_t> markAt(mlir::Operation *op);
  int64_t loopOf(int64_t operation) const { return facts[operation].loop; }
  size_t size() const { return facts.size(); }

  /// The facts, once the code is emitted: what has no mark of its own is part
  /// of what has one.
  std::vector<OperationFacts> take();

private:
  using Operations = llvm::SmallVector<mlir::Operation *>;

  void visit(mlir::Block &block, int32_t parent, double runs);
  int32_t add(mlir::Operation *step, const Operations &fused, int32_t parent,
              double runs);
  void collectValue(mlir::Value value, Operations &fused);
  void collectStep(mlir::Operation *step, Operations &fused);
  void describeInto(OperationFacts &fact, const Operations &ops, double runs);
  void describe(OperationFacts &fact, mlir::Operation *step,
                const Operations &fused);
  void absorb(int32_t whole, int32_t part);

  const FusionPlan &fusion;
  const RowGroups &rows;
  llvm::DenseMap<mlir::Operation *, Costs> costs;
  llvm::DenseMap<mlir::Operation *, int32_t> numbers;
  llvm::DenseSet<mlir::Operation *> counted; ///< whose costs are in some facts
  std::vector<OperationFacts> facts;
  std::vector<double> times; ///< executions of each in one run, as far as known
  std::vector<bool> isMarked;
  std::vector<std::pair<int32_t, mlir::Operation *>> epilogues;
  int32_t loops = 0;
};

} // namespace xla::cpu

#endif // XLA_CODEGEN_CPU_OPERATIONTABLE_H
