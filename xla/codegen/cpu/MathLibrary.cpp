//===- MathLibrary.cpp - Elementary functions as bitcode ------------------===//

#include "xla/codegen/cpu/MathLibrary.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/Module.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Support/MemoryBuffer.h"

namespace xla::cpu {

static constexpr unsigned char bitcode[] = {
#include "xla/codegen/cpu/math/Math.bc.inc"
};

static constexpr llvm::StringLiteral mathAttribute = "xla-math";
static constexpr llvm::StringLiteral inlineAttribute = "xla-inlines-math";

llvm::Function *MathLibrary::declare(llvm::Module &module, llvm::StringRef name,
                                     llvm::FunctionType *type) {
  auto *function = llvm::cast<llvm::Function>(
      module.getOrInsertFunction(name, type).getCallee());
  function->addFnAttr(mathAttribute);
  return function;
}

bool MathLibrary::isMath(const llvm::Function &function) {
  return function.hasFnAttribute(mathAttribute);
}

bool MathLibrary::isOfComplex(const llvm::Function &function) {
  llvm::StringRef name = function.getName();
  return name.ends_with("_c64") || name.ends_with("_c128");
}

void MathLibrary::inlineAlways(llvm::Function &function) {
  function.addFnAttr(inlineAttribute);
}

bool MathLibrary::inlinesAlways(const llvm::Function &function) {
  return function.hasFnAttribute(inlineAttribute);
}

Status MathLibrary::link(llvm::Module &module) {
  llvm::StringSet<> wanted;
  for (const llvm::Function &function : module) {
    if (function.isDeclaration() && isMath(function)) {
      wanted.insert(function.getName());
    }
  }
  if (wanted.empty()) {
    return okStatus();
  }
  llvm::StringRef bytes(reinterpret_cast<const char *>(bitcode),
                        sizeof(bitcode));
  auto library = llvm::getLazyBitcodeModule(
      llvm::MemoryBufferRef(bytes, "math"), module.getContext());
  if (!library) {
    return internalError("the math library cannot be read: " +
                         llvm::toString(library.takeError()));
  }
  (*library)->setDataLayout(module.getDataLayout());
  (*library)->setTargetTriple(module.getTargetTriple());
  if (llvm::Linker::linkModules(module, std::move(*library),
                                llvm::Linker::LinkOnlyNeeded)) {
    return internalError("the math library cannot be linked");
  }
  for (llvm::Function &function : module) {
    if (!wanted.contains(function.getName()) || function.isDeclaration()) {
      continue;
    }
    // Compiled for the oldest processor; the caller's takes its place.
    function.removeFnAttr("target-cpu");
    function.removeFnAttr("target-features");
    function.removeFnAttr("tune-cpu");
    // Vectors are handed over as functions without it do.
    function.removeFnAttr("min-legal-vector-width");
    function.addFnAttr(mathAttribute);
    function.setLinkage(llvm::GlobalValue::InternalLinkage);
    function.addFnAttr(llvm::Attribute::AlwaysInline);
  }
  return okStatus();
}

} // namespace xla::cpu
