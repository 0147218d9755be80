//===- MoveStreams.cpp - Stores past the caches, loads ahead of time ------===//
//
// A store reads the line of the cache that it writes to, unless it goes past
// the caches; then vectors must fill whole lines. What is read in the next
// round of a loop of rows can be fetched while this round computes. The emitter
// knows where either pays, and names the accesses; here, vectors of them are
// found.
//
//===----------------------------------------------------------------------===//

#include "xla/codegen/cpu/QuickCode.h"

#include "xla/codegen/cpu/TargetDescription.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicsX86.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/Local.h"

namespace xla::cpu {

/// The name of the access that begins with `prefix`; empty if none does.
static llvm::StringRef markOf(const llvm::Instruction &access,
                              llvm::StringRef prefix) {
  llvm::MDNode *scopes = access.getMetadata(llvm::LLVMContext::MD_alias_scope);
  if (!scopes) {
    return "";
  }
  for (const llvm::MDOperand &scope : scopes->operands()) {
    for (const llvm::MDOperand &part :
         llvm::cast<llvm::MDNode>(scope)->operands()) {
      auto *name = llvm::dyn_cast_or_null<llvm::MDString>(part);
      if (name && name->getString().starts_with(prefix)) {
        return name->getString();
      }
    }
  }
  return "";
}

static bool isWholeVector(llvm::Type *type, const llvm::DataLayout &layout) {
  return type->isVectorTy() && layout.getTypeStoreSizeInBits(type) ==
                                   uint64_t(hostProcessor().vectorBits);
}

/// Lets a store go past the caches, if it is known to fill its lines.
static bool stream(llvm::StoreInst &store, const llvm::DataLayout &layout) {
  llvm::Type *type = store.getValueOperand()->getType();
  if (!isWholeVector(type, layout)) {
    return false;
  }
  llvm::Align whole(layout.getTypeStoreSize(type));
  if (llvm::getKnownAlignment(store.getPointerOperand(), layout, &store) <
      whole) {
    return false;
  }
  llvm::LLVMContext &context = store.getContext();
  auto *one = llvm::ConstantInt::get(llvm::Type::getInt32Ty(context), 1);
  store.setAlignment(whole);
  store.setMetadata(
      llvm::LLVMContext::MD_nontemporal,
      llvm::MDNode::get(context, llvm::ConstantAsMetadata::get(one)));
  return true;
}

/// Fetches what is `bytes` behind a load into the second-level cache.
static void fetch(llvm::LoadInst &load, int64_t bytes) {
  llvm::IRBuilder<> b(&load);
  llvm::Value *ahead =
      b.CreateConstGEP1_64(b.getInt8Ty(), load.getPointerOperand(), bytes);
  b.CreateIntrinsic(llvm::Intrinsic::prefetch, {ahead->getType()},
                    {ahead, b.getInt32(0), b.getInt32(2), b.getInt32(1)});
}

llvm::PreservedAnalyses MoveStreams::run(llvm::Function &function,
                                         llvm::FunctionAnalysisManager &) {
  const llvm::Module &module = *function.getParent();
  const llvm::DataLayout &layout = module.getDataLayout();
  if (!module.getTargetTriple().isX86()) {
    return llvm::PreservedAnalyses::all();
  }
  bool isStreamed = false, isFetched = false;
  for (llvm::Instruction &each : llvm::instructions(function)) {
    if (auto *store = llvm::dyn_cast<llvm::StoreInst>(&each)) {
      isStreamed |=
          !markOf(*store, streamMark).empty() && stream(*store, layout);
    } else if (auto *load = llvm::dyn_cast<llvm::LoadInst>(&each)) {
      llvm::StringRef mark = markOf(*load, aheadMark);
      int64_t bytes = 0;
      if (isWholeVector(load->getType(), layout) &&
          mark.consume_front(aheadMark) && !mark.getAsInteger(10, bytes)) {
        fetch(*load, bytes);
        isFetched = true;
      }
    }
  }
  if (isStreamed) { // whoever is told that this is done sees it
    for (llvm::BasicBlock &block : function) {
      if (auto *end = llvm::dyn_cast<llvm::ReturnInst>(block.getTerminator())) {
        llvm::IRBuilder<>(end).CreateIntrinsic(llvm::Intrinsic::x86_sse_sfence,
                                               llvm::ArrayRef<llvm::Type *>(),
                                               {});
      }
    }
  }
  if (!isStreamed && !isFetched) {
    return llvm::PreservedAnalyses::all();
  }
  llvm::PreservedAnalyses preserved;
  preserved.preserveSet<llvm::CFGAnalyses>();
  return preserved;
}

} // namespace xla::cpu
