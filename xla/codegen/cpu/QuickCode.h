//===- QuickCode.h - Object files that are made quickly ---------*- C++ -*-===//
//
// They compute the same numbers as those of `makeObjects`: LLVM selects
// instructions one after the other, and runs its passes on the functions that
// need them alone.
//
//===----------------------------------------------------------------------===//

#ifndef XLA_CODEGEN_CPU_QUICKCODE_H
#define XLA_CODEGEN_CPU_QUICKCODE_H

#include "xla/codegen/cpu/MachineCode.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/IR/PassManager.h"

namespace xla::cpu {

/// Makes one operation of products and the sums that they go into, where the
/// emitter gave leave, and takes back what is left of that leave: no pass then
/// decides how results are rounded.
void fuseProducts(llvm::Module &module);

using ObjectFiles = std::vector<std::string>;

/// A module as the emitter made it, in the parts that it is compiled in.
struct SavedModule {
  std::string bitcode;
  std::vector<llvm::StringSet<>> parts; ///< the names of their functions
  int64_t openLoops = 0; ///< those that `outlineOpenLoops` made functions of
};

/// Generates code for a module as the emitter made it, which `saved` keeps: no
/// part of it, where nothing is left to be done better.
StatusOr<ObjectFiles> makeQuickObjects(llvm::Module &module,
                                       SavedModule *saved);

/// Generates code for a part of a saved module, with all effort.
StatusOr<std::string> makeObject(const SavedModule &module, size_t part);

/// Marks the functions on which passes run that make vectors, and those that
/// run so long that code made with all effort is paid for by the first run.
void chooseEffort(llvm::Module &module);
bool isThorough(const llvm::Function &function);
bool deservesAll(const llvm::Function &function);

/// Whether the order of some sum is left to the vectoriser: such functions are
/// thorough, and every tier runs the same passes on them.
bool addsInAnyOrder(const llvm::Function &function);

/// Makes two of a loop whose rounds all load an element, or all load it for
/// nothing.
struct SkipLoads : llvm::PassInfoMixin<SkipLoads> {
  static llvm::PreservedAnalyses run(llvm::Function &function,
                                     llvm::FunctionAnalysisManager &analyses);
};

/// Splits what is less than a vector off loops that compute floats.
struct SplitTails : llvm::PassInfoMixin<SplitTails> {
  static llvm::PreservedAnalyses run(llvm::Function &function,
                                     llvm::FunctionAnalysisManager &analyses);
};

/// Names of alias scopes: a store is to go past the caches; what is so many
/// bytes behind a load is to be fetched.
inline constexpr llvm::StringLiteral streamMark = "streamed";
inline constexpr llvm::StringLiteral aheadMark = "ahead ";

/// Does so, once loops are vectors.
struct MoveStreams : llvm::PassInfoMixin<MoveStreams> {
  static llvm::PreservedAnalyses run(llvm::Function &function,
                                     llvm::FunctionAnalysisManager &analyses);
};

/// Runs all passes over the functions that are marked, and few over others.
void optimizeQuickly(llvm::Module &module, llvm::TargetMachine &machine);

} // namespace xla::cpu

#endif // XLA_CODEGEN_CPU_QUICKCODE_H
