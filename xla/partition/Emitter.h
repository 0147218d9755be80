//===- Emitter.h - Writes what a device does with its pieces ----*- C++ -*-===//

#ifndef XLA_PARTITION_EMITTER_H
#define XLA_PARTITION_EMITTER_H

#include "xla/partition/PlanReshard.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"

#include <map>

namespace xla::partition {

inline mlir::RankedTensorType tensorType(mlir::Value value) {
  return llvm::cast<mlir::RankedTensorType>(value.getType());
}

/// Rows of a dimension that each device needs: device i those from
/// `first + i * step` on, `length` of them. They may begin before the array
/// and end behind it.
struct RowWindow {
  int64_t first, step, length;
};

/// Appends operations to a block. All values are a device's pieces, but where
/// a name says global.
class Emitter {
public:
  Emitter(mlir::OpBuilder &builder, const Grid &grid)
      : builder(builder), grid(grid) {}

  mlir::OpBuilder &builder;
  const Grid &grid;
  mlir::Location loc = builder.getUnknownLoc();
  /// Of row numbers and coordinates.
  mlir::Type indexElement = builder.getI32Type();

  // Scalars and constants.
  mlir::Value index(int64_t value);
  mlir::Value scalar(mlir::Type element, int64_t value);
  /// What changes nothing in a combination; -0.0 in a sum of floats.
  mlir::Value identity(mlir::Type element, Combination combination);
  mlir::Value broadcast(mlir::Value scalar, mlir::RankedTensorType type);
  /// The number of this device along axes, i32.
  mlir::Value coordinate(llvm::ArrayRef<int> axes);
  mlir::Value add(mlir::Value a, mlir::Value b);
  mlir::Value multiply(mlir::Value a, int64_t factor);
  /// Between 0 and `high`.
  mlir::Value clamp(mlir::Value value, int64_t high);

  // One dimension of an array.
  mlir::Value slice(mlir::Value value, int64_t dim, int64_t start,
                    int64_t limit, int64_t stride = 1);
  mlir::Value dynamicSlice(mlir::Value value, int64_t dim, mlir::Value start,
                           int64_t size);
  mlir::Value pad(mlir::Value value, int64_t dim, int64_t low, int64_t high,
                  mlir::Value fill = {});
  mlir::Value concatenate(llvm::ArrayRef<mlir::Value> values, int64_t dim);
  /// Which rows have a number, counted from `start`, in [low, high).
  mlir::Value rowMask(mlir::RankedTensorType type, int64_t dim,
                      mlir::Value start, int64_t low, int64_t high);
  /// `fill` in rows whose number, counted from `start`, is not in [low, high).
  mlir::Value keepRows(mlir::Value value, int64_t dim, mlir::Value start,
                       int64_t low, int64_t high, mlir::Value fill);
  /// `fill` in the padding of pieces of `global` rows.
  mlir::Value maskPadding(mlir::Value value, int64_t dim, int64_t global,
                          llvm::ArrayRef<int> axes, mlir::Value fill);
  mlir::Value select(mlir::Value condition, mlir::Value yes, mlir::Value no);
  mlir::Value isFirst(llvm::ArrayRef<int> axes);

  // Collectives.
  mlir::Value allGather(mlir::Value value, int64_t dim,
                        llvm::ArrayRef<int> axes);
  mlir::Value allReduce(mlir::Value value, llvm::ArrayRef<int> axes,
                        Combination combination);
  /// Each device takes the piece of another one, by partition ids.
  mlir::Value permute(mlir::Value value, llvm::ArrayRef<int64_t> sources);
  /// Takes the piece of the device that is `distance` further along the axes;
  /// zeros where there is none.
  mlir::Value shift(mlir::Value value, llvm::ArrayRef<int> axes,
                    int64_t distance);

  /// From one placement to another. `globalShape` is of the whole array.
  mlir::Value reshard(mlir::Value value, llvm::ArrayRef<int64_t> globalShape,
                      const Placement &from, const Placement &to);
  const ReshardPlan &plan(llvm::ArrayRef<int64_t> globalShape,
                          mlir::Type element, const Placement &from,
                          const Placement &to);

  /// Whether neighbours can hand each other what a window needs for less than
  /// all rows to everybody.
  bool canExchange(int64_t global, int64_t pieces, RowWindow window) const;
  /// The rows of the window, `fill` outside of the array.
  mlir::Value exchange(mlir::Value value, int64_t dim, int64_t global,
                       llvm::ArrayRef<int> axes, RowWindow window,
                       mlir::Value fill);

  mlir::Attribute replicaGroups(llvm::ArrayRef<int> axes);

private:
  mlir::Value carryOut(const ReshardStep &step, mlir::Value value,
                       llvm::ArrayRef<int64_t> globalShape);
  mlir::Value reduceScatter(mlir::Value value, int64_t dim,
                            llvm::ArrayRef<int> axes, Combination combination);
  mlir::Value allToAll(mlir::Value value, int64_t dim, int64_t target,
                       llvm::ArrayRef<int> axes);
  mlir::Value partitionId();
  /// The position of this device in a refined mesh.
  mlir::Value position(int refined);

  std::map<std::string, mlir::Attribute> groupsOfAxes;
  llvm::StringMap<ReshardPlan> plans;
  /// Within a block, what was computed before.
  std::map<std::pair<mlir::Block *, std::string>, mlir::Value> coordinates;
};

/// The halo on each side, in rows.
struct Halo {
  int64_t left, right;
};
Halo haloOf(int64_t global, int64_t pieces, RowWindow window);

} // namespace xla::partition

#endif // XLA_PARTITION_EMITTER_H
