//===- SmallFloats.cpp - Floats of 8 and 4 bits ---------------------------===//
//
// Neither LLVM nor the processor knows these formats. They are widened to f32,
// which holds every value of theirs, by moving their bits to where f32 has
// them, and narrowed with one rounding, to nearest even. Straight lines of
// integer arithmetic, so that loops over them are vectorised.
//
//===----------------------------------------------------------------------===//

#include "xla/codegen/cpu/lower/elementwise/Elementwise.h"

#include <cmath>

namespace xla::cpu {

namespace {

/// What stands at the end of a format's range.
enum class Range {
  Ieee,      ///< infinities and NaNs in the last exponent
  FiniteNan, ///< FN: all ones is NaN, and there is no infinity
  OneZero,   ///< FNUZ: no infinity, and NaN instead of -0
  Saturates, ///< F4E2M1FN: neither
};

struct Format {
  int mantissa;
  int bias;
  int signBit; ///< its number
  Range range;

  /// The bits of the largest finite number.
  uint64_t largest() const {
    uint64_t last = (uint64_t(1) << signBit) - 1;
    return range == Range::Ieee        ? (last >> mantissa << mantissa) - 1
           : range == Range::FiniteNan ? last - 1
                                       : last;
  }
};

} // namespace

static Format formatOf(ElementType type) {
  switch (type) {
  case ElementType::F8E5M2:
    return {2, 15, 7, Range::Ieee};
  case ElementType::F8E4M3:
    return {3, 7, 7, Range::Ieee};
  case ElementType::F8E3M4:
    return {4, 3, 7, Range::Ieee};
  case ElementType::F8E4M3FN:
    return {3, 7, 7, Range::FiniteNan};
  case ElementType::F8E4M3FNUZ:
    return {3, 8, 7, Range::OneZero};
  case ElementType::F8E5M2FNUZ:
    return {2, 16, 7, Range::OneZero};
  case ElementType::F8E4M3B11FNUZ:
    return {3, 11, 7, Range::OneZero};
  case ElementType::F4E2M1FN:
    return {1, 1, 3, Range::Saturates};
  default:
    llvm_unreachable("not a small float with a mantissa");
  }
}

//===----------------------------------------------------------------------===//
// F8E8M0FNU: powers of two, and one NaN
//===----------------------------------------------------------------------===//

constexpr uint32_t scaleNan = 0xff;

static llvm::Value *widenScale(Emitter &e, llvm::Value *x) {
  llvm::IRBuilder<> &b = e.builder();
  llvm::Value *code = b.CreateZExt(x, b.getInt32Ty());
  llvm::Value *bits = b.CreateShl(code, 23);
  // 2^-127 is a subnormal number of f32.
  bits = b.CreateSelect(b.CreateICmpEQ(code, b.getInt32(0)),
                        b.getInt32(0x00400000), bits);
  bits = b.CreateSelect(b.CreateICmpEQ(code, b.getInt32(scaleNan)),
                        b.getInt32(0x7fc00000), bits);
  return b.CreateBitCast(bits, b.getFloatTy());
}

/// Halves go up, as XLA has it. What is no positive number is NaN.
static llvm::Value *narrowScale(Emitter &e, llvm::Value *x) {
  llvm::IRBuilder<> &b = e.builder();
  // In doubles no such power of two is subnormal.
  x = b.CreateFPExt(x, b.getDoubleTy());
  llvm::Value *bits = b.CreateBitCast(x, b.getInt64Ty());
  llvm::Value *rounded = b.CreateAdd(bits, b.getInt64(uint64_t(1) << 51));
  llvm::Value *code = b.CreateSub(b.CreateLShr(rounded, 52), b.getInt64(896));
  code = b.CreateBinaryIntrinsic(llvm::Intrinsic::smax, code, b.getInt64(0));
  llvm::Value *nan = b.getInt64(scaleNan);
  code = b.CreateBinaryIntrinsic(llvm::Intrinsic::umin, code, nan);
  llvm::Value *positive =
      b.CreateFCmpOGT(x, llvm::ConstantFP::get(x->getType(), 0.0));
  return b.CreateTrunc(b.CreateSelect(positive, code, nan), b.getInt8Ty());
}

//===----------------------------------------------------------------------===//
// Doubles and long integers, rounded to odd
//===----------------------------------------------------------------------===//
//
// A second rounding, to nearest, of what was first rounded to odd with at least
// two bits more gives what one rounding to nearest gives: an odd last bit says
// that the number is inexact, and never is in the middle (S. Boldo, G.
// Melquiond, "Emulation of FMA and correctly rounded sums: proved algorithms
// using rounding to odd", 2008).

llvm::Value *roundToOdd(Emitter &e, llvm::Value *x) {
  llvm::IRBuilder<> &b = e.builder();
  if (!x->getType()->isDoubleTy()) {
    return x;
  }
  // With leave to contract, LLVM would take the conversion back for the number.
  llvm::IRBuilder<>::FastMathFlagGuard guard(b);
  b.clearFastMathFlags();
  llvm::Value *near = b.CreateFPTrunc(x, b.getFloatTy());
  llvm::Value *back = b.CreateFPExt(near, x->getType());
  auto sizeOf = [&](llvm::Value *value) {
    return b.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, value);
  };
  // One less where the magnitude was rounded up, which also takes an infinity
  // back to the largest number.
  llvm::Value *isUp = b.CreateFCmpOGT(sizeOf(back), sizeOf(x));
  llvm::Value *bits = b.CreateBitCast(near, b.getInt32Ty());
  bits = b.CreateSub(bits, b.CreateZExt(isUp, bits->getType()));
  llvm::Value *isInexact = b.CreateFCmpONE(back, x);
  bits = b.CreateOr(bits, b.CreateZExt(isInexact, bits->getType()));
  return b.CreateBitCast(bits, b.getFloatTy());
}

