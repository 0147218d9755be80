//===- ChloOps.cpp - The CHLO dialect -------------------------------------===//

#include "xla/dialect/chlo/ChloOps.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "xla/dialect/stablehlo/Verification.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

#include "xla/dialect/chlo/Dialect.cpp.inc"
#include "xla/dialect/chlo/Enums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "xla/dialect/chlo/Attributes.cpp.inc"
#define GET_OP_CLASSES
#include "xla/dialect/chlo/Ops.cpp.inc"

namespace xla::chlo {

using stablehlo::inferError;
using stablehlo::tensorType;
using stablehlo::withShape;

void ChloDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "xla/dialect/chlo/Attributes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "xla/dialect/chlo/Ops.cpp.inc"
      >();
}

Operation *ChloDialect::materializeConstant(OpBuilder &builder, Attribute value,
                                            Type type, Location location) {
  auto elements = dyn_cast<ElementsAttr>(value);
  if (!elements || elements.getType() != type) {
    return nullptr;
  }
  return stablehlo::ConstantOp::create(builder, location, elements);
}

//===----------------------------------------------------------------------===//
// Classification
//===----------------------------------------------------------------------===//

static Type predLike(Value operand) {
  return tensorType(operand).clone(IntegerType::get(operand.getContext(), 1));
}

#define DEFINE_CLASSIFY(OpType)                                                \
  LogicalResult OpType::inferReturnTypes(                                      \
      MLIRContext *, std::optional<Location>, Adaptor adaptor,                 \
      SmallVectorImpl<Type> &types) {                                          \
    types.push_back(predLike(adaptor.getOperand()));                           \
    return success();                                                          \
  }
DEFINE_CLASSIFY(IsInfOp)
DEFINE_CLASSIFY(IsNegInfOp)
DEFINE_CLASSIFY(IsPosInfOp)
#undef DEFINE_CLASSIFY

//===----------------------------------------------------------------------===//
// Broadcasting
//===----------------------------------------------------------------------===//

/// The shape of which both are broadcasts, aligned at the last dimension or,
/// for the smaller rank, as `dimensions` says.
static LogicalResult broadcast(std::optional<Location> location, StringRef name,
                               RankedTensorType lhs, RankedTensorType rhs,
                               std::optional<ArrayRef<int64_t>> dimensions,
                               SmallVectorImpl<int64_t> &shape) {
  RankedTensorType big = lhs.getRank() >= rhs.getRank() ? lhs : rhs;
  RankedTensorType small = big == lhs ? rhs : lhs;
  int64_t offset = big.getRank() - small.getRank();
  auto targets =
      llvm::to_vector(llvm::seq<int64_t>(offset, offset + small.getRank()));
  if (dimensions) {
    targets.assign(dimensions->begin(), dimensions->end());
  }
  auto fail = [&]() {
    return emitOptionalError(location, "'", name, "' op cannot broadcast ", lhs,
                             " and ", rhs, " to one shape");
  };
  if (int64_t(targets.size()) != small.getRank() ||
      !stablehlo::areBelow(targets, big.getRank()) ||
      !stablehlo::areUnique(targets)) {
    return fail();
  }
  shape.assign(big.getShape().begin(), big.getShape().end());
  for (auto [target, size] : llvm::zip_equal(targets, small.getShape())) {
    if (shape[target] == 1 || ShapedType::isDynamic(shape[target])) {
      shape[target] = size == 1 ? shape[target] : size;
    } else if (size != 1 &&
               !stablehlo::areCompatibleDimensions(shape[target], size)) {
      return fail();
    }
  }
  return success();
}

template <typename OpType>
static LogicalResult inferBroadcast(std::optional<Location> location,
                                    typename OpType::Adaptor adaptor,
                                    Type element,
                                    SmallVectorImpl<Type> &types) {
  RankedTensorType lhs = tensorType(adaptor.getLhs());
  RankedTensorType rhs = tensorType(adaptor.getRhs());
  if (lhs.getElementType() != rhs.getElementType()) {
    return inferError<OpType>(
        location, "operands differ in element type: ", lhs, " and ", rhs);
  }
  SmallVector<int64_t> shape;
  if (failed(broadcast(location, OpType::getOperationName(), lhs, rhs,
                       adaptor.getBroadcastDimensions(), shape))) {
    return failure();
  }
  types.push_back(
      RankedTensorType::get(shape, element ? element : lhs.getElementType()));
  return success();
}

