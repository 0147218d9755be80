//===- Elementwise.cpp - Operations on single elements --------------------===//

#include "xla/codegen/cpu/lower/elementwise/Elementwise.h"

#include "xla/codegen/cpu/MachineCode.h"
#include "xla/codegen/cpu/lower/elementwise/Subnormals.h"
#include "xla/dialect/stablehlo/StablehloOps.h"

#include "llvm/ADT/TypeSwitch.h"
#include "llvm/IR/Intrinsics.h"

#include <limits>

namespace xla::cpu {

using namespace stablehlo;
using llvm::Intrinsic::ID;
using mlir::Operation;

//===----------------------------------------------------------------------===//
// Integers and truth values
//===----------------------------------------------------------------------===//

/// x / y of numbers of 64 bits that are not negative, for y other than 0. In
/// doubles, which hold 53 bits, so in two steps. Each factor errs by 2^-53 of
/// itself at most, five of them come together, and what is taken off is more: a
/// quotient is never too large. What the first leaves is less than 2^15 times
/// y, and what the second leaves less than twice.
static llvm::Value *wideQuotient(Emitter &e, llvm::Value *x, llvm::Value *y) {
  llvm::IRBuilder<> &b = e.builder();
  // A guarantee that fusing products with sums would take away.
  llvm::IRBuilder<>::FastMathFlagGuard guard(b);
  b.clearFastMathFlags();
  auto wide = [&](llvm::Value *value) {
    return b.CreateUIToFP(value, b.getDoubleTy());
  };
  auto number = [&](double value) {
    return llvm::ConstantFP::get(b.getDoubleTy(), value);
  };
  llvm::Value *inverse =
      b.CreateFMul(b.CreateFDiv(number(1), wide(y)), number(1 - 0x1p-50));
  auto divide = [&](llvm::Value *value) {
    return b.CreateFPToUI(b.CreateFMul(wide(value), inverse), x->getType());
  };
  llvm::Value *first = divide(x);
  llvm::Value *left = b.CreateSub(x, b.CreateMul(first, y));
  llvm::Value *second = divide(left);
  left = b.CreateSub(left, b.CreateMul(second, y));
  llvm::Value *third = b.CreateZExt(b.CreateICmpUGE(left, y), x->getType());
  return b.CreateAdd(b.CreateAdd(first, second), third);
}

/// Whether the processor converts vectors of 64-bit integers to doubles.
static bool hasWideConversions() {
  static const bool has =
      llvm::StringRef(hostProcessor().features).contains("+avx512dq");
  return has;
}

/// x / y towards 0, for y other than 0 and no overflow. In doubles, which
/// processors divide side by side and which hold 32 bits: a quotient that is no
/// integer is further from the next one than the rounding goes.
static llvm::Value *safeQuotient(Emitter &e, llvm::Value *x, llvm::Value *y,
                                 bool isSigned) {
  llvm::IRBuilder<> &b = e.builder();
  const bool isWide = x->getType()->getIntegerBitWidth() > 32;
  const auto *known = llvm::dyn_cast<llvm::ConstantInt>(y);
  const bool isProduct = known && !isWide; // with a number of twice the bits
  const bool isShift = known && known->getValue().abs().isPowerOf2();
  if (isProduct || isShift || (isWide && !hasWideConversions())) {
    return isSigned ? b.CreateSDiv(x, y) : b.CreateUDiv(x, y);
  }
  if (isWide && isSigned) { // of the sizes, as numbers without a sign
    auto size = [&](llvm::Value *value) {
      return b.CreateBinaryIntrinsic(llvm::Intrinsic::abs, value, b.getFalse());
    };
    llvm::Value *quotient = wideQuotient(e, size(x), size(y));
    llvm::Value *isNegative = b.CreateICmpSLT(b.CreateXor(x, y), b.getInt64(0));
    return b.CreateSelect(isNegative, b.CreateNeg(quotient), quotient);
  }
  if (isWide) {
    return wideQuotient(e, x, y);
  }
  auto wide = [&](llvm::Value *value) {
    return isSigned ? b.CreateSIToFP(value, b.getDoubleTy())
                    : b.CreateUIToFP(value, b.getDoubleTy());
  };
  llvm::Value *quotient = b.CreateFDiv(wide(x), wide(y));
  return isSigned ? b.CreateFPToSI(quotient, x->getType())
                  : b.CreateFPToUI(quotient, x->getType());
}

/// Division as the hardware would fault: by 0, and the least number by -1.
static llvm::Value *divideIntegers(Emitter &e, llvm::Value *x, llvm::Value *y,
                                   bool isSigned, bool wantsRemainder) {
  llvm::IRBuilder<> &b = e.builder();
  llvm::Type *type = x->getType();
  llvm::Value *zero = llvm::ConstantInt::get(type, 0);
  llvm::Value *one = llvm::ConstantInt::get(type, 1);
  llvm::Value *allOnes = llvm::Constant::getAllOnesValue(type);
  llvm::Value *byZero = b.CreateICmpEQ(y, zero);
  llvm::Value *safe = b.CreateSelect(byZero, one, y);
  llvm::Value *byMinusOne = b.CreateICmpEQ(y, allOnes);
  if (isSigned) {
    safe = b.CreateSelect(byMinusOne, one, safe);
  }
  llvm::Value *quotient = safeQuotient(e, x, safe, isSigned);
  if (wantsRemainder) { // 0 where a signed y is -1
    llvm::Value *rest = b.CreateSub(x, b.CreateMul(quotient, safe));
    return b.CreateSelect(byZero, x, rest);
  }
  if (isSigned) {
    quotient = b.CreateSelect(byMinusOne, b.CreateNeg(x), quotient);
  }
  return b.CreateSelect(byZero, allOnes, quotient);
}

/// x^y by repeated squaring, one round per bit of y.
static llvm::Value *integerPower(Emitter &e, llvm::Value *x, llvm::Value *y,
                                 bool isSigned) {
  llvm::IRBuilder<> &b = e.builder();
  llvm::Type *type = x->getType();
  auto number = [&](int64_t value) -> llvm::Value * {
    return llvm::ConstantInt::get(type, value, true);
  };
  auto results = e.loop(
      e.constant(0), e.constant(type->getIntegerBitWidth()), {number(1), x, y},
      [&](llvm::Value *, llvm::ArrayRef<llvm::Value *> carried)
          -> llvm::SmallVector<llvm::Value *> {
        llvm::Value *bit = b.CreateTrunc(carried[2], b.getInt1Ty());
        llvm::Value *product = b.CreateMul(carried[0], carried[1]);
        return {b.CreateSelect(bit, product, carried[0]),
                b.CreateMul(carried[1], carried[1]),
                b.CreateLShr(carried[2], 1)};
      });
  if (!isSigned) {
    return results[0];
  }
  // Negative exponents: 1 and -1 have inverses, all others give 0.
  llvm::Value *odd = b.CreateTrunc(y, b.getInt1Ty());
  llvm::Value *inverse = b.CreateSelect(
      b.CreateICmpEQ(x, number(1)), number(1),
      b.CreateSelect(b.CreateICmpEQ(x, number(-1)),
                     b.CreateSelect(odd, number(-1), number(1)), number(0)));
  return b.CreateSelect(b.CreateICmpSLT(y, number(0)), inverse, results[0]);
}

static llvm::Value *shift(Emitter &e, Operation *op, llvm::Value *x,
                          llvm::Value *amount) {
  llvm::IRBuilder<> &b = e.builder();
  llvm::Type *type = x->getType();
  unsigned width = type->getIntegerBitWidth();
  llvm::Value *limit = llvm::ConstantInt::get(type, width);
  llvm::Value *inRange = b.CreateICmpULT(amount, limit);
  if (llvm::isa<ShiftRightArithmeticOp>(op)) {
    llvm::Value *most = llvm::ConstantInt::get(type, width - 1);
    return b.CreateAShr(x, b.CreateSelect(inRange, amount, most));
  }
  llvm::Value *zero = llvm::ConstantInt::get(type, 0);
  llvm::Value *safe = b.CreateSelect(inRange, amount, zero);
  llvm::Value *shifted =
      llvm::isa<ShiftLeftOp>(op) ? b.CreateShl(x, safe) : b.CreateLShr(x, safe);
  return b.CreateSelect(inRange, shifted, zero);
}

static llvm::Value *emitInteger(Emitter &e, Operation *op, ElementType type,
                                llvm::ArrayRef<llvm::Value *> x) {
  llvm::IRBuilder<> &b = e.builder();
  bool isSigned = isSignedInteger(type);
  bool isPred = type == ElementType::Pred;
  auto binary = [&](ID id) { return b.CreateBinaryIntrinsic(id, x[0], x[1]); };
  return llvm::TypeSwitch<Operation *, llvm::Value *>(op)
      .Case([&](AddOp) {
        return isPred ? b.CreateOr(x[0], x[1]) : b.CreateAdd(x[0], x[1]);
      })
      .Case([&](SubtractOp) { return b.CreateSub(x[0], x[1]); })
      .Case([&](MulOp) {
        return isPred ? b.CreateAnd(x[0], x[1]) : b.CreateMul(x[0], x[1]);
      })
      .Case(
          [&](DivOp) { return divideIntegers(e, x[0], x[1], isSigned, false); })
      .Case(
          [&](RemOp) { return divideIntegers(e, x[0], x[1], isSigned, true); })
      .Case([&](MaxOp) {
        return binary(isSigned ? llvm::Intrinsic::smax : llvm::Intrinsic::umax);
      })
      .Case([&](MinOp) {
        return binary(isSigned ? llvm::Intrinsic::smin : llvm::Intrinsic::umin);
      })
      .Case([&](AndOp) { return b.CreateAnd(x[0], x[1]); })
      .Case([&](OrOp) { return b.CreateOr(x[0], x[1]); })
      .Case([&](XorOp) { return b.CreateXor(x[0], x[1]); })
      .Case([&](NotOp) { return b.CreateNot(x[0]); })
      .Case([&](NegOp) { return b.CreateNeg(x[0]); })
      .Case([&](AbsOp) {
        return isSigned
                   ? b.CreateIntrinsic(llvm::Intrinsic::abs, {x[0]->getType()},
                                       {x[0], b.getFalse()})
                   : x[0];
      })
      .Case([&](SignOp) {
        llvm::Value *zero = llvm::ConstantInt::get(x[0]->getType(), 0);
        llvm::Value *positive =
            b.CreateZExt(b.CreateICmpSGT(x[0], zero), x[0]->getType());
        return b.CreateOr(positive, b.CreateSExt(b.CreateICmpSLT(x[0], zero),
                                                 x[0]->getType()));
      })
      .Case([&](PowOp) { return integerPower(e, x[0], x[1], isSigned); })
      .Case<ShiftLeftOp, ShiftRightArithmeticOp, ShiftRightLogicalOp>(
          [&](auto) { return shift(e, op, x[0], x[1]); })
      .Case([&](PopulationCountOp) {
        return b.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, x[0]);
      })
      .Case([&](ClzOp) {
        return b.CreateIntrinsic(llvm::Intrinsic::ctlz, {x[0]->getType()},
                                 {x[0], b.getFalse()});
      })
      .Default([](Operation *) { return nullptr; });
}

