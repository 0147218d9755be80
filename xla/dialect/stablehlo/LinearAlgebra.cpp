//===- LinearAlgebra.cpp - FFT, factorizations, batch normalization -------===//

#include "mlir/IR/Builders.h"
#include "mlir/IR/TypeUtilities.h"
#include "xla/dialect/stablehlo/Verification.h"

using namespace mlir;

namespace xla::stablehlo {

//===----------------------------------------------------------------------===//
// FftOp
//===----------------------------------------------------------------------===//

LogicalResult FftOp::inferReturnTypes(MLIRContext *,
                                      std::optional<Location> location,
                                      Adaptor adaptor,
                                      SmallVectorImpl<Type> &types) {
  RankedTensorType operand = tensorType(adaptor.getOperand());
  ArrayRef<int64_t> lengths = adaptor.getFftLength();
  if (int64_t(lengths.size()) > operand.getRank()) {
    return inferError<FftOp>(location, "transforms ", lengths.size(),
                             " dimensions of ", operand, " [C1]");
  }
  if (lengths.empty() || lengths.size() > 3) {
    return inferError<FftOp>(location, "transforms 1 to 3 dimensions, not ",
                             lengths.size(), " [C3]");
  }
  if (llvm::any_of(lengths, [](int64_t length) { return length < 0; })) {
    return inferError<FftOp>(location, "length is negative: ", lengths);
  }
  FftType type = adaptor.getFftType();
  Type element = operand.getElementType();
  bool isComplex = isa<ComplexType>(element);
  if (isComplex == (type == FftType::RFFT)) {
    return inferError<FftOp>(location, stringifyFftType(type), " of ", operand,
                             ": only RFFT takes real values, and only real "
                             "values [C2]");
  }
  SmallVector<int64_t> shape(operand.getShape());
  size_t first = shape.size() - lengths.size();
  for (auto [index, length] : llvm::enumerate(lengths)) {
    bool isLast = index + 1 == lengths.size();
    bool isHalved = isLast && type == FftType::IRFFT;
    int64_t expected = isHalved ? length / 2 + 1 : length;
    // Nothing is made of nothing, or of the one number that the rule asks for.
    bool isNothing = length == 0 && shape[first + index] == 0;
    if (!isNothing &&
        !areCompatibleDimensions(shape[first + index], expected)) {
      return inferError<FftOp>(location, "dim ", first + index, " of ", operand,
                               " needs to be ", expected, " for length ",
                               length, isHalved ? " [C5]" : " [C4]");
    }
  }
  if (type == FftType::IRFFT) {
    shape.back() = lengths.back();
    element = cast<ComplexType>(element).getElementType();
  } else if (type == FftType::RFFT) {
    shape.back() = lengths.back() == 0 ? 0 : lengths.back() / 2 + 1;
    element = ComplexType::get(element);
  }
  types.push_back(RankedTensorType::get(shape, element));
  return success();
}

//===----------------------------------------------------------------------===//
// CholeskyOp, TriangularSolveOp
//===----------------------------------------------------------------------===//

static bool isSquare(RankedTensorType type) {
  int64_t rank = type.getRank();
  return rank >= 2 && areCompatibleDimensions(type.getDimSize(rank - 1),
                                              type.getDimSize(rank - 2));
}

LogicalResult CholeskyOp::verify() {
  RankedTensorType type = tensorType(getA());
  if (type.getRank() < 2) {
    return emitOpError("operand is no matrix: ") << type << " [C2]";
  }
  if (!isSquare(type)) {
    return emitOpError("matrix is not square: ") << type << " [C3]";
  }
  return success();
}

LogicalResult TriangularSolveOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> location, Adaptor adaptor,
    SmallVectorImpl<Type> &types) {
  RankedTensorType a = tensorType(adaptor.getA());
  RankedTensorType b = tensorType(adaptor.getB());
  if (a.getElementType() != b.getElementType()) {
    return inferError<TriangularSolveOp>(
        location, "a and b differ in element type: ", a, " and ", b, " [C1]");
  }
  int64_t rank = a.getRank();
  if (rank < 2 || b.getRank() != rank) {
    return inferError<TriangularSolveOp>(
        location, "a and b need one rank, of at least 2: ", a, " and ", b,
        " [C2]");
  }
  int64_t shared = b.getDimSize(rank - (adaptor.getLeftSide() ? 2 : 1));
  if (!isSquare(a) ||
      !areCompatibleDimensions(a.getDimSize(rank - 1), shared) ||
      failed(verifyCompatibleShape(a.getShape().drop_back(2),
                                   b.getShape().drop_back(2)))) {
    return inferError<TriangularSolveOp>(
        location, "a is not square, or b does not fit it: ", a, " and ", b,
        " [C3]");
  }
  if (adaptor.getTransposeA() == Transpose::TRANSPOSE_INVALID) {
    return inferError<TriangularSolveOp>(location, "transpose_a is invalid");
  }
  types.push_back(b);
  return success();
}

