//===- XlaGpu.cpp - Prints the GPU kernels of a program -------------------===//

#include "xla/codegen/gpu/Assemble.h"
#include "xla/codegen/gpu/LowerKernel.h"
#include "xla/codegen/gpu/PlanProgram.h"
#include "xla/dialect/Registration.h"
#include "xla/dialect/stablehlo/StablehloOps.h"
#include "xla/pipeline/Pipeline.h"
#include "xla/support/StatusMacros.h"
#include "xla/tools/CheckGpu.h"
#include "xla/tools/CollectGpu.h"

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

namespace {

enum class Emit { Kernels, Neutral, Assembly, Binary, Check, Costs, Collect };

namespace cl = llvm::cl;
cl::list<std::string> files(cl::Positional,
                            cl::desc("FILE: StableHLO, or a kernel's text"));
cl::list<std::string>
    targetNames("target", cl::CommaSeparated,
                cl::desc("sm_80, gfx942, spirv, emulated; several to collect"));
cl::opt<std::string> folder("out", cl::desc("where --emit=collect writes"));
cl::opt<Emit>
    emit("emit", cl::init(Emit::Assembly), cl::desc("What is printed"),
         cl::values(clEnumValN(Emit::Kernels, "kernels", "the kernel form"),
                    clEnumValN(Emit::Neutral, "neutral", "neutral LLVM IR"),
                    clEnumValN(Emit::Assembly, "assembly", "the target's text"),
                    clEnumValN(Emit::Binary, "binary", "the target's code"),
                    clEnumValN(Emit::Check, "check",
                               "what differs where the emulator runs it"),
                    clEnumValN(Emit::Costs, "costs",
                               "what each of many programs does, as JSON"),
                    clEnumValN(Emit::Collect, "collect",
                               "costs; writes all kernels of many programs")));

} // namespace

static bool isKernel(llvm::StringRef text) {
  llvm::StringRef start = text.ltrim();
  while (start.starts_with("//")) {
    start = start.drop_until([](char c) { return c == '\n'; }).ltrim();
  }
  return start.starts_with("kernel @");
}

/// The kernels of a program, once it is that of one device and optimised; or
/// the one that the text says, parts of which it refers to.
static xla::StatusOr<std::vector<xla::kernel::Kernel>>
kernelsOf(const std::string &text, const xla::gpu::Target &target,
          mlir::MLIRContext &context, xla::Compilation &lowered) {
  if (isKernel(text)) {
    std::vector<xla::kernel::Kernel> kernels(1);
    std::string why;
    if (!xla::kernel::parseKernel(text, context, kernels.front(), why)) {
      return xla::invalidArgument(why);
    }
    return kernels;
  }
  XLA_ASSIGN_OR_RETURN(lowered, xla::lowerToOneDevice(text, {}));
  XLA_RETURN_IF_ERROR(xla::runStage(xla::optimize, lowered));
  XLA_ASSIGN_OR_RETURN(xla::gpu::ProgramPlan plan,
                       xla::gpu::planProgram(lowered.module, target));
  XLA_RETURN_IF_ERROR(xla::gpu::requireKernels(plan));
  return std::move(plan.kernels);
}

static xla::Status runMany(llvm::ArrayRef<std::string> names) {
  std::vector<xla::gpu::Target> targets;
  for (const std::string &name : names) {
    XLA_ASSIGN_OR_RETURN(targets.emplace_back(), xla::gpu::parseTarget(name));
  }
  if (emit == Emit::Collect) {
    return xla::tools::collectKernels(files, targets, folder);
  }
  xla::tools::printCosts(files, targets.front());
  return xla::okStatus();
}

static xla::Status run(const std::string &text, llvm::StringRef targetName) {
  bool isEmulated = emit == Emit::Check && targetName != "spirv" &&
                    !targetName.starts_with("emulated");
  XLA_ASSIGN_OR_RETURN(
      xla::gpu::Target target,
      xla::gpu::parseTarget(isEmulated ? "emulated" : targetName));
  if (emit == Emit::Check && !isKernel(text)) {
    return xla::tools::checkProgram(text, target);
  }
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  context.loadDialect<xla::stablehlo::StablehloDialect>();
  xla::Compilation lowered; // which kernels refer to
  XLA_ASSIGN_OR_RETURN(auto kernels, kernelsOf(text, target, context, lowered));
  if (emit == Emit::Check) {
    return xla::tools::checkKernel(kernels.front(), target);
  }
  if (emit == Emit::Kernels) {
    for (const xla::kernel::Kernel &kernel : kernels) {
      xla::gpu::Grid grid = xla::gpu::gridOf(kernel, target);
      llvm::outs() << "// " << grid.blocks << " blocks of " << grid.threads
                   << " threads\n";
      kernel.print(llvm::outs());
    }
    return xla::okStatus();
  }
  llvm::LLVMContext codeContext;
  XLA_ASSIGN_OR_RETURN(auto module,
                       xla::gpu::emitNeutral(kernels, target, codeContext));
  if (emit == Emit::Neutral) {
    llvm::outs() << *module;
    return xla::okStatus();
  }
  XLA_ASSIGN_OR_RETURN(std::string code,
                       xla::gpu::assemble(*module, target,
                                          emit == Emit::Binary
                                              ? xla::gpu::CodeFormat::Binary
                                              : xla::gpu::CodeFormat::Text));
  llvm::outs() << code;
  return xla::okStatus();
}

int main(int argc, char **argv) {
  cl::ParseCommandLineOptions(argc, argv, "The GPU kernels of programs\n");
  std::vector<std::string> names(targetNames.begin(), targetNames.end());
  if (names.empty()) {
    names.push_back("sm_80");
  }
  xla::Status status = xla::okStatus();
  if (emit == Emit::Costs || emit == Emit::Collect) {
    status = runMany(names);
  } else {
    std::string file = files.empty() ? "-" : files.front();
    auto buffer = llvm::MemoryBuffer::getFileOrSTDIN(file);
    if (!buffer) {
      llvm::errs() << "xla-gpu: " << file << ": " << buffer.getError().message()
                   << "\n";
      return 1;
    }
    status = run((*buffer)->getBuffer().str(), names.front());
  }
  if (!status.ok()) {
    llvm::errs() << "xla-gpu: " << status.message() << "\n";
    return 1;
  }
  return 0;
}
