//===- Sdy.h - Shardings, as far as one device needs them -------*- C++ -*-===//
//
// Upstream marks programs with shardings in the Shardy dialect even where there
// is one device. Here the dialect is read from bytecode, checked, and taken out
// again; partitioning over several devices is to come.
//
//===----------------------------------------------------------------------===//

#ifndef XLA_DIALECT_SDY_SDY_H
#define XLA_DIALECT_SDY_SDY_H

namespace mlir {
class DialectRegistry;
class Operation;
} // namespace mlir

namespace xla::sdy {

void registerSdy(mlir::DialectRegistry &registry);

/// Takes meshes and sharding constraints out of a program for one partition,
/// where they say nothing. Returns false after a diagnostic for what speaks of
/// several devices.
bool dropTrivialShardings(mlir::Operation *module);

} // namespace xla::sdy

#endif // XLA_DIALECT_SDY_SDY_H
