//===- Values.h - Shardings of values, wherever they stand ------*- C++ -*-===//
//
// A function's argument has its sharding in the function's attributes, a
// result in an attribute of its operation, a body's argument in that of the
// operation around it. Passes ask here and need not know.
//
//===----------------------------------------------------------------------===//

#ifndef XLA_DIALECT_SDY_VALUES_H
#define XLA_DIALECT_SDY_VALUES_H

#include "xla/dialect/sdy/SdyOps.h"

#include "mlir/Interfaces/FunctionInterfaces.h"

namespace xla::sdy {

constexpr llvm::StringLiteral kShardingName = "sdy.sharding";
/// On a reshard that the program requested; partitioning inserts others.
constexpr llvm::StringLiteral kRequestedName = "xla.requested";
constexpr llvm::StringLiteral kShardingRuleName = "sdy.sharding_rule";

/// The mesh of that name, seen from `at`; null where there is none.
MeshAttr findMesh(mlir::Operation *at, llvm::StringRef name);
/// The mesh that a symbol names or that is written out; null where there is
/// none.
MeshAttr findMesh(mlir::Operation *at, mlir::Attribute meshOrRef);
/// The symbol of a mesh like that in the module; makes one where there is none.
mlir::FlatSymbolRefAttr getOrCreateMesh(mlir::ModuleOp module, MeshAttr mesh,
                                        llvm::StringRef preferred = "mesh");

/// A ranked tensor's rank; 0 of what is none, of tokens above all.
int64_t getRank(mlir::Type type);

/// The sharding of a value; null where none is said, that is: it is open.
/// Arguments of loops' and branches' bodies never have one.
TensorShardingAttr getSharding(mlir::Value value);

/// The attribute of an operation's results; null where there is none.
TensorShardingPerValueAttr getShardings(mlir::Operation *op);
void setShardings(mlir::Operation *op,
                  llvm::ArrayRef<TensorShardingAttr> shardings);
void removeShardings(mlir::Operation *op);

/// Of a function's results.
TensorShardingAttr getResultSharding(mlir::FunctionOpInterface function,
                                     unsigned i);
void setResultSharding(mlir::FunctionOpInterface function, unsigned i,
                       TensorShardingAttr sharding);

/// The axes that are manual around an operation, outermost first.
llvm::SmallVector<mlir::StringAttr> getManualAxesAround(mlir::Operation *op);

/// The part of a sharding that is over manual axes, or over the others.
TensorShardingAttr onlyManual(TensorShardingAttr sharding, ManualAxesAttr axes);
TensorShardingAttr withoutManual(TensorShardingAttr sharding,
                                 ManualAxesAttr axes);

} // namespace xla::sdy

#endif // XLA_DIALECT_SDY_VALUES_H
