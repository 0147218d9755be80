//===- ShapeOperands.cpp - Operations whose sizes are operands ------------===//

#include "xla/analysis/ShapeOperands.h"

#include "xla/dialect/stablehlo/StablehloOps.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace xla {

using namespace stablehlo;

//===----------------------------------------------------------------------===//
// Known sizes
//===----------------------------------------------------------------------===//

static std::optional<Numbers> constantNumbers(Value value, int depth) {
  Operation *op = value.getDefiningOp();
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!op || !type || !type.hasStaticShape() || depth > 16 ||
      type.getNumElements() > 64) {
    return std::nullopt;
  }
  if (type.getNumElements() == 0) {
    return Numbers();
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
      std::optional<Numbers> part = constantNumbers(operand, depth + 1);
      if (!part) {
        return std::nullopt;
      }
      llvm::append_range(numbers, *part);
    }
    return numbers;
  }
  if (isa<ReshapeOp, ConvertOp>(op) ||
      (isa<BroadcastInDimOp>(op) && type.getNumElements() == 1)) {
    return constantNumbers(op->getOperand(0), depth + 1);
  }
  return std::nullopt;
}

std::optional<Numbers> constantNumbers(Value value) {
  return constantNumbers(value, 0);
}

//===----------------------------------------------------------------------===//
// The operations
//===----------------------------------------------------------------------===//

namespace {
/// Each `fix` returns null where a size is not known, and fills in `problem`
/// where the sizes cannot even be attributes.
class Fixer {
public:
  Fixer(OpBuilder &builder, NumbersOf numbersOf)
      : builder(builder), numbersOf(numbersOf) {}

  Operation *fix(DynamicReshapeOp op) {
    return isShape(op.getOutputShape(), op.getType())
               ? ReshapeOp::create(builder, op.getLoc(), op.getType(),
                                   op.getOperand())
               : nullptr;
  }

  Operation *fix(DynamicIotaOp op) {
    return isShape(op.getOutputShape(), op.getType())
               ? IotaOp::create(builder, op.getLoc(), op.getType(),
                                op.getIotaDimensionAttr())
               : nullptr;
  }

  Operation *fix(DynamicBroadcastInDimOp op) {
    return isShape(op.getOutputDimensions(), op.getType())
               ? BroadcastInDimOp::create(builder, op.getLoc(), op.getType(),
                                          op.getOperand(),
                                          op.getBroadcastDimensionsAttr())
               : nullptr;
  }

  Operation *fix(DynamicPadOp op) {
    int64_t rank = rankOf(op.getOperand());
    auto low = sizes(op.getEdgePaddingLow(), "edge_padding_low", rank);
    auto high = sizes(op.getEdgePaddingHigh(), "edge_padding_high", rank);
    auto interior = sizes(op.getInteriorPadding(), "interior_padding", rank);
    if (!low || !high || !interior) {
      return nullptr;
    }
    return PadOp::create(builder, op.getLoc(), op.getType(), op.getOperand(),
                         op.getPaddingValue(),
                         builder.getDenseI64ArrayAttr(*low),
                         builder.getDenseI64ArrayAttr(*high),
                         builder.getDenseI64ArrayAttr(*interior));
  }

  Operation *fix(RealDynamicSliceOp op) {
    int64_t rank = rankOf(op.getOperand());
    auto type = cast<RankedTensorType>(op.getType());
    auto starts = sizes(op.getStartIndices(), "start_indices", rank);
    auto limits = sizes(op.getLimitIndices(), "limit_indices", rank);
    auto strides = sizes(op.getStrides(), "strides", rank);
    if (problem.empty() && type.getRank() != rank) {
      problem = "the result is of another rank than the operand";
    }
    if (!problem.empty() || !strides) {
      return nullptr;
    }
    if (starts) {
      if (!limits) {
        limits = limitsOf(*starts, *strides, type.getShape());
      }
      return SliceOp::create(builder, op.getLoc(), type, op.getOperand(),
                             builder.getDenseI64ArrayAttr(*starts),
                             builder.getDenseI64ArrayAttr(*limits),
                             builder.getDenseI64ArrayAttr(*strides));
    }
    if (llvm::any_of(*strides, [](int64_t stride) { return stride != 1; })) {
      return nullptr;
    }
    // A slice of static size that starts anywhere.
    SmallVector<Value> scalars;
    auto vector = cast<RankedTensorType>(op.getStartIndices().getType());
    auto scalar = RankedTensorType::get({}, vector.getElementType());
    for (int64_t i = 0; i < rank; ++i) {
      Value one = SliceOp::create(builder, op.getLoc(), vector.clone({1}),
                                  op.getStartIndices(),
                                  builder.getDenseI64ArrayAttr({i}),
                                  builder.getDenseI64ArrayAttr({i + 1}),
                                  builder.getDenseI64ArrayAttr({1}));
      scalars.push_back(ReshapeOp::create(builder, op.getLoc(), scalar, one));
    }
    return DynamicSliceOp::create(
        builder, op.getLoc(), type, op.getOperand(), scalars,
        builder.getDenseI64ArrayAttr(type.getShape()));
  }

  Operation *fix(DynamicGatherOp op) {
    auto lengths =
        sizes(op.getSliceSizes(), "slice_sizes", rankOf(op.getOperand()));
    if (!lengths) {
      return nullptr;
    }
    return GatherOp::create(builder, op.getLoc(), op.getType(), op.getOperand(),
                            op.getStartIndices(), op.getDimensionNumbersAttr(),
                            builder.getDenseI64ArrayAttr(*lengths),
                            op.getIndicesAreSortedAttr());
  }

