//===- Assemble.cpp - Kernels as a target's code --------------------------===//

#include "xla/codegen/gpu/Assemble.h"

#include "xla/codegen/cpu/MathLibrary.h"
#include "xla/codegen/gpu/Bind.h"
#include "xla/codegen/gpu/Intrinsics.h"
#include "xla/codegen/gpu/LowerKernel.h"
#include "xla/support/StatusMacros.h"

#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Verifier.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/IPO/AlwaysInliner.h"
#include "llvm/Transforms/IPO/GlobalDCE.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/ADCE.h"
#include "llvm/Transforms/Scalar/CorrelatedValuePropagation.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/IndVarSimplify.h"
#include "llvm/Transforms/Scalar/LICM.h"
#include "llvm/Transforms/Scalar/LoopDeletion.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Scalar/LoopUnrollPass.h"
#include "llvm/Transforms/Scalar/SCCP.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"

#include <mutex>

extern "C" {
#define XLA_TARGET(name)                                                       \
  void LLVMInitialize##name##TargetInfo();                                     \
  void LLVMInitialize##name##Target();                                         \
  void LLVMInitialize##name##TargetMC();                                       \
  void LLVMInitialize##name##AsmPrinter();
XLA_TARGET(NVPTX)
XLA_TARGET(AMDGPU)
XLA_TARGET(SPIRV)
#undef XLA_TARGET
}