llvm::Value *roundIntegerToOdd(Emitter &e, llvm::Value *x, bool isSigned,
                               llvm::Type *target) {
  llvm::IRBuilder<> &b = e.builder();
  int precision = target->isDoubleTy() ? 53 : 24;
  int dropped =
      static_cast<int>(x->getType()->getIntegerBitWidth()) - precision;
  if (dropped <= 0) {
    return x;
  }
  auto number = [&](uint64_t value) {
    return llvm::ConstantInt::get(x->getType(), value);
  };
  llvm::Value *rest = b.CreateAnd(x, number((uint64_t(1) << dropped) - 1));
  llvm::Value *isInexact = b.CreateICmpNE(rest, number(0));
  llvm::Value *odd =
      b.CreateOr(b.CreateSub(x, rest),
                 b.CreateShl(b.CreateZExt(isInexact, x->getType()), dropped));
  llvm::Value *size = isSigned
                          ? b.CreateIntrinsic(llvm::Intrinsic::abs,
                                              {x->getType()}, {x, b.getFalse()})
                          : x;
  return b.CreateSelect(b.CreateICmpUGT(size, number(uint64_t(1) << precision)),
                        odd, x);
}

//===----------------------------------------------------------------------===//
// BF16: the upper half of an f32
//===----------------------------------------------------------------------===//

/// By integers: the instruction for it flushes subnormal numbers. Adding 0x7fff
/// and the bit that will be last rounds to nearest even.
static llvm::Value *narrowToBrain(Emitter &e, llvm::Value *x) {
  llvm::IRBuilder<> &b = e.builder();
  x = roundToOdd(e, x);
  llvm::Value *bits = b.CreateBitCast(x, b.getInt32Ty());
  llvm::Value *last = b.CreateAnd(b.CreateLShr(bits, 16), b.getInt32(1));
  llvm::Value *rounded =
      b.CreateAdd(bits, b.CreateAdd(last, b.getInt32(0x7fff)));
  llvm::Value *quiet = b.CreateOr(bits, b.getInt32(0x400000));
  llvm::Value *isNan = b.CreateFCmpUNO(x, x);
  llvm::Value *high = b.CreateLShr(b.CreateSelect(isNan, quiet, rounded), 16);
  return b.CreateTrunc(high, b.getInt16Ty());
}

