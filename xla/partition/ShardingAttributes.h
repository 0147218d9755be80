//===- ShardingAttributes.h - Shardings as `sdy` attributes -----*- C++ -*-===//

#ifndef XLA_PARTITION_SHARDINGATTRIBUTES_H
#define XLA_PARTITION_SHARDINGATTRIBUTES_H

#include "xla/dialect/sdy/SdyOps.h"
#include "xla/partition/Sharding.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/DenseMap.h"

#include <deque>

namespace xla::partition {

/// The meshes of a program, each grid of devices once, and shardings over them
/// read from attributes and written into them. Axes of size 1 cut nothing: they
/// are not read.
class MeshTable {
public:
  /// Meshes that are written out in attributes get a symbol when they are met.
  explicit MeshTable(mlir::ModuleOp module);

  const Mesh &operator[](int32_t index) const { return meshes[index].mesh; }
  int32_t size() const { return meshes.size(); }
  /// -1 if there is none of more than one device.
  int32_t firstOfMany() const;

  /// A symbol, or a mesh that is written out.
  int32_t find(mlir::Attribute meshOrRef);
  /// The position of an axis, as one whole; nothing where there is none.
  std::optional<AxisRef> findAxis(int32_t mesh, llvm::StringRef name) const;

  TensorSharding read(sdy::TensorShardingAttr attribute);
  /// No attribute says open: of an array of that rank.
  TensorSharding read(sdy::TensorShardingAttr attribute, int64_t rank);
  sdy::TensorShardingAttr write(const TensorSharding &sharding);
  sdy::AxisRefAttr write(int32_t mesh, AxisRef axis);
  sdy::AxisRefListAttr write(int32_t mesh, AxesRef axes);

private:
  struct Entry {
    Mesh mesh;
    mlir::FlatSymbolRefAttr symbol;
    llvm::StringMap<int32_t> axes;
  };

  int32_t add(sdy::MeshAttr mesh, mlir::FlatSymbolRefAttr symbol);
  AxisRef read(int32_t mesh, sdy::AxisRefAttr axis) const;
  Axes read(int32_t mesh, llvm::ArrayRef<sdy::AxisRefAttr> axes) const;

  mlir::ModuleOp module;
  std::deque<Entry> meshes;
  llvm::DenseMap<mlir::Attribute, int32_t> indices;
};

} // namespace xla::partition

#endif // XLA_PARTITION_SHARDINGATTRIBUTES_H
