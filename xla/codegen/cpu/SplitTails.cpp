//===- SplitTails.cpp - The last elements of loops as one vector ----------===//
//
// A hundred elements are six vectors of sixteen and four that LLVM computes one
// after the other, which for an exponential takes longer than the six. Here
// they become a loop of their own, of less than a vector, which LLVM makes one
// vector with masks. The loop before them has none: loads with masks that miss
// the cache take some processors three times as long.
//
//===----------------------------------------------------------------------===//

#include "xla/codegen/cpu/QuickCode.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

namespace xla::cpu {

static bool isFloat(const llvm::Instruction &instruction) {
  return instruction.getType()->isFloatingPointTy();
}

static bool foldsFloats(const llvm::Loop &loop) {
  return llvm::any_of(loop.getHeader()->phis(), isFloat);
}

/// How many operations on floats a round has.
static int floatOperationsOf(const llvm::Loop &loop) {
  auto isOperation = [](const llvm::Instruction &each) {
    return isFloat(each) &&
           llvm::isa<llvm::BinaryOperator, llvm::CallInst>(each);
  };
  int operations = 0;
  for (const llvm::BasicBlock *block : loop.blocks()) {
    operations += static_cast<int>(llvm::count_if(*block, isOperation));
  }
  return operations;
}

/// How many elements of the widest float that a round computes are a vector.
static unsigned lanesOf(const llvm::Loop &loop) {
  unsigned bits = 32;
  for (const llvm::BasicBlock *block : loop.blocks()) {
    for (const llvm::Instruction &each : *block) {
      if (isFloat(each)) {
        bits = std::max(bits, each.getType()->getScalarSizeInBits());
      }
    }
  }
  return static_cast<unsigned>(hostProcessor().vectorBits) / bits;
}

/// Whether a vector with masks takes less time than the `left` elements alone:
/// as long as three of them, and of folds, whose lanes are folded once more, as
/// long as six, or half a vector. Stores with masks that AVX2 has are slow on
/// some processors.
static bool saves(unsigned left, unsigned lanes, int operations, bool folds) {
  constexpr int many = 8;
  if (operations >= many) {
    return left >= 3;
  }
  return hostProcessor().vectorBits == 512 &&
         (folds ? left >= 6 && left != lanes / 2 : operations > 0 && left >= 3);
}

namespace {
/// A loop that counts from 0 to a number: how it counts, and where it ends.
struct Counting {
  llvm::PHINode *counter;
  llvm::ICmpInst *end;
  unsigned numberAt; ///< the operand of `end` that is the number
};
} // namespace

static std::optional<Counting> countingOf(llvm::Loop &loop, uint64_t elements) {
  llvm::BasicBlock *latch = loop.getLoopLatch();
  auto *branch = llvm::dyn_cast<llvm::BranchInst>(latch->getTerminator());
  auto *end = branch && branch->isConditional()
                  ? llvm::dyn_cast<llvm::ICmpInst>(branch->getCondition())
                  : nullptr;
  if (!end || !end->hasOneUse() || loop.getExitingBlock() != latch) {
    return std::nullopt;
  }
  auto isNumber = [](llvm::Value *value, uint64_t number) {
    auto *constant = llvm::dyn_cast<llvm::ConstantInt>(value);
    return constant && constant->getValue() == number;
  };
  for (llvm::PHINode &phi : loop.getHeader()->phis()) {
    auto *next = llvm::dyn_cast<llvm::BinaryOperator>(
        phi.getIncomingValueForBlock(latch));
    if (next && next->getOpcode() == llvm::Instruction::Add &&
        next->getOperand(0) == &phi && isNumber(next->getOperand(1), 1) &&
        isNumber(phi.getIncomingValueForBlock(loop.getLoopPreheader()), 0)) {
      for (unsigned operand : {0U, 1U}) {
        if (end->getOperand(1 - operand) == next &&
            isNumber(end->getOperand(operand), elements)) {
          return Counting{&phi, end, operand};
        }
      }
    }
  }
  return std::nullopt;
}

/// Leaves the last `left` elements to the loop, and puts one in front of it
/// that computes the others.
static void splitTail(llvm::Loop &loop, const Counting &counting,
                      uint64_t elements, unsigned left, llvm::LoopInfo &loops,
                      llvm::DominatorTree &dominators) {
  llvm::BasicBlock *top = loop.getLoopPreheader();
  llvm::BasicBlock *between =
      llvm::SplitEdge(top, loop.getHeader(), &dominators, &loops);
  llvm::ValueToValueMapTy clones;
  llvm::SmallVector<llvm::BasicBlock *, 4> blocks;
  llvm::Loop *first = llvm::cloneLoopWithPreheader(
      between, top, &loop, clones, ".whole", &loops, &dominators, blocks);
  llvm::remapInstructionsInBlocks(blocks, clones);
  top->getTerminator()->replaceSuccessorWith(between, blocks.front());
  llvm::BasicBlock *latch = first->getLoopLatch();
  latch->getTerminator()->replaceSuccessorWith(loop.getExitBlock(), between);
  dominators.changeImmediateDominator(between, latch);

  auto *number =
      llvm::ConstantInt::get(counting.counter->getType(), elements - left);
  llvm::cast<llvm::ICmpInst>(clones[counting.end])
      ->setOperand(counting.numberAt, number);
  for (llvm::PHINode &phi : loop.getHeader()->phis()) {
    int from = phi.getBasicBlockIndex(between);
    if (&phi == counting.counter) {
      phi.setIncomingValue(from, number);
      continue;
    }
    llvm::Value *last = phi.getIncomingValueForBlock(loop.getLoopLatch());
    if (llvm::Value *clone = clones.lookup(last)) {
      last = clone;
    }
    auto *carried =
        llvm::PHINode::Create(phi.getType(), 1, "carried", between->begin());
    carried->addIncoming(last, latch);
    phi.setIncomingValue(from, carried);
  }
}

llvm::PreservedAnalyses
SplitTails::run(llvm::Function &function,
                llvm::FunctionAnalysisManager &analyses) {
  auto &loops = analyses.getResult<llvm::LoopAnalysis>(function);
  auto &evolution = analyses.getResult<llvm::ScalarEvolutionAnalysis>(function);
  auto &dominators = analyses.getResult<llvm::DominatorTreeAnalysis>(function);
  bool changed = false;
  for (llvm::Loop *loop : loops.getLoopsInPreorder()) {
    if (!loop->isInnermost() || !loop->isLoopSimplifyForm() ||
        !loop->getExitBlock()) {
      continue;
    }
    unsigned elements = evolution.getSmallConstantTripCount(loop);
    unsigned lanes = lanesOf(*loop);
    auto counting = countingOf(*loop, elements);
    if (counting && elements > lanes &&
        saves(elements % lanes, lanes, floatOperationsOf(*loop),
              foldsFloats(*loop))) {
      splitTail(*loop, *counting, elements, elements % lanes, loops,
                dominators);
      llvm::addStringMetadataToLoop(loop,
                                    "llvm.loop.vectorize.predicate.enable", 1);
      changed = true;
    }
  }
  return changed ? llvm::PreservedAnalyses::none()
                 : llvm::PreservedAnalyses::all();
}

} // namespace xla::cpu
