//===- VhloDialect.h - The dialect, inside this folder only -----*- C++ -*-===//

#ifndef XLA_DIALECT_VHLO_VHLODIALECT_H
#define XLA_DIALECT_VHLO_VHLODIALECT_H

#include "mlir/IR/ExtensibleDialect.h"

namespace mlir {
class DialectBytecodeReader;
} // namespace mlir

namespace xla::vhlo {

class VhloDialect : public mlir::ExtensibleDialect {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(VhloDialect)

  explicit VhloDialect(mlir::MLIRContext *context);

  static constexpr llvm::StringLiteral getDialectNamespace() {
    return llvm::StringLiteral("vhlo");
  }
};

/// The names of an operation's fields in bytecode order. `name` is without the
/// dialect: "add_v1".
llvm::ArrayRef<llvm::StringRef> fieldsOf(llvm::StringRef name);

bool isOperation(llvm::StringRef name);

/// Decode one entry of the bytecode's tables; null after a diagnostic.
mlir::Attribute readAttribute(mlir::DialectBytecodeReader &reader);
mlir::Type readType(mlir::DialectBytecodeReader &reader);

} // namespace xla::vhlo

#endif // XLA_DIALECT_VHLO_VHLODIALECT_H