//===----------------------------------------------------------------------===//
// Floats
//===----------------------------------------------------------------------===//

llvm::Value *widen(Emitter &e, llvm::Value *x, ElementType type) {
  return isSmallFloat(type) ? widenSmall(e, x, type)
         : isHalf(type) ? e.builder().CreateFPExt(x, e.builder().getFloatTy())
                        : x;
}

llvm::Value *narrow(Emitter &e, llvm::Value *x, ElementType type) {
  llvm::IRBuilder<> &b = e.builder();
  if (type == ElementType::F16) {
    // With leave to contract, LLVM would convert the double that an f32 comes
    // from, by a function that is not there.
    llvm::IRBuilder<>::FastMathFlagGuard guard(b);
    b.clearFastMathFlags();
    return b.CreateFPTrunc(roundToOdd(e, x), b.getHalfTy());
  }
  return isSmallFloat(type) ? narrowSmall(e, x, type) : x;
}

/// Rounds to a narrower format and back, in the bits of the wider one.
static llvm::Value *reducePrecision(Emitter &e, ReducePrecisionOp op,
                                    llvm::Value *x) {
  llvm::IRBuilder<> &b = e.builder();
  auto &semantics = x->getType()->getFltSemantics();
  unsigned width = x->getType()->getPrimitiveSizeInBits();
  int mantissa =
      static_cast<int>(llvm::APFloat::semanticsPrecision(semantics)) - 1;
  int exponent = static_cast<int>(width) - 1 - mantissa;
  int wantedExponent = static_cast<int>(op.getExponentBits());
  int wantedMantissa = static_cast<int>(op.getMantissaBits());
  llvm::Type *type = b.getIntNTy(width);
  auto number = [&](uint64_t value) {
    return llvm::ConstantInt::get(type, value & (~uint64_t(0) >> (64 - width)));
  };
  uint64_t signBit = uint64_t(1) << (width - 1);
  llvm::Value *bits = b.CreateBitCast(x, type);
  llvm::Value *sign = b.CreateAnd(bits, number(signBit));
  llvm::Value *size = b.CreateAnd(bits, number(signBit - 1));
  if (wantedMantissa < mantissa) {
    int dropped = mantissa - wantedMantissa;
    llvm::Value *last = b.CreateAnd(b.CreateLShr(size, dropped), number(1));
    uint64_t half = (uint64_t(1) << (dropped - 1)) - 1;
    size = b.CreateAdd(size, b.CreateAdd(last, number(half)));
    size = b.CreateAnd(size, number(~((uint64_t(1) << dropped) - 1)));
  }
  uint64_t infinity = ((uint64_t(1) << exponent) - 1) << mantissa;
  if (wantedExponent < exponent) {
    int64_t bias = (int64_t(1) << (exponent - 1)) - 1;
    int64_t wantedBias = (int64_t(1) << (wantedExponent - 1)) - 1;
    uint64_t overflow = static_cast<uint64_t>(bias + wantedBias + 1)
                        << mantissa;
    uint64_t underflow = static_cast<uint64_t>(bias - wantedBias + 1)
                         << mantissa;
    size = b.CreateSelect(b.CreateICmpUGE(size, number(overflow)),
                          number(infinity), size);
    size = b.CreateSelect(b.CreateICmpULT(size, number(underflow)), number(0),
                          size);
  }
  llvm::Value *rounded = b.CreateBitCast(b.CreateOr(sign, size), x->getType());
  return b.CreateSelect(b.CreateFCmpUNO(x, x), x, rounded);
}

