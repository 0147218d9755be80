//===- Types.cpp - Element types, from MLIR to LLVM -----------------------===//

#include "xla/codegen/cpu/Types.h"

#include "llvm/IR/DerivedTypes.h"

namespace xla::cpu {

static ElementType integerType(mlir::IntegerType type) {
  bool isUnsigned = type.isUnsigned();
  switch (type.getWidth()) {
  case 1:
    return ElementType::Pred;
  case 2:
    return isUnsigned ? ElementType::U2 : ElementType::S2;
  case 4:
    return isUnsigned ? ElementType::U4 : ElementType::S4;
  case 8:
    return isUnsigned ? ElementType::U8 : ElementType::S8;
  case 16:
    return isUnsigned ? ElementType::U16 : ElementType::S16;
  case 32:
    return isUnsigned ? ElementType::U32 : ElementType::S32;
  case 64:
    return isUnsigned ? ElementType::U64 : ElementType::S64;
  default:
    return ElementType::Invalid;
  }
}

ElementType elementTypeOf(mlir::Type type) {
  if (auto shaped = llvm::dyn_cast<mlir::ShapedType>(type)) {
    type = shaped.getElementType();
  }
  if (auto integer = llvm::dyn_cast<mlir::IntegerType>(type)) {
    return integerType(integer);
  }
  if (auto complex = llvm::dyn_cast<mlir::ComplexType>(type)) {
    return complex.getElementType().isF64()   ? ElementType::C128
           : complex.getElementType().isF32() ? ElementType::C64
                                              : ElementType::Invalid;
  }
  if (type.isF32()) {
    return ElementType::F32;
  }
  if (type.isF64()) {
    return ElementType::F64;
  }
  if (type.isF16()) {
    return ElementType::F16;
  }
  if (type.isBF16()) {
    return ElementType::BF16;
  }
  if (llvm::isa<mlir::Float8E5M2Type>(type)) {
    return ElementType::F8E5M2;
  }
  if (llvm::isa<mlir::Float8E4M3FNType>(type)) {
    return ElementType::F8E4M3FN;
  }
  if (llvm::isa<mlir::Float8E4M3B11FNUZType>(type)) {
    return ElementType::F8E4M3B11FNUZ;
  }
  if (llvm::isa<mlir::Float8E5M2FNUZType>(type)) {
    return ElementType::F8E5M2FNUZ;
  }
  if (llvm::isa<mlir::Float8E4M3FNUZType>(type)) {
    return ElementType::F8E4M3FNUZ;
  }
  if (llvm::isa<mlir::Float8E4M3Type>(type)) {
    return ElementType::F8E4M3;
  }
  if (llvm::isa<mlir::Float8E3M4Type>(type)) {
    return ElementType::F8E3M4;
  }
  if (llvm::isa<mlir::Float8E8M0FNUType>(type)) {
    return ElementType::F8E8M0FNU;
  }
  if (llvm::isa<mlir::Float4E2M1FNType>(type)) {
    return ElementType::F4E2M1FN;
  }
  return ElementType::Invalid;
}

Shape shapeFor(mlir::Type type) {
  Shape shape;
  auto tensor = llvm::dyn_cast<mlir::RankedTensorType>(type);
  if (!tensor) {
    shape.type = ElementType::Token;
    return shape;
  }
  shape.type = elementTypeOf(tensor);
  shape.dimensions.assign(tensor.getShape().begin(), tensor.getShape().end());
  return shape;
}

int64_t elementCountOf(mlir::Value value) {
  return tensorOf(value).getNumElements();
}

int64_t byteSizeOf(mlir::Value value) {
  return elementCountOf(value) * byteWidth(elementTypeOf(value.getType()));
}

bool isFloat(ElementType type) {
  switch (type) {
  case ElementType::F16:
  case ElementType::F32:
  case ElementType::F64:
    return true;
  default:
    return isSmallFloat(type);
  }
}

bool isSmallFloat(ElementType type) {
  switch (type) {
  case ElementType::BF16:
  case ElementType::F8E5M2:
  case ElementType::F8E4M3FN:
  case ElementType::F8E4M3B11FNUZ:
  case ElementType::F8E5M2FNUZ:
  case ElementType::F8E4M3FNUZ:
  case ElementType::F8E4M3:
  case ElementType::F8E3M4:
  case ElementType::F8E8M0FNU:
  case ElementType::F4E2M1FN:
    return true;
  default:
    return false;
  }
}

bool isComplex(ElementType type) {
  return type == ElementType::C64 || type == ElementType::C128;
}

bool isSignedInteger(ElementType type) {
  return type == ElementType::S8 || type == ElementType::S16 ||
         type == ElementType::S32 || type == ElementType::S64 ||
         type == ElementType::S4 || type == ElementType::S2;
}

bool isUnsignedInteger(ElementType type) {
  return type == ElementType::U8 || type == ElementType::U16 ||
         type == ElementType::U32 || type == ElementType::U64 ||
         type == ElementType::U4 || type == ElementType::U2;
}

ElementType partOf(ElementType type) {
  return type == ElementType::C64    ? ElementType::F32
         : type == ElementType::C128 ? ElementType::F64
                                     : type;
}

bool isSupported(ElementType type) {
  return type == ElementType::Pred || isInteger(type) || isFloat(type) ||
         isComplex(type);
}

unsigned bitWidth(ElementType type) {
  switch (type) {
  case ElementType::Pred:
    return 1;
  case ElementType::S2:
  case ElementType::U2:
    return 2;
  case ElementType::S4:
  case ElementType::U4:
  case ElementType::F4E2M1FN:
    return 4;
  default:
    return static_cast<unsigned>(8 * byteWidth(type));
  }
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
