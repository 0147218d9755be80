//===- CheckText.cpp - Whether MLIR's text can be read --------------------===//

#include "xla/analysis/CheckText.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

#include <algorithm>

using llvm::StringRef;

namespace xla {

/// Regions within regions, as in bytecode; what else nests costs less stack.
static constexpr int mostRegions = 512;

namespace {

/// How deep a text nests, read front to back. Where it is not MLIR's text the
/// answer may be too large, never too small.
class Nesting {
public:
  explicit Nesting(StringRef text) : text(text) {}

  std::optional<std::string> explain();

private:
  void skipString();
  void take(char character);
  void takeWord();
  void takeAlias();
  void endChain();
  void close();
  int depth() const { return int(chains.size()) + links; }
  StringRef readName(bool isAlias);

  StringRef text;
  size_t at = 0;
  int regions = 0;
  /// Of each open bracket, and of what surrounds them all: the words and signs
  /// since the last comma. Operators of affine expressions nest to one side.
  llvm::SmallVector<int> chains = {0};
  int links = 0; // the sum of `chains`
  int deepest = 0;
  /// How deep the alias that is being defined nests; those before it.
  int *alias = nullptr;
  llvm::StringMap<int> aliases;
};

} // namespace

/// To the end of the string that begins here.
void Nesting::skipString() {
  while (true) {
    at = text.find_first_of("\"\\", at + 1);
    if (at == StringRef::npos || text[at] == '"') {
      at = std::min(at, text.size() - 1);
      return;
    }
    ++at; // what is escaped
  }
}

static bool isOfName(char character) {
  return llvm::isAlnum(character) || character == '_' || character == '.' ||
         character == '$';
}

/// The name that begins here; ends at its last character.
StringRef Nesting::readName(bool isAlias) {
  size_t begin = at;
  while (at + 1 < text.size() &&
         (isOfName(text[at + 1]) || (isAlias && text[at + 1] == '-'))) {
    ++at;
  }
  return text.slice(begin, at + 1);
}

void Nesting::takeAlias() {
  StringRef name = readName(/*isAlias=*/true);
  StringRef rest = text.substr(at + 1).ltrim();
  if (rest.starts_with("=") && !rest.starts_with("==")) {
    alias = &aliases[name];
    return;
  }
  auto found = aliases.find(name);
  int inside = depth() + (found == aliases.end() ? 0 : found->second);
  deepest = std::max(deepest, inside);
  // Seen from the operations behind the last definition, that one too.
  if (alias && (found == aliases.end() || &found->second != alias)) {
    *alias = std::max(*alias, inside);
  }
}

void Nesting::takeWord() {
  ++chains.back();
  ++links;
}

void Nesting::endChain() {
  links -= chains.back();
  chains.back() = 0;
}

void Nesting::close() {
  endChain();
  if (chains.size() > 1) {
    chains.pop_back();
  }
}

void Nesting::take(char character) {
  switch (character) {
  case '"':
    skipString();
    break;
  case '/':
    if (text.substr(at).starts_with("//")) {
      at = std::min(text.find('\n', at), text.size() - 1);
    }
    break;
  case '#':
  case '!':
    takeAlias();
    break;
  case '{':
    ++regions;
    endChain();
    break;
  case '}':
    --regions;
    endChain();
    break;
  case '(':
  case '[':
  case '<':
    chains.push_back(0);
    break;
  case ')':
  case ']':
    close();
    break;
  case '>':
    if (at + 1 == text.size() || text[at + 1] != '=') { // not of a constraint
      close();
    }
    break;
  case ',':
  case ':':
  case '=':
    endChain();
    break;
  case '-':
    if (text.substr(at).starts_with("->")) {
      ++at;
      break;
    }
    takeWord();
    break;
  case '+':
  case '*':
    takeWord();
    break;
  default:
    if (isOfName(character)) {
      readName(/*isAlias=*/false);
      takeWord();
    }
    break;
  }
}

std::optional<std::string> Nesting::explain() {
  for (; at < text.size(); ++at) {
    take(text[at]);
    deepest = std::max(deepest, depth());
    if (regions > mostRegions) {
      return "it has more than " + std::to_string(mostRegions) +
             " regions within each other";
    }
    if (deepest > mostNested) {
      return "it has more than " + std::to_string(mostNested) +
             " brackets, operators or aliases within each other";
    }
  }
  return std::nullopt;
}

std::optional<std::string> explainNesting(StringRef text) {
  return Nesting(text).explain();
}

} // namespace xla
