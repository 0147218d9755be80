//===- Types.h - Element types, from MLIR to LLVM ---------------*- C++ -*-===//

#ifndef XLA_CODEGEN_CPU_TYPES_H
#define XLA_CODEGEN_CPU_TYPES_H

#include "xla/support/Shape.h"

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/IR/Type.h"

namespace xla::cpu {

/// The element type of a tensor (or of a scalar type); Invalid for what has no
/// elements that we know.
ElementType elementTypeOf(mlir::Type type);

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
Shape shapeFor(mlir::Type type);

bool isFloat(ElementType type);
bool isComplex(ElementType type);
bool isSignedInteger(ElementType type);
bool isUnsignedInteger(ElementType type); ///< Pred is none
inline bool isInteger(ElementType type) {
  return isSignedInteger(type) || isUnsignedInteger(type);
}
/// Of 16 bits: computed in f32 and rounded after each operation.
inline bool isHalf(ElementType type) {
  return type == ElementType::F16 || type == ElementType::BF16;
}
/// c64 -> f32, c128 -> f64.
ElementType partOf(ElementType type);

/// Whether generated code can hold elements of this type.
bool isSupported(ElementType type);

/// The type of one element (of one part, if complex) in registers and in
/// memory: they differ for Pred, a bit and a byte.
llvm::Type *registerType(ElementType type, llvm::LLVMContext &context);
llvm::Type *memoryType(ElementType type, llvm::LLVMContext &context);

} // namespace xla::cpu

#endif // XLA_CODEGEN_CPU_TYPES_H