/// Integers that compare as IEEE 754's total order does.
static llvm::Value *totalOrderKey(Emitter &e, llvm::Value *x) {
  llvm::IRBuilder<> &b = e.builder();
  unsigned width = x->getType()->getPrimitiveSizeInBits();
  llvm::Value *bits = b.CreateBitCast(x, b.getIntNTy(width));
  llvm::Value *negative = b.CreateAShr(bits, width - 1);
  return b.CreateXor(bits, b.CreateLShr(negative, 1));
}

/// The larger or the smaller of two floats of 16 bits, by integers in the same
/// order: twice as many fit a vector as of 32 bits, and none is rounded.
static llvm::Value *extremeOfHalves(Emitter &e, ElementType type,
                                    bool isMaximum, llvm::Value *x,
                                    llvm::Value *y) {
  llvm::IRBuilder<> &b = e.builder();
  auto extreme = [&](llvm::Value *a, llvm::Value *c, bool largest) {
    return b.CreateBinaryIntrinsic(
        largest ? llvm::Intrinsic::smax : llvm::Intrinsic::smin, a, c);
  };
  const llvm::fltSemantics &semantics = type == ElementType::BF16
                                            ? llvm::APFloat::BFloat()
                                            : llvm::APFloat::IEEEhalf();
  auto bitsOfConstant = [&](const llvm::APFloat &value) {
    return llvm::ConstantInt::get(e.context(), value.bitcastToAPInt());
  };
  llvm::Value *first = totalOrderKey(e, x), *second = totalOrderKey(e, y);
  llvm::Value *wanted =
      totalOrderKey(e, extreme(first, second, isMaximum)); // its own inverse
  // NaNs are beyond the infinities, by their sign at either end.
  llvm::Value *other = extreme(first, second, !isMaximum);
  llvm::Value *infinity = totalOrderKey(
      e, bitsOfConstant(llvm::APFloat::getInf(semantics, isMaximum)));
  llvm::Value *isNan = isMaximum ? b.CreateICmpSLT(other, infinity)
                                 : b.CreateICmpSGT(other, infinity);
  llvm::Value *bits = b.CreateSelect(
      isNan, bitsOfConstant(llvm::APFloat::getNaN(semantics)), wanted);
  return b.CreateBitCast(bits, x->getType());
}

