//===- FuseProducts.cpp - Products that are fused with their sums ---------===//
//
// The emitter gives leave to compute a product and the sum that it goes into
// with one rounding. Here the leave is used up, once and in the same way for
// every tier: what remains rounds where it says so, and no pass of LLVM, run or
// left out, changes a bit of a number. The sign of a NaN is not held: selection
// may give back an operand, or its negative.
//
//===----------------------------------------------------------------------===//

#include "xla/codegen/cpu/QuickCode.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"

namespace xla::cpu {

/// A product that only the sum reads.
static llvm::BinaryOperator *productOf(llvm::Value *value) {
  auto *product = llvm::dyn_cast<llvm::BinaryOperator>(value);
  bool fuses = product && product->getOpcode() == llvm::Instruction::FMul &&
               product->hasAllowContract() && product->hasOneUse();
  return fuses ? product : nullptr;
}

static void fuse(llvm::BinaryOperator &sum) {
  llvm::BinaryOperator *product = productOf(sum.getOperand(0));
  bool isFirst = product != nullptr;
  if (!isFirst) {
    product = productOf(sum.getOperand(1));
  }
  if (!product) {
    return;
  }
  llvm::IRBuilder<> builder(&sum);
  llvm::FastMathFlags flags = sum.getFastMathFlags();
  flags.setAllowContract(false);
  builder.setFastMathFlags(flags);
  llvm::Value *factor = product->getOperand(0);
  llvm::Value *addend = sum.getOperand(isFirst ? 1 : 0);
  if (sum.getOpcode() == llvm::Instruction::FSub) {
    (isFirst ? addend : factor) = builder.CreateFNeg(isFirst ? addend : factor);
  }
  // Not `fma`: processors without such an instruction round twice.
  llvm::Value *fused =
      builder.CreateIntrinsic(llvm::Intrinsic::fmuladd, {sum.getType()},
                              {factor, product->getOperand(1), addend});
  sum.replaceAllUsesWith(fused);
  sum.eraseFromParent();
  product->eraseFromParent();
}

void fuseProducts(llvm::Module &module) {
  for (llvm::Function &function : module) {
    for (llvm::BasicBlock &block : function) {
      for (llvm::Instruction &each : llvm::make_early_inc_range(block)) {
        llvm::Type *type = each.getType()->getScalarType();
        bool isSum = each.getOpcode() == llvm::Instruction::FAdd ||
                     each.getOpcode() == llvm::Instruction::FSub;
        if (isSum && each.hasAllowContract() &&
            (type->isFloatTy() || type->isDoubleTy())) {
          fuse(llvm::cast<llvm::BinaryOperator>(each));
        }
      }
    }
    for (llvm::Instruction &each : llvm::instructions(function)) {
      if (llvm::isa<llvm::FPMathOperator>(each)) {
        each.setHasAllowContract(false);
      }
    }
  }
}

} // namespace xla::cpu
