//===- CheckText.h - Whether MLIR's text can be read ------------*- C++ -*-===//
//
// MLIR's parser calls itself for what is nested, as do passes behind it: text
// that nests too deeply would end the process.
//
//===----------------------------------------------------------------------===//

#ifndef XLA_ANALYSIS_CHECKTEXT_H
#define XLA_ANALYSIS_CHECKTEXT_H

#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>

namespace xla {

/// Brackets, types and attributes within each other that MLIR can read, print
/// and compare on the stack of a thread.
inline constexpr int mostNested = 4096;

/// Why the text cannot be read, or nothing.
std::optional<std::string> explainNesting(llvm::StringRef text);

} // namespace xla

#endif // XLA_ANALYSIS_CHECKTEXT_H