//===----------------------------------------------------------------------===//
// Batch normalization
//===----------------------------------------------------------------------===//

/// Checks that the vectors have one number for each feature; that type.
template <typename OpType>
static FailureOr<Type> featureType(std::optional<Location> location,
                                   Value operand, int64_t feature,
                                   ValueRange vectors) {
  RankedTensorType type = tensorType(operand);
  if (!areBelow(feature, type.getRank())) {
    inferError<OpType>(location, "feature_index ", feature,
                       " is out of range for ", type, " [C1]")
        .succeeded();
    return failure();
  }
  Type expected = withShape(type, {type.getDimSize(feature)});
  for (Value vector : vectors) {
    if (!areCompatibleTypes(vector.getType(), expected)) {
      inferError<OpType>(location, "a vector over the features is ",
                         vector.getType(), " where ", expected,
                         " is needed [C2]")
          .succeeded();
      return failure();
    }
  }
  return expected;
}

LogicalResult BatchNormInferenceOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> location, Adaptor adaptor,
    SmallVectorImpl<Type> &types) {
  FailureOr<Type> vector = featureType<BatchNormInferenceOp>(
      location, adaptor.getOperand(), adaptor.getFeatureIndex(),
      {adaptor.getScale(), adaptor.getOffset(), adaptor.getMean(),
       adaptor.getVariance()});
  if (failed(vector)) {
    return failure();
  }
  types.push_back(adaptor.getOperand().getType());
  return success();
}

LogicalResult BatchNormTrainingOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> location, Adaptor adaptor,
    SmallVectorImpl<Type> &types) {
  FailureOr<Type> vector = featureType<BatchNormTrainingOp>(
      location, adaptor.getOperand(), adaptor.getFeatureIndex(),
      {adaptor.getScale(), adaptor.getOffset()});
  if (failed(vector)) {
    return failure();
  }
  types.append({adaptor.getOperand().getType(), *vector, *vector});
  return success();
}

LogicalResult BatchNormGradOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> location, Adaptor adaptor,
    SmallVectorImpl<Type> &types) {
  FailureOr<Type> vector = featureType<BatchNormGradOp>(
      location, adaptor.getOperand(), adaptor.getFeatureIndex(),
      {adaptor.getScale(), adaptor.getMean(), adaptor.getVariance()});
  if (failed(vector)) {
    return failure();
  }
  if (!areCompatibleTypes(adaptor.getGradOutput().getType(),
                          adaptor.getOperand().getType())) {
    return inferError<BatchNormGradOp>(
        location, "operand and grad_output differ in type: ",
        adaptor.getOperand().getType(), " and ",
        adaptor.getGradOutput().getType(), " [C3]");
  }
  types.append({adaptor.getOperand().getType(), *vector, *vector});
  return success();
}

} // namespace xla::stablehlo