  Operation *fix(DynamicConvOp op) {
    auto type = cast<RankedTensorType>(op.getPadding().getType());
    if (type.getRank() != 2 || type.getDimSize(1) != 2) {
      problem = "padding is not a pair for each spatial dimension";
      return nullptr;
    }
    auto padding = numbersOf(op.getPadding());
    if (!padding) {
      return nullptr;
    }
    auto pairs = RankedTensorType::get(type.getShape(), builder.getI64Type());
    return ConvolutionOp::create(
        builder, op.getLoc(), op.getType(), op.getLhs(), op.getRhs(),
        op.getWindowStridesAttr(),
        DenseIntElementsAttr::get(pairs, ArrayRef<int64_t>(*padding)),
        op.getLhsDilationAttr(), op.getRhsDilationAttr(),
        op.getWindowReversalAttr(), op.getDimensionNumbersAttr(),
        op.getFeatureGroupCountAttr(), op.getBatchGroupCountAttr(),
        op.getPrecisionConfigAttr());
  }

  std::string problem;

private:
  static int64_t rankOf(Value value) {
    return cast<RankedTensorType>(value.getType()).getRank();
  }

  /// The numbers of a vector that needs one for each of `rank` dimensions.
  std::optional<Numbers> sizes(Value value, StringRef name, int64_t rank) {
    auto type = cast<RankedTensorType>(value.getType());
    if (type.getShape() != ArrayRef<int64_t>{rank}) {
      problem = name.str() + " is not a vector of " + std::to_string(rank) +
                " numbers, one for each dimension";
      return std::nullopt;
    }
    return numbersOf(value);
  }

  /// Whether `value`, as far as it is known, is the shape of `result`.
  bool isShape(Value value, Type result) {
    ArrayRef<int64_t> shape = cast<RankedTensorType>(result).getShape();
    auto numbers = sizes(value, "the shape", int64_t(shape.size()));
    if (problem.empty() && numbers && ArrayRef<int64_t>(*numbers) != shape) {
      llvm::raw_string_ostream stream(problem);
      stream << "the shape is [";
      llvm::interleaveComma(*numbers, stream);
      stream << "], the result's is [";
      llvm::interleaveComma(shape, stream);
      stream << "]";
    }
    return problem.empty();
  }

  /// Just behind the last element; not an index of an array where that
  /// overflows.
  static Numbers limitsOf(ArrayRef<int64_t> starts, ArrayRef<int64_t> strides,
                          ArrayRef<int64_t> shape) {
    Numbers limits(starts);
    for (auto [limit, stride, size] : llvm::zip_equal(limits, strides, shape)) {
      int64_t reach = 0;
      if (size > 0 && (llvm::MulOverflow(size - 1, stride, reach) ||
                       llvm::AddOverflow(reach, int64_t(1), reach) ||
                       llvm::AddOverflow(limit, reach, limit))) {
        limit = std::numeric_limits<int64_t>::max();
      }
    }
    return limits;
  }

  OpBuilder &builder;
  NumbersOf numbersOf;
};
} // namespace

bool hasShapeOperands(Operation *op) {
  return isa<DynamicBroadcastInDimOp, DynamicConvOp, DynamicGatherOp,
             DynamicIotaOp, DynamicPadOp, DynamicReshapeOp, RealDynamicSliceOp>(
      op);
}

static Status misfit(Operation *op, StringRef rule) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << "'" << op->getName()
         << "' has sizes that do not fit its types\n"
            "  types    ";
  llvm::interleaveComma(op->getOperandTypes(), stream);
  stream << " -> " << op->getResult(0).getType() << "\n  at       "
         << op->getLoc() << "\n  rule     " << rule;
  return invalidArgument(std::move(text));
}

StatusOr<Operation *> withoutShapeOperands(OpBuilder &builder, Operation *op,
                                           NumbersOf numbersOf) {
  if (!cast<ShapedType>(op->getResult(0).getType()).hasStaticShape()) {
    return nullptr;
  }
  Fixer fixer(builder, numbersOf);
  Operation *fixed = llvm::TypeSwitch<Operation *, Operation *>(op)
                         .Case<DynamicBroadcastInDimOp, DynamicConvOp,
                               DynamicGatherOp, DynamicIotaOp, DynamicPadOp,
                               DynamicReshapeOp, RealDynamicSliceOp>(
                             [&](auto typed) { return fixer.fix(typed); })
                         .Default([](Operation *) { return nullptr; });
  if (!fixer.problem.empty()) {
    return misfit(op, fixer.problem);
  }
  if (!fixed) {
    return fixed;
  }
  std::string rule; // the first one; others follow from it
  ScopedDiagnosticHandler handler(op->getContext(), [&](Diagnostic &message) {
    rule = rule.empty() ? message.str() : rule;
    return success();
  });
  return failed(verify(fixed)) ? misfit(op, rule)
                               : StatusOr<Operation *>(fixed);
}

Status checkShapeOperands(Operation *op) {
  Block scratch;
  OpBuilder builder(op->getContext());
  builder.setInsertionPointToEnd(&scratch);
  return withoutShapeOperands(
             builder, op, [](Value value) { return constantNumbers(value); })
      .status();
}

} // namespace xla
