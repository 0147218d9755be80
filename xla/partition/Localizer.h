//===- Localizer.h - Operations on pieces of their arrays -------*- C++ -*-===//
//
// Walks a program in order and writes that of one device. For each value it
// knows how it is divided, perhaps in several ways at once. An operation
// chooses axes for the factors of its rule, asks for its operands accordingly,
// and leaves its results sharded accordingly; users that need another sharding
// have them moved.
//
//===----------------------------------------------------------------------===//

#ifndef XLA_PARTITION_LOCALIZER_H
#define XLA_PARTITION_LOCALIZER_H

#include "xla/dialect/stablehlo/StablehloOps.h"
#include "xla/partition/Emitter.h"
#include "xla/partition/Meshes.h"
#include "xla/partition/Partition.h"
#include "xla/partition/ShardingRules.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringMap.h"

namespace xla::partition {

/// A value of the program as this device has it.
struct PartitionedValue {
  mlir::Value value;
  Placement placement;
};

/// How an operation is divided.
struct Division {
  ShardingRule rule;
  /// Per factor.
  llvm::SmallVector<GridAxes, 8> axes;
  llvm::SmallVector<Placement, 4> operands, results;
  /// Axes over which results remain to be combined.
  GridAxes reduced;

  /// The axes of a dimension of an operand.
  llvm::ArrayRef<int> operandAxes(unsigned operand, int64_t dim) const {
    return operands[operand].dims[dim];
  }
};

class Localizer;

/// What a family of operations knows beyond the rules.
struct Family {
  /// Changes the rule, where this family can do more or less than it says.
  void (*adjust)(mlir::Operation *op, ShardingRule &rule) = nullptr;
  /// The rows of an operand that a device needs for its rows of the result,
  /// where they are divided into so many pieces; none where there is no
  /// method.
  std::optional<RowWindow> (*window)(mlir::Operation *op, unsigned operand,
                                     int64_t dim, int64_t pieces) = nullptr;
  /// How the parts of a reduction combine; none where they do not.
  std::optional<Combination> (*combination)(mlir::Operation *op) = nullptr;
  /// Writes the operation; the default clones it.
  Status (*emit)(Localizer &localizer, mlir::Operation *op, Division &division,
                 llvm::SmallVectorImpl<mlir::Value> &operands,
                 llvm::SmallVectorImpl<mlir::Value> &results) = nullptr;
};
using Families = llvm::StringMap<Family>;

void addMovements(Families &families);
void addContractions(Families &families);
void addIndexing(Families &families);

/// The combination that a region of two scalars computes.
std::optional<Combination> combinationOf(mlir::Region &region);

class Localizer {
public:
  Localizer(const Meshes &meshes, mlir::OpBuilder &builder,
            PartitionReport &report);

  Emitter emit;
  const Meshes &meshes;
  /// Axes that are manual around the operation at hand.
  GridAxes manual;

  // Values.
  void define(mlir::Value original, mlir::Value value, Placement placement);
  /// Moves a result to the sharding that the program gives it.
  void settle(mlir::Value original, mlir::Value value, Placement placement);
  const PartitionedValue &localOf(mlir::Value original);
  mlir::Value at(mlir::Value original, const Placement &placement);
  mlir::Value whole(mlir::Value original);
  /// The sharding that the program gives a result; none where it gives none.
  std::optional<Placement> wanted(mlir::Value result);
  Placement placementOf(sdy::TensorShardingAttr sharding, mlir::Type type);
  mlir::Type localType(mlir::Type global, const Placement &placement);

  // Programs.
  /// All operations of a block but its terminator.
  Status run(mlir::Block &block);
  /// Every device computes all of it; the report says so.
  Status runWhole(mlir::Operation *op);
  /// A copy with other operands and result types.
  mlir::Operation *clone(mlir::Operation *op,
                         llvm::ArrayRef<mlir::Value> operands,
                         llvm::ArrayRef<Placement> results);
  /// Reports which operands are sharded and are not taken so; null:
  /// the operation takes them whole.
  void noteGathers(mlir::Operation *op, const Division *division);

  /// A value that a loop only hands on: where it is needed in another sharding,
  /// it is moved before the loop.
  struct Invariant {
    mlir::Value outer;
    mlir::Operation *loop;
  };
  llvm::DenseMap<mlir::Value, Invariant> invariants;

  /// Values known inside only are forgotten with it.
  class Scope {
  public:
    explicit Scope(Localizer &localizer) : localizer(localizer) {
      localizer.scopes.emplace_back();
    }
    ~Scope();

  private:
    Localizer &localizer;
  };

private:
  Status runOperation(mlir::Operation *op);
  Status runByRule(mlir::Operation *op, ShardingRule rule);
  Status runFlow(mlir::Operation *op, bool &isDone);
  Status runWhile(mlir::Operation *op);
  Status runBranches(mlir::Operation *op);
  Status runManual(sdy::ManualComputationOp op);
  Status runBody(mlir::Region &region, mlir::ValueRange operands,
                 llvm::SmallVectorImpl<mlir::Value> &returned);
  Status runCustomCall(mlir::Operation *op);
  void recordShardings(stablehlo::CustomCallOp call);
  Status runOnFirst(mlir::Operation *op);
  Status runInParts(mlir::Operation *op);
  bool recompute(mlir::Value original, const Placement &placement);
  bool mayHoist(mlir::Value original, const Placement &placement);

  void noteGather(mlir::Operation *op, unsigned operand,
                  const Division *division);

  PartitionReport &report;
  Families families;
  llvm::DenseMap<mlir::Value, llvm::SmallVector<PartitionedValue, 1>> locals;
  llvm::SmallVector<llvm::SmallVector<mlir::Value>> scopes;
  /// By how much what was moved before each loop is larger there.
  llvm::DenseMap<mlir::Operation *, int64_t> hoistedBytes;
  int depth = 0;
};

/// The grid with the names of the mesh that has most axes; nothing of
/// arguments.
report::DeviceGrid describeGrid(mlir::ModuleOp module, const Meshes &meshes);

/// Sums that an operation need not wait for.
struct PendingOperands {
  GridAxes axes;
  /// Per operand.
  llvm::SmallVector<bool> isPending;
};
PendingOperands pendingOperands(Localizer &localizer, mlir::Operation *op);

/// Chooses axes for the factors of a rule, none of those `taken`. Factors in
/// `blocked` stay whole.
Division divide(Localizer &localizer, mlir::Operation *op, ShardingRule rule,
                llvm::ArrayRef<bool> blocked, llvm::ArrayRef<int> taken);

} // namespace xla::partition

#endif // XLA_PARTITION_LOCALIZER_H
