//===- ElementTypes.cpp - What the runtime's element types are ------------===//

#include "xla/dialect/ElementTypes.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/STLExtras.h"

#include <iterator>

using llvm::APFloat;

namespace xla {

namespace {

enum class Kind : uint8_t { None, Truth, Signed, Unsigned, Float, Complex };

struct Row {
  Kind kind;
  uint8_t bits;
  const llvm::fltSemantics &(*format)() = nullptr; ///< of a part, if complex
};

/// One row per ElementType, in the order of the enumeration.
constexpr Row rows[] = {
    {Kind::None, 0},
    {Kind::Truth, 1},
    {Kind::Signed, 8},
    {Kind::Signed, 16},
    {Kind::Signed, 32},
    {Kind::Signed, 64},
    {Kind::Unsigned, 8},
    {Kind::Unsigned, 16},
    {Kind::Unsigned, 32},
    {Kind::Unsigned, 64},
    {Kind::Float, 16, APFloat::IEEEhalf},
    {Kind::Float, 32, APFloat::IEEEsingle},
    {Kind::Float, 64, APFloat::IEEEdouble},
    {Kind::Float, 16, APFloat::BFloat},
    {Kind::Complex, 64, APFloat::IEEEsingle},
    {Kind::Complex, 128, APFloat::IEEEdouble},
    {Kind::Float, 8, APFloat::Float8E5M2},
    {Kind::Float, 8, APFloat::Float8E4M3FN},
    {Kind::Float, 8, APFloat::Float8E4M3B11FNUZ},
    {Kind::Float, 8, APFloat::Float8E5M2FNUZ},
    {Kind::Float, 8, APFloat::Float8E4M3FNUZ},
    {Kind::Signed, 4},
    {Kind::Unsigned, 4},
    {Kind::None, 0},
    {Kind::Signed, 2},
    {Kind::Unsigned, 2},
    {Kind::Float, 8, APFloat::Float8E4M3},
    {Kind::Float, 8, APFloat::Float8E3M4},
    {Kind::Float, 8, APFloat::Float8E8M0FNU},
    {Kind::Float, 4, APFloat::Float4E2M1FN},
};
static_assert(std::size(rows) ==
              static_cast<size_t>(ElementType::F4E2M1FN) + 1);

} // namespace

static const Row &rowOf(ElementType type) {
  return rows[static_cast<size_t>(type)];
}

/// The first type whose row is as wanted; Invalid where there is none.
template <typename Predicate>
static ElementType find(Predicate isWanted) {
  const auto *row = llvm::find_if(rows, isWanted);
  return row == std::end(rows) ? ElementType::Invalid
                               : static_cast<ElementType>(row - rows);
}

static ElementType integerType(mlir::IntegerType type) {
  unsigned bits = type.getWidth();
  Kind kind = type.isUnsigned() ? Kind::Unsigned
              : bits == 1       ? Kind::Truth
                                : Kind::Signed;
  return find([&](const Row &row) {
    return row.kind == kind && static_cast<unsigned>(row.bits) == bits;
  });
}

static ElementType floatType(Kind kind, mlir::FloatType type) {
  const llvm::fltSemantics *format = &type.getFloatSemantics();
  return find([&](const Row &row) {
    return row.kind == kind && &row.format() == format;
  });
}

ElementType elementTypeOf(mlir::Type type) {
  if (auto shaped = llvm::dyn_cast<mlir::ShapedType>(type)) {
    type = shaped.getElementType();
  }
  if (auto integer = llvm::dyn_cast<mlir::IntegerType>(type)) {
    return integerType(integer);
  }
  if (auto real = llvm::dyn_cast<mlir::FloatType>(type)) {
    return floatType(Kind::Float, real);
  }
  auto complex = llvm::dyn_cast<mlir::ComplexType>(type);
  auto part = complex
                  ? llvm::dyn_cast<mlir::FloatType>(complex.getElementType())
                  : nullptr;
  return part ? floatType(Kind::Complex, part) : ElementType::Invalid;
}

bool isFloat(ElementType type) { return rowOf(type).kind == Kind::Float; }

bool isComplex(ElementType type) { return rowOf(type).kind == Kind::Complex; }

bool isSignedInteger(ElementType type) {
  return rowOf(type).kind == Kind::Signed;
}

bool isUnsignedInteger(ElementType type) {
  return rowOf(type).kind == Kind::Unsigned;
}

ElementType partOf(ElementType type) {
  return type == ElementType::C64    ? ElementType::F32
         : type == ElementType::C128 ? ElementType::F64
                                     : type;
}

mlir::DenseElementsAttr zerosOf(mlir::RankedTensorType type) {
  mlir::Builder builder(type.getContext());
  auto complex = llvm::dyn_cast<mlir::ComplexType>(type.getElementType());
  mlir::Attribute zero = builder.getZeroAttr(complex ? complex.getElementType()
                                                     : type.getElementType());
  if (complex) {
    zero = builder.getArrayAttr({zero, zero});
  }
  return mlir::DenseElementsAttr::get(type, zero);
}

int bitWidth(ElementType type) { return rowOf(type).bits; }

const llvm::fltSemantics *semanticsOf(ElementType type) {
  const Row &row = rowOf(type);
  return row.format ? &row.format() : nullptr;
}

} // namespace xla
