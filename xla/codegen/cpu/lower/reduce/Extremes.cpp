#include "xla/codegen/cpu/lower/reduce/Extremes.h"

#include "xla/codegen/cpu/lower/elementwise/Elementwise.h"

namespace xla::cpu {

Extremes::Extremes(Emitter &e, Fold fold, ElementType type)
    : e(e), type(type), isMaximum(fold == Fold::Maximum),
      width(bitWidth(type)) {}

bool Extremes::areFor(Fold fold, ElementType type) {
  return (fold == Fold::Maximum || fold == Fold::Minimum) && isFloat(type) &&
         bitWidth(type) >= 16;
}

/// Bits below the sign are turned round where it is set. So is a key.
llvm::Value *Extremes::keyOf(llvm::Value *bits) {
  llvm::IRBuilder<> &b = e.builder();
  llvm::Value *sign = b.CreateAShr(bits, width - 1);
  return b.CreateXor(bits, b.CreateLShr(sign, 1));
}

llvm::APInt Extremes::infinity(bool isNegative) const {
  const llvm::fltSemantics &semantics =
      type == ElementType::F64    ? llvm::APFloat::IEEEdouble()
      : type == ElementType::F32  ? llvm::APFloat::IEEEsingle()
      : type == ElementType::BF16 ? llvm::APFloat::BFloat()
                                  : llvm::APFloat::IEEEhalf();
  return llvm::APFloat::getInf(semantics, isNegative).bitcastToAPInt();
}

llvm::Value *Extremes::bound() {
  return keyOf(llvm::ConstantInt::get(e.context(), infinity(isMaximum)));
}

llvm::SmallVector<llvm::Value *> Extremes::none() { return {bound(), bound()}; }

llvm::SmallVector<llvm::Value *> Extremes::add(Values extremes,
                                               llvm::Value *x) {
  llvm::IRBuilder<> &b = e.builder();
  llvm::Value *key = keyOf(b.CreateBitCast(x, b.getIntNTy(width)));
  auto extreme = [&](llvm::Value *other, bool largest) {
    return b.CreateBinaryIntrinsic(
        largest ? llvm::Intrinsic::smax : llvm::Intrinsic::smin, other, key);
  };
  return {extreme(extremes[0], isMaximum), extreme(extremes[1], !isMaximum)};
}

llvm::Value *Extremes::wanted(Values extremes) {
  llvm::IRBuilder<> &b = e.builder();
  llvm::Type *stored = registerType(type, e.context());
  llvm::Value *value =
      widen(e, b.CreateBitCast(keyOf(extremes[0]), stored), type);
  llvm::Value *isNan = isMaximum ? b.CreateICmpSLT(extremes[1], bound())
                                 : b.CreateICmpSGT(extremes[1], bound());
  return b.CreateSelect(isNan, llvm::ConstantFP::getNaN(value->getType()),
                        value);
}

llvm::Value *Extremes::among(Values few) {
  // A NaN's key is beyond all others here, so that one extreme is enough.
  llvm::IRBuilder<> &b = e.builder();
  llvm::Type *word = b.getIntNTy(width);
  llvm::APInt beyond = isMaximum ? llvm::APInt::getSignedMaxValue(width)
                                 : llvm::APInt::getSignedMinValue(width);
  llvm::Value *best = nullptr;
  for (llvm::Value *x : few) {
    llvm::Value *bits = b.CreateBitCast(x, word);
    llvm::Value *magnitude =
        b.CreateAnd(bits, llvm::APInt::getSignedMaxValue(width));
    llvm::Value *isNan = b.CreateICmpUGT(
        magnitude, llvm::ConstantInt::get(word, infinity(false)));
    llvm::Value *key = b.CreateSelect(
        isNan, llvm::ConstantInt::get(word, beyond), keyOf(bits));
    best = !best ? key
                 : b.CreateBinaryIntrinsic(isMaximum ? llvm::Intrinsic::smax
                                                     : llvm::Intrinsic::smin,
                                           best, key);
  }
  return b.CreateBitCast(keyOf(best), registerType(type, e.context()));
}

} // namespace xla::cpu
