//===- OpenLoops.cpp - Loops that get better code while they run ----------===//
//
// On-stack replacement (Hölzle and Ungar, "A third-generation SELF
// implementation", 1994) in its simplest case: both versions are made from one
// function, and loops keep what they carry in variables of the frame until
// LLVM's passes put it into registers. So the better version starts where the
// other was left when it is called with the same arguments.
//
//===----------------------------------------------------------------------===//

#include "xla/codegen/cpu/OpenLoops.h"

#include "xla/codegen/cpu/ChooseEffort.h"
#include "xla/codegen/cpu/QuickCode.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/CodeExtractor.h"

namespace xla::cpu {

static constexpr llvm::StringLiteral openAttribute = "xla-open-loop";
static constexpr llvm::StringLiteral continuationAttribute = "xla-continuation";

bool isOpenLoop(const llvm::Function &function) {
  return function.hasFnAttribute(openAttribute);
}

bool isInlinedLoop(const llvm::Function &function) {
  return isOpenLoop(function) && !function.hasOptNone();
}

bool isContinuation(const llvm::Function &function) {
  return function.hasFnAttribute(continuationAttribute);
}

std::string continuationSymbol(int64_t loop) {
  return "xla_continuation_" + std::to_string(loop);
}

std::string openLoopSymbol(int64_t loop) {
  return "xla_open_loop_" + std::to_string(loop);
}

//===----------------------------------------------------------------------===//
// Functions of loops
//===----------------------------------------------------------------------===//

/// An open loop of the function that holds no other; null if there is none. All
/// that it carries must be in variables.
static llvm::Loop *findOpenLoop(llvm::LoopInfo &loops) {
  auto all = loops.getLoopsInPreorder();
  for (llvm::Loop *loop : llvm::reverse(all)) {
    const llvm::BasicBlock *latch = loop->getLoopLatch();
    if (latch && isOpenLatch(*latch->getTerminator()) &&
        loop->getHeader()->phis().empty()) {
      return loop;
    }
  }
  return nullptr;
}

/// A variable of the caller's frame for each argument of a loop; or null.
using Variables = llvm::SmallVector<const llvm::AllocaInst *>;

/// The continuation of a loop: what the loop keeps in `variables` is in the
/// continuation's own frame meanwhile, so that it may be in registers.
static void addContinuation(llvm::Function &loop, int64_t number,
                            const Variables &variables) {
  auto *function = llvm::Function::Create(
      loop.getFunctionType(), llvm::GlobalValue::ExternalLinkage,
      continuationSymbol(number), loop.getParent());
  function->copyAttributesFrom(&loop);
  function->removeFnAttr(openAttribute);
  function->addFnAttr(continuationAttribute);
  llvm::IRBuilder<> builder(
      llvm::BasicBlock::Create(loop.getContext(), "entry", function));
  llvm::SmallVector<llvm::Value *> arguments;
  for (auto [argument, variable] : llvm::zip(function->args(), variables)) {
    arguments.push_back(variable ? builder.Insert(variable->clone())
                                 : static_cast<llvm::Value *>(&argument));
  }
  auto copy = [&](bool isBack) {
    for (auto [i, variable] : llvm::enumerate(variables)) {
      if (variable) {
        llvm::Value *own = arguments[i], *outer = function->getArg(i);
        llvm::Align alignment = variable->getAlign();
        builder.CreateMemCpy(
            isBack ? outer : own, alignment, isBack ? own : outer, alignment,
            *variable->getAllocationSize(loop.getParent()->getDataLayout()));
      }
    }
  };
  copy(/*isBack=*/false);
  llvm::Value *exit = builder.CreateCall(&loop, arguments);
  copy(/*isBack=*/true);
  exit->getType()->isVoidTy() ? builder.CreateRetVoid()
                              : builder.CreateRet(exit);
}

/// Which arguments of the loop are variables of which nobody else knows the
/// address.
static Variables ownVariables(llvm::Function &loop) {
  const auto *call = llvm::cast<llvm::CallInst>(*loop.user_begin());
  Variables variables;
  for (llvm::Argument &argument : loop.args()) {
    const auto *variable = llvm::dyn_cast<llvm::AllocaInst>(
        call->getArgOperand(argument.getArgNo()));
    auto isAccess = [&](const llvm::User *user) {
      const auto *store = llvm::dyn_cast<llvm::StoreInst>(user);
      return user == call || llvm::isa<llvm::LoadInst>(user) ||
             (store && store->getValueOperand() != variable &&
              store->getValueOperand() != &argument);
    };
    bool isOwn = variable && !variable->isArrayAllocation() &&
                 llvm::all_of(variable->users(), isAccess) &&
                 llvm::all_of(argument.users(), isAccess);
    variables.push_back(isOwn ? variable : nullptr);
  }
  return variables;
}

/// False if the loop stays where it is.
static bool outlineLoop(llvm::Function &function, llvm::Loop &loop,
                        llvm::DominatorTree &dominators, int64_t number) {
  llvm::CodeExtractor extractor(loop.getBlocks(), &dominators);
  if (!extractor.isEligible()) {
    return false;
  }
  llvm::CodeExtractorAnalysisCache cache(function);
  llvm::Function *made = extractor.extractCodeRegion(cache);
  if (!made) {
    return false;
  }
  made->setName("open_loop_" + std::to_string(number));
  made->addFnAttr(openAttribute, std::to_string(number));
  addContinuation(*made, number, ownVariables(*made));
  return true;
}

static bool mayHaveOpenLoops(const llvm::Function &function) {
  return !deservesAll(function) &&
         llvm::any_of(function, [](const llvm::BasicBlock &block) {
           return isOpenLatch(*block.getTerminator());
         });
}

int64_t outlineOpenLoops(llvm::Module &module) {
  constexpr int64_t most = 100; // each is cut out of what is left
  int64_t count = 0;
  llvm::SmallVector<llvm::Function *> functions;
  for (llvm::Function &function : module) {
    if (mayHaveOpenLoops(function)) {
      functions.push_back(&function);
    }
  }
  for (llvm::Function *function : functions) {
    while (count < most) {
      llvm::DominatorTree dominators(*function);
      llvm::LoopInfo loops(dominators);
      llvm::Loop *loop = findOpenLoop(loops);
      if (!loop || !outlineLoop(*function, *loop, dominators, count)) {
        break;
      }
      ++count;
    }
  }
  return count;
}

//===----------------------------------------------------------------------===//
// Code of both kinds
//===----------------------------------------------------------------------===//

static void lookForContinuation(llvm::Function &loop) {
  llvm::Module &module = *loop.getParent();
  auto *pointer = llvm::PointerType::getUnqual(module.getContext());
  llvm::FunctionCallee find = module.getOrInsertFunction(
      continuationFinder, llvm::FunctionType::get(pointer, {pointer, pointer},
                                                  /*isVarArg=*/false));
  int64_t number = 0;
  loop.getFnAttribute(openAttribute)
      .getValueAsString()
      .getAsInteger(10, number);
  llvm::Constant *record = module.getOrInsertGlobal(
      openLoopSymbol(number), llvm::Type::getInt8Ty(module.getContext()));

  llvm::BasicBlock *entry = &loop.getEntryBlock();
  llvm::BasicBlock *header = entry->getSingleSuccessor();
  llvm::BasicBlock *round =
      header->splitBasicBlock(header->getFirstInsertionPt(), "round");
  auto *leave = llvm::BasicBlock::Create(module.getContext(), "leave", &loop);

  llvm::IRBuilder<> builder(entry->getTerminator());
  llvm::Value *start = builder.CreateAlloca(builder.getInt64Ty());
  builder.CreateStore(builder.getInt64(0), start);
  header->getTerminator()->eraseFromParent();
  builder.SetInsertPoint(header);
  llvm::Value *found = builder.CreateCall(find, {record, start});
  builder.CreateCondBr(builder.CreateIsNull(found), round, leave);

  builder.SetInsertPoint(leave);
  llvm::SmallVector<llvm::Value *> arguments;
  for (llvm::Argument &argument : loop.args()) {
    arguments.push_back(&argument);
  }
  llvm::Value *exit =
      builder.CreateCall(loop.getFunctionType(), found, arguments);
  exit->getType()->isVoidTy() ? builder.CreateRetVoid()
                              : builder.CreateRet(exit);
}

void lookForContinuations(llvm::Module &module) {
  for (llvm::Function &function : llvm::make_early_inc_range(module)) {
    if (isContinuation(function)) {
      function.eraseFromParent();
    } else if (isOpenLoop(function) && !function.isDeclaration()) {
      lookForContinuation(function);
    }
  }
}

void inlineOpenLoops(llvm::Module &module) {
  for (llvm::Function &function : module) {
    if (isInlinedLoop(function) && !function.isDeclaration()) {
      function.setLinkage(llvm::GlobalValue::InternalLinkage);
      function.removeFnAttr(llvm::Attribute::NoInline);
      function.addFnAttr(llvm::Attribute::AlwaysInline);
    }
  }
}

} // namespace xla::cpu
