//===- Elementwise.cpp - Operations on each element by itself -------------===//

#include "mlir/IR/Builders.h"
#include "mlir/IR/TypeUtilities.h"
#include "xla/dialect/stablehlo/Assembly.h"
#include "xla/dialect/stablehlo/Verification.h"

using namespace mlir;

#include "xla/dialect/stablehlo/ElementwiseInterface.cpp.inc"
#define GET_OP_CLASSES
#include "xla/dialect/stablehlo/Elementwise.cpp.inc"

namespace xla::stablehlo {

void StablehloDialect::addElementwiseOps() {
  addOperations<
#define GET_OP_LIST
#include "xla/dialect/stablehlo/Elementwise.cpp.inc"
      >();
}

/// The operand's type with another element type.
static Type withElement(Value operand, Type element) {
  return tensorType(operand).clone(element);
}

/// The type of the parts of complex numbers; other types as they are.
static Type partType(Value operand) {
  Type element = tensorType(operand).getElementType();
  auto complex = dyn_cast<ComplexType>(element);
  return withElement(operand, complex ? complex.getElementType() : element);
}

LogicalResult AbsOp::inferReturnTypes(MLIRContext *, std::optional<Location>,
                                      Adaptor adaptor,
                                      SmallVectorImpl<Type> &types) {
  types.push_back(partType(adaptor.getOperand()));
  return success();
}

LogicalResult RealOp::inferReturnTypes(MLIRContext *, std::optional<Location>,
                                       Adaptor adaptor,
                                       SmallVectorImpl<Type> &types) {
  types.push_back(partType(adaptor.getOperand()));
  return success();
}

LogicalResult ImagOp::inferReturnTypes(MLIRContext *, std::optional<Location>,
                                       Adaptor adaptor,
                                       SmallVectorImpl<Type> &types) {
  types.push_back(partType(adaptor.getOperand()));
  return success();
}

LogicalResult IsFiniteOp::inferReturnTypes(MLIRContext *context,
                                           std::optional<Location>,
                                           Adaptor adaptor,
                                           SmallVectorImpl<Type> &types) {
  types.push_back(withElement(adaptor.getX(), IntegerType::get(context, 1)));
  return success();
}

LogicalResult ComplexOp::inferReturnTypes(MLIRContext *,
                                          std::optional<Location> location,
                                          Adaptor adaptor,
                                          SmallVectorImpl<Type> &types) {
  Type lhs = adaptor.getLhs().getType(), rhs = adaptor.getRhs().getType();
  if (!areCompatibleTypes(lhs, rhs)) {
    return inferError<ComplexOp>(location, "parts differ in type: ", lhs,
                                 " and ", rhs, " [C1]");
  }
  types.push_back(withElement(
      adaptor.getLhs(),
      ComplexType::get(tensorType(adaptor.getLhs()).getElementType())));
  return success();
}

/// The comparisons that make sense for an element type; the first is what an
/// absent compare_type means.
static SmallVector<ComparisonType> comparisonTypes(Type element) {
  if (isa<ComplexType>(element)) {
    return {ComparisonType::FLOAT};
  }
  if (isa<FloatType>(element)) {
    return {ComparisonType::FLOAT, ComparisonType::TOTALORDER};
  }
  if (element.isInteger(1) || element.isUnsignedInteger()) {
    return {ComparisonType::UNSIGNED};
  }
  return {ComparisonType::SIGNED};
}

LogicalResult CompareOp::inferReturnTypes(MLIRContext *context,
                                          std::optional<Location> location,
                                          Adaptor adaptor,
                                          SmallVectorImpl<Type> &types) {
  RankedTensorType lhs = tensorType(adaptor.getLhs());
  RankedTensorType rhs = tensorType(adaptor.getRhs());
  Type element = lhs.getElementType();
  if (element != rhs.getElementType()) {
    return inferError<CompareOp>(location,
                                 "operands differ in element type: ", element,
                                 " and ", rhs.getElementType(), " [C1]");
  }
  if (!areCompatibleTypes(lhs, rhs)) {
    return inferError<CompareOp>(location, "operands differ in shape: ", lhs,
                                 " and ", rhs, " [C2]");
  }
  ComparisonType type =
      adaptor.getCompareType().value_or(ComparisonType::NOTYPE);
  if (type != ComparisonType::NOTYPE && !isQuantizedType(element) &&
      !llvm::is_contained(comparisonTypes(element), type)) {
    return inferError<CompareOp>(location, "cannot compare ", element, " as ",
                                 stringifyComparisonType(type), " [C3]");
  }
  types.push_back(withElement(adaptor.getLhs(), IntegerType::get(context, 1)));
  return success();
}

LogicalResult SelectOp::inferReturnTypes(MLIRContext *,
                                         std::optional<Location> location,
                                         Adaptor adaptor,
                                         SmallVectorImpl<Type> &types) {
  RankedTensorType pred = tensorType(adaptor.getPred());
  RankedTensorType onTrue = tensorType(adaptor.getOnTrue());
  RankedTensorType onFalse = tensorType(adaptor.getOnFalse());
  if (!areCompatibleTypes(onTrue, onFalse)) {
    return inferError<SelectOp>(location, "values differ in type: ", onTrue,
                                " and ", onFalse, " [C2]");
  }
  if (pred.getRank() != 0 && failed(verifyCompatibleShape(pred, onTrue))) {
    return inferError<SelectOp>(
        location,
        "predicate is neither a scalar nor of the values' shape: ", pred,
        " and ", onTrue, " [C1]");
  }
  types.push_back(onTrue.hasStaticShape() ? onTrue : onFalse);
  return success();
}

LogicalResult ClampOp::inferReturnTypes(MLIRContext *,
                                        std::optional<Location> location,
                                        Adaptor adaptor,
                                        SmallVectorImpl<Type> &types) {
  RankedTensorType operand = tensorType(adaptor.getOperand());
  auto check = [&](Value bound, StringRef name,
                   StringRef label) -> LogicalResult {
    RankedTensorType type = tensorType(bound);
    if (type.getElementType() != operand.getElementType()) {
      return inferError<ClampOp>(
          location, name, " differs from the operand in element type: ", type,
          " and ", operand, " [C3]");
    }
    if (type.getRank() != 0 && failed(verifyCompatibleShape(type, operand))) {
      return inferError<ClampOp>(
          location, name,
          " is neither a scalar nor of the operand's shape: ", type, " and ",
          operand, " [", label, "]");
    }
    return success();
  };
  if (failed(check(adaptor.getMin(), "min", "C1")) ||
      failed(check(adaptor.getMax(), "max", "C2"))) {
    return failure();
  }
  types.push_back(operand);
  return success();
}

LogicalResult UniformDequantizeOp::inferReturnTypes(
    MLIRContext *context, std::optional<Location> location, Adaptor adaptor,
    SmallVectorImpl<Type> &types) {
  return inferError<UniformDequantizeOp>(location,
                                         "quantized types are not supported");
}

/// Bits of an element, those of a pair for complex numbers; 0 if unknown.
static int64_t bitWidth(Type element) {
  if (auto complex = dyn_cast<ComplexType>(element)) {
    return 2 * bitWidth(complex.getElementType());
  }
  return element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 0;
}

LogicalResult BitcastConvertOp::verify() {
  RankedTensorType operand = tensorType(getOperand());
  RankedTensorType result = tensorType(getResult());
  bool isComplex = isa<ComplexType>(operand.getElementType());
  if (isComplex != isa<ComplexType>(result.getElementType())) {
    return emitOpError("cannot reinterpret between complex and real: ")
           << operand << " and " << result << " [C2]";
  }
  int64_t from = bitWidth(operand.getElementType());
  int64_t to = bitWidth(result.getElementType());
  ArrayRef<int64_t> wide = operand.getShape(), narrow = result.getShape();
  if (from == 0 || to == 0) {
    return emitOpError("quantized types are not supported");
  }
  if (from != to) {
    if (from < to) {
      std::swap(wide, narrow);
    }
    int64_t factor = std::max(from, to) / std::min(from, to);
    if (narrow.size() != wide.size() + 1 ||
        !areCompatibleDimensions(narrow.back(), factor)) {
      return emitOpError("the narrower side needs one more dimension, of size ")
             << factor << ": " << operand << " and " << result << " [C1]";
    }
    narrow = narrow.drop_back();
  }
  if (failed(verifyCompatibleShape(wide, narrow))) {
    return emitOpError("shapes do not correspond: ")
           << operand << " and " << result << " [C1]";
  }
  return success();
}

LogicalResult ReducePrecisionOp::verify() {
  if (int32_t(getExponentBits()) < 1) {
    return emitOpError("needs at least one exponent bit, not ")
           << int32_t(getExponentBits()) << " [C2]";
  }
  if (int32_t(getMantissaBits()) < 0) {
    return emitOpError("needs no fewer than zero mantissa bits, not ")
           << int32_t(getMantissaBits()) << " [C3]";
  }
  return success();
}

} // namespace xla::stablehlo
