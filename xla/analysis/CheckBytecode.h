//===- CheckBytecode.h - Whether bytes are sound MLIR bytecode --*- C++ -*-===//
//
// MLIR's reader trusts the counts in a file: a damaged one makes it reserve
// memory without bound, which ends the process, or write beyond a table. So
// the file's frame is walked first, each count held against the bytes that are
// there.
//
//===----------------------------------------------------------------------===//

#ifndef XLA_ANALYSIS_CHECKBYTECODE_H
#define XLA_ANALYSIS_CHECKBYTECODE_H

#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>

namespace xla {

/// What is wrong with the bytes, or nothing.
std::optional<std::string> explainDamage(llvm::StringRef bytecode);

} // namespace xla

#endif // XLA_ANALYSIS_CHECKBYTECODE_H
