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

/// Whether a module is for more than one partition.
bool isForSeveralDevices(mlir::Operation *module);

/// Takes the dialect out of a program for one partition, where it says nothing;
/// bodies are inlined. Returns false after a diagnostic for what speaks of
/// several devices.
bool dropTrivialShardings(mlir::Operation *module);

} // namespace xla::sdy

#endif // XLA_DIALECT_SDY_SDY_H
