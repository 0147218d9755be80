//===- Conversions.cpp - From one element type to another -----------------===//

#include "xla/dialect/stablehlo/StablehloOps.h"
#include "xla/reference/Interpreter.h"
#include "xla/reference/Scalars.h"

#include <algorithm>
#include <limits>

using namespace mlir;

namespace xla::reference {

//===----------------------------------------------------------------------===//
// convert
//===----------------------------------------------------------------------===//

/// Truncated toward zero, saturated to the range of `type`, NaN to 0.
static uint64_t integerFromReal(ElementType type, double value) {
  if (std::isnan(value)) {
    return 0;
  }
  int bits = bitWidth(type);
  bool isSigned = isSignedInteger(type);
  // 2^(bits - 1) or 2^bits: the first value out of range, exact in a double.
  double limit = std::ldexp(1.0, isSigned ? bits - 1 : bits);
  if (value >= limit) {
    return ~uint64_t(0) >> (64 - bits + (isSigned ? 1 : 0));
  }
  if (value <= (isSigned ? -limit : -1.0) || (!isSigned && value < 0)) {
    return isSigned ? -(uint64_t(1) << (bits - 1)) : 0;
  }
  return value < 0 ? uint64_t(int64_t(value)) : uint64_t(value);
}

/// An integer rounded to `T`: once.
template <typename T>
static T numberOf(int64_t value, bool isSigned) {
  return isSigned ? T(value) : T(uint64_t(value));
}

/// An integer as an f64. Where it has more bits, to the neighbour whose last
/// bit is odd: rounded from there to a narrow float it is the nearest one.
static double roundToOdd(int64_t value, bool isSigned) {
  bool isNegative = isSigned && value < 0;
  uint64_t size = isNegative ? -uint64_t(value) : uint64_t(value);
  if (size > uint64_t(1) << 53) {
    uint64_t rest = size & 0x7ff;
    size = (size - rest) | (rest != 0 ? 0x800 : 0);
  }
  return isNegative ? -double(size) : double(size);
}

static void convertElement(const Tensor &from, Tensor &to, int64_t i) {
  Kind target = kindOf(to.type());
  if (to.type() == ElementType::Pred) {
    bool isTrue = kindOf(from.type()) == Kind::Integer ? from.integer(i) != 0
                  : kindOf(from.type()) == Kind::Complex
                      ? from.complex(i).real() != 0
                      : from.real(i) != 0;
    to.setInteger(i, isTrue);
    return;
  }
  if (kindOf(from.type()) == Kind::Integer) {
    int64_t value = from.integer(i);
    if (target == Kind::Integer) {
      to.setInteger(i, value);
      return;
    }
    bool isSigned = isSignedInteger(from.type());
    double number =
        to.type() == ElementType::F32 || to.type() == ElementType::C64
            ? numberOf<float>(value, isSigned)
        : to.type() == ElementType::F64 || to.type() == ElementType::C128
            ? numberOf<double>(value, isSigned)
            : roundToOdd(value, isSigned);
    if (target == Kind::Complex) {
      to.setComplex(i, number);
    } else {
      to.setReal(i, number);
    }
    return;
  }
  Complex value = kindOf(from.type()) == Kind::Complex ? from.complex(i)
                                                       : Complex(from.real(i));
  if (target == Kind::Complex) {
    to.setComplex(i, value);
  } else if (target == Kind::Integer) {
    to.setInteger(i, integerFromReal(to.type(), value.real()));
  } else {
    to.setReal(i, value.real());
  }
}

static Status evaluateConvert(const Step &step) {
  const Tensor &from = step.operands[0];
  XLA_ASSIGN_OR_RETURN(Tensor to, step.zeros());
  for (int64_t i = 0; i < from.count(); ++i) {
    convertElement(from, to, i);
  }
  step.results.push_back(std::move(to));
  return okStatus();
}

//===----------------------------------------------------------------------===//
// bitcast_convert
//===----------------------------------------------------------------------===//

/// Reads `bits` bits of the row-major bit string that the elements form.
static uint64_t readBits(const Tensor &tensor, int64_t position, int bits) {
  int width = kindOf(tensor.type()) == Kind::Complex ? 8 * tensor.width()
                                                     : bitWidth(tensor.type());
  uint64_t value = 0;
  for (int i = 0; i < bits; ++i) {
    int64_t element = (position + i) / width, offset = (position + i) % width;
    uint8_t byte = tensor.data()[element * tensor.width() + offset / 8];
    value |= uint64_t(byte >> (offset % 8) & 1) << i;
  }
  return value;
}

static Status evaluateBitcast(const Step &step) {
  const Tensor &from = step.operands[0];
  XLA_ASSIGN_OR_RETURN(Tensor to, step.zeros());
  if (from.width() == to.width() && bitWidth(from.type()) % 8 == 0 &&
      bitWidth(to.type()) % 8 == 0) {
    std::memcpy(to.mutableData(), from.data(), to.byteCount());
  } else {
    int bits = bitWidth(to.type());
    bool isInteger = kindOf(to.type()) == Kind::Integer;
    for (int64_t i = 0; i < to.count(); ++i) {
      uint64_t value = readBits(from, i * bits, bits);
      if (isInteger) {
        to.setInteger(i, value);
      } else {
        std::memcpy(to.mutableData() + i * to.width(), &value, to.width());
      }
    }
  }
  step.results.push_back(std::move(to));
  return okStatus();
}

//===----------------------------------------------------------------------===//
// reduce_precision
//===----------------------------------------------------------------------===//

/// The bits of the exponent in a floating-point type.
static int exponentBitsOf(ElementType type) {
  return type == ElementType::F16 ? 5 : type == ElementType::F64 ? 11 : 8;
}

/// Rounds a number of a type to a format of so many bits, ties to even. What is
/// smaller than the format's normal numbers becomes zero, but only where the
/// format's exponent is narrower than the type's: the type's own format changes
/// nothing.
static double reducePrecision(double x, ElementType type, int exponentBits,
                              int mantissaBits) {
  if (std::isnan(x) || std::isinf(x) || x == 0) {
    return x;
  }
  int ownBits = exponentBitsOf(type);
  int exponent;
  std::frexp(x, &exponent); // x = f * 2^exponent with f in [1/2, 1)
  // Subnormal numbers of the type are as far apart as its smallest normal ones.
  exponent = std::max(exponent, 3 - (1 << (ownBits - 1)));
  double scaled = std::ldexp(x, mantissaBits + 1 - exponent);
  double rounded = mantissaBits < 52 ? std::ldexp(std::nearbyint(scaled),
                                                  exponent - mantissaBits - 1)
                                     : x;
  if (exponentBits >= ownBits) {
    return std::copysign(rounded, x);
  }
  int bias = (1 << (exponentBits - 1)) - 1;
  // The largest exponent is bias, its smallest normal one 1 - bias.
  if (std::fabs(rounded) >= std::ldexp(1.0, bias + 1)) {
    return std::copysign(std::numeric_limits<double>::infinity(), x);
  }
  if (std::fabs(rounded) < std::ldexp(1.0, 1 - bias)) {
    return std::copysign(0.0, x);
  }
  return rounded;
}

static Status evaluateReducePrecision(const Step &step) {
  auto op = cast<stablehlo::ReducePrecisionOp>(step.op);
  const Tensor &x = step.operands[0];
  XLA_ASSIGN_OR_RETURN(Tensor out, step.zeros());
  for (int64_t i = 0; i < x.count(); ++i) {
    out.setReal(i, reducePrecision(x.real(i), x.type(), op.getExponentBits(),
                                   op.getMantissaBits()));
  }
  step.results.push_back(std::move(out));
  return okStatus();
}

void addConversions(Handlers &handlers) {
  handlers["stablehlo.convert"] = evaluateConvert;
  handlers["stablehlo.bitcast_convert"] = evaluateBitcast;
  handlers["stablehlo.reduce_precision"] = evaluateReducePrecision;
}

} // namespace xla::reference
