//===- Sdy.h - Shardings, where they say nothing ----------------*- C++ -*-===//
//
// Front ends mark programs with shardings even where there is one device. These
// say nothing there and are taken out.
//
//===----------------------------------------------------------------------===//

#ifndef XLA_DIALECT_SDY_SDY_H
#define XLA_DIALECT_SDY_SDY_H

namespace mlir {
class Operation;
} // namespace mlir

namespace xla::sdy {

/// Takes meshes and sharding constraints out of a program for one partition,
/// where they say nothing. Returns false after a diagnostic for what speaks of
/// several devices.
bool dropTrivialShardings(mlir::Operation *module);

} // namespace xla::sdy

#endif // XLA_DIALECT_SDY_SDY_H
