//===- ExpandExtremes.cpp - Maxima of two floats without a branch ---------===//
//
// A maximum that keeps NaNs and knows +0 from -0 asks for a sign. LLVM does so
// for scalars by a branch, which costs a misprediction every other time where
// signs are random. What was left scalar when loops became vectors is written
// out here: of two equal floats, the bits that both have are the larger zero,
// and those that any has the smaller.
//
//===----------------------------------------------------------------------===//

#include "xla/codegen/cpu/MachineCode.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

namespace xla::cpu {

static bool isScalarExtreme(const llvm::Instruction &instruction) {
  auto *call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
  return call &&
         (call->getIntrinsicID() == llvm::Intrinsic::maximum ||
          call->getIntrinsicID() == llvm::Intrinsic::minimum) &&
         (call->getType()->isFloatTy() || call->getType()->isDoubleTy());
}

static void expandExtreme(llvm::IntrinsicInst &call) {
  bool isMaximum = call.getIntrinsicID() == llvm::Intrinsic::maximum;
  llvm::IRBuilder<> b(&call);
  llvm::Type *type = call.getType();
  llvm::Type *word = b.getIntNTy(type->getScalarSizeInBits());
  llvm::Value *x = call.getArgOperand(0), *y = call.getArgOperand(1);
  // Of equal ones, the second: so both, in turn.
  auto bitsOf = [&](llvm::Value *first, llvm::Value *second) {
    llvm::Value *isFirst = isMaximum ? b.CreateFCmpOGT(first, second)
                                     : b.CreateFCmpOLT(first, second);
    return b.CreateBitCast(b.CreateSelect(isFirst, first, second), word);
  };
  llvm::Value *bits = isMaximum ? b.CreateAnd(bitsOf(x, y), bitsOf(y, x))
                                : b.CreateOr(bitsOf(x, y), bitsOf(y, x));
  llvm::Value *extreme =
      b.CreateSelect(b.CreateFCmpUNO(x, y), llvm::ConstantFP::getNaN(type),
                     b.CreateBitCast(bits, type));
  call.replaceAllUsesWith(extreme);
  call.eraseFromParent();
}

void expandExtremes(llvm::Module &module) {
  for (llvm::Function &function : module) {
    for (llvm::Instruction &instruction :
         llvm::make_early_inc_range(llvm::instructions(function))) {
      if (isScalarExtreme(instruction)) {
        expandExtreme(llvm::cast<llvm::IntrinsicInst>(instruction));
      }
    }
  }
}

} // namespace xla::cpu