static llvm::Value *emitFloat(Emitter &e, Operation *op, ElementType type,
                              llvm::ArrayRef<llvm::Value *> x) {
  llvm::IRBuilder<> &b = e.builder();
  auto unary = [&](ID id) -> llvm::Value * {
    return b.CreateUnaryIntrinsic(id, x[0]);
  };
  auto binary = [&](ID id) -> llvm::Value * {
    return b.CreateBinaryIntrinsic(id, x[0], x[1]);
  };
  auto number = [&](double value) {
    return llvm::ConstantFP::get(x[0]->getType(), value);
  };
  return llvm::TypeSwitch<Operation *, llvm::Value *>(op)
      .Case([&](AddOp) { return b.CreateFAdd(x[0], x[1]); })
      .Case([&](SubtractOp) { return b.CreateFSub(x[0], x[1]); })
      .Case([&](MulOp) { return multiplyFloats(e, x[0], x[1]); })
      .Case([&](DivOp) { return divideFloats(e, x[0], x[1]); })
      .Case([&](MaxOp) { return binary(llvm::Intrinsic::maximum); })
      .Case([&](MinOp) { return binary(llvm::Intrinsic::minimum); })
      .Case([&](NegOp) { return b.CreateFNeg(x[0]); })
      .Case([&](AbsOp) { return unary(llvm::Intrinsic::fabs); })
      .Case([&](SignOp) {
        llvm::Value *isNumber = b.CreateFCmpONE(x[0], number(0));
        llvm::Value *one =
            b.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, number(1), x[0]);
        return b.CreateSelect(isNumber, one, x[0]);
      })
      .Case([&](FloorOp) { return unary(llvm::Intrinsic::floor); })
      .Case([&](CeilOp) { return unary(llvm::Intrinsic::ceil); })
      .Case([&](RoundOp) { return unary(llvm::Intrinsic::round); })
      .Case(
          [&](RoundNearestEvenOp) { return unary(llvm::Intrinsic::roundeven); })
      .Case([&](SqrtOp) { return squareRoot(e, x[0]); })
      .Case([&](RsqrtOp) {
        return divideFloats(e, number(1), squareRoot(e, x[0]));
      })
      .Case([&](IsFiniteOp) {
        llvm::Value *infinity = llvm::ConstantFP::getInfinity(x[0]->getType());
        return b.CreateFCmpOLT(unary(llvm::Intrinsic::fabs), infinity);
      })
      .Case([&](RealOp) { return x[0]; })
      .Case([&](ImagOp) { return number(0); })
      .Default([&](Operation *) { return callElementary(e, op, type, x); });
}

