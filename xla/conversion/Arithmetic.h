//===- Arithmetic.h - StableHLO written as formulas -------------*- C++ -*-===//
//
// Values with operators, so that a decomposition reads like the formula that
// it implements. All values of one Arithmetic have one shape; their element
// types follow from what is done to them.
//
//===----------------------------------------------------------------------===//

#ifndef XLA_CONVERSION_ARITHMETIC_H
#define XLA_CONVERSION_ARITHMETIC_H

#include "xla/dialect/stablehlo/StablehloOps.h"

#include "mlir/IR/Builders.h"

namespace xla {

class Arithmetic;

/// A value, and the insertion point for operations on it.
struct Expr {
  Arithmetic *arithmetic;
  mlir::Value value;

  mlir::RankedTensorType type() const {
    return llvm::cast<mlir::RankedTensorType>(value.getType());
  }
  mlir::Type element() const { return type().getElementType(); }
};

class Arithmetic {
public:
  Arithmetic(mlir::OpBuilder &builder, mlir::Location location)
      : builder(builder), location(location) {}

  Expr wrap(mlir::Value value) { return {this, value}; }

  /// A constant of that type, or of the type of `like`; for complex types, a
  /// real number. Integers are given by their bits.
  Expr constant(mlir::RankedTensorType type, double number);
  Expr constant(Expr like, double number) {
    return constant(like.type(), number);
  }
  Expr integer(Expr like, uint64_t bits) { return integer(like.type(), bits); }

  template <typename OpType, typename... Args>
  Expr make(Args &&...args) {
    return {this, OpType::create(builder, location, std::forward<Args>(args)...)
                      .getResult()};
  }

  Expr compare(Expr lhs, Expr rhs, stablehlo::ComparisonDirection direction);
  Expr convert(Expr operand, mlir::Type element);
  Expr bitcast(Expr operand, mlir::Type element);

  mlir::OpBuilder &builder;
  mlir::Location location;

private:
  Expr integer(mlir::RankedTensorType type, uint64_t bits);
};

#define XLA_DEFINE_OPERATOR(symbol, OpType)                                    \
  inline Expr operator symbol(Expr a, Expr b) {                                \
    return a.arithmetic->make<stablehlo::OpType>(a.value, b.value);            \
  }                                                                            \
  inline Expr operator symbol(Expr a, double b) {                              \
    return a symbol a.arithmetic->constant(a, b);                              \
  }                                                                            \
  inline Expr operator symbol(double a, Expr b) {                              \
    return b.arithmetic->constant(b, a) symbol b;                              \
  }
XLA_DEFINE_OPERATOR(+, AddOp)
XLA_DEFINE_OPERATOR(-, SubtractOp)
XLA_DEFINE_OPERATOR(*, MulOp)
XLA_DEFINE_OPERATOR(/, DivOp)
#undef XLA_DEFINE_OPERATOR

#define XLA_DEFINE_COMPARISON(symbol, direction)                               \
  inline Expr operator symbol(Expr a, Expr b) {                                \
    return a.arithmetic->compare(a, b,                                         \
                                 stablehlo::ComparisonDirection::direction);   \
  }                                                                            \
  inline Expr operator symbol(Expr a, double b) {                              \
    return a symbol a.arithmetic->constant(a, b);                              \
  }
XLA_DEFINE_COMPARISON(<, LT)
XLA_DEFINE_COMPARISON(<=, LE)
XLA_DEFINE_COMPARISON(>, GT)
XLA_DEFINE_COMPARISON(>=, GE)
XLA_DEFINE_COMPARISON(==, EQ)
XLA_DEFINE_COMPARISON(!=, NE)
#undef XLA_DEFINE_COMPARISON

inline Expr operator-(Expr a) {
  return a.arithmetic->make<stablehlo::NegOp>(a.value);
}
inline Expr operator!(Expr a) {
  return a.arithmetic->make<stablehlo::NotOp>(a.value);
}
inline Expr operator&(Expr a, Expr b) {
  return a.arithmetic->make<stablehlo::AndOp>(a.value, b.value);
}
inline Expr operator|(Expr a, Expr b) {
  return a.arithmetic->make<stablehlo::OrOp>(a.value, b.value);
}
inline Expr operator^(Expr a, Expr b) {
  return a.arithmetic->make<stablehlo::XorOp>(a.value, b.value);
}

inline Expr select(Expr condition, Expr a, Expr b) {
  return a.arithmetic->make<stablehlo::SelectOp>(condition.value, a.value,
                                                 b.value);
}
inline Expr select(Expr condition, Expr a, double b) {
  return select(condition, a, a.arithmetic->constant(a, b));
}
inline Expr select(Expr condition, double a, Expr b) {
  return select(condition, b.arithmetic->constant(b, a), b);
}

#define XLA_DEFINE_FUNCTION(name, OpType)                                      \
  inline Expr name(Expr a) {                                                   \
    return a.arithmetic->make<stablehlo::OpType>(a.value);                     \
  }
XLA_DEFINE_FUNCTION(floor, FloorOp)
XLA_DEFINE_FUNCTION(imag, ImagOp)
XLA_DEFINE_FUNCTION(isFinite, IsFiniteOp)
XLA_DEFINE_FUNCTION(modulus, AbsOp)
XLA_DEFINE_FUNCTION(real, RealOp)
XLA_DEFINE_FUNCTION(sign, SignOp)
#undef XLA_DEFINE_FUNCTION

#define XLA_DEFINE_FUNCTION(name, OpType)                                      \
  inline Expr name(Expr a) {                                                   \
    return a.arithmetic->make<stablehlo::OpType>(                              \
        a.value, stablehlo::ResultAccuracyAttr());                             \
  }
XLA_DEFINE_FUNCTION(cos, CosineOp)
XLA_DEFINE_FUNCTION(exp, ExpOp)
XLA_DEFINE_FUNCTION(expm1, Expm1Op)
XLA_DEFINE_FUNCTION(log, LogOp)
XLA_DEFINE_FUNCTION(log1p, Log1pOp)
XLA_DEFINE_FUNCTION(sin, SineOp)
XLA_DEFINE_FUNCTION(sqrt, SqrtOp)
XLA_DEFINE_FUNCTION(tan, TanOp)
#undef XLA_DEFINE_FUNCTION

inline Expr atan2(Expr a, Expr b) {
  return a.arithmetic->make<stablehlo::Atan2Op>(a.value, b.value);
}
inline Expr pow(Expr a, Expr b) {
  return a.arithmetic->make<stablehlo::PowOp>(a.value, b.value);
}
inline Expr max(Expr a, Expr b) {
  return a.arithmetic->make<stablehlo::MaxOp>(a.value, b.value);
}
inline Expr complex(Expr a, Expr b) {
  return a.arithmetic->make<stablehlo::ComplexOp>(a.value, b.value);
}

/// c[0] x^n + c[1] x^(n-1) + ... + c[n], by Horner's rule.
Expr polynomial(Expr x, llvm::ArrayRef<double> coefficients);

/// The same of at least four terms by Horner's rule in the square, for even and
/// odd powers apart: half of the work waits for nothing.
Expr polynomialByPairs(Expr x, llvm::ArrayRef<double> coefficients);

/// With the sign bit of `sign`.
Expr copySign(Expr magnitude, Expr sign);

} // namespace xla

#endif // XLA_CONVERSION_ARITHMETIC_H
