//===- Registration.h - The dialects a program may use ----------*- C++ -*-===//

#ifndef XLA_DIALECT_REGISTRATION_H
#define XLA_DIALECT_REGISTRATION_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace xla {

/// Registers what programs are written in: StableHLO, CHLO, func.
void registerDialects(mlir::DialectRegistry &registry);

} // namespace xla

#endif // XLA_DIALECT_REGISTRATION_H
