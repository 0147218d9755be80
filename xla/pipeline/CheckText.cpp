//===- CheckText.cpp - Whether MLIR's text can be read --------------------===//

#include "xla/pipeline/CheckText.h"

#include <algorithm>

namespace xla {

/// Regions within regions, as in bytecode; other brackets cost less stack.
static constexpr int mostRegions = 512, mostBrackets = 4096;

/// Where the string that begins at `at` ends.
static size_t endOfString(llvm::StringRef text, size_t at) {
  while (true) {
    at = text.find_first_of("\"\\", at + 1);
    if (at == llvm::StringRef::npos || text[at] == '"') {
      return std::min(at, text.size() - 1);
    }
    ++at; // what is escaped
  }
}

std::optional<std::string> explainNesting(llvm::StringRef text) {
  int regions = 0, brackets = 0;
  for (size_t at = 0; at < text.size(); ++at) {
    switch (text[at]) {
    case '"':
      at = endOfString(text, at);
      break;
    case '/':
      if (text.substr(at).starts_with("//")) {
        at = std::min(text.find('\n', at), text.size() - 1);
      }
      break;
    case '-':
      at += text.substr(at).starts_with("->");
      break;
    case '{':
      if (++regions > mostRegions) {
        return "it has more than " + std::to_string(mostRegions) +
               " regions within each other";
      }
      break;
    case '}':
      --regions;
      break;
    case '(':
    case '[':
    case '<':
      if (++brackets > mostBrackets) {
        return "it has more than " + std::to_string(mostBrackets) +
               " brackets within each other";
      }
      break;
    case ')':
    case ']':
    case '>':
      brackets = std::max(brackets - 1, 0);
      break;
    default:
      break;
    }
  }
  return std::nullopt;
}

} // namespace xla
