//===- MergeFunctions.cpp - Equal functions are compiled once -------------===//

#include "xla/codegen/cpu/MachineCode.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/StructuralHash.h"
#include "llvm/Transforms/Utils/FunctionComparator.h"

namespace xla::cpu {

/// What the comparator does not look at: which accesses may overlap.
static bool sameMetadata(const llvm::Function &a, const llvm::Function &b) {
  llvm::SmallVector<std::pair<unsigned, llvm::MDNode *>> ofA, ofB;
  auto x = llvm::inst_begin(a), y = llvm::inst_begin(b);
  for (; x != llvm::inst_end(a) && y != llvm::inst_end(b); ++x, ++y) {
    x->getAllMetadata(ofA);
    y->getAllMetadata(ofB);
    if (x->getOpcode() != y->getOpcode() || ofA != ofB) {
      return false;
    }
  }
  return x == llvm::inst_end(a) && y == llvm::inst_end(b);
}

void mergeEqualFunctions(llvm::Module &module) {
  llvm::SmallVector<llvm::Function *> functions;
  for (llvm::Function &function : module) {
    if (function.hasLocalLinkage() && !function.isDeclaration()) {
      functions.push_back(&function);
    }
  }
  llvm::DenseMap<uint64_t, llvm::SmallVector<llvm::Function *, 1>> known;
  llvm::GlobalNumberState numbers;
  // A function is made before those that it calls, which must be one first.
  for (llvm::Function *function : llvm::reverse(functions)) {
    uint64_t hash = llvm::StructuralHash(*function, /*DetailedHash=*/true) >> 2;
    auto &alike = known[hash];
    auto *same = llvm::find_if(alike, [&](llvm::Function *other) {
      return llvm::FunctionComparator(function, other, &numbers).compare() ==
                 0 &&
             sameMetadata(*function, *other);
    });
    if (same == alike.end()) {
      alike.push_back(function);
      continue;
    }
    function->replaceAllUsesWith(*same);
    function->eraseFromParent();
  }
}

} // namespace xla::cpu