//===----------------------------------------------------------------------===//
// Comparison and choice
//===----------------------------------------------------------------------===//

static llvm::Value *compareElements(Emitter &e, CompareOp op, ElementType type,
                                    Element x, Element y) {
  llvm::IRBuilder<> &b = e.builder();
  using Predicate = llvm::CmpInst::Predicate;
  auto direction = static_cast<int>(op.getComparisonDirection());
  // In the order EQ, NE, GE, GT, LE, LT of the dialect.
  constexpr Predicate floats[] = {
      llvm::CmpInst::FCMP_OEQ, llvm::CmpInst::FCMP_UNE,
      llvm::CmpInst::FCMP_OGE, llvm::CmpInst::FCMP_OGT,
      llvm::CmpInst::FCMP_OLE, llvm::CmpInst::FCMP_OLT};
  constexpr Predicate signedInts[] = {
      llvm::CmpInst::ICMP_EQ,  llvm::CmpInst::ICMP_NE,
      llvm::CmpInst::ICMP_SGE, llvm::CmpInst::ICMP_SGT,
      llvm::CmpInst::ICMP_SLE, llvm::CmpInst::ICMP_SLT};
  constexpr Predicate unsignedInts[] = {
      llvm::CmpInst::ICMP_EQ,  llvm::CmpInst::ICMP_NE,
      llvm::CmpInst::ICMP_UGE, llvm::CmpInst::ICMP_UGT,
      llvm::CmpInst::ICMP_ULE, llvm::CmpInst::ICMP_ULT};
  if (isComplex(type)) {
    return compareComplex(e, floats[direction], x, y);
  }
  if (isFloat(type)) {
    bool total = op.getCompareType() == ComparisonType::TOTALORDER;
    if (isSmallFloat(type)) {
      x.real = widenSmall(e, x.real, type);
      y.real = widenSmall(e, y.real, type);
    }
    return total ? b.CreateICmp(signedInts[direction], totalOrderKey(e, x.real),
                                totalOrderKey(e, y.real))
                 : b.CreateFCmp(floats[direction], x.real, y.real);
  }
  return b.CreateICmp(isSignedInteger(type) ? signedInts[direction]
                                            : unsignedInts[direction],
                      x.real, y.real);
}

