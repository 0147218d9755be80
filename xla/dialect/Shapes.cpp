//===- Shapes.cpp - The runtime's shapes of MLIR's types ------------------===//

#include "xla/dialect/Shapes.h"

#include "mlir/IR/BuiltinTypes.h"
#include "xla/dialect/stablehlo/StablehloOps.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace xla {

static ElementType integerType(IntegerType type) {
  bool isUnsigned = type.isUnsigned();
  switch (type.getWidth()) {
  case 1:
    return isUnsigned ? ElementType::Invalid : ElementType::Pred;
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

static ElementType elementTypeOf(Type type) {
  return llvm::TypeSwitch<Type, ElementType>(type)
      .Case([](IntegerType integer) { return integerType(integer); })
      .Case([](ComplexType complex) {
        Type part = complex.getElementType();
        return part.isF32()   ? ElementType::C64
               : part.isF64() ? ElementType::C128
                              : ElementType::Invalid;
      })
      .Case([](Float16Type) { return ElementType::F16; })
      .Case([](BFloat16Type) { return ElementType::BF16; })
      .Case([](Float32Type) { return ElementType::F32; })
      .Case([](Float64Type) { return ElementType::F64; })
      .Case([](Float8E5M2Type) { return ElementType::F8E5M2; })
      .Case([](Float8E4M3FNType) { return ElementType::F8E4M3FN; })
      .Case([](Float8E4M3B11FNUZType) { return ElementType::F8E4M3B11FNUZ; })
      .Case([](Float8E5M2FNUZType) { return ElementType::F8E5M2FNUZ; })
      .Case([](Float8E4M3FNUZType) { return ElementType::F8E4M3FNUZ; })
      .Case([](Float8E4M3Type) { return ElementType::F8E4M3; })
      .Case([](Float8E3M4Type) { return ElementType::F8E3M4; })
      .Case([](Float8E8M0FNUType) { return ElementType::F8E8M0FNU; })
      .Case([](Float4E2M1FNType) { return ElementType::F4E2M1FN; })
      .Default(ElementType::Invalid);
}

StatusOr<Shape> shapeOf(Type type) {
  if (isa<stablehlo::TokenType>(type)) {
    return Shape{ElementType::Token, {}};
  }
  auto tensor = dyn_cast<RankedTensorType>(type);
  ElementType element =
      tensor ? elementTypeOf(tensor.getElementType()) : ElementType::Invalid;
  if (element == ElementType::Invalid || !tensor.hasStaticShape()) {
    std::string text;
    llvm::raw_string_ostream(text) << type;
    return unimplemented("type " + text +
                         " is not supported: arrays have a static shape and "
                         "elements of a size that memory can hold");
  }
  Shape shape{element, tensor.getShape().vec()};
  if (!byteSize(shape)) {
    return invalidArgument("array " + toString(shape) + " is too large");
  }
  return shape;
}

} // namespace xla
