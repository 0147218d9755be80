//===- DataFlow.h - The values of a program and their shardings -*- C++ -*-===//
//
// Where a value's sharding is kept, whatever kind of value it is. Results of
// loops share theirs with the arguments of the loop's regions; a function's
// results and the operands and results of manual computations have variables of
// their own, beside those of the values that flow there.
//
//===----------------------------------------------------------------------===//

#ifndef XLA_PARTITION_DATAFLOW_H
#define XLA_PARTITION_DATAFLOW_H

#include "xla/partition/ShardingAttributes.h"
#include "xla/support/Status.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Value.h"

namespace xla::partition {

/// The sharding of a value, which propagation determines, and how it is seen.
/// Inside of a manual computation its arrays are seen without their manual
/// axes.
struct ShardingVariable {
  int32_t index = -1;
  bool isInside = false;

  explicit operator bool() const { return index >= 0; }
};

/// Values that flow from several variables into one: operands of a loop and of
/// the end of its body into the loop's result, for example. An end is an
/// operand of the operation or of a terminator in its regions.
struct Flow {
  mlir::Operation *op;
  llvm::SmallVector<mlir::OpOperand *, 2> sources;
  ShardingVariable target;
  mlir::Type type;
};

class DataFlow {
public:
  /// Reads what the attributes of the program say.
  explicit DataFlow(mlir::ModuleOp module);

  MeshTable meshes;

  size_t variableCount() const { return variables.size(); }
  /// None for a value that is no array.
  ShardingVariable variableOf(mlir::Value value) const;
  ShardingVariable variableOf(mlir::OpOperand &operand) const {
    return variableOf(operand.get());
  }
  llvm::ArrayRef<Flow> flows() const { return allFlows; }
  /// Those through one operation, which for a function are its results'.
  llvm::ArrayRef<Flow> flowsOf(mlir::Operation *op) const;

  /// The whole sharding of a variable, seen from outside.
  TensorSharding &outer(int32_t variable) {
    return variables[variable].sharding;
  }
  TensorSharding get(ShardingVariable variable) const;
  /// The axes of an inside view go behind the manual ones.
  void set(ShardingVariable variable, TensorSharding sharding);

  /// Writes every variable back into attributes.
  void write();

private:
  /// Of a manual computation: what is manual in each dimension, major.
  struct Entry {
    TensorSharding sharding;
    llvm::SmallVector<Axes, 0> manual;
    Axes manualAxes;
  };

  ShardingVariable add(TensorSharding sharding);
  ShardingVariable addValue(mlir::Value value,
                            sdy::TensorShardingAttr attribute);
  void addFunction(mlir::func::FuncOp function);
  void addOperation(mlir::Operation *op);
  void addLoop(mlir::Operation *op);
  void addBranches(mlir::Operation *op);
  void addManual(sdy::ManualComputationOp op);
  void addFlow(Flow flow);
  void writeFunction(mlir::func::FuncOp function);
  void writeManual(sdy::ManualComputationOp op);
  void writeResults(mlir::Operation *op);

  mlir::ModuleOp module;
  std::vector<Entry> variables;
  llvm::DenseMap<mlir::Value, ShardingVariable> variableOfValue;
  std::vector<Flow> allFlows;
  llvm::DenseMap<mlir::Operation *, std::pair<size_t, size_t>> flowsOfOp;
  /// Variables of operands and results of manual computations, and of
  /// functions' results, in order.
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<int32_t>> ends;
};

/// Visits the operations of a region, and of the regions of loops, branches and
/// manual computations in it after them. The bodies of reductions and sorts,
/// which compute with numbers, are left out.
void walkArrays(mlir::Region &region,
                llvm::function_ref<void(mlir::Operation *)> visit);

/// Whether an operation's results are on one device alone, as its attribute
/// says; it stays as it is.
bool isOnOneDevice(mlir::Operation *op, MeshTable &meshes);

} // namespace xla::partition

#endif // XLA_PARTITION_DATAFLOW_H