#define DEFINE_BROADCAST(OpType)                                               \
  LogicalResult OpType::inferReturnTypes(                                      \
      MLIRContext *, std::optional<Location> location, Adaptor adaptor,        \
      SmallVectorImpl<Type> &types) {                                          \
    return inferBroadcast<OpType>(location, adaptor, Type(), types);           \
  }
DEFINE_BROADCAST(BroadcastAddOp)
DEFINE_BROADCAST(BroadcastAndOp)
DEFINE_BROADCAST(BroadcastAtan2Op)
DEFINE_BROADCAST(BroadcastDivOp)
DEFINE_BROADCAST(BroadcastMaxOp)
DEFINE_BROADCAST(BroadcastMinOp)
DEFINE_BROADCAST(BroadcastMulOp)
DEFINE_BROADCAST(BroadcastNextAfterOp)
DEFINE_BROADCAST(BroadcastOrOp)
DEFINE_BROADCAST(BroadcastPolygammaOp)
DEFINE_BROADCAST(BroadcastPowOp)
DEFINE_BROADCAST(BroadcastRemOp)
DEFINE_BROADCAST(BroadcastShiftLeftOp)
DEFINE_BROADCAST(BroadcastShiftRightArithmeticOp)
DEFINE_BROADCAST(BroadcastShiftRightLogicalOp)
DEFINE_BROADCAST(BroadcastSubOp)
DEFINE_BROADCAST(BroadcastXorOp)
DEFINE_BROADCAST(BroadcastZetaOp)
#undef DEFINE_BROADCAST

LogicalResult BroadcastComplexOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> location, Adaptor adaptor,
    SmallVectorImpl<Type> &types) {
  Type part = tensorType(adaptor.getLhs()).getElementType();
  if (!part.isF32() && !part.isF64()) {
    return inferError<BroadcastComplexOp>(
        location,
        "parts are neither f32 nor f64: ", adaptor.getLhs().getType());
  }
  return inferBroadcast<BroadcastComplexOp>(location, adaptor,
                                            ComplexType::get(part), types);
}

LogicalResult BroadcastCompareOp::inferReturnTypes(
    MLIRContext *context, std::optional<Location> location, Adaptor adaptor,
    SmallVectorImpl<Type> &types) {
  return inferBroadcast<BroadcastCompareOp>(
      location, adaptor, IntegerType::get(context, 1), types);
}

LogicalResult BroadcastSelectOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> location, Adaptor adaptor,
    SmallVectorImpl<Type> &types) {
  RankedTensorType pred = tensorType(adaptor.getPred());
  RankedTensorType onTrue = tensorType(adaptor.getOnTrue());
  RankedTensorType onFalse = tensorType(adaptor.getOnFalse());
  if (onTrue.getElementType() != onFalse.getElementType()) {
    return inferError<BroadcastSelectOp>(
        location, "values differ in element type: ", onTrue, " and ", onFalse);
  }
  SmallVector<int64_t> values, shape;
  if (failed(broadcast(location, getOperationName(), onTrue, onFalse,
                       std::nullopt, values)) ||
      failed(broadcast(location, getOperationName(), withShape(onTrue, values),
                       pred, std::nullopt, shape))) {
    return failure();
  }
  types.push_back(withShape(onTrue, shape));
  return success();
}

//===----------------------------------------------------------------------===//
// Constants, top_k
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

OpFoldResult ConstantOp::fold(FoldAdaptor) { return getValue(); }

LogicalResult ConstantLikeOp::inferReturnTypes(MLIRContext *,
                                               std::optional<Location>,
                                               Adaptor adaptor,
                                               SmallVectorImpl<Type> &types) {
  types.push_back(
      tensorType(adaptor.getOperand()).clone(adaptor.getValue().getType()));
  return success();
}

LogicalResult TopKOp::inferReturnTypes(MLIRContext *context,
                                       std::optional<Location> location,
                                       Adaptor adaptor,
                                       SmallVectorImpl<Type> &types) {
  RankedTensorType operand = tensorType(adaptor.getOperand());
  int64_t k = adaptor.getK();
  if (operand.getRank() < 1) {
    return inferError<TopKOp>(location, "operand has no dimension: ", operand);
  }
  SmallVector<int64_t> shape(operand.getShape());
  if (k < 0 || (!ShapedType::isDynamic(shape.back()) && k > shape.back())) {
    return inferError<TopKOp>(location, "k = ", k,
                              " does not fit the last dimension of ", operand);
  }
  shape.back() = k;
  types.push_back(withShape(operand, shape));
  types.push_back(RankedTensorType::get(shape, IntegerType::get(context, 32)));
  return success();
}

} // namespace xla::chlo
