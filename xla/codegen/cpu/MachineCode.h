//===- MachineCode.h - From LLVM IR to code in memory -----------*- C++ -*-===//
//
// Optimises a module, turns it into an object file in memory, and links that
// object into the process. Every piece of loaded code owns its memory and
// gives it back when destroyed. Safe to use from several threads at once.
//
//===----------------------------------------------------------------------===//

#ifndef XLA_CODEGEN_CPU_MACHINECODE_H
#define XLA_CODEGEN_CPU_MACHINECODE_H

#include "xla/support/Status.h"

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace llvm {
class DataLayout;
class Function;
class Module;
class TargetMachine;
} // namespace llvm

namespace xla::cpu {

/// The processor that code is generated for.
struct Processor {
  std::string name;     ///< LLVM's name, "znver4"
  std::string features; ///< "+avx2,-avx512f,..."
  int vectorBits = 128; ///< the preferred width of a vector register
  /// Products of subnormal numbers cost a hundred times as much as others.
  bool areSubnormalsSlow = true;
};

/// The processor that this process runs on. The environment variable
/// XLA_CPU_FEATURES ("baseline", "avx2") narrows it, for tests.
const Processor &hostProcessor();

/// A target machine for `hostProcessor()`: not shared between threads.
StatusOr<std::unique_ptr<llvm::TargetMachine>> makeTargetMachine();

/// Makes one function of internal functions that do the same.
void mergeEqualFunctions(llvm::Module &module);

/// Puts the constants of loops that have many into memory.
void poolConstants(llvm::Module &module);

/// Writes out what maxima and minima of two floats are, without branches.
void expandExtremes(llvm::Module &module);

/// Runs the optimisation passes over `module`, in place.
void optimizeModule(llvm::Module &module, llvm::TargetMachine &machine);

/// Code in memory. Freed with this object.
class LoadedCode {
public:
  virtual ~LoadedCode() = default;
  virtual StatusOr<void *> address(llvm::StringRef symbol) const = 0;
  virtual int64_t bytes() const = 0;
};

/// Generates code for a module as the emitter made it: object files, made on
/// several threads. Uses the module up.
StatusOr<std::vector<std::string>> makeObjects(llvm::Module &module);

/// An address that code refers to by name.
struct CodeSymbol {
  std::string name;
  const void *address;
};

/// Links object files with each other, the runtime and `symbols`.
StatusOr<std::unique_ptr<LoadedCode>>
loadObjects(const std::vector<std::string> &objects,
            const std::vector<CodeSymbol> &symbols);

/// Names this build and `hostProcessor()`: object files that were made under
/// the same name can be loaded. Empty where the build has no name.
const std::string &codeIdentity();

} // namespace xla::cpu

#endif // XLA_CODEGEN_CPU_MACHINECODE_H
