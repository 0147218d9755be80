//===- Shape.cpp - Constants, shapes, movement of data --------------------===//

#include "mlir/IR/Builders.h"
#include "mlir/IR/TypeUtilities.h"
#include "xla/dialect/stablehlo/Assembly.h"
#include "xla/dialect/stablehlo/Verification.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "xla/dialect/stablehlo/Shape.cpp.inc"

namespace xla::stablehlo {

void StablehloDialect::addShapeOps() {
  addOperations<
#define GET_OP_LIST
#include "xla/dialect/stablehlo/Shape.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// ConstantOp, IotaOp
//===----------------------------------------------------------------------===//

LogicalResult ConstantOp::inferReturnTypes(MLIRContext *,
                                           std::optional<Location> location,
                                           Adaptor adaptor,
                                           SmallVectorImpl<Type> &types) {
  auto type = dyn_cast<RankedTensorType>(adaptor.getValue().getType());
  if (!type) {
    return inferError<ConstantOp>(location, "value is not a tensor: ",
                                  Type(adaptor.getValue().getType()));
  }
  types.push_back(type);
  return success();
}

void ConstantOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  auto type = cast<RankedTensorType>(getType());
  setName(getResult(), type.getElementType().isIntOrIndex() ? "c" : "cst");
}

OpFoldResult ConstantOp::fold(FoldAdaptor) { return getValue(); }

LogicalResult IotaOp::verify() {
  int64_t rank = tensorType(getOutput()).getRank();
  if (!areBelow(int64_t(getIotaDimension()), rank)) {
    return emitOpError("dimension ")
           << int64_t(getIotaDimension()) << " is out of range for rank "
           << rank << " [C1]";
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Reshaping and broadcasting
//===----------------------------------------------------------------------===//

LogicalResult ReshapeOp::verify() {
  RankedTensorType operand = tensorType(getOperand());
  RankedTensorType result = tensorType(getResult());
  if (operand.getElementType() != result.getElementType()) {
    return emitOpError("changes the element type: ")
           << operand << " to " << result << " [C1]";
  }
  std::optional<int64_t> from = staticElementCount(operand);
  std::optional<int64_t> to = staticElementCount(result);
  if (from && to && *from != *to) {
    return emitOpError("changes the number of elements: ")
           << operand << " has " << *from << ", " << result << " has " << *to
           << " [C2]";
  }
  return success();
}

LogicalResult TransposeOp::inferReturnTypes(MLIRContext *,
                                            std::optional<Location> location,
                                            Adaptor adaptor,
                                            SmallVectorImpl<Type> &types) {
  RankedTensorType operand = tensorType(adaptor.getOperand());
  ArrayRef<int64_t> permutation = adaptor.getPermutation();
  int64_t rank = operand.getRank();
  if (int64_t(permutation.size()) != rank || !areUnique(permutation) ||
      !areBelow(permutation, rank)) {
    return inferError<TransposeOp>(location, "dims = [", permutation,
                                   "] is no permutation of the ", rank,
                                   " dimensions of ", operand, " [C2]");
  }
  SmallVector<int64_t> shape;
  for (int64_t dimension : permutation) {
    shape.push_back(operand.getDimSize(dimension));
  }
  types.push_back(withShape(operand, shape));
  return success();
}

LogicalResult BroadcastInDimOp::verify() {
  RankedTensorType operand = tensorType(getOperand());
  RankedTensorType result = tensorType(getResult());
  ArrayRef<int64_t> dimensions = getBroadcastDimensions();
  if (operand.getElementType() != result.getElementType()) {
    return emitOpError("changes the element type: ")
           << operand << " to " << result << " [C1]";
  }
  if (int64_t(dimensions.size()) != operand.getRank()) {
    return emitOpError("dims has ")
           << dimensions.size() << " numbers for an operand of rank "
           << operand.getRank() << " [C2]";
  }
  if (!areBelow(dimensions, result.getRank())) {
    return emitOpError("dims = [")
           << dimensions << "] is out of range for a result of rank "
           << result.getRank() << " [C3]";
  }
  if (!areUnique(dimensions)) {
    return emitOpError("dims = [")
           << dimensions << "] names a dimension twice [C4]";
  }
  for (auto [index, dimension] : llvm::enumerate(dimensions)) {
    int64_t from = operand.getDimSize(index);
    int64_t to = result.getDimSize(dimension);
    if (from != 1 && !areCompatibleDimensions(from, to)) {
      return emitOpError("operand dim ")
             << index << " is " << from << ", neither 1 nor result dim "
             << dimension << ", which is " << to << " [C5]";
    }
  }
  return success();
}

LogicalResult BroadcastOp::inferReturnTypes(MLIRContext *,
                                            std::optional<Location> location,
                                            Adaptor adaptor,
                                            SmallVectorImpl<Type> &types) {
  RankedTensorType operand = tensorType(adaptor.getOperand());
  SmallVector<int64_t> shape(adaptor.getBroadcastSizes());
  if (llvm::any_of(shape, [](int64_t size) { return size < 0; })) {
    return inferError<BroadcastOp>(
        location, "a size is negative: ", ArrayRef<int64_t>(shape));
  }
  llvm::append_range(shape, operand.getShape());
  types.push_back(withShape(operand, shape));
  return success();
}

//===----------------------------------------------------------------------===//
// ConcatenateOp
//===----------------------------------------------------------------------===//

LogicalResult ConcatenateOp::inferReturnTypes(MLIRContext *,
                                              std::optional<Location> location,
                                              Adaptor adaptor,
                                              SmallVectorImpl<Type> &types) {
  if (adaptor.getInputs().empty()) {
    return inferError<ConcatenateOp>(location, "needs an input [C3]");
  }
  RankedTensorType first = tensorType(adaptor.getInputs()[0]);
  int64_t rank = first.getRank(), dimension = adaptor.getDimension();
  if (!areBelow(dimension, rank)) {
    return inferError<ConcatenateOp>(location, "dimension ", dimension,
                                     " is out of range for rank ", rank,
                                     " [C4]");
  }
  SmallVector<int64_t> shape(first.getShape());
  for (Value input : adaptor.getInputs().drop_front()) {
    RankedTensorType type = tensorType(input);
    if (type.getElementType() != first.getElementType()) {
      return inferError<ConcatenateOp>(location,
                                       "inputs differ in element type: ", first,
                                       " and ", type, " [C1]");
    }
    bool isMatching = type.getRank() == rank;
    for (int64_t i = 0; isMatching && i < rank; ++i) {
      int64_t size = type.getDimSize(i);
      if (i != dimension) {
        isMatching = areCompatibleDimensions(shape[i], size);
        shape[i] = ShapedType::isDynamic(shape[i]) ? size : shape[i];
      } else if (ShapedType::isDynamic(size) ||
                 ShapedType::isDynamic(shape[i]) ||
                 llvm::AddOverflow(shape[i], size, shape[i])) {
        shape[i] = ShapedType::kDynamic;
      }
    }
    if (!isMatching) {
      return inferError<ConcatenateOp>(
          location, "inputs differ outside dimension ", dimension, ": ", first,
          " and ", type, " [C2]");
    }
  }
  types.push_back(withShape(first, shape));
  return success();
}

//===----------------------------------------------------------------------===//
// SliceOp, PadOp, ReverseOp
//===----------------------------------------------------------------------===//

LogicalResult SliceOp::inferReturnTypes(MLIRContext *,
                                        std::optional<Location> location,
                                        Adaptor adaptor,
                                        SmallVectorImpl<Type> &types) {
  RankedTensorType operand = tensorType(adaptor.getOperand());
  ArrayRef<int64_t> starts = adaptor.getStartIndices();
  ArrayRef<int64_t> limits = adaptor.getLimitIndices();
  ArrayRef<int64_t> strides = adaptor.getStrides();
  size_t rank = operand.getRank();
  if (starts.size() != rank || limits.size() != rank ||
      strides.size() != rank) {
    return inferError<SliceOp>(location, "has ", starts.size(), " starts, ",
                               limits.size(), " limits, ", strides.size(),
                               " strides for an operand of rank ", rank,
                               " [C2]");
  }
  SmallVector<int64_t> shape;
  for (size_t i = 0; i < rank; ++i) {
    int64_t size = operand.getDimSize(i);
    if (starts[i] < 0 || starts[i] > limits[i] ||
        (!ShapedType::isDynamic(size) && limits[i] > size)) {
      return inferError<SliceOp>(location, "range ", starts[i], ":", limits[i],
                                 " is not in dim ", i, " of ", operand,
                                 " [C3]");
    }
    if (strides[i] <= 0) {
      return inferError<SliceOp>(location, "stride of dim ", i,
                                 " is not positive: ", strides[i], " [C4]");
    }
    shape.push_back(limits[i] == starts[i]
                        ? 0
                        : (limits[i] - starts[i] - 1) / strides[i] + 1);
  }
  types.push_back(withShape(operand, shape));
  return success();
}

LogicalResult PadOp::inferReturnTypes(MLIRContext *,
                                      std::optional<Location> location,
                                      Adaptor adaptor,
                                      SmallVectorImpl<Type> &types) {
  RankedTensorType operand = tensorType(adaptor.getOperand());
  RankedTensorType value = tensorType(adaptor.getPaddingValue());
  ArrayRef<int64_t> lows = adaptor.getEdgePaddingLow();
  ArrayRef<int64_t> highs = adaptor.getEdgePaddingHigh();
  ArrayRef<int64_t> interiors = adaptor.getInteriorPadding();
  size_t rank = operand.getRank();
  if (value.getRank() != 0 ||
      value.getElementType() != operand.getElementType()) {
    return inferError<PadOp>(location, "padding value is ", value,
                             " where a scalar of ", operand.getElementType(),
                             " is needed [C1]");
  }
  if (lows.size() != rank || highs.size() != rank || interiors.size() != rank) {
    return inferError<PadOp>(location, "has ", lows.size(), " low, ",
                             highs.size(), " high, ", interiors.size(),
                             " interior paddings for an operand of rank ", rank,
                             " [C2]");
  }
  SmallVector<int64_t> shape;
  for (size_t i = 0; i < rank; ++i) {
    int64_t size = operand.getDimSize(i), padded = size, gaps;
    if (interiors[i] < 0) {
      return inferError<PadOp>(location, "interior padding of dim ", i,
                               " is negative: ", interiors[i], " [C3]");
    }
    if (!ShapedType::isDynamic(size) &&
        (llvm::MulOverflow(std::max<int64_t>(size - 1, 0), interiors[i],
                           gaps) ||
         llvm::AddOverflow(size, gaps, padded) ||
         llvm::AddOverflow(padded, lows[i], padded) ||
         llvm::AddOverflow(padded, highs[i], padded) || padded < 0)) {
      return inferError<PadOp>(location, "size of dim ", i,
                               " would be negative or too large: low ", lows[i],
                               ", high ", highs[i], ", interior ", interiors[i],
                               " of ", operand, " [C4]");
    }
    shape.push_back(padded);
  }
  types.push_back(withShape(operand, shape));
  return success();
}

LogicalResult ReverseOp::verify() {
  int64_t rank = tensorType(getOperand()).getRank();
  if (!areUnique(getDimensions())) {
    return emitOpError("dims = [")
           << getDimensions() << "] names a dimension twice [C2]";
  }
  if (!areBelow(getDimensions(), rank)) {
    return emitOpError("dims = [")
           << getDimensions() << "] is out of range for rank " << rank
           << " [C3]";
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Barriers and dynamic sizes
//===----------------------------------------------------------------------===//

LogicalResult
OptimizationBarrierOp::inferReturnTypes(MLIRContext *, std::optional<Location>,
                                        Adaptor adaptor,
                                        SmallVectorImpl<Type> &types) {
  llvm::append_range(types, adaptor.getOperand().getTypes());
  return success();
}

template <typename OpType>
static LogicalResult checkDimension(std::optional<Location> location,
                                    typename OpType::Adaptor adaptor) {
  int64_t rank = tensorType(adaptor.getOperand()).getRank();
  int64_t dimension = adaptor.getDimension();
  if (!areBelow(dimension, rank)) {
    return inferError<OpType>(location, "dimension ", dimension,
                              " is out of range for rank ", rank, " [C1]");
  }
  return success();
}

LogicalResult GetDimensionSizeOp::inferReturnTypes(
    MLIRContext *context, std::optional<Location> location, Adaptor adaptor,
    SmallVectorImpl<Type> &types) {
  if (failed(checkDimension<GetDimensionSizeOp>(location, adaptor))) {
    return failure();
  }
  types.push_back(RankedTensorType::get({}, IntegerType::get(context, 32)));
  return success();
}

LogicalResult SetDimensionSizeOp::inferReturnTypes(
    MLIRContext *context, std::optional<Location> location, Adaptor adaptor,
    SmallVectorImpl<Type> &types) {
  if (failed(checkDimension<SetDimensionSizeOp>(location, adaptor))) {
    return failure();
  }
  RankedTensorType operand = tensorType(adaptor.getOperand());
  SmallVector<int64_t> shape(operand.getShape());
  SmallVector<int64_t> bounds(shape.size(), ShapedType::kDynamic);
  int64_t dimension = adaptor.getDimension();
  std::swap(shape[dimension], bounds[dimension]);
  types.push_back(
      RankedTensorType::get(shape, operand.getElementType(),
                            TypeExtensionsAttr::get(context, bounds)));
  return success();
}

} // namespace xla::stablehlo
