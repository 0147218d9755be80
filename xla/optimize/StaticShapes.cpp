//===- StaticShapes.cpp - Shapes that are operands become attributes ------===//

#include "xla/optimize/Decompositions.h"

#include "xla/dialect/stablehlo/StablehloOps.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace xla {

using namespace stablehlo;
using Numbers = SmallVector<int64_t>;

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

/// The elements of a vector of integers, where they are known: programs put
/// shapes together from constants and sizes of dimensions.
static std::optional<Numbers> numbersOf(Value value, int depth = 0) {
  Operation *op = value.getDefiningOp();
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!op || !type || !type.hasStaticShape() || depth > 16 ||
      type.getNumElements() > 64) {
    return std::nullopt;
  }
  if (auto constant = dyn_cast<ConstantOp>(op)) {
    auto dense = dyn_cast<DenseIntElementsAttr>(constant.getValue());
    if (!dense) {
      return std::nullopt;
    }
    Numbers numbers;
    for (const APInt &number : dense.getValues<APInt>()) {
      numbers.push_back(type.getElementType().isUnsignedInteger()
                            ? int64_t(number.getZExtValue())
                            : number.getSExtValue());
    }
    return numbers;
  }
  if (auto size = dyn_cast<GetDimensionSizeOp>(op)) {
    auto operand = cast<RankedTensorType>(size.getOperand().getType());
    int64_t dimension = size.getDimension();
    if (operand.isDynamicDim(dimension)) {
      return std::nullopt;
    }
    return Numbers{operand.getDimSize(dimension)};
  }
  if (isa<ConcatenateOp>(op)) {
    Numbers numbers;
    for (Value operand : op->getOperands()) {
      std::optional<Numbers> part = numbersOf(operand, depth + 1);
      if (!part) {
        return std::nullopt;
      }
      llvm::append_range(numbers, *part);
    }
    return numbers;
  }
  if (isa<ReshapeOp, ConvertOp>(op) ||
      (isa<BroadcastInDimOp>(op) && type.getNumElements() == 1)) {
    return numbersOf(op->getOperand(0), depth + 1);
  }
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Rewrites: each returns the value that takes the result's place, or null
//===----------------------------------------------------------------------===//

static Value fix(OpBuilder &builder, DynamicReshapeOp op) {
  return ReshapeOp::create(builder, op.getLoc(), op.getType(), op.getOperand());
}

static Value fix(OpBuilder &builder, DynamicIotaOp op) {
  return IotaOp::create(builder, op.getLoc(), op.getType(),
                        op.getIotaDimensionAttr());
}

static Value fix(OpBuilder &builder, DynamicBroadcastInDimOp op) {
  return BroadcastInDimOp::create(builder, op.getLoc(), op.getType(),
                                  op.getOperand(),
                                  op.getBroadcastDimensionsAttr());
}

static Value fix(OpBuilder &builder, DynamicPadOp op) {
  auto low = numbersOf(op.getEdgePaddingLow());
  auto high = numbersOf(op.getEdgePaddingHigh());
  auto interior = numbersOf(op.getInteriorPadding());
  if (!low || !high || !interior) {
    return {};
  }
  return PadOp::create(builder, op.getLoc(), op.getType(), op.getOperand(),
                       op.getPaddingValue(), builder.getDenseI64ArrayAttr(*low),
                       builder.getDenseI64ArrayAttr(*high),
                       builder.getDenseI64ArrayAttr(*interior));
}