//===----------------------------------------------------------------------===//
// The others
//===----------------------------------------------------------------------===//

llvm::Value *widenSmall(Emitter &e, llvm::Value *x, ElementType type) {
  llvm::IRBuilder<> &b = e.builder();
  if (type == ElementType::F8E8M0FNU) {
    return widenScale(e, x);
  }
  if (type == ElementType::BF16) {
    return b.CreateBitCast(b.CreateShl(b.CreateZExt(x, b.getInt32Ty()), 16),
                           b.getFloatTy());
  }
  Format format = formatOf(type);
  auto number = [&](uint64_t value) {
    return b.getInt32(static_cast<uint32_t>(value));
  };
  uint64_t signMask = uint64_t(1) << format.signBit;
  llvm::Value *code = b.CreateZExt(x, b.getInt32Ty());
  llvm::Value *magnitude = b.CreateAnd(code, number(signMask - 1));
  llvm::Value *moved = b.CreateShl(magnitude, 23 - format.mantissa);
  // As an f32 it is too small by the difference of the biases; the product is
  // exact, and makes subnormal numbers normal.
  llvm::Value *scaled =
      b.CreateFMul(b.CreateBitCast(moved, b.getFloatTy()),
                   llvm::ConstantFP::get(b.getFloatTy(),
                                         std::ldexp(1.0, 127 - format.bias)));
  llvm::Value *bits = b.CreateBitCast(scaled, b.getInt32Ty());
  if (format.range == Range::Ieee) {
    llvm::Value *special = b.CreateOr(moved, number(0x7f800000));
    bits = b.CreateSelect(b.CreateICmpUGT(magnitude, number(format.largest())),
                          special, bits);
  } else if (format.range == Range::FiniteNan) {
    bits = b.CreateSelect(b.CreateICmpUGT(magnitude, number(format.largest())),
                          number(0x7fc00000), bits);
  } else if (format.range == Range::OneZero) {
    bits = b.CreateSelect(b.CreateICmpEQ(code, number(signMask)),
                          number(0x7fc00000), bits);
  }
  llvm::Value *sign =
      b.CreateShl(b.CreateAnd(code, number(signMask)), 31 - format.signBit);
  return b.CreateBitCast(b.CreateOr(bits, sign), b.getFloatTy());
}

/// The bits of |x| in the format, with one more exponent than it has for what
/// is too large. `magnitude` are the bits of |x|.
static llvm::Value *roundMagnitude(Emitter &e, llvm::Value *absolute,
                                   llvm::Value *magnitude,
                                   const Format &format) {
  llvm::IRBuilder<> &b = e.builder();
  bool wide = absolute->getType()->isDoubleTy();
  int mantissa = wide ? 52 : 23, bias = wide ? 1023 : 127;
  auto number = [&](uint64_t value) {
    return llvm::ConstantInt::get(magnitude->getType(), value);
  };
  int dropped = mantissa - format.mantissa;
  // Adding just less than a half and the bit that will be last rounds to
  // nearest even.
  llvm::Value *last = b.CreateAnd(b.CreateLShr(magnitude, dropped), number(1));
  llvm::Value *rounded = b.CreateAdd(
      magnitude, b.CreateAdd(last, number((uint64_t(1) << (dropped - 1)) - 1)));
  uint64_t rebias = static_cast<uint64_t>(bias - format.bias)
                    << format.mantissa;
  llvm::Value *normal =
      b.CreateSub(b.CreateLShr(rounded, dropped), number(rebias));
  // Below the smallest normal number: added to a power of two whose last bit
  // is the format's, so that the addition rounds. It must stay an addition.
  llvm::IRBuilder<>::FastMathFlagGuard guard(b);
  b.clearFastMathFlags();
  int least = 1 - format.bias;
  auto power = [&](int exponent) {
    return llvm::ConstantFP::get(absolute->getType(),
                                 std::ldexp(1.0, exponent));
  };
  llvm::Value *magic = power(least - format.mantissa + mantissa);
  llvm::Value *sum = b.CreateFAdd(absolute, magic);
  llvm::Value *subnormal =
      b.CreateSub(b.CreateBitCast(sum, magnitude->getType()),
                  b.CreateBitCast(magic, magnitude->getType()));
  return b.CreateSelect(b.CreateFCmpOLT(absolute, power(least)), subnormal,
                        normal);
}

