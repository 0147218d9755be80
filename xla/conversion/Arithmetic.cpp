//===- Arithmetic.cpp - StableHLO written as formulas ---------------------===//

#include "xla/conversion/Arithmetic.h"

using namespace mlir;

namespace xla {

Expr Arithmetic::constant(RankedTensorType type, double number) {
  Type element = type.getElementType();
  if (isa<IntegerType>(element)) {
    return integer(type, uint64_t(int64_t(number)));
  }
  auto rounded = [&](Type of) {
    APFloat value(number);
    bool losesInfo;
    value.convert(cast<FloatType>(of).getFloatSemantics(),
                  APFloat::rmNearestTiesToEven, &losesInfo);
    return value;
  };
  DenseElementsAttr value;
  if (auto complexType = dyn_cast<ComplexType>(element)) {
    APFloat part = rounded(complexType.getElementType());
    value = DenseElementsAttr::get(
        type,
        std::complex<APFloat>(part, APFloat::getZero(part.getSemantics())));
  } else {
    value = DenseElementsAttr::get(type, rounded(element));
  }
  return make<stablehlo::ConstantOp>(value);
}

Expr Arithmetic::integer(RankedTensorType type, uint64_t bits) {
  APInt value(64, bits);
  return make<stablehlo::ConstantOp>(DenseElementsAttr::get(
      type, value.trunc(type.getElementType().getIntOrFloatBitWidth())));
}

Expr Arithmetic::compare(Expr lhs, Expr rhs,
                         stablehlo::ComparisonDirection direction) {
  return make<stablehlo::CompareOp>(lhs.value, rhs.value, direction,
                                    stablehlo::ComparisonTypeAttr());
}

Expr Arithmetic::convert(Expr operand, Type element) {
  if (operand.element() == element) {
    return operand;
  }
  return make<stablehlo::ConvertOp>(operand.type().clone(element),
                                    operand.value);
}

Expr Arithmetic::bitcast(Expr operand, Type element) {
  return make<stablehlo::BitcastConvertOp>(operand.type().clone(element),
                                           operand.value);
}

Expr polynomial(Expr x, ArrayRef<double> coefficients) {
  Expr sum = x.arithmetic->constant(x, coefficients.front());
  for (double coefficient : coefficients.drop_front()) {
    sum = sum * x + coefficient;
  }
  return sum;
}

Expr polynomialByPairs(Expr x, ArrayRef<double> coefficients) {
  Expr square = x * x;
  // The last coefficient is that of an even power.
  size_t n = coefficients.size(), odd = n % 2, even = 1 - odd;
  Expr sums[] = {x.arithmetic->constant(x, coefficients[even]),
                 x.arithmetic->constant(x, coefficients[odd])};
  for (size_t i = 2; i < n; ++i) {
    Expr &sum = sums[(n - 1 - i) % 2];
    sum = sum * square + coefficients[i];
  }
  return sums[1] * x + sums[0];
}

Expr copySign(Expr magnitude, Expr sign) {
  Arithmetic &a = *magnitude.arithmetic;
  unsigned bits = magnitude.element().getIntOrFloatBitWidth();
  Type integer = IntegerType::get(magnitude.value.getContext(), bits);
  Expr signBits = a.bitcast(sign, integer);
  Expr signMask = a.integer(signBits, uint64_t(1) << (bits - 1));
  Expr valueMask = a.integer(signBits, (uint64_t(1) << (bits - 1)) - 1);
  return a.bitcast((a.bitcast(magnitude, integer) & valueMask) |
                       (signBits & signMask),
                   magnitude.element());
}

} // namespace xla
