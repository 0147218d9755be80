//===- Tensor.cpp - Arrays of the reference interpreter -------------------===//

#include "xla/reference/Tensor.h"

#include "llvm/ADT/APFloat.h"

#include <algorithm>
#include <bit>
#include <new>

using llvm::APFloat;
using llvm::APInt;

namespace xla::reference {

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

Kind kindOf(ElementType type) {
  return isFloat(type)                                  ? Kind::Float
         : isComplex(type)                              ? Kind::Complex
         : isInteger(type) || type == ElementType::Pred ? Kind::Integer
                                                        : Kind::Token;
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

int64_t wrapInteger(ElementType type, uint64_t value) {
  int unused = 64 - bitWidth(type);
  return isSignedInteger(type) ? int64_t(value << unused) >> unused
                               : int64_t(value << unused >> unused);
}

/// The bits of `value` in a format of at most 16 bits.
static uint64_t narrowBits(ElementType type, double value) {
  const llvm::fltSemantics &semantics = *semanticsOf(type);
  if (type == ElementType::F8E8M0FNU) {
    if (!(value > 0) || std::isinf(value)) {
      return 0xFF; // The format has neither zero, sign nor infinity.
    }
    int exponent; // of the power of two next to the value, halves going up
    double fraction = std::frexp(value, &exponent);
    exponent -= fraction < 0.75 ? 1 : 0;
    return exponent > 127 ? 0xFF : std::max(exponent, -127) + 127;
  }
  if (type == ElementType::F4E2M1FN) {
    // It has no NaN: the smallest magnitude stands in, as XLA has it.
    if (std::isnan(value)) {
      return 0x8;
    }
    if (std::fabs(value) >= 6) {
      return std::signbit(value) ? 0xF : 0x7;
    }
  }
  APFloat number(value);
  bool losesInfo;
  number.convert(semantics, APFloat::rmNearestTiesToEven, &losesInfo);
  if (number.isInfinity() && !APFloat::semanticsHasInf(semantics)) {
    number = APFloat::getNaN(semantics, std::signbit(value));
  }
  return number.bitcastToAPInt().getZExtValue();
}

static double widen(ElementType type, uint64_t bits) {
  if (type == ElementType::F8E8M0FNU) {
    return bits == 0xFF ? std::nan("") : std::ldexp(1.0, int(bits) - 127);
  }
  const llvm::fltSemantics &semantics = *semanticsOf(type);
  APFloat number(semantics,
                 APInt(APFloat::getSizeInBits(semantics),
                       bits & ((uint64_t(1) << bitWidth(type)) - 1)));
  bool losesInfo;
  number.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                 &losesInfo);
  return number.convertToDouble();
}

template <typename T>
static T load(const uint8_t *bytes, int64_t position) {
  T value;
  std::memcpy(&value, bytes + position * sizeof(T), sizeof(T));
  return value;
}

template <typename T>
static void store(uint8_t *bytes, int64_t position, T value) {
  std::memcpy(bytes + position * sizeof(T), &value, sizeof(T));
}

int64_t Tensor::integer(int64_t position) const {
  const uint8_t *bytes = data();
  switch (theWidth) {
  case 1:
    return wrapInteger(theType, load<uint8_t>(bytes, position));
  case 2:
    return wrapInteger(theType, load<uint16_t>(bytes, position));
  case 4:
    return wrapInteger(theType, load<uint32_t>(bytes, position));
  default:
    return load<int64_t>(bytes, position);
  }
}

void Tensor::setInteger(int64_t position, uint64_t value) {
  uint8_t *bytes = mutableData();
  switch (theWidth) {
  case 1:
    // Narrow types keep their own bits, under zeros.
    return store<uint8_t>(bytes, position,
                          value & ((uint64_t(1) << bitWidth(theType)) - 1));
  case 2:
    return store<uint16_t>(bytes, position, value);
  case 4:
    return store<uint32_t>(bytes, position, value);
  default:
    return store<uint64_t>(bytes, position, value);
  }
}

double Tensor::real(int64_t position) const {
  switch (theType) {
  case ElementType::F32:
    return load<float>(data(), position);
  case ElementType::F64:
    return load<double>(data(), position);
  case ElementType::BF16:
    return std::bit_cast<float>(uint32_t(load<uint16_t>(data(), position))
                                << 16);
  case ElementType::F16:
    return widen(theType, load<uint16_t>(data(), position));
  default:
    return widen(theType, load<uint8_t>(data(), position));
  }
}

void Tensor::setReal(int64_t position, double value) {
  switch (theType) {
  case ElementType::F32:
    return store<float>(mutableData(), position, value);
  case ElementType::F64:
    return store<double>(mutableData(), position, value);
  case ElementType::BF16:
  case ElementType::F16:
    return store<uint16_t>(mutableData(), position, narrowBits(theType, value));
  default:
    return store<uint8_t>(mutableData(), position, narrowBits(theType, value));
  }
}

std::complex<double> Tensor::complex(int64_t position) const {
  if (theType == ElementType::C64) {
    return {load<float>(data(), 2 * position),
            load<float>(data(), 2 * position + 1)};
  }
  return {load<double>(data(), 2 * position),
          load<double>(data(), 2 * position + 1)};
}

void Tensor::setComplex(int64_t position, std::complex<double> value) {
  if (theType == ElementType::C64) {
    store<float>(mutableData(), 2 * position, value.real());
    store<float>(mutableData(), 2 * position + 1, value.imag());
    return;
  }
  store<double>(mutableData(), 2 * position, value.real());
  store<double>(mutableData(), 2 * position + 1, value.imag());
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

StatusOr<Tensor> Tensor::zeros(ElementType type, Index sizes) {
  Shape shape{type, sizes.vec()};
  std::optional<int64_t> bytes = byteSize(shape);
  if (!bytes) {
    return invalidArgument("array " + toString(shape) + " is too large");
  }
  Tensor tensor;
  tensor.theType = type;
  tensor.theSizes.assign(sizes.begin(), sizes.end());
  tensor.theCount = type == ElementType::Token ? 0 : *elementCount(shape);
  tensor.theWidth = byteWidth(type);
  // No exceptions here: the allocation has to say by itself that it failed.
  uint8_t *memory = new (std::nothrow) uint8_t[*bytes + 1]();
  if (!memory) {
    return resourceExhausted("no memory for an array " + toString(shape));
  }
  tensor.theBytes.reset(memory);
  return tensor;
}

Tensor Tensor::token() {
  Tensor tensor;
  tensor.theType = ElementType::Token;
  return tensor;
}

Tensor Tensor::reshaped(Index sizes) const {
  Tensor tensor = *this;
  tensor.theSizes.assign(sizes.begin(), sizes.end());
  return tensor;
}

StatusOr<Tensor> Tensor::scalar(int64_t position) const {
  XLA_ASSIGN_OR_RETURN(Tensor result, zeros(theType, {}));
  result.copyElement(0, *this, position);
  return result;
}

Sizes stridesOf(Index sizes) {
  Sizes strides(sizes.size(), 1);
  for (int64_t i = int64_t(sizes.size()) - 2; i >= 0; --i) {
    strides[i] = strides[i + 1] * sizes[i + 1];
  }
  return strides;
}

void forEachIndex(Index sizes, llvm::function_ref<bool(Index)> visit) {
  for (int64_t size : sizes) {
    if (size == 0) {
      return;
    }
  }
  Sizes index(sizes.size(), 0);
  while (true) {
    if (!visit(index)) {
      return;
    }
    int64_t dimension = int64_t(sizes.size()) - 1;
    while (dimension >= 0 && ++index[dimension] == sizes[dimension]) {
      index[dimension--] = 0;
    }
    if (dimension < 0) {
      return;
    }
  }
}

} // namespace xla::reference