static Value fix(OpBuilder &builder, RealDynamicSliceOp op) {
  auto strides = numbersOf(op.getStrides());
  if (!strides) {
    return {};
  }
  auto type = cast<RankedTensorType>(op.getType());
  auto starts = numbersOf(op.getStartIndices());
  if (starts) {
    Numbers limits;
    auto known = numbersOf(op.getLimitIndices());
    for (auto [i, start] : llvm::enumerate(*starts)) {
      limits.push_back(
          known ? (*known)[i]
                : start + (type.getDimSize(i) - 1) * (*strides)[i] + 1);
    }
    return SliceOp::create(builder, op.getLoc(), type, op.getOperand(),
                           builder.getDenseI64ArrayAttr(*starts),
                           builder.getDenseI64ArrayAttr(limits),
                           builder.getDenseI64ArrayAttr(*strides));
  }
  if (llvm::any_of(*strides, [](int64_t stride) { return stride != 1; })) {
    return {};
  }
  // A slice of static size that starts anywhere.
  SmallVector<Value> scalars;
  auto vector = cast<RankedTensorType>(op.getStartIndices().getType());
  auto scalar = RankedTensorType::get({}, vector.getElementType());
  for (int64_t i = 0; i < type.getRank(); ++i) {
    Value one =
        SliceOp::create(builder, op.getLoc(), vector.clone({1}),
                        op.getStartIndices(), builder.getDenseI64ArrayAttr({i}),
                        builder.getDenseI64ArrayAttr({i + 1}),
                        builder.getDenseI64ArrayAttr({1}));
    scalars.push_back(ReshapeOp::create(builder, op.getLoc(), scalar, one));
  }
  return DynamicSliceOp::create(builder, op.getLoc(), type, op.getOperand(),
                                scalars,
                                builder.getDenseI64ArrayAttr(type.getShape()));
}

static Value fix(OpBuilder &builder, DynamicGatherOp op) {
  auto sizes = numbersOf(op.getSliceSizes());
  if (!sizes) {
    return {};
  }
  return GatherOp::create(builder, op.getLoc(), op.getType(), op.getOperand(),
                          op.getStartIndices(), op.getDimensionNumbersAttr(),
                          builder.getDenseI64ArrayAttr(*sizes),
                          op.getIndicesAreSortedAttr());
}

static Value fix(OpBuilder &builder, DynamicConvOp op) {
  auto padding = numbersOf(op.getPadding());
  if (!padding) {
    return {};
  }
  auto type = RankedTensorType::get({int64_t(padding->size() / 2), 2},
                                    builder.getI64Type());
  return ConvolutionOp::create(
      builder, op.getLoc(), op.getType(), op.getLhs(), op.getRhs(),
      op.getWindowStridesAttr(),
      DenseIntElementsAttr::get(type, ArrayRef<int64_t>(*padding)),
      op.getLhsDilationAttr(), op.getRhsDilationAttr(),
      op.getWindowReversalAttr(), op.getDimensionNumbersAttr(),
      op.getFeatureGroupCountAttr(), op.getBatchGroupCountAttr(),
      op.getPrecisionConfigAttr());
}

static Value fix(OpBuilder &builder, SetDimensionSizeOp op) {
  auto size = numbersOf(op.getSize());
  auto type = cast<RankedTensorType>(op.getOperand().getType());
  bool isWhole = size && size->size() == 1 &&
                 (*size)[0] == type.getDimSize(op.getDimension());
  return isWhole && op.getType() == type ? op.getOperand() : Value();
}

Status fixShapes(ModuleOp module) {
  Status status;
  module.walk([&](Operation *op) {
    OpBuilder builder(op);
    bool isOurs = true;
    Value value =
        llvm::TypeSwitch<Operation *, Value>(op)
            .Case<DynamicBroadcastInDimOp, DynamicConvOp, DynamicGatherOp,
                  DynamicIotaOp, DynamicPadOp, DynamicReshapeOp,
                  RealDynamicSliceOp, SetDimensionSizeOp>([&](auto typed) {
              auto type = cast<ShapedType>(typed.getType());
              return type.hasStaticShape() ? fix(builder, typed) : Value();
            })
            .Default([&](Operation *) {
              isOurs = false;
              return Value();
            });
    if (!isOurs) {
      return WalkResult::advance();
    }
    if (!value) {
      std::string text;
      llvm::raw_string_ostream stream(text);
      stream << "'" << op->getName()
             << "' has sizes that are not known when it is compiled\n"
                "  types    ";
      llvm::interleaveComma(op->getOperandTypes(), stream);
      stream << " -> " << op->getResult(0).getType() << "\n  at       "
             << op->getLoc();
      status = unimplemented(std::move(text));
      return WalkResult::interrupt();
    }
    op->getResult(0).replaceAllUsesWith(value);
    op->erase();
    return WalkResult::skip();
  });
  return status;
}

} // namespace xla