static Element selectElement(Emitter &e, Element predicate, Element x,
                             Element y) {
  llvm::IRBuilder<> &b = e.builder();
  return {b.CreateSelect(predicate.real, x.real, y.real),
          x.imag ? b.CreateSelect(predicate.real, x.imag, y.imag) : nullptr};
}

/// min(max(x, low), high).
static llvm::Value *clampElement(Emitter &e, ElementType type, llvm::Value *low,
                                 llvm::Value *x, llvm::Value *high) {
  llvm::IRBuilder<> &b = e.builder();
  if (isSmallFloat(type)) {
    llvm::Value *wide =
        clampElement(e, ElementType::F32, widenSmall(e, low, type),
                     widenSmall(e, x, type), widenSmall(e, high, type));
    return narrowSmall(e, wide, type);
  }
  ID larger = isFloat(type)           ? ID(llvm::Intrinsic::maximum)
              : isSignedInteger(type) ? ID(llvm::Intrinsic::smax)
                                      : ID(llvm::Intrinsic::umax);
  ID smaller = isFloat(type)           ? ID(llvm::Intrinsic::minimum)
               : isSignedInteger(type) ? ID(llvm::Intrinsic::smin)
                                       : ID(llvm::Intrinsic::umin);
  return b.CreateBinaryIntrinsic(smaller,
                                 b.CreateBinaryIntrinsic(larger, x, low), high);
}

//===----------------------------------------------------------------------===//
// Conversion
//===----------------------------------------------------------------------===//

