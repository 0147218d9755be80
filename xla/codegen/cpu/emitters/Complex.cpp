//===- Complex.cpp - Operations on complex numbers ------------------------===//

#include "xla/codegen/cpu/emitters/Elementwise.h"
#include "xla/dialect/stablehlo/StablehloOps.h"

namespace xla::cpu {

using namespace stablehlo;

/// Smith's division (1962), which scales by the larger part of the divisor; a
/// divisor of 0 gives infinities by parts.
static Element divide(Emitter &e, Element x, Element y) {
  llvm::IRBuilder<> &b = e.builder();
  auto abs = [&](llvm::Value *v) {
    return b.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, v);
  };
  llvm::Value *realLarger = b.CreateFCmpOGE(abs(y.real), abs(y.imag));
  llvm::Value *large = b.CreateSelect(realLarger, y.real, y.imag);
  llvm::Value *small = b.CreateSelect(realLarger, y.imag, y.real);
  llvm::Value *ratio = b.CreateFDiv(small, large);
  llvm::Value *scale = b.CreateFAdd(large, b.CreateFMul(small, ratio));
  // Over the larger part: (a + b r) / s and (b - a r) / s, or with the parts of
  // the dividend in the other order and the sign turned.
  llvm::Value *first = b.CreateSelect(realLarger, x.real, x.imag);
  llvm::Value *second = b.CreateSelect(realLarger, x.imag, x.real);
  llvm::Value *real =
      b.CreateFDiv(b.CreateFAdd(first, b.CreateFMul(second, ratio)), scale);
  llvm::Value *imag =
      b.CreateFDiv(b.CreateFSub(second, b.CreateFMul(first, ratio)), scale);
  imag = b.CreateSelect(realLarger, imag, b.CreateFNeg(imag));
  llvm::Value *zero = llvm::ConstantFP::get(y.real->getType(), 0.0);
  llvm::Value *byZero = b.CreateFCmpOEQ(large, zero);
  return {b.CreateSelect(byZero, b.CreateFDiv(x.real, y.real), real),
          b.CreateSelect(byZero, b.CreateFDiv(x.imag, y.real), imag)};
}

/// The larger part times sqrt(1 + (smaller / larger)^2).
static llvm::Value *magnitude(Emitter &e, Element x) {
  llvm::IRBuilder<> &b = e.builder();
  llvm::Type *type = x.real->getType();
  llvm::Value *real = b.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, x.real);
  llvm::Value *imag = b.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, x.imag);
  llvm::Value *large =
      b.CreateBinaryIntrinsic(llvm::Intrinsic::maximum, real, imag);
  llvm::Value *small =
      b.CreateBinaryIntrinsic(llvm::Intrinsic::minimum, real, imag);
  llvm::Value *ratio = b.CreateFDiv(small, large);
  llvm::Value *root = b.CreateUnaryIntrinsic(
      llvm::Intrinsic::sqrt, b.CreateFAdd(llvm::ConstantFP::get(type, 1.0),
                                          b.CreateFMul(ratio, ratio)));
  llvm::Value *zero = llvm::ConstantFP::get(type, 0.0);
  llvm::Value *plain =
      b.CreateOr(b.CreateFCmpOEQ(small, zero),
                 b.CreateFCmpOEQ(large, llvm::ConstantFP::getInfinity(type)));
  return b.CreateSelect(plain, large, b.CreateFMul(large, root));
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
  if (llvm::isa<DivOp>(op)) {
    return divide(e, x[0], x[1]);
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
  if (llvm::isa<AbsOp>(op)) {
    return {magnitude(e, x[0])};
  }
  e.fail(op, "it does not know this operation on complex numbers");
  return e.undefined(op->getResult(0).getType());
}

} // namespace xla::cpu