llvm::Value *narrowSmall(Emitter &e, llvm::Value *x, ElementType type) {
  if (type == ElementType::F8E8M0FNU) {
    return narrowScale(e, x);
  }
  if (type == ElementType::BF16) {
    return narrowToBrain(e, x);
  }
  llvm::IRBuilder<> &b = e.builder();
  Format format = formatOf(type);
  llvm::Type *word = b.getIntNTy(
      static_cast<unsigned>(x->getType()->getPrimitiveSizeInBits()));
  auto number = [&](uint64_t value) {
    return llvm::ConstantInt::get(word, value);
  };
  uint64_t signMask = uint64_t(1) << format.signBit;
  llvm::Value *absolute = b.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, x);
  llvm::Value *magnitude = b.CreateBitCast(absolute, word);
  llvm::Value *code = roundMagnitude(e, absolute, magnitude, format);
  llvm::Value *sign = b.CreateShl(
      b.CreateLShr(b.CreateBitCast(x, word), word->getIntegerBitWidth() - 1),
      format.signBit);
  llvm::Value *isNan = b.CreateFCmpUNO(x, x);
  llvm::Value *overflows = b.CreateICmpUGT(code, number(format.largest()));
  switch (format.range) {
  case Range::Ieee:
    code = b.CreateSelect(overflows, number(format.largest() + 1), code);
    // The first of the quiet NaNs has the highest bit of the mantissa.
    code = b.CreateSelect(
        isNan,
        number((format.largest() + 1) | (uint64_t(1) << (format.mantissa - 1))),
        code);
    code = b.CreateOr(code, sign);
    break;
  case Range::FiniteNan:
    code = b.CreateSelect(b.CreateOr(overflows, isNan), number(signMask - 1),
                          code);
    code = b.CreateOr(code, sign);
    break;
  case Range::OneZero: {
    llvm::Value *isZero = b.CreateICmpEQ(code, number(0));
    llvm::Value *signedCode =
        b.CreateSelect(isZero, number(0), b.CreateOr(code, sign));
    code = b.CreateSelect(b.CreateOr(overflows, isNan), number(signMask),
                          signedCode);
    break;
  }
  case Range::Saturates:
    // There is no NaN: -0 stands in, as XLA has it.
    code = b.CreateSelect(overflows, number(format.largest()), code);
    code = b.CreateSelect(isNan, number(signMask), b.CreateOr(code, sign));
    break;
  }
  return b.CreateTrunc(code, b.getInt8Ty());
}

//===----------------------------------------------------------------------===//
// Bits
//===----------------------------------------------------------------------===//

llvm::Value *bitsOf(Emitter &e, llvm::Value *x, ElementType type) {
  llvm::IRBuilder<> &b = e.builder();
  llvm::Type *bits = b.getIntNTy(bitWidth(type));
  return x->getType()->isIntegerTy() ? b.CreateTrunc(x, bits)
                                     : b.CreateBitCast(x, bits);
}

llvm::Value *fromBitsOf(Emitter &e, llvm::Value *bits, ElementType type) {
  llvm::IRBuilder<> &b = e.builder();
  llvm::Type *target = registerType(type, e.context());
  return target->isIntegerTy() ? b.CreateZExt(bits, target)
                               : b.CreateBitCast(bits, target);
}

} // namespace xla::cpu
