//===- OptimizeModule.cpp - The LLVM passes that we pay for ---------------===//
//
// A trimmed -O2: what our own emitter already guarantees (rotated loops, no
// dead code, no calls but to the runtime) need not be established again.
//
//===----------------------------------------------------------------------===//

#include "xla/codegen/cpu/QuickCode.h"

#include "xla/codegen/cpu/MathCalls.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Passes/StandardInstrumentations.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/IPO/AlwaysInliner.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/IndVarSimplify.h"
#include "llvm/Transforms/Scalar/LICM.h"
#include "llvm/Transforms/Scalar/LoopDeletion.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Scalar/LoopRotation.h"
#include "llvm/Transforms/Scalar/LoopUnrollPass.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/LCSSA.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"
#include "llvm/Transforms/Utils/LoopUtils.h"
#include "llvm/Transforms/Vectorize/LoopVectorize.h"

namespace xla::cpu {

//===----------------------------------------------------------------------===//
// The passes
//===----------------------------------------------------------------------===//

static llvm::FunctionPassManager functionPasses() {
  llvm::FunctionPassManager passes;
  // Carried scalars become registers; repeated addresses become one.
  passes.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
  passes.addPass(llvm::EarlyCSEPass());
  passes.addPass(llvm::SimplifyCFGPass());
  passes.addPass(llvm::InstCombinePass());
  // What does not change in the inner loop leaves it before vectorisation.
  llvm::LoopPassManager loops;
  loops.addPass(llvm::LICMPass(llvm::LICMOptions()));
  loops.addPass(llvm::IndVarSimplifyPass());
  loops.addPass(llvm::LoopDeletionPass());
  passes.addPass(llvm::createFunctionToLoopPassAdaptor(std::move(loops),
                                                       /*UseMemorySSA=*/true));
  passes.addPass(SkipLoads());
  if (hostProcessor().vectorBits > 128) { // with masks
    passes.addPass(SplitTails());
  }
  passes.addPass(llvm::LoopVectorizePass());
  passes.addPass(llvm::InstCombinePass());
  passes.addPass(llvm::EarlyCSEPass());
  passes.addPass(llvm::SimplifyCFGPass());
  // Hoists what vectorisation made invariant: splats, run-time checks. A loop
  // whose test is behind its body keeps a short carry in registers.
  llvm::LoopPassManager again;
  again.addPass(llvm::LoopRotatePass(/*EnableHeaderDuplication=*/true));
  again.addPass(llvm::LICMPass(llvm::LICMOptions()));
  passes.addPass(llvm::createFunctionToLoopPassAdaptor(std::move(again),
                                                       /*UseMemorySSA=*/true));
  passes.addPass(MoveStreams());
  return passes;
}

/// For code that is made quickly, where all that pays is that loops become
/// vectors; several rounds side by side are more to select than they save. What
/// adds up in any order goes through all passes instead: the
/// vectoriser must meet the same loop in every tier.
static llvm::FunctionPassManager vectorPasses() {
  llvm::FunctionPassManager passes;
  passes.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
  passes.addPass(llvm::EarlyCSEPass());
  passes.addPass(llvm::SimplifyCFGPass());
  passes.addPass(llvm::InstCombinePass());
  passes.addPass(llvm::createFunctionToLoopPassAdaptor(
      llvm::LICMPass(llvm::LICMOptions()), /*UseMemorySSA=*/true));
  passes.addPass(llvm::LoopVectorizePass(llvm::LoopVectorizeOptions(
      /*InterleaveOnlyWhenForced=*/true, /*VectorizeOnlyWhenForced=*/false)));
  passes.addPass(llvm::EarlyCSEPass());
  passes.addPass(llvm::createFunctionToLoopPassAdaptor(
      llvm::LICMPass(llvm::LICMOptions()), /*UseMemorySSA=*/true));
  return passes;
}

/// For code that is made quickly and runs seldom: what keeps its size down.
static llvm::FunctionPassManager quickPasses() {
  llvm::FunctionPassManager passes;
  passes.addPass(llvm::SROAPass(llvm::SROAOptions::PreserveCFG));
  passes.addPass(llvm::EarlyCSEPass());
  return passes;
}

/// Math functions stay functions, but where all passes run.
static void inlineIntoThorough(llvm::Module &module) {
  llvm::SmallVector<llvm::CallInst *> calls;
  for (llvm::Function &function : module) {
    if (function.hasFnAttribute(llvm::Attribute::AlwaysInline)) {
      for (llvm::User *user : function.users()) {
        auto *call = llvm::dyn_cast<llvm::CallInst>(user);
        if (call && !call->isNoInline() && isThorough(*call->getFunction())) {
          calls.push_back(call);
        }
      }
    }
  }
  for (llvm::CallInst *call : calls) {
    llvm::InlineFunctionInfo info;
    llvm::InlineFunction(*call, info, /*MergeAttributes=*/false,
                         /*CalleeAAR=*/nullptr, /*InsertLifetime=*/false);
  }
  for (llvm::Function &function : llvm::make_early_inc_range(module)) {
    if (function.hasLocalLinkage() && function.use_empty()) {
      function.eraseFromParent();
    }
  }
}

namespace {
/// The analyses of a module, known to each other.
struct Analyses {
  explicit Analyses(llvm::TargetMachine &machine)
      : builder(&machine, llvm::PipelineTuningOptions(), std::nullopt,
                &callbacks) {
    // No pass visits functions that only call others.
    skipping.registerCallbacks(callbacks);
    builder.registerModuleAnalyses(modules);
    builder.registerCGSCCAnalyses(components);
    builder.registerFunctionAnalyses(functions);
    builder.registerLoopAnalyses(loops);
    builder.crossRegisterProxies(loops, functions, components, modules);
  }

  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  llvm::PassInstrumentationCallbacks callbacks;
  llvm::OptNoneInstrumentation skipping{/*DebugLogging=*/false};
  llvm::PassBuilder builder;
};
} // namespace

/// What is left to do once loops are vectorised.
static void finish(llvm::Module &module) {
  defineVectorMath(module);
  if (hostProcessor().vectorBits == 256) {
    poolConstants(module);
    expandExtremes(module);
  }
}

void optimizeModule(llvm::Module &module, llvm::TargetMachine &machine) {
  Analyses analyses(machine);
  llvm::ModulePassManager passes;
  passes.addPass(llvm::AlwaysInlinerPass(/*InsertLifetimeIntrinsics=*/false));
  passes.addPass(llvm::createModuleToFunctionPassAdaptor(functionPasses()));
  passes.run(module, analyses.modules);
  finish(module);
}

void optimizeQuickly(llvm::Module &module, llvm::TargetMachine &machine) {
  inlineIntoThorough(module);
  Analyses analyses(machine);
  llvm::FunctionPassManager all = functionPasses(), vectors = vectorPasses(),
                            few = quickPasses();
  for (llvm::Function &function : module) {
    if (!function.isDeclaration() && !function.hasOptNone()) {
      auto &passes = addsInAnyOrder(function) ? all
                     : isThorough(function)   ? vectors
                                              : few;
      passes.run(function, analyses.functions);
      analyses.functions.clear(function, function.getName());
    }
  }
  finish(module);
}

} // namespace xla::cpu
