//===- ChooseEffort.cpp - Functions that are worth LLVM's passes ----------===//
//
// Code that is made quickly is selected and allocated quickly, and most of it
// is scalar. A function that computes very much in one run is worth the passes
// that vectorise it even if it runs once; one that adds up in any order has the
// order that the vectoriser gives it, which must not depend on the tier.
//
//===----------------------------------------------------------------------===//

#include "xla/codegen/cpu/MathLibrary.h"
#include "xla/codegen/cpu/QuickCode.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"

namespace xla::cpu {

static constexpr llvm::StringLiteral thoroughAttribute = "xla-thorough";

bool isThorough(const llvm::Function &function) {
  return function.hasFnAttribute(thoroughAttribute);
}

namespace {

/// Estimates how often the functions of a module run, and their instructions.
class Frequencies {
public:
  /// Callers are before those that they call.
  explicit Frequencies(llvm::Module &module) {
    for (llvm::Function &function : module) {
      if (!function.isDeclaration()) {
        visit(function);
      }
    }
  }

  struct Average {
    double runs = 0;      ///< of an instruction, in a run of the program
    bool hasMath = false; ///< calls math functions in a loop
  };

  Average of(const llvm::Function &function) const {
    return averages.lookup(&function);
  }

private:
  struct Calls {
    double times = 0; ///< how often it is called
    double range = 1; ///< how often a loop between its arguments runs in all
  };

  // Where nothing says how often a loop runs, or somebody calls a function.
  static constexpr double unknownTrips = 64, unknownCalls = 1 << 20;

  static const llvm::ConstantInt *number(const llvm::Value *value) {
    return llvm::dyn_cast<llvm::ConstantInt>(value);
  }

  double trips(const llvm::Loop &loop, double range) const {
    const llvm::BasicBlock *latch = loop.getLoopLatch();
    const llvm::BasicBlock *before = loop.getLoopPredecessor();
    const auto *branch =
        latch ? llvm::dyn_cast<llvm::BranchInst>(latch->getTerminator())
              : nullptr;
    const auto *test =
        branch && branch->isConditional()
            ? llvm::dyn_cast<llvm::ICmpInst>(branch->getCondition())
            : nullptr;
    if (!test || !before) {
      return unknownTrips;
    }
    const llvm::Value *end = test->getOperand(1);
    for (const llvm::PHINode &counter : loop.getHeader()->phis()) {
      if (counter.getIncomingValueForBlock(latch) != test->getOperand(0)) {
        continue;
      }
      const llvm::Value *start = counter.getIncomingValueForBlock(before);
      const auto *step =
          llvm::dyn_cast<llvm::BinaryOperator>(test->getOperand(0));
      const llvm::ConstantInt *by =
          step ? number(step->getOperand(1)) : nullptr;
      double stride = by ? std::max<double>(1, by->getSExtValue()) : 1;
      if (number(start) && number(end)) {
        return std::max(1.0, (double(number(end)->getSExtValue()) -
                              double(number(start)->getSExtValue())) /
                                 stride);
      }
      if (llvm::isa<llvm::Argument>(start) && llvm::isa<llvm::Argument>(end)) {
        return range / stride;
      }
    }
    return unknownTrips;
  }

  void visit(llvm::Function &function) {
    Calls known = calls.lookup(&function);
    // The entry, which nobody here calls, runs once.
    double times = function.use_empty() ? 1 : known.times;
    llvm::DominatorTree dominators(function);
    llvm::LoopInfo loops(dominators);
    llvm::DenseMap<const llvm::Loop *, double> rounds;
    for (const llvm::Loop *loop : loops.getLoopsInPreorder()) {
      double outer =
          loop->getParentLoop() ? rounds[loop->getParentLoop()] : times;
      rounds[loop] = outer * trips(*loop, known.range);
    }
    double runs = 0, size = 0;
    bool hasMath = false;
    for (const llvm::BasicBlock &block : function) {
      const llvm::Loop *loop = loops.getLoopFor(&block);
      double each = loop ? rounds[loop] : times;
      runs += each * static_cast<double>(block.size());
      size += static_cast<double>(block.size());
      for (const llvm::Instruction &instruction : block) {
        if (const auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction)) {
          note(*call, each);
          const llvm::Function *callee = call->getCalledFunction();
          hasMath |= loop && callee && MathLibrary::isMath(*callee);
        }
      }
    }
    averages[&function] = {runs / std::max(1.0, size), hasMath};
  }

  void note(const llvm::CallBase &call, double times) {
    const llvm::Function *callee = call.getCalledFunction();
    if (callee) {
      calls[callee].times += times;
    }
    bool isShared = callee && callee->getName() == "xla_parallel_for";
    for (const llvm::Value *argument : call.args()) {
      const auto *handed = llvm::dyn_cast<llvm::Function>(argument);
      if (!handed) {
        continue;
      }
      const llvm::ConstantInt *count =
          isShared ? number(call.getArgOperand(0)) : nullptr;
      Calls &of = calls[handed];
      of.times += count ? times : times * unknownCalls;
      if (count) {
        of.range = std::max(of.range, double(count->getSExtValue()));
      }
    }
  }

  llvm::DenseMap<const llvm::Function *, Calls> calls;
  llvm::DenseMap<const llvm::Function *, Average> averages;
};

} // namespace

bool addsInAnyOrder(const llvm::Function &function) {
  return llvm::any_of(llvm::instructions(function),
                      [](const llvm::Instruction &instruction) {
                        return llvm::isa<llvm::FPMathOperator>(instruction) &&
                               instruction.hasAllowReassoc();
                      });
}

void chooseEffort(llvm::Module &module) {
  // The passes take some 15 us for an instruction, and vectors save a
  // fifteenth of a nanosecond each time that it runs: they pay after some 200
  // runs. A math function saves 3 ns or more, and pays four times as soon.
  constexpr double worthThePasses = 1 << 14, worthVectorMath = 1 << 12;
  const Frequencies frequencies(module);
  for (llvm::Function &function : module) {
    if (function.isDeclaration()) {
      continue;
    }
    auto [runs, hasMath] = frequencies.of(function);
    if (runs >= (hasMath ? worthVectorMath : worthThePasses) ||
        addsInAnyOrder(function)) {
      function.addFnAttr(thoroughAttribute);
    }
  }
}

} // namespace xla::cpu