llvm::Value *numberOf(Emitter &e, llvm::Value *count, int64_t limit,
                      ElementType type) {
  // Few processors convert vectors of 64-bit integers.
  bool isShort = limit <= std::numeric_limits<int32_t>::max();
  if (isShort) {
    count = e.builder().CreateTrunc(count, e.builder().getInt32Ty());
  }
  ElementType from = isShort ? ElementType::S32 : ElementType::S64;
  return convertElement(e, {count}, from, partOf(type)).real;
}

/// Rounds a float towards zero: to the nearest bound what is outside of the
/// integer type, to 0 what is no number. LLVM's conversion that does so takes
/// vectors apart, or decides by branches.
static llvm::Value *roundToInteger(Emitter &e, llvm::Value *x, ElementType to) {
  llvm::IRBuilder<> &b = e.builder();
  llvm::Type *target = registerType(to, e.context());
  bool isSigned = isSignedInteger(to);
  unsigned bits = target->getIntegerBitWidth();
  if (bits > 32) { // processors convert these one at a time
    ID id = isSigned ? ID(llvm::Intrinsic::fptosi_sat)
                     : ID(llvm::Intrinsic::fptoui_sat);
    return b.CreateIntrinsic(id, {target, x->getType()}, {x});
  }
  llvm::APInt least = isSigned ? llvm::APInt::getSignedMinValue(bits)
                               : llvm::APInt::getMinValue(bits);
  llvm::APInt most = isSigned ? llvm::APInt::getSignedMaxValue(bits)
                              : llvm::APInt::getMaxValue(bits);
  const llvm::fltSemantics &format = x->getType()->getFltSemantics();
  llvm::APFloat low(format), high(format);
  low.convertFromAPInt(least, isSigned, llvm::APFloat::rmTowardZero);
  high.convertFromAPInt(most, isSigned, llvm::APFloat::rmTowardZero);
  auto number = [&](const llvm::APFloat &value) {
    return llvm::ConstantFP::get(x->getType(), value);
  };
  // What is no number fails both comparisons.
  llvm::Value *inside =
      b.CreateSelect(b.CreateFCmpOGT(x, number(low)), x, number(low));
  llvm::Value *isHigh = b.CreateFCmpOGT(x, number(high));
  inside = b.CreateSelect(isHigh, number(high), inside);
  llvm::Type *word = bits < 32 ? b.getInt32Ty() : target;
  llvm::Value *integer = isSigned || bits < 32 ? b.CreateFPToSI(inside, word)
                                               : b.CreateFPToUI(inside, word);
  integer = b.CreateTrunc(integer, target);
  // The largest float below the bound may be less than the bound.
  integer =
      b.CreateSelect(isHigh, llvm::ConstantInt::get(target, most), integer);
  return isSigned ? b.CreateSelect(b.CreateFCmpUNO(x, x),
                                   llvm::ConstantInt::get(target, 0), integer)
                  : integer;
}

static llvm::Value *convertReal(Emitter &e, llvm::Value *x, ElementType from,
                                ElementType to) {
  llvm::IRBuilder<> &b = e.builder();
  llvm::Type *target = registerType(to, e.context());
  if (isFloat(from)) {
    x = widen(e, x, from);
    if (to == ElementType::Pred) {
      return b.CreateFCmpUNE(x, llvm::ConstantFP::get(x->getType(), 0));
    }
    if (isNarrow(to)) {
      return narrow(e, x, to);
    }
    if (isFloat(to)) {
      return b.CreateFPCast(x, target);
    }
    return roundToInteger(e, x, to);
  }
  if (to == ElementType::Pred) {
    return b.CreateICmpNE(x, llvm::ConstantInt::get(x->getType(), 0));
  }
  bool isSigned = isSignedInteger(from);
  if (!isFloat(to)) {
    return b.CreateIntCast(x, target, isSigned);
  }
  // Narrow floats from wider ones that hold what is left of the integer.
  bool isShort = isHalf(to) && bitWidth(from) <= 32;
  llvm::Type *wide = isShort        ? b.getFloatTy()
                     : isNarrow(to) ? b.getDoubleTy()
                                    : target;
  if (from == ElementType::Pred) {
    // Lanes of a constant: a conversion would first make integers of the mask.
    x = b.CreateSelect(x, llvm::ConstantFP::get(wide, 1),
                       llvm::ConstantFP::get(wide, 0));
    return narrow(e, x, to);
  }
  if (isNarrow(to)) {
    x = roundIntegerToOdd(e, x, isSigned, wide);
  }
  llvm::Value *value =
      isSigned ? b.CreateSIToFP(x, wide) : b.CreateUIToFP(x, wide);
  return narrow(e, value, to);
}

