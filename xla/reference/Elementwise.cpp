//===- Elementwise.cpp - Operations on each element by itself -------------===//

#include "xla/dialect/stablehlo/StablehloOps.h"
#include "xla/reference/Interpreter.h"
#include "xla/reference/Scalars.h"

using namespace mlir;

namespace xla::reference {

//===----------------------------------------------------------------------===//
// One operand
//===----------------------------------------------------------------------===//

static Status undefinedFor(const Tensor &operand) {
  return unimplemented("not defined for elements of type " +
                       std::string(name(operand.type())));
}

static Status evaluateUnary(const Step &step) {
  const UnaryFunctions &functions =
      *unaryFunctions(step.op->getName().stripDialect());
  const Tensor &x = step.operands[0];
  XLA_ASSIGN_OR_RETURN(Tensor out, step.zeros());
  Kind kind = kindOf(x.type());
  if ((kind == Kind::Integer && !functions.integer) ||
      (kind == Kind::Float && !functions.real) ||
      (kind == Kind::Complex && !functions.complex)) {
    return undefinedFor(x);
  }
  for (int64_t i = 0; i < x.count(); ++i) {
    if (kind == Kind::Integer) {
      out.setInteger(i, functions.integer(x.type(), x.integer(i)));
    } else if (kind == Kind::Complex) {
      out.setComplex(i, functions.complex(x.complex(i)));
    } else if (x.type() == ElementType::F64 && functions.extended) {
      out.setReal(i, functions.extended(x.real(i)));
    } else {
      out.setReal(i, functions.real(x.real(i)));
    }
  }
  step.results.push_back(std::move(out));
  return okStatus();
}

static Status evaluateAbs(const Step &step) {
  const Tensor &x = step.operands[0];
  if (kindOf(x.type()) != Kind::Complex) {
    return evaluateUnary(step);
  }
  XLA_ASSIGN_OR_RETURN(Tensor out, step.zeros());
  for (int64_t i = 0; i < x.count(); ++i) {
    Complex value = x.complex(i);
    // Infinite where a part is, whatever the other one.
    out.setReal(i, std::hypot(value.real(), value.imag()));
  }
  step.results.push_back(std::move(out));
  return okStatus();
}

static Status evaluateIsFinite(const Step &step) {
  const Tensor &x = step.operands[0];
  XLA_ASSIGN_OR_RETURN(Tensor out, step.zeros());
  for (int64_t i = 0; i < x.count(); ++i) {
    out.setInteger(i, std::isfinite(x.real(i)));
  }
  step.results.push_back(std::move(out));
  return okStatus();
}

static Status evaluatePart(const Step &step) {
  bool isReal = isa<stablehlo::RealOp>(step.op);
  const Tensor &x = step.operands[0];
  XLA_ASSIGN_OR_RETURN(Tensor out, step.zeros());
  bool isComplex = kindOf(x.type()) == Kind::Complex;
  for (int64_t i = 0; i < x.count(); ++i) {
    Complex value = isComplex ? x.complex(i) : Complex(x.real(i), 0);
    out.setReal(i, isReal ? value.real() : value.imag());
  }
  step.results.push_back(std::move(out));
  return okStatus();
}

//===----------------------------------------------------------------------===//
// Two operands
//===----------------------------------------------------------------------===//

static Status evaluateBinary(const Step &step) {
  const BinaryFunctions &functions =
      *binaryFunctions(step.op->getName().stripDialect());
  XLA_ASSIGN_OR_RETURN(Tensor out, step.zeros());
  for (int64_t i = 0; i < out.count(); ++i) {
    XLA_RETURN_IF_ERROR(applyBinary(functions, step.operands[0], i,
                                    step.operands[1], i, out, i));
  }
  step.results.push_back(std::move(out));
  return okStatus();
}

static Status evaluateComplex(const Step &step) {
  XLA_ASSIGN_OR_RETURN(Tensor out, step.zeros());
  for (int64_t i = 0; i < out.count(); ++i) {
    out.setComplex(i, {step.operands[0].real(i), step.operands[1].real(i)});
  }
  step.results.push_back(std::move(out));
  return okStatus();
}

/// -1, 0, 1, or 2 for unordered.
static int order(const Tensor &a, const Tensor &b, int64_t i,
                 bool isTotalOrder) {
  auto compare = [](auto x, auto y) { return x < y ? -1 : x > y ? 1 : 0; };
  switch (kindOf(a.type())) {
  case Kind::Integer:
    return isSignedInteger(a.type())
               ? compare(a.integer(i), b.integer(i))
               : compare(uint64_t(a.integer(i)), uint64_t(b.integer(i)));
  case Kind::Complex: {
    Complex x = a.complex(i), y = b.complex(i);
    if (std::isnan(x.real()) || std::isnan(x.imag()) || std::isnan(y.real()) ||
        std::isnan(y.imag())) {
      return 2;
    }
    int first = compare(x.real(), y.real());
    return first != 0 ? first : compare(x.imag(), y.imag());
  }
  default: {
    double x = a.real(i), y = b.real(i);
    if (isTotalOrder) {
      return compare(totalOrderKey(x), totalOrderKey(y));
    }
    return std::isnan(x) || std::isnan(y) ? 2 : compare(x, y);
  }
  }
}

static Status evaluateCompare(const Step &step) {
  auto op = cast<stablehlo::CompareOp>(step.op);
  bool isTotalOrder =
      op.getCompareType() == stablehlo::ComparisonType::TOTALORDER;
  XLA_ASSIGN_OR_RETURN(Tensor out, step.zeros());
  for (int64_t i = 0; i < out.count(); ++i) {
    int sign = order(step.operands[0], step.operands[1], i, isTotalOrder);
    bool holds = false;
    switch (op.getComparisonDirection()) {
    case stablehlo::ComparisonDirection::EQ:
      holds = sign == 0;
      break;
    case stablehlo::ComparisonDirection::NE:
      holds = sign != 0;
      break;
    case stablehlo::ComparisonDirection::GE:
      holds = sign == 0 || sign == 1;
      break;
    case stablehlo::ComparisonDirection::GT:
      holds = sign == 1;
      break;
    case stablehlo::ComparisonDirection::LE:
      holds = sign == 0 || sign == -1;
      break;
    case stablehlo::ComparisonDirection::LT:
      holds = sign == -1;
      break;
    }
    out.setInteger(i, holds);
  }
  step.results.push_back(std::move(out));
  return okStatus();
}

//===----------------------------------------------------------------------===//
// Three operands; the position in a scalar operand is always 0
//===----------------------------------------------------------------------===//

static int64_t positionIn(const Tensor &tensor, int64_t i) {
  return tensor.rank() == 0 ? 0 : i;
}

static Status evaluateSelect(const Step &step) {
  const Tensor &pred = step.operands[0];
  XLA_ASSIGN_OR_RETURN(Tensor out, step.zeros());
  for (int64_t i = 0; i < out.count(); ++i) {
    bool isTrue = pred.integer(positionIn(pred, i)) != 0;
    out.copyElement(i, step.operands[isTrue ? 1 : 2], i);
  }
  step.results.push_back(std::move(out));
  return okStatus();
}

static Status evaluateClamp(const Step &step) {
  const Tensor &low = step.operands[0], &x = step.operands[1],
               &high = step.operands[2];
  XLA_ASSIGN_OR_RETURN(Tensor out, step.zeros());
  const BinaryFunctions &maximum = *binaryFunctions("maximum");
  const BinaryFunctions &minimum = *binaryFunctions("minimum");
  for (int64_t i = 0; i < out.count(); ++i) {
    XLA_RETURN_IF_ERROR(
        applyBinary(maximum, x, i, low, positionIn(low, i), out, i));
    XLA_RETURN_IF_ERROR(
        applyBinary(minimum, out, i, high, positionIn(high, i), out, i));
  }
  step.results.push_back(std::move(out));
  return okStatus();
}

void addElementwise(Handlers &handlers) {
  for (StringRef name : unaryNames()) {
    handlers[("stablehlo." + name).str()] = evaluateUnary;
  }
  for (StringRef name : binaryNames()) {
    handlers[("stablehlo." + name).str()] = evaluateBinary;
  }
  handlers["stablehlo.abs"] = evaluateAbs;
  handlers["stablehlo.is_finite"] = evaluateIsFinite;
  handlers["stablehlo.real"] = evaluatePart;
  handlers["stablehlo.imag"] = evaluatePart;
  handlers["stablehlo.complex"] = evaluateComplex;
  handlers["stablehlo.compare"] = evaluateCompare;
  handlers["stablehlo.select"] = evaluateSelect;
  handlers["stablehlo.clamp"] = evaluateClamp;
}

} // namespace xla::reference
