//===- RuntimeSymbols.h - What generated code links against -----*- C++ -*-===//

#ifndef XLA_CODEGEN_CPU_RUNTIMESYMBOLS_H
#define XLA_CODEGEN_CPU_RUNTIMESYMBOLS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace xla::cpu {

struct RuntimeSymbol {
  const char *name;
  void *address;
};

/// Every function outside itself that generated code may call: the runtime's
/// entries and the few of the C library that LLVM lowers intrinsics to.
llvm::ArrayRef<RuntimeSymbol> runtimeSymbols();

} // namespace xla::cpu

#endif // XLA_CODEGEN_CPU_RUNTIMESYMBOLS_H
