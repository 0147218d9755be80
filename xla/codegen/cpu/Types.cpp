//===- Types.cpp - Element types, from MLIR to LLVM -----------------------===//

#include "xla/codegen/cpu/Types.h"

#include "llvm/IR/DerivedTypes.h"

namespace xla::cpu {

int64_t elementCountOf(mlir::Value value) {
  return tensorOf(value).getNumElements();
}

int64_t byteSizeOf(mlir::Value value) {
  return elementCountOf(value) * byteWidth(elementTypeOf(value.getType()));
}

bool isSmallFloat(ElementType type) {
  return type == ElementType::BF16 || (isFloat(type) && bitWidth(type) <= 8);
}

bool isSupported(ElementType type) {
  return type == ElementType::Pred || isInteger(type) || isFloat(type) ||
         isComplex(type);
}

llvm::Type *registerType(ElementType type, llvm::LLVMContext &context) {
  switch (partOf(type)) {
  case ElementType::F4E2M1FN:
    return llvm::Type::getInt8Ty(context);
  case ElementType::F16:
    return llvm::Type::getHalfTy(context);
  case ElementType::F32:
    return llvm::Type::getFloatTy(context);
  case ElementType::F64:
    return llvm::Type::getDoubleTy(context);
  default:
    return llvm::Type::getIntNTy(context, bitWidth(type));
  }
}

llvm::Type *memoryType(ElementType type, llvm::LLVMContext &context) {
  return bitWidth(type) < 8 ? llvm::Type::getInt8Ty(context)
                            : registerType(type, context);
}

} // namespace xla::cpu
