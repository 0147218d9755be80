//===- Shapes.cpp - The runtime's shapes of MLIR's types ------------------===//

#include "xla/dialect/Shapes.h"

#include "xla/dialect/ElementTypes.h"
#include "xla/dialect/stablehlo/StablehloOps.h"

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace xla {

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
