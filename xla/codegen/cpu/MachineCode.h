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
};

/// The processor that this process runs on. The environment variable
/// XLA_CPU_FEATURES ("baseline", "avx2") narrows it, for tests.
const Processor &hostProcessor();

/// A target machine for `hostProcessor()`: not shared between threads.
StatusOr<std::unique_ptr<llvm::TargetMachine>> makeTargetMachine();

/// Runs the optimisation passes over `module`, in place.
void optimizeModule(llvm::Module &module, llvm::TargetMachine &machine);

/// Code in memory. Freed with this object.
class LoadedCode {
public:
  virtual ~LoadedCode() = default;
  virtual StatusOr<void *> address(llvm::StringRef symbol) const = 0;
  virtual int64_t bytes() const = 0;
};

/// Generates code for an optimised module and links it.
StatusOr<std::unique_ptr<LoadedCode>> loadModule(llvm::Module &module,
                                                 llvm::TargetMachine &machine);

} // namespace xla::cpu

#endif // XLA_CODEGEN_CPU_MACHINECODE_H
