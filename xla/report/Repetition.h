//===- Repetition.h - What several devices compute alike --------*- C++ -*-===//
//
// Follows the program of one device and finds, for each value, along which axes
// of the grid devices may have different ones. Where they do not, they repeat
// each other's work. Nothing is called repeated that is not.
//
//===----------------------------------------------------------------------===//

#ifndef XLA_REPORT_REPETITION_H
#define XLA_REPORT_REPETITION_H

#include "xla/report/PartitionFacts.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/DenseMap.h"

#include <optional>

namespace xla::report {

/// Who meets in a collective, seen on the grid.
struct GroupFacts {
  AxisMask axes = 0;    ///< along which members differ
  bool isWhole = false; ///< a group is all devices along these axes
  int64_t size = 0;     ///< of the largest group
  int64_t groups = 0;
  int64_t members = 0; ///< of all groups
  int64_t pairs = 0;   ///< of a sender and another device that receives of it
};

class Repetition {
public:
  Repetition(mlir::ModuleOp module, DeviceGrid grid);

  /// Axes along which the results differ (of an operation without results, the
  /// operands).
  AxisMask variesAlong(mlir::Operation *op) const;
  const GroupFacts &groupsOf(mlir::Operation *collective);

  const DeviceGrid &grid() const { return theGrid; }
  int64_t sizeOf(AxisMask axes) const;

private:
  using Numbers = std::vector<int64_t>; ///< one for each position

  void visitBlock(mlir::Block &block);
  void visit(mlir::Operation *op);
  void visitLoop(mlir::Operation *op);
  void visitBranches(mlir::Operation *op);
  AxisMask maskOf(mlir::Value value) const { return masks.lookup(value); }
  AxisMask operandMask(mlir::Operation *op) const;
  bool visitNumber(mlir::Operation *op);
  const Numbers *numbersOf(mlir::Value value);
  AxisMask axesOf(const Numbers &numbers) const;
  int64_t positionOf(int64_t device) const;

  DeviceGrid theGrid;
  int64_t count = 1;
  AxisMask all = 0;
  std::vector<int64_t> positions; ///< by device; empty: the same
  llvm::DenseMap<mlir::Value, AxisMask> masks;
  llvm::DenseMap<mlir::Value, Numbers> numbers;
  llvm::DenseMap<std::pair<mlir::Attribute, mlir::Attribute>, GroupFacts>
      groups;
};

} // namespace xla::report

#endif // XLA_REPORT_REPETITION_H
