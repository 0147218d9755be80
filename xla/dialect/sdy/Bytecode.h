//===- Bytecode.h - Shardings in MLIR bytecode ------------------*- C++ -*-===//

#ifndef XLA_DIALECT_SDY_BYTECODE_H
#define XLA_DIALECT_SDY_BYTECODE_H

namespace xla::sdy {

class SdyDialect;

void addBytecodeInterface(SdyDialect &dialect);

} // namespace xla::sdy

#endif // XLA_DIALECT_SDY_BYTECODE_H
