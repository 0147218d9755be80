//===- Types.h - Element types, from MLIR to LLVM ---------------*- C++ -*-===//

#ifndef XLA_CODEGEN_CPU_TYPES_H
#define XLA_CODEGEN_CPU_TYPES_H

#include "xla/dialect/ElementTypes.h"
#include "xla/support/Shape.h"

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/IR/Type.h"

namespace xla::cpu {

/// The type of a tensor value. Only ranked, static tensors get this far.
inline mlir::RankedTensorType tensorOf(mlir::Value value) {
  return llvm::cast<mlir::RankedTensorType>(value.getType());
}
inline llvm::ArrayRef<int64_t> shapeOf(mlir::Value value) {
  return tensorOf(value).getShape();
}
inline bool isTensor(mlir::Value value) {
  return llvm::isa<mlir::RankedTensorType>(value.getType());
}
inline bool isScalar(mlir::Value value) {
  return isTensor(value) && tensorOf(value).getRank() == 0;
}

int64_t elementCountOf(mlir::Value value);
int64_t byteSizeOf(mlir::Value value);

/// Of 8 or 4 bits, and BF16: registers hold the bits, in the low part of a byte
/// or two. LLVM's own type for BF16 loses signs, or crashes its x86 backend,
/// where only the sign of a value is used.
bool isSmallFloat(ElementType type);
/// Of 16 bits.
inline bool isHalf(ElementType type) {
  return type == ElementType::F16 || type == ElementType::BF16;
}
/// Computed in f32 and rounded after each operation.
inline bool isNarrow(ElementType type) {
  return isHalf(type) || isSmallFloat(type);
}

/// Whether generated code can hold elements of this type.
bool isSupported(ElementType type);

/// The type of one element (of one part, if complex) in registers and in
/// memory: integers narrower than a byte take one there, their upper bits 0.
llvm::Type *registerType(ElementType type, llvm::LLVMContext &context);
llvm::Type *memoryType(ElementType type, llvm::LLVMContext &context);

} // namespace xla::cpu

#endif // XLA_CODEGEN_CPU_TYPES_H
