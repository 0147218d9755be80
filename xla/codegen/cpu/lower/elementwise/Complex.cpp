//===- Complex.cpp - Operations on complex numbers ------------------------===//

#include "xla/codegen/cpu/lower/elementwise/Elementwise.h"
#include "xla/dialect/stablehlo/StablehloOps.h"

#include <optional>

namespace xla::cpu {

using namespace stablehlo;

static llvm::SmallVector<llvm::Value *> partsOf(llvm::ArrayRef<Element> x) {
  llvm::SmallVector<llvm::Value *> parts;
  for (Element element : x) {
    parts.push_back(element.real);
    parts.push_back(element.imag);
  }
  return parts;
}

/// The function of the math library for `op`: one call for each part.
static std::optional<Element> callComplex(Emitter &e, mlir::Operation *op,
                                          llvm::StringRef suffix,
                                          llvm::ArrayRef<Element> x) {
  auto elementwise = llvm::dyn_cast<ElementwiseInterface>(op);
  if (!elementwise ||
      !(elementwise.getFacts().library & ElementwiseFacts::Complex)) {
    return std::nullopt;
  }
  auto call = [&](llvm::StringRef part) {
    return e.callMath(
        ("xla_" + elementwise.getFacts().math + part + suffix).str(),
        partsOf(x));
  };
  return Element{call("_re_"), call("_im_")};
}

/// By the real part, then by the imaginary one: `floats` of the first part
/// that differs. Nothing is less than what has a NaN, nor greater.
static llvm::Value *compareInOrder(Emitter &e, llvm::CmpInst::Predicate floats,
                                   Element x, Element y) {
  llvm::IRBuilder<> &b = e.builder();
  llvm::Value *sameReal = b.CreateFCmpOEQ(x.real, y.real);
  llvm::Value *isOrdered = b.CreateAnd(b.CreateFCmpORD(x.real, y.real),
                                       b.CreateFCmpORD(x.imag, y.imag));
  llvm::Value *decided =
      b.CreateSelect(sameReal, b.CreateFCmp(floats, x.imag, y.imag),
                     b.CreateFCmp(floats, x.real, y.real));
  return b.CreateAnd(isOrdered, decided);
}

/// The operand that has a NaN, else the greater or smaller one.
static Element choose(Emitter &e, llvm::CmpInst::Predicate wins, Element x,
                      Element y) {
  llvm::IRBuilder<> &b = e.builder();
  llvm::Value *isNan = b.CreateFCmpUNO(x.real, x.imag);
  llvm::Value *otherIsNan = b.CreateFCmpUNO(y.real, y.imag);
  llvm::Value *takesFirst =
      b.CreateOr(isNan, b.CreateAnd(b.CreateNot(otherIsNan),
                                    compareInOrder(e, wins, x, y)));
  return {b.CreateSelect(takesFirst, x.real, y.real),
          b.CreateSelect(takesFirst, x.imag, y.imag)};
}

llvm::Value *compareComplex(Emitter &e, llvm::CmpInst::Predicate floats,
                            Element x, Element y) {
  llvm::IRBuilder<> &b = e.builder();
  switch (floats) {
  case llvm::CmpInst::FCMP_OEQ:
    return b.CreateAnd(b.CreateFCmp(floats, x.real, y.real),
                       b.CreateFCmp(floats, x.imag, y.imag));
  case llvm::CmpInst::FCMP_UNE:
    return b.CreateOr(b.CreateFCmp(floats, x.real, y.real),
                      b.CreateFCmp(floats, x.imag, y.imag));
  default:
    return compareInOrder(e, floats, x, y);
  }
}

Element emitComplex(Emitter &e, mlir::Operation *op,
                    llvm::ArrayRef<Element> x) {
  llvm::IRBuilder<> &b = e.builder();
  if (llvm::isa<AddOp>(op)) {
    return {b.CreateFAdd(x[0].real, x[1].real),
            b.CreateFAdd(x[0].imag, x[1].imag)};
  }
  if (llvm::isa<SubtractOp>(op)) {
    return {b.CreateFSub(x[0].real, x[1].real),
            b.CreateFSub(x[0].imag, x[1].imag)};
  }
  if (llvm::isa<MulOp>(op)) {
    return {b.CreateFSub(b.CreateFMul(x[0].real, x[1].real),
                         b.CreateFMul(x[0].imag, x[1].imag)),
            b.CreateFAdd(b.CreateFMul(x[0].real, x[1].imag),
                         b.CreateFMul(x[0].imag, x[1].real))};
  }
  if (llvm::isa<MaxOp, MinOp>(op)) {
    return choose(e,
                  llvm::isa<MaxOp>(op) ? llvm::CmpInst::FCMP_OGE
                                       : llvm::CmpInst::FCMP_OLE,
                  x[0], x[1]);
  }
  if (llvm::isa<NegOp>(op)) {
    return {b.CreateFNeg(x[0].real), b.CreateFNeg(x[0].imag)};
  }
  if (llvm::isa<RealOp>(op)) {
    return {x[0].real};
  }
  if (llvm::isa<ImagOp>(op)) {
    return {x[0].imag};
  }
  llvm::StringRef suffix = x[0].real->getType()->isDoubleTy() ? "c128" : "c64";
  if (llvm::isa<AbsOp>(op)) {
    return {e.callMath(("xla_modulus_" + suffix).str(), partsOf(x[0]))};
  }
  if (std::optional<Element> result = callComplex(e, op, suffix, x)) {
    return *result;
  }
  e.fail(op, "it does not know this operation on complex numbers");
  return e.undefined(op->getResult(0).getType());
}

} // namespace xla::cpu
