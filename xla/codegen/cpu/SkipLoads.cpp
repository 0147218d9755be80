//===- SkipLoads.cpp - Loops that load, and loops that need not -----------===//
//
// Where a row is padding, or masked as a whole, every round of the loop over it
// loads an element and chooses another value. Here such a loop becomes two: one
// that loads and chooses nothing, and one for the rows of which some or all
// elements are not needed. The first one has no masks, either: loads with masks
// that miss the cache take some processors three times as long.
//
//===----------------------------------------------------------------------===//

#include "xla/codegen/cpu/QuickCode.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

namespace xla::cpu {

namespace {
/// A choice that all rounds of a loop make alike, between an element that is
/// loaded for it alone and a value that is known before.
struct Choice {
  llvm::SelectInst *select;
  bool loadsIf; ///< the condition under which the load is needed
};
} // namespace

static std::optional<Choice> choiceAt(llvm::Instruction &instruction,
                                      const llvm::Loop &loop) {
  auto *select = llvm::dyn_cast<llvm::SelectInst>(&instruction);
  if (!select || !loop.isLoopInvariant(select->getCondition()) ||
      !select->getCondition()->getType()->isIntegerTy(1)) {
    return std::nullopt;
  }
  for (bool loadsIf : {true, false}) {
    auto *load = llvm::dyn_cast<llvm::LoadInst>(
        loadsIf ? select->getTrueValue() : select->getFalseValue());
    llvm::Value *other =
        loadsIf ? select->getFalseValue() : select->getTrueValue();
    if (load && load->isSimple() && load->hasOneUse() && loop.contains(load) &&
        loop.isLoopInvariant(other)) {
      return Choice{select, loadsIf};
    }
  }
  return std::nullopt;
}

static llvm::SmallVector<Choice> choicesOf(const llvm::Loop &loop) {
  llvm::SmallVector<Choice> choices;
  for (llvm::Instruction &each : *loop.getHeader()) {
    if (auto choice = choiceAt(each, loop)) {
      choices.push_back(*choice);
    }
  }
  return choices;
}

static bool areAlike(llvm::ArrayRef<Choice> choices) {
  return llvm::all_of(choices, [&](const Choice &choice) {
    return choice.loadsIf == choices.front().loadsIf &&
           choice.select->getCondition() ==
               choices.front().select->getCondition();
  });
}

/// Whether the loop is one block that computes nothing for those behind it, and
/// is long enough to be worth a branch and short enough to be there twice.
static bool isSimple(const llvm::Loop &loop, llvm::ScalarEvolution &evolution) {
  constexpr unsigned fewRounds = 32;
  constexpr size_t muchCode = 64;
  unsigned rounds = evolution.getSmallConstantTripCount(&loop);
  return loop.isInnermost() && loop.getNumBlocks() == 1 &&
         loop.isLoopSimplifyForm() && loop.getExitBlock() &&
         loop.getExitBlock()->phis().empty() &&
         (rounds == 0 || rounds >= fewRounds) &&
         loop.getHeader()->size() <= muchCode;
}

static void resolve(llvm::SelectInst &select, bool condition) {
  llvm::Value *chosen =
      condition ? select.getTrueValue() : select.getFalseValue();
  llvm::Value *other =
      condition ? select.getFalseValue() : select.getTrueValue();
  select.replaceAllUsesWith(chosen);
  select.eraseFromParent();
  llvm::RecursivelyDeleteTriviallyDeadInstructions(other);
}

static void makeTwo(llvm::Loop &loop, llvm::ArrayRef<Choice> choices,
                    llvm::LoopInfo &loops, llvm::DominatorTree &dominators) {
  llvm::BasicBlock *top = loop.getLoopPreheader(), *exit = loop.getExitBlock();
  llvm::BasicBlock *loading =
      llvm::SplitEdge(top, loop.getHeader(), &dominators, &loops);
  llvm::ValueToValueMapTy clones;
  llvm::SmallVector<llvm::BasicBlock *, 2> blocks;
  llvm::Loop *skipping = llvm::cloneLoopWithPreheader(
      loading, top, &loop, clones, ".skipping", &loops, &dominators, blocks);
  llvm::remapInstructionsInBlocks(blocks, clones);
  llvm::Instruction *end = top->getTerminator();
  llvm::IRBuilder<> b(end);
  llvm::Value *loadsAll = b.getTrue();
  for (const Choice &choice : choices) {
    llvm::Value *condition = choice.select->getCondition();
    loadsAll = b.CreateAnd(loadsAll,
                           choice.loadsIf ? condition : b.CreateNot(condition));
  }
  b.CreateCondBr(loadsAll, loading, blocks.front());
  end->eraseFromParent();
  dominators.changeImmediateDominator(exit, top);
  for (bool isAlike = areAlike(choices); const Choice &choice : choices) {
    llvm::Value *clone = clones[choice.select];
    if (isAlike) {
      resolve(*llvm::cast<llvm::SelectInst>(clone), !choice.loadsIf);
    }
    resolve(*choice.select, choice.loadsIf);
  }
  for (llvm::Loop *each : {&loop, skipping}) {
    llvm::formDedicatedExitBlocks(each, &dominators, &loops,
                                  /*MSSAU=*/nullptr, /*PreserveLCSSA=*/false);
  }
}

llvm::PreservedAnalyses
SkipLoads::run(llvm::Function &function,
               llvm::FunctionAnalysisManager &analyses) {
  auto &loops = analyses.getResult<llvm::LoopAnalysis>(function);
  auto &evolution = analyses.getResult<llvm::ScalarEvolutionAnalysis>(function);
  auto &dominators = analyses.getResult<llvm::DominatorTreeAnalysis>(function);
  bool changed = false;
  for (llvm::Loop *loop : loops.getLoopsInPreorder()) {
    if (!isSimple(*loop, evolution)) {
      continue;
    }
    llvm::SmallVector<Choice> choices = choicesOf(*loop);
    if (!choices.empty()) {
      evolution.forgetLoop(loop);
      makeTwo(*loop, choices, loops, dominators);
      changed = true;
    }
  }
  return changed ? llvm::PreservedAnalyses::none()
                 : llvm::PreservedAnalyses::all();
}

} // namespace xla::cpu
