//===- ChooseEffort.cpp - Functions that are worth LLVM's passes ----------===//
//
// Code that is made quickly is selected and allocated quickly, and most of it
// is scalar. A function that computes very much in one run is worth the passes
// that vectorise it even if it runs once; one that adds up in any order has the
// order that the vectoriser gives it, which must not depend on the tier.
//
//===----------------------------------------------------------------------===//

#include "xla/codegen/cpu/ChooseEffort.h"

#include "xla/codegen/cpu/MathLibrary.h"
#include "xla/codegen/cpu/QuickCode.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Metadata.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"

#include <algorithm>

namespace xla::cpu {

static constexpr llvm::StringLiteral thoroughAttribute = "xla-thorough";
static constexpr llvm::StringLiteral fullAttribute = "xla-full";

static constexpr llvm::StringLiteral tripsMetadata = "xla-trips";
static constexpr llvm::StringLiteral elementsAttribute = "xla-elements";

void noteTrips(llvm::Instruction &latch, std::optional<double> trips) {
  llvm::LLVMContext &context = latch.getContext();
  constexpr double most = 1e15;
  auto *count = llvm::ConstantInt::get(
      llvm::Type::getInt64Ty(context),
      static_cast<uint64_t>(std::clamp(trips.value_or(0), 0.0, most)));
  latch.setMetadata(
      tripsMetadata,
      llvm::MDNode::get(context, llvm::ConstantAsMetadata::get(count)));
}

static uint64_t knownTrips(const llvm::MDNode &serial) {
  return llvm::mdconst::extract<llvm::ConstantInt>(serial.getOperand(0))
      ->getZExtValue();
}

bool isOpenLatch(const llvm::Instruction &latch) {
  constexpr uint64_t few = 64;
  const llvm::MDNode *serial = latch.getMetadata(tripsMetadata);
  return serial && (knownTrips(*serial) == 0 || knownTrips(*serial) >= few);
}

void noteElements(llvm::Function &function, int64_t elements) {
  function.addFnAttr(elementsAttribute, std::to_string(elements));
}

bool isThorough(const llvm::Function &function) {
  return function.hasFnAttribute(thoroughAttribute);
}

bool deservesAll(const llvm::Function &function) {
  return function.hasFnAttribute(fullAttribute);
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

  /// What a function does in a run of the program, in instructions.
  struct Work {
    double size = 0;   ///< how many there are; math functions as their bodies
    double all = 0;    ///< how many run
    double serial = 0; ///< those of them in no loop that may become vectors
    int loops = 0;     ///< that have none inside
    bool isUnknown = false; ///< nobody knows how often some loop of it runs
    bool isLeaf = true;     ///< it calls math functions at most
  };

  Work of(const llvm::Function &function) const {
    return work.lookup(&function);
  }

private:
  struct Calls {
    double times = 0; ///< how often it is called
    double range = 1; ///< how often a loop between its arguments runs in all
  };

  // Where nothing says how often a loop runs, or somebody calls a function.
  static constexpr double unknownTrips = 64, unknownCalls = 1 << 20;
  static constexpr double mathBody = 40;

  static const llvm::ConstantInt *number(const llvm::Value *value) {
    return llvm::dyn_cast<llvm::ConstantInt>(value);
  }

  /// An argument; or one of which LLVM is told that it ends on a whole line.
  static bool isBoundOfPiece(const llvm::Value *value) {
    const auto *cut = llvm::dyn_cast<llvm::BinaryOperator>(value);
    bool isCut = cut && cut->getOpcode() == llvm::Instruction::And &&
                 number(cut->getOperand(1));
    return llvm::isa<llvm::Argument>(isCut ? cut->getOperand(0) : value);
  }

  /// The latch of a loop of the program, whose rounds follow each other.
  static const llvm::MDNode *serialLatch(const llvm::Loop &loop) {
    const llvm::BasicBlock *latch = loop.getLoopLatch();
    return latch ? latch->getTerminator()->getMetadata(tripsMetadata) : nullptr;
  }

  /// How many numbers are from `start` to `end`, where that is known. Lines are
  /// walked in groups: from the first's number over a size, and in each from
  /// its first line to its last, which its size bounds.
  static std::optional<double> span(const llvm::Value *start,
                                    const llvm::Value *end, double range) {
    if (number(start) && number(end)) {
      return double(number(end)->getSExtValue()) -
             double(number(start)->getSExtValue());
    }
    if (isBoundOfPiece(start) && isBoundOfPiece(end)) {
      return range;
    }
    const auto *least = llvm::dyn_cast<llvm::IntrinsicInst>(end);
    if (least && least->getIntrinsicID() == llvm::Intrinsic::smin &&
        number(least->getArgOperand(1))) {
      return double(number(least->getArgOperand(1))->getSExtValue());
    }
    const auto *first = llvm::dyn_cast<llvm::BinaryOperator>(start);
    const auto *last = llvm::dyn_cast<llvm::BinaryOperator>(end);
    if (first && last && first->getOpcode() == llvm::Instruction::UDiv &&
        last->getOpcode() == llvm::Instruction::UDiv &&
        first->getOperand(1) == last->getOperand(1) &&
        number(first->getOperand(1))) {
      const llvm::Value *behind = last->getOperand(0);
      const auto *ceiling = llvm::dyn_cast<llvm::BinaryOperator>(behind);
      bool isRounded = ceiling && number(ceiling->getOperand(1)) &&
                       ceiling->getOpcode() == llvm::Instruction::Add;
      auto lines = span(first->getOperand(0),
                        isRounded ? ceiling->getOperand(0) : behind, range);
      auto size = double(number(first->getOperand(1))->getSExtValue());
      return lines ? std::optional(*lines / size) : std::nullopt;
    }
    return std::nullopt;
  }

  double trips(const llvm::Loop &loop, double range) const {
    const llvm::BasicBlock *latch = loop.getLoopLatch();
    if (const llvm::MDNode *serial = serialLatch(loop)) {
      uint64_t known = knownTrips(*serial);
      return known > 0 ? static_cast<double>(known) : unknownTrips;
    }
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
      if (std::optional<double> known = span(start, end, range)) {
        return std::max(1.0, *known / stride);
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
    Work done;
    for (const llvm::Loop *loop : loops.getLoopsInPreorder()) {
      done.loops += loop->isInnermost();
      const llvm::MDNode *serial = serialLatch(*loop);
      done.isUnknown |= serial && knownTrips(*serial) == 0;
    }
    for (const llvm::BasicBlock &block : function) {
      const llvm::Loop *loop = loops.getLoopFor(&block);
      const double each = loop ? rounds[loop] : times;
      auto size = static_cast<double>(block.size());
      for (const llvm::Instruction &instruction : block) {
        if (const auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction)) {
          note(*call, each);
          const llvm::Function *callee = call->getCalledFunction();
          bool isMath = callee && MathLibrary::isMath(*callee);
          size += isMath ? mathBody : 0;
          done.isLeaf &= isMath || (callee && callee->isIntrinsic());
        } else if (const auto *kept =
                       llvm::dyn_cast<llvm::StoreInst>(&instruction)) {
          noteKept(*kept->getValueOperand(), each);
        }
      }
      done.size += size;
      done.all += each * size;
      done.serial += !loop || serialLatch(*loop) ? each * size : 0;
    }
    if (const double elements = elementsOf(function)) {
      done.all = times * elements * done.size;
      done.serial = 0;
    }
    work[&function] = done;
  }

  static double elementsOf(const llvm::Function &function) {
    uint64_t elements = 0;
    llvm::StringRef text =
        function.getFnAttribute(elementsAttribute).getValueAsString();
    return text.getAsInteger(10, elements) ? 0 : static_cast<double>(elements);
  }

  /// A function that the runtime finds in memory.
  void noteKept(const llvm::Value &value, double times) {
    const auto *function = llvm::dyn_cast<llvm::Function>(&value);
    if (function && function->hasFnAttribute(elementsAttribute)) {
      calls[function].times += times;
    }
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
  llvm::DenseMap<const llvm::Function *, Work> work;
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
  // Nanoseconds: the passes take 1 ms for a loop and some 8 us for an
  // instruction, and vectors save a fifteenth of a nanosecond each time that it
  // runs. They shall pay within fifty runs of the program.
  constexpr double passesOfLoop = 1e6, passesOfOne = 8e3;
  constexpr double saved = 0.07, runs = 50;
  // To select instructions well saves as much of what is no vectors, at once.
  constexpr double worthAll = 1 << 17;
  // All effort on so few instructions is a millisecond, however often their
  // loop runs.
  constexpr double tiny = 48;
  const Frequencies frequencies(module);
  for (llvm::Function &function : module) {
    if (function.isDeclaration()) {
      continue;
    }
    const Frequencies::Work work = frequencies.of(function);
    // Loops that call other functions go on in better code (`OpenLoops`).
    if (work.isLeaf && (work.serial >= worthAll * work.size ||
                        (work.isUnknown && work.size <= tiny))) {
      function.addFnAttr(fullAttribute);
    }
    const double passes =
        passesOfLoop * std::max(1, work.loops) + passesOfOne * work.size;
    if (saved * runs * work.all >= passes || addsInAnyOrder(function)) {
      function.addFnAttr(thoroughAttribute);
    }
  }
}

} // namespace xla::cpu