Element convertElement(Emitter &e, Element x, ElementType from,
                       ElementType to) {
  if (from == to) {
    return x;
  }
  Element result;
  result.real = convertReal(e, x.real, partOf(from), partOf(to));
  if (isComplex(to)) {
    result.imag = x.imag ? convertReal(e, x.imag, partOf(from), partOf(to))
                         : llvm::Constant::getNullValue(result.real->getType());
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Dispatch
//===----------------------------------------------------------------------===//

Element Emitter::emitElementwise(Operation *op, llvm::ArrayRef<Element> x) {
  ElementType type = op->getNumOperands()
                         ? elementTypeOf(op->getOperand(0).getType())
                         : ElementType::Invalid;
  ElementType resultType = elementTypeOf(op->getResult(0).getType());
  if (llvm::isa<SelectOp>(op)) {
    return selectElement(*this, x[0], x[1], x[2]);
  }
  if (auto compare = llvm::dyn_cast<CompareOp>(op)) {
    return {compareElements(*this, compare, type, x[0], x[1])};
  }
  if (llvm::isa<ConvertOp>(op)) {
    return convertElement(*this, x[0], type, resultType);
  }
  if (llvm::isa<ComplexOp>(op)) {
    return {x[0].real, x[1].real};
  }
  if (auto map = llvm::dyn_cast<MapOp>(op)) {
    return emitScalarRegion(map.getComputation(), x).front();
  }
  if (llvm::isa<BitcastConvertOp>(op)) {
    return {fromBitsOf(*this, bitsOf(*this, x[0].real, type), resultType)};
  }
  if (isComplex(type)) {
    return emitComplex(*this, op, x);
  }
  if (llvm::isa<ClampOp>(op)) {
    return {clampElement(*this, type, x[0].real, x[1].real, x[2].real)};
  }
  llvm::SmallVector<llvm::Value *, 3> values;
  for (Element element : x) {
    values.push_back(element.real);
  }
  llvm::Value *result = nullptr;
  if (auto reduce = llvm::dyn_cast<ReducePrecisionOp>(op)) {
    llvm::Value *wide =
        isSmallFloat(type) ? widenSmall(*this, values[0], type) : values[0];
    result = reducePrecision(*this, reduce, wide);
    result = isSmallFloat(type) ? narrowSmall(*this, result, type) : result;
  } else if (isHalf(type) && llvm::isa<MaxOp, MinOp>(op)) {
    result = extremeOfHalves(*this, type, llvm::isa<MaxOp>(op), values[0],
                             values[1]);
  } else if (isFloat(type)) {
    for (llvm::Value *&value : values) {
      value = widen(*this, value, type);
    }
    ElementType working = isNarrow(type) ? ElementType::F32 : type;
    result = emitFloat(*this, op, working, values);
    if (result && isFloat(resultType)) {
      result = narrow(*this, result, resultType);
    }
  } else {
    result = emitInteger(*this, op, type, values);
  }
  if (!result) {
    fail(op, "it does not know this operation on this element type");
    return undefined(op->getResult(0).getType());
  }
  return {result};
}

} // namespace xla::cpu
