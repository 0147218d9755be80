//===- LowerChlo.cpp - CHLO written out in StableHLO ----------------------===//

#include "xla/conversion/ComplexFunctions.h"
#include "xla/conversion/Conversion.h"
#include "xla/conversion/ElementaryFunctions.h"
#include "xla/conversion/SpecialFunctions.h"
#include "xla/dialect/chlo/ChloOps.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/TypeSwitch.h"

#include <limits>

using namespace mlir;

namespace xla {

static constexpr double kInfinity = std::numeric_limits<double>::infinity();

//===----------------------------------------------------------------------===//
// Elementary functions
//===----------------------------------------------------------------------===//

static Expr squareOf(Expr x) {
  if (!isa<ComplexType>(x.element())) {
    return x * x;
  }
  Expr re = real(x), im = imag(x);
  return complex((re - im) * (re + im), 2.0 * re * im);
}

/// A function of one real operand, and the type that it is computed in.
struct RealFunction {
  Expr (*expand)(Expr) = nullptr;
  bool needsDouble = false;
};

static RealFunction realFunction(StringRef name) {
  return llvm::StringSwitch<RealFunction>(name)
      .Case("acos", {expandAcos})
      .Case("acosh", {expandAcosh})
      .Case("asin", {expandAsin})
      .Case("asinh", {expandAsinh})
      .Case("atan", {expandAtan})
      .Case("atanh", {expandAtanh})
      .Case("bessel_i1e", {expandBesselI1e, true})
      .Case("cosh", {expandCosh})
      .Case("digamma", {expandDigamma, true})
      .Case("erf", {expandErf})
      .Case("erf_inv", {expandErfInv})
      .Case("erfc", {expandErfc})
      .Case("lgamma", {expandLgamma, true})
      .Case("sinh", {expandSinh})
      .Default({});
}

/// The type to compute in: f32 at least, f64 if requested.
static Type computeType(Expr x, bool needsDouble) {
  Builder &builder = x.arithmetic->builder;
  return needsDouble || x.element().isF64() ? Type(builder.getF64Type())
                                            : Type(builder.getF32Type());
}

//===----------------------------------------------------------------------===//
// Functions of bits
//===----------------------------------------------------------------------===//

/// The neighbour of x towards y: one more or less in the bits' order.
static Expr nextAfter(Expr x, Expr y) {
  Arithmetic &a = *x.arithmetic;
  unsigned width = x.element().getIntOrFloatBitWidth();
  Type integer = a.builder.getIntegerType(width);
  Expr bits = a.bitcast(x, integer);
  Expr signBit = a.integer(bits, uint64_t(1) << (width - 1));
  Expr one = a.integer(bits, 1);
  Expr signOfY = a.bitcast(y, integer) & signBit;
  Expr isPositive = (bits & signBit) == a.integer(bits, 0);
  Expr isAway = a.make<stablehlo::CompareOp>(isPositive.value, (x < y).value,
                                             stablehlo::ComparisonDirection::EQ,
                                             stablehlo::ComparisonTypeAttr());
  Expr moved = select(isAway, bits + one, bits - one);
  Expr isZero = (bits & !signBit) == a.integer(bits, 0);
  Expr result = a.bitcast(select(isZero, one | signOfY, moved), x.element());
  Expr isNaN = (x != x) | (y != y);
  return select(x == y, y, select(isNaN, x + y, result));
}

/// The upper half of the product.
static Expr highProduct(Expr x, Expr y) {
  Arithmetic &a = *x.arithmetic;
  unsigned width = x.element().getIntOrFloatBitWidth();
  bool isUnsigned = x.element().isUnsignedInteger();
  Type wide = isUnsigned ? a.builder.getIntegerType(64, false)
                         : Type(a.builder.getIntegerType(64));
  auto shift = [&](Expr value, uint64_t amount, bool isArithmetic) {
    Expr distance = a.integer(value, amount);
    return isArithmetic
               ? a.make<stablehlo::ShiftRightArithmeticOp>(value.value,
                                                           distance.value)
               : a.make<stablehlo::ShiftRightLogicalOp>(value.value,
                                                        distance.value);
  };
  if (width < 64) {
    Expr product = a.convert(x, wide) * a.convert(y, wide);
    return a.convert(shift(product, width, !isUnsigned), x.element());
  }
  // By halves of 32 bits, unsigned; then corrected for the signs.
  Expr mask = a.integer(x, 0xFFFFFFFFu);
  Expr x0 = x & mask, x1 = shift(x, 32, false);
  Expr y0 = y & mask, y1 = shift(y, 32, false);
  Expr middle = x1 * y0 + shift(x0 * y0, 32, false);
  Expr other = x0 * y1 + (middle & mask);
  Expr high = x1 * y1 + shift(middle, 32, false) + shift(other, 32, false);
  if (isUnsigned) {
    return high;
  }
  return high - (shift(x, 63, true) & y) - (shift(y, 63, true) & x);
}

//===----------------------------------------------------------------------===//
// top_k: sort with indices, keep the first
//===----------------------------------------------------------------------===//

static void lowerTopK(chlo::TopKOp op, OpBuilder &builder) {
  Location location = op.getLoc();
  auto type = cast<RankedTensorType>(op.getOperand().getType());
  int64_t last = type.getRank() - 1;
  auto indexType = type.clone(builder.getI32Type());
  Value indices = stablehlo::IotaOp::create(builder, location, indexType, last);
  auto sort = stablehlo::SortOp::create(
      builder, location, TypeRange{type, indexType},
      ValueRange{op.getOperand(), indices}, builder.getI64IntegerAttr(last),
      builder.getBoolAttr(true));
  {
    OpBuilder::InsertionGuard guard(builder);
    Block *block = builder.createBlock(&sort.getComparator());
    for (Type element :
         {type.getElementType(), type.getElementType(),
          indexType.getElementType(), indexType.getElementType()}) {
      block->addArgument(RankedTensorType::get({}, element), location);
    }
    bool isFloat = isa<FloatType>(type.getElementType());
    auto kind = isFloat ? stablehlo::ComparisonTypeAttr::get(
                              builder.getContext(),
                              stablehlo::ComparisonType::TOTALORDER)
                        : stablehlo::ComparisonTypeAttr();
    Value isGreater = stablehlo::CompareOp::create(
        builder, location, block->getArgument(0), block->getArgument(1),
        stablehlo::ComparisonDirection::GT, kind);
    stablehlo::ReturnOp::create(builder, location, isGreater);
  }
  SmallVector<int64_t> starts(type.getRank(), 0), strides(type.getRank(), 1);
  SmallVector<int64_t> limits(type.getShape());
  limits[last] = op.getK();
  for (auto [result, sorted] :
       llvm::zip_equal(op.getResults(), sort.getResults())) {
    result.replaceAllUsesWith(stablehlo::SliceOp::create(
        builder, location, sorted, starts, limits, strides));
  }
  op.erase();
}

//===----------------------------------------------------------------------===//
// broadcast_*: broadcast, then the operation itself
//===----------------------------------------------------------------------===//

/// `value` in the shape of `result`, its dimensions at those that `broadcast`
/// names, or at the last ones.
static Value broadcastTo(OpBuilder &builder, Location location, Value value,
                         RankedTensorType result,
                         std::optional<ArrayRef<int64_t>> broadcast) {
  auto type = cast<RankedTensorType>(value.getType());
  if (type.getShape() == result.getShape()) {
    return value;
  }
  int64_t rank = type.getRank();
  auto dimensions = llvm::to_vector(
      llvm::seq<int64_t>(result.getRank() - rank, result.getRank()));
  if (broadcast && int64_t(broadcast->size()) == rank) {
    dimensions.assign(broadcast->begin(), broadcast->end());
  }
  return stablehlo::BroadcastInDimOp::create(
      builder, location, result.clone(type.getElementType()), value,
      dimensions);
}

static void lowerBroadcast(Operation *op, OpBuilder &builder) {
  auto result = cast<RankedTensorType>(op->getResult(0).getType());
  std::optional<ArrayRef<int64_t>> broadcast;
  if (auto attribute =
          op->getAttrOfType<DenseI64ArrayAttr>("broadcast_dimensions")) {
    broadcast = attribute.asArrayRef();
  }
  int64_t largest = 0;
  for (Value operand : op->getOperands()) {
    largest =
        std::max(largest, cast<RankedTensorType>(operand.getType()).getRank());
  }
  SmallVector<Value> operands;
  for (Value operand : op->getOperands()) {
    int64_t rank = cast<RankedTensorType>(operand.getType()).getRank();
    operands.push_back(broadcastTo(builder, op->getLoc(), operand, result,
                                   rank < largest ? broadcast : std::nullopt));
  }
  StringRef name = op->getName().stripDialect();
  name.consume_front("broadcast_");
  bool staysInChlo =
      name == "next_after" || name == "polygamma" || name == "zeta";
  OperationState state(op->getLoc(),
                       (staysInChlo ? "chlo." : "stablehlo.") + name.str());
  state.addOperands(operands);
  state.addTypes(op->getResultTypes());
  if (auto compare = dyn_cast<chlo::BroadcastCompareOp>(op)) {
    MLIRContext *context = op->getContext();
    state.addAttribute("comparison_direction",
                       stablehlo::ComparisonDirectionAttr::get(
                           context, static_cast<stablehlo::ComparisonDirection>(
                                        compare.getComparisonDirection())));
    if (compare.getCompareType()) {
      state.addAttribute("compare_type",
                         stablehlo::ComparisonTypeAttr::get(
                             context, static_cast<stablehlo::ComparisonType>(
                                          *compare.getCompareType())));
    }
  }
  op->replaceAllUsesWith(builder.create(state));
  op->erase();
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

/// The expansion of an operation with one result, or failure.
static FailureOr<Expr> expand(Operation *op, Arithmetic &a) {
  StringRef name = op->getName().stripDialect();
  auto operand = [&](unsigned i) { return a.wrap(op->getOperand(i)); };
  if (auto constant = dyn_cast<chlo::ConstantOp>(op)) {
    return a.make<stablehlo::ConstantOp>(constant.getValue());
  }
  if (auto like = dyn_cast<chlo::ConstantLikeOp>(op)) {
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    return a.make<stablehlo::ConstantOp>(
        DenseElementsAttr::get(type, Attribute(like.getValue())));
  }
  if (isa<chlo::SquareOp>(op)) {
    return squareOf(operand(0));
  }
  if (isa<chlo::TanOp>(op)) {
    return tan(operand(0));
  }
  if (isa<chlo::ConjOp>(op)) {
    Expr x = operand(0);
    return isa<ComplexType>(x.element()) ? complex(real(x), -imag(x)) : x;
  }
  if (isa<chlo::IsInfOp>(op)) {
    return modulus(operand(0)) == kInfinity;
  }
  if (isa<chlo::IsPosInfOp>(op)) {
    return operand(0) == kInfinity;
  }
  if (isa<chlo::IsNegInfOp>(op)) {
    return operand(0) == -kInfinity;
  }
  if (isa<chlo::NextAfterOp>(op)) {
    return nextAfter(operand(0), operand(1));
  }
  if (isa<chlo::MulhiOp>(op)) {
    return highProduct(operand(0), operand(1));
  }
  if (isa<chlo::ZetaOp, chlo::PolygammaOp>(op)) {
    Type wide = computeType(operand(0), true), own = operand(0).element();
    Expr x = a.convert(operand(0), wide), y = a.convert(operand(1), wide);
    auto *expandBoth = isa<chlo::ZetaOp>(op) ? expandZeta : expandPolygamma;
    return a.convert(expandBoth(x, y, !own.isF64()), own);
  }
  if (op->getNumOperands() == 1 && isa<ComplexType>(operand(0).element())) {
    return expandComplex(name, operand(0));
  }
  RealFunction function = realFunction(name);
  if (!function.expand) {
    return failure();
  }
  Expr x = operand(0);
  Type wide = computeType(x, function.needsDouble);
  return a.convert(function.expand(a.convert(x, wide)), x.element());
}

static LogicalResult lower(Operation *op) {
  OpBuilder builder(op);
  if (auto topK = dyn_cast<chlo::TopKOp>(op)) {
    lowerTopK(topK, builder);
    return success();
  }
  Arithmetic arithmetic(builder, op->getLoc());
  FailureOr<Expr> result = expand(op, arithmetic);
  if (failed(result)) {
    return op->emitOpError("is not supported for these types");
  }
  op->getResult(0).replaceAllUsesWith(result->value);
  op->erase();
  return success();
}

LogicalResult lowerChlo(ModuleOp module) {
  SmallVector<Operation *> broadcasts, others;
  auto collect = [&](bool areBroadcasts) {
    module.walk([&](Operation *op) {
      if (op->getName().getDialectNamespace() !=
          chlo::ChloDialect::getDialectNamespace()) {
        return;
      }
      bool isBroadcast = op->getName().stripDialect().starts_with("broadcast_");
      if (isBroadcast && areBroadcasts) {
        broadcasts.push_back(op);
      } else if (!isBroadcast && !areBroadcasts) {
        others.push_back(op);
      }
    });
  };
  auto isStatic = [](Operation *op) {
    return llvm::all_of(op->getResultTypes(), [](Type type) {
      auto shaped = dyn_cast<ShapedType>(type);
      return shaped && shaped.hasStaticShape();
    });
  };
  collect(true);
  for (Operation *op : broadcasts) {
    if (!isStatic(op)) {
      return op->emitOpError("is not supported for dynamic shapes");
    }
    if (isa<chlo::BroadcastNextAfterOp, chlo::BroadcastPolygammaOp,
            chlo::BroadcastZetaOp>(op) &&
        !isa<FloatType>(
            cast<ShapedType>(op->getResult(0).getType()).getElementType())) {
      return op->emitOpError("is defined for floating-point numbers only");
    }
    OpBuilder builder(op);
    lowerBroadcast(op, builder);
  }
  collect(false);
  for (Operation *op : others) {
    if (!isStatic(op)) {
      return op->emitOpError("is not supported for dynamic shapes");
    }
    if (failed(lower(op))) {
      return failure();
    }
  }
  return success();
}

} // namespace xla
