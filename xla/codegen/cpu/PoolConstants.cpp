//===- PoolConstants.cpp - Numbers that loops read from memory ------------===//
//
// A loop that computes an elementary function has more constants than AVX2 has
// registers. LLVM fills vectors with those that are left over by an instruction
// each, in every iteration; vectors that are in memory are operands of the
// instructions that use them. AVX-512 has operands that fill vectors.
//
//===----------------------------------------------------------------------===//

#include "xla/codegen/cpu/MachineCode.h"

#include "xla/codegen/cpu/TargetDescription.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

namespace xla::cpu {

/// With fewer of them all find room in registers.
static constexpr size_t fewConstants = 8;

static bool isVectorOfNumbers(llvm::Value *value) {
  constexpr unsigned vectorBits = 8 * cpuTarget.commonVector;
  auto *constant = llvm::dyn_cast<llvm::Constant>(value);
  auto *type = llvm::dyn_cast<llvm::FixedVectorType>(value->getType());
  return constant && type && type->getElementType()->isFloatingPointTy() &&
         type->getPrimitiveSizeInBits() == vectorBits &&
         constant->getSplatValue() && !constant->isNullValue();
}

static bool mayReadMemory(llvm::Instruction &instruction) {
  return llvm::isa<llvm::BinaryOperator, llvm::FCmpInst, llvm::SelectInst,
                   llvm::IntrinsicInst>(instruction);
}

static void poolConstants(llvm::Function &function) {
  llvm::DominatorTree tree(function);
  llvm::LoopInfo loops(tree);
  llvm::MapVector<llvm::Value *, llvm::SmallVector<llvm::Use *>> uses;
  for (llvm::BasicBlock &block : function) {
    if (!loops.getLoopFor(&block)) {
      continue;
    }
    for (llvm::Instruction &instruction : block) {
      for (llvm::Use &operand : instruction.operands()) {
        if (mayReadMemory(instruction) && isVectorOfNumbers(operand)) {
          uses[operand].push_back(&operand);
        }
      }
    }
  }
  if (uses.size() < fewConstants) {
    return;
  }
  llvm::IRBuilder<> b(&*function.getEntryBlock().getFirstInsertionPt());
  for (auto &[value, sites] : uses) {
    auto *constant = llvm::cast<llvm::Constant>(value);
    auto *memory = new llvm::GlobalVariable(
        *function.getParent(), constant->getType(), /*isConstant=*/true,
        llvm::GlobalValue::PrivateLinkage, constant, "numbers");
    memory->setUnnamedAddr(llvm::GlobalValue::UnnamedAddr::Global);
    llvm::LoadInst *loaded =
        b.CreateAlignedLoad(constant->getType(), memory, llvm::Align(32));
    loaded->setMetadata(llvm::LLVMContext::MD_invariant_load,
                        llvm::MDNode::get(b.getContext(), {}));
    for (llvm::Use *use : sites) {
      use->set(loaded);
    }
  }
}

void poolConstants(llvm::Module &module) {
  for (llvm::Function &function : module) {
    if (!function.isDeclaration()) {
      poolConstants(function);
    }
  }
}

} // namespace xla::cpu
