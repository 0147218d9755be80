//===- Folds.cpp - The operations that reducers usually are ---------------===//

#include "xla/codegen/cpu/lower/reduce/Folds.h"

#include "xla/codegen/cpu/lower/elementwise/Elementwise.h"
#include "xla/codegen/cpu/lower/reduce/Extremes.h"
#include "xla/codegen/cpu/lower/reduce/FloatExtremes.h"
#include "xla/dialect/stablehlo/StablehloOps.h"

namespace xla::cpu {

using namespace stablehlo;
using mlir::Operation;

Operation *onlyOperation(mlir::Region &body, ElementType type) {
  mlir::Block &block = body.front();
  if (block.getNumArguments() != 2 || block.getOperations().size() != 2) {
    return nullptr;
  }
  Operation &op = block.front();
  bool direct = op.getNumOperands() == 2 && op.getNumResults() == 1 &&
                op.getOperand(0) != op.getOperand(1) &&
                llvm::is_contained(block.getArguments(), op.getOperand(0)) &&
                llvm::is_contained(block.getArguments(), op.getOperand(1)) &&
                block.getTerminator()->getOperand(0) == op.getResult(0);
  return direct && elementTypeOf(op.getResult(0).getType()) == type ? &op
                                                                    : nullptr;
}

Fold foldOf(Operation *op, ElementType type) {
  bool pred = type == ElementType::Pred;
  return llvm::isa<AddOp>(op)   ? (pred ? Fold::Or : Fold::Add)
         : llvm::isa<MulOp>(op) ? (pred ? Fold::And : Fold::Multiply)
         : llvm::isa<MaxOp>(op) ? (pred ? Fold::Or : Fold::Maximum)
         : llvm::isa<MinOp>(op) ? (pred ? Fold::And : Fold::Minimum)
         : llvm::isa<AndOp>(op) ? Fold::And
         : llvm::isa<OrOp>(op)  ? Fold::Or
         : llvm::isa<XorOp>(op) ? Fold::Xor
                                : Fold::Other;
}

Fold recognizeFold(mlir::Region &body, ElementType type) {
  Operation *op = onlyOperation(body, type);
  return op && !isComplex(type) ? foldOf(op, type) : Fold::Other;
}

ElementType accumulatorOf(ElementType type) {
  return isNarrow(type) ? ElementType::F32 : type;
}

llvm::Value *neutralOf(Emitter &e, Fold fold, ElementType type) {
  llvm::Type *t = registerType(type, e.context());
  unsigned bits = t->isIntegerTy() ? t->getIntegerBitWidth() : 0;
  bool isSigned = isSignedInteger(type);
  switch (fold) {
  case Fold::Add:
    return isFloat(type) ? llvm::ConstantFP::get(t, -0.0)
                         : llvm::ConstantInt::get(t, 0);
  case Fold::Multiply:
    return isFloat(type) ? llvm::ConstantFP::get(t, 1.0)
                         : llvm::ConstantInt::get(t, 1);
  case Fold::Maximum:
    if (isFloat(type)) {
      return llvm::ConstantFP::getInfinity(t, true);
    }
    return llvm::ConstantInt::get(t, isSigned
                                         ? llvm::APInt::getSignedMinValue(bits)
                                         : llvm::APInt::getMinValue(bits));
  case Fold::Minimum:
    if (isFloat(type)) {
      return llvm::ConstantFP::getInfinity(t, false);
    }
    return llvm::ConstantInt::get(t, isSigned
                                         ? llvm::APInt::getSignedMaxValue(bits)
                                         : llvm::APInt::getMaxValue(bits));
  case Fold::And:
    return llvm::Constant::getAllOnesValue(t);
  case Fold::Or:
  case Fold::Xor:
  case Fold::Other:
    break;
  }
  return llvm::Constant::getNullValue(t);
}

llvm::Value *foldValues(Emitter &e, Fold fold, ElementType type, llvm::Value *x,
                        llvm::Value *y, bool anyOrder) {
  llvm::IRBuilder<> &b = e.builder();
  llvm::IRBuilder<>::FastMathFlagGuard guard(b);
  if (anyOrder) {
    llvm::FastMathFlags flags = b.getFastMathFlags();
    flags.setAllowReassoc();
    b.setFastMathFlags(flags);
  }
  bool floats = isFloat(type), isSigned = isSignedInteger(type);
  using ID = llvm::Intrinsic::ID;
  switch (fold) {
  case Fold::Add:
    return floats ? b.CreateFAdd(x, y) : b.CreateAdd(x, y);
  case Fold::Multiply:
    return floats ? b.CreateFMul(x, y) : b.CreateMul(x, y);
  case Fold::Maximum:
    return b.CreateBinaryIntrinsic(floats     ? ID(llvm::Intrinsic::maximum)
                                   : isSigned ? ID(llvm::Intrinsic::smax)
                                              : ID(llvm::Intrinsic::umax),
                                   x, y);
  case Fold::Minimum:
    return b.CreateBinaryIntrinsic(floats     ? ID(llvm::Intrinsic::minimum)
                                   : isSigned ? ID(llvm::Intrinsic::smin)
                                              : ID(llvm::Intrinsic::umin),
                                   x, y);
  case Fold::And:
    return b.CreateAnd(x, y);
  case Fold::Or:
    return b.CreateOr(x, y);
  case Fold::Xor:
    return b.CreateXor(x, y);
  case Fold::Other:
    break;
  }
  llvm_unreachable("an unknown fold has no operation");
}

llvm::Value *extremeOf(Emitter &e, bool isMaximum, ElementType type,
                       llvm::ArrayRef<llvm::Value *> x) {
  Fold fold = isMaximum ? Fold::Maximum : Fold::Minimum;
  constexpr size_t many = 8;
  if (isHalf(type) && x.size() < many) {
    return Extremes(e, fold, type).among(x);
  }
  if (isHalf(type)) {
    Extremes extremes(e, fold, type);
    auto keys = extremes.none();
    for (llvm::Value *one : x) {
      keys = extremes.add(keys, one);
    }
    return narrow(e, extremes.wanted(keys), type);
  }
  if (FloatExtremes::areFor(fold, type)) {
    return FloatExtremes(e, fold, type).among(x);
  }
  llvm::Value *best = widen(e, x.front(), type);
  for (llvm::Value *other : x.drop_front()) {
    best = foldValues(e, fold, accumulatorOf(type), best, widen(e, other, type),
                      false);
  }
  return narrow(e, best, type);
}

llvm::SmallVector<llvm::Value *> flatten(llvm::ArrayRef<Element> elements) {
  llvm::SmallVector<llvm::Value *> values;
  for (Element element : elements) {
    values.push_back(element.real);
    if (element.imag) {
      values.push_back(element.imag);
    }
  }
  return values;
}

llvm::SmallVector<Element> unflatten(llvm::ArrayRef<llvm::Value *> values,
                                     mlir::TypeRange types) {
  llvm::SmallVector<Element> elements;
  for (mlir::Type type : types) {
    Element element = {values.front()};
    values = values.drop_front();
    if (isComplex(elementTypeOf(type))) {
      element.imag = values.front();
      values = values.drop_front();
    }
    elements.push_back(element);
  }
  return elements;
}

} // namespace xla::cpu
