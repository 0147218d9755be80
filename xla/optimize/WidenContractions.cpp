//===- WidenContractions.cpp - Products of narrow types in wide ones ------===//

#include "xla/optimize/Passes.h"

#include "xla/dialect/stablehlo/StablehloOps.h"

namespace xla {

using mlir::Operation;
using mlir::RankedTensorType;
using mlir::Type;

/// The type in which a result is summed. Wider integers keep the lower bits as
/// they are, so that sums wrap around as in the narrow type.
static Type sumTypeOf(Type result) {
  if (llvm::isa<mlir::FloatType>(result) &&
      result.getIntOrFloatBitWidth() <= 8) {
    return mlir::Float32Type::get(result.getContext());
  }
  auto integer = llvm::dyn_cast<mlir::IntegerType>(result);
  bool isNarrow = integer && integer.getWidth() > 1 && integer.getWidth() < 32;
  return isNarrow ? mlir::IntegerType::get(result.getContext(), 32,
                                           integer.getSignedness())
                  : result;
}

/// Whether `type` is that of integers of 8 bits or fewer, but no truth value.
static bool isByte(Type type) {
  auto integer = llvm::dyn_cast<mlir::IntegerType>(type);
  return integer && integer.getWidth() > 1 && integer.getWidth() <= 8;
}

/// The type in which numbers of type `factor` are multiplied with those of
/// `other`: where there is no kernel for the two and `sum`, that of the sums.
/// Matrices have one for bytes.
static Type factorTypeOf(Type factor, Type other, Type sum, bool areMatrices) {
  if (areMatrices && isByte(factor) && isByte(other) && sum.isInteger(32)) {
    return mlir::IntegerType::get(
        factor.getContext(), 8,
        llvm::cast<mlir::IntegerType>(factor).getSignedness());
  }
  bool areFloats = llvm::isa<mlir::FloatType>(factor) &&
                   llvm::isa<mlir::FloatType>(other) &&
                   llvm::isa<mlir::FloatType>(sum);
  if (areFloats) {
    unsigned bits = factor.getIntOrFloatBitWidth();
    unsigned sumBits = sum.getIntOrFloatBitWidth();
    bool hasKernel = factor == other && bits >= 16 &&
                     (sumBits == bits || (bits == 16 && sumBits == 32));
    bool becomesWider = bits < sumBits;
    if (!hasKernel && becomesWider) {
      return bits <= 8 && sumBits == 16
                 ? mlir::Float32Type::get(factor.getContext())
                 : sum;
    }
    return factor;
  }
  auto integer = llvm::dyn_cast<mlir::IntegerType>(factor);
  if (!integer || integer.getWidth() == 1 || integer.getWidth() >= 32) {
    return factor;
  }
  auto sums = llvm::dyn_cast<mlir::IntegerType>(sum);
  return sums ? sum : mlir::IntegerType::get(factor.getContext(), 32);
}

/// The type in which floats of 16 bits or more are multiplied and summed that
/// have no kernel together: factors of two types, and sums narrower than
/// factors. Null: they have one.
static Type commonTypeOf(Type x, Type y, Type sum) {
  unsigned widest = 0;
  for (Type type : {x, y, sum}) {
    if (!llvm::isa<mlir::FloatType>(type) ||
        type.getIntOrFloatBitWidth() < 16) {
      return nullptr;
    }
    widest = std::max(widest, type.getIntOrFloatBitWidth());
  }
  bool hasKernel = x == y && (sum == x || sum.getIntOrFloatBitWidth() >
                                              x.getIntOrFloatBitWidth());
  if (hasKernel) {
    return nullptr;
  }
  return widest > 32 ? Type(mlir::Float64Type::get(x.getContext()))
                     : Type(mlir::Float32Type::get(x.getContext()));
}

/// dot(x, y) -> convert(dot(convert(x), convert(y))). Exact for integers;
/// floats are rounded once, at the end.
static void widen(Operation *op) {
  mlir::OpBuilder builder(op);
  auto typeOf = [](mlir::Value value) {
    return llvm::cast<RankedTensorType>(value.getType());
  };
  mlir::Value result = op->getResult(0);
  RankedTensorType type = typeOf(result);
  Type sum = sumTypeOf(type.getElementType());
  Type factors[] = {typeOf(op->getOperand(0)).getElementType(),
                    typeOf(op->getOperand(1)).getElementType()};
  Type common = commonTypeOf(factors[0], factors[1], sum);
  sum = common ? common : sum;
  for (int i = 0; i < 2; ++i) {
    Type wide = common ? common
                       : factorTypeOf(factors[i], factors[1 - i], sum,
                                      llvm::isa<stablehlo::DotGeneralOp>(op));
    if (wide != factors[i]) {
      op->setOperand(
          i, stablehlo::ConvertOp::create(builder, op->getLoc(),
                                          typeOf(op->getOperand(i)).clone(wide),
                                          op->getOperand(i)));
    }
  }
  if (sum != type.getElementType()) {
    result.setType(type.clone(sum));
    builder.setInsertionPointAfter(op);
    auto narrow =
        stablehlo::ConvertOp::create(builder, op->getLoc(), type, result);
    result.replaceAllUsesExcept(narrow.getResult(), narrow);
  }
}

void widenContractions(mlir::ModuleOp module) {
  module.walk([](Operation *op) {
    if (llvm::isa<stablehlo::ConvolutionOp, stablehlo::DotGeneralOp>(op)) {
      widen(op);
    }
  });
}

} // namespace xla