namespace xla::gpu {

static void registerTargets() {
  static std::once_flag once;
  std::call_once(once, [] {
#define XLA_TARGET(name)                                                       \
  LLVMInitialize##name##TargetInfo();                                          \
  LLVMInitialize##name##Target();                                              \
  LLVMInitialize##name##TargetMC();                                            \
  LLVMInitialize##name##AsmPrinter();
    XLA_TARGET(NVPTX)
    XLA_TARGET(AMDGPU)
    XLA_TARGET(SPIRV)
#undef XLA_TARGET
  });
}

/// Functions of the C library, which LLVM has as intrinsics too. Of targets
/// that have none it ends the process.
static bool isOfLibrary(llvm::Intrinsic::ID id) {
  switch (id) {
  case llvm::Intrinsic::acos:
  case llvm::Intrinsic::asin:
  case llvm::Intrinsic::atan:
  case llvm::Intrinsic::atan2:
  case llvm::Intrinsic::cos:
  case llvm::Intrinsic::cosh:
  case llvm::Intrinsic::exp:
  case llvm::Intrinsic::exp2:
  case llvm::Intrinsic::exp10:
  case llvm::Intrinsic::frexp:
  case llvm::Intrinsic::ldexp:
  case llvm::Intrinsic::log:
  case llvm::Intrinsic::log2:
  case llvm::Intrinsic::log10:
  case llvm::Intrinsic::modf:
  case llvm::Intrinsic::pow:
  case llvm::Intrinsic::powi:
  case llvm::Intrinsic::sin:
  case llvm::Intrinsic::sincos:
  case llvm::Intrinsic::sinh:
  case llvm::Intrinsic::tan:
  case llvm::Intrinsic::tanh:
    return true;
  default:
    return false;
  }
}

/// What a function that is called and has no body is, if there is one.
static Status checkCalls(const llvm::Module &module, const Target &target) {
  bool hasLibrary =
      target.vendor == Vendor::OpenCl || target.vendor == Vendor::Emulated;
  for (const llvm::Function &function : module) {
    llvm::StringRef name = function.getName();
    bool isThere = function.isIntrinsic() &&
                   (hasLibrary || !isOfLibrary(function.getIntrinsicID()));
    if (function.isDeclaration() && !isThere && !function.use_empty() &&
        !name.starts_with("xla.gpu.")) {
      return unimplemented("the GPU compiler has no code for the function '" +
                           name.str() + "'");
    }
  }
  return okStatus();
}

StatusOr<std::unique_ptr<llvm::Module>>
emitNeutral(llvm::ArrayRef<kernel::Kernel> kernels, const Target &target,
            llvm::LLVMContext &context) {
  auto module = std::make_unique<llvm::Module>("kernels", context);
  for (const kernel::Kernel &kernel : kernels) {
    XLA_RETURN_IF_ERROR(lowerKernel(kernel, target, *module));
  }
  XLA_RETURN_IF_ERROR(cpu::MathLibrary::link(*module));
  XLA_RETURN_IF_ERROR(checkCalls(*module, target));
  std::string problem;
  llvm::raw_string_ostream reasons(problem);
  if (llvm::verifyModule(*module, &reasons)) {
    return internalError("the GPU compiler made invalid IR: " + problem);
  }
  return module;
}

static StatusOr<std::unique_ptr<llvm::TargetMachine>>
makeMachine(const Target &target) {
  registerTargets();
  std::string why;
  llvm::Triple triple(target.triple);
  const llvm::Target *found = llvm::TargetRegistry::lookupTarget(triple, why);
  if (!found) {
    return internalError("LLVM lacks the target " + target.triple + ": " + why);
  }
  return std::unique_ptr<llvm::TargetMachine>(found->createTargetMachine(
      triple, target.chip, target.features, llvm::TargetOptions(),
      llvm::Reloc::PIC_, std::nullopt, llvm::CodeGenOptLevel::Aggressive));
}

/// What `ptxas` does not do itself, or does at a higher price: scalars in
/// registers, loops of few rounds without a loop, addresses that are computed
/// once.
static llvm::ModulePassManager passesBeforePtxas(llvm::PassBuilder &builder) {
  llvm::ModulePassManager passes;
  // The target's own: a thread's number is less than the threads of a block.
  builder.invokePipelineStartEPCallbacks(passes, llvm::OptimizationLevel::O2);
  passes.addPass(llvm::AlwaysInlinerPass(/*InsertLifetime=*/false));
  passes.addPass(llvm::GlobalDCEPass());
  llvm::FunctionPassManager each;
  auto overLoops = [&](llvm::LoopPassManager loops, bool usesMemory) {
    each.addPass(
        llvm::createFunctionToLoopPassAdaptor(std::move(loops), usesMemory));
  };
  auto hoist = [&] {
    llvm::LoopPassManager loops;
    loops.addPass(llvm::LICMPass(llvm::LICMOptions()));
    overLoops(std::move(loops), /*usesMemory=*/true);
  };
  each.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
  each.addPass(llvm::EarlyCSEPass());
  each.addPass(llvm::SimplifyCFGPass());
  // Rounds of loops follow from the ranges of what is known.
  each.addPass(llvm::SCCPPass());
  each.addPass(llvm::InstCombinePass());
  hoist();
  llvm::LoopPassManager rounds;
  rounds.addPass(llvm::IndVarSimplifyPass());
  rounds.addPass(llvm::LoopDeletionPass());
  rounds.addPass(llvm::LoopFullUnrollPass());
  overLoops(std::move(rounds), /*usesMemory=*/false);
  each.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
  each.addPass(llvm::EarlyCSEPass(/*UseMemorySSA=*/true));
  each.addPass(llvm::CorrelatedValuePropagationPass());
  each.addPass(llvm::InstCombinePass());
  each.addPass(llvm::LoopUnrollPass());
  hoist();
  each.addPass(llvm::SimplifyCFGPass());
  each.addPass(llvm::ADCEPass());
  passes.addPass(llvm::createModuleToFunctionPassAdaptor(std::move(each)));
  return passes;
}

static void optimize(llvm::Module &module, llvm::TargetMachine &machine,
                     Vendor vendor) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager calls;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(&machine);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(calls);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, calls, modules);
  llvm::ModulePassManager passes =
      vendor == Vendor::Nvidia
          ? passesBeforePtxas(builder)
          : builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O2);
  passes.run(module, modules);
}

StatusOr<std::string> assemble(llvm::Module &module, const Target &target,
                               CodeFormat format) {
  StatusOr<std::unique_ptr<llvm::TargetMachine>> machine = makeMachine(target);
  if (!machine.ok()) {
    return machine.status();
  }
  module.setDataLayout((*machine)->createDataLayout());
  module.setTargetTriple((*machine)->getTargetTriple());
  XLA_RETURN_IF_ERROR(bindKernels(module, target));
  optimize(module, **machine, target.vendor);
  llvm::SmallString<0> code;
  llvm::raw_svector_ostream out(code);
  llvm::legacy::PassManager passes;
  auto kind = format == CodeFormat::Text || target.vendor == Vendor::Nvidia
                  ? llvm::CodeGenFileType::AssemblyFile
                  : llvm::CodeGenFileType::ObjectFile;
  if ((*machine)->addPassesToEmitFile(passes, out, nullptr, kind)) {
    return internalError("LLVM makes no code for " + target.triple);
  }
  passes.run(module);
  return std::string(code);
}

} // namespace xla::gpu
