//===- ParsedFunction.h - A function of LLVM IR for tests -------*- C++ -*-===//

#ifndef XLA_CODEGEN_CPU_PARSEDFUNCTION_H
#define XLA_CODEGEN_CPU_PARSEDFUNCTION_H

#include "xla/support/Testing.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/SourceMgr.h"

#include <memory>
#include <string>

namespace xla::cpu {

/// The function `@f` of a text, with the analyses that passes ask for.
class ParsedFunction {
public:
  ParsedFunction() {
    llvm::PassBuilder builder;
    builder.registerModuleAnalyses(modules);
    builder.registerCGSCCAnalyses(components);
    builder.registerFunctionAnalyses(analyses);
    builder.registerLoopAnalyses(loops);
    builder.crossRegisterProxies(loops, analyses, components, modules);
  }

  llvm::Function &parse(const std::string &text) {
    llvm::SMDiagnostic error;
    module = llvm::parseAssemblyString(text, error, context);
    XLA_CHECK(module != nullptr);
    return *module->getFunction("f");
  }

private:
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> module;
  llvm::LoopAnalysisManager loops;

public:
  llvm::FunctionAnalysisManager analyses;

private:
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
};

} // namespace xla::cpu

#endif // XLA_CODEGEN_CPU_PARSEDFUNCTION_H
