//===- SourceLine.cpp - Where an operation comes from ---------------------===//

#include "xla/report/SourceLine.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace xla::report {

/// Of joined locations, as many are told.
static constexpr size_t kMaxLines = 3;

template <typename Lines>
static void addLine(Lines &lines, std::string line, size_t most = kMaxLines) {
  if (!line.empty() && lines.size() < most &&
      !llvm::is_contained(lines, line)) {
    lines.push_back(std::move(line));
  }
}

/// A location may be of any depth, but only along
/// call sites and names, which are followed without recursion.
template <typename Lines>
static void collect(Location location, Lines &lines, std::string &name,
                    size_t most = kMaxLines) {
  SmallVector<Location> todo{location};
  while (!todo.empty() && lines.size() < most) {
    Location next = todo.pop_back_val();
    if (auto file = dyn_cast<FileLineColLoc>(next)) {
      addLine(lines,
              file.getFilename().str() + ":" + std::to_string(file.getLine()),
              most);
    } else if (auto site = dyn_cast<CallSiteLoc>(next)) {
      todo.push_back(site.getCallee());
    } else if (auto named = dyn_cast<NameLoc>(next)) {
      name = name.empty() ? named.getName().str() : name;
      todo.push_back(named.getChildLoc());
    } else if (auto fused = dyn_cast<FusedLoc>(next)) {
      auto parts = fused.getLocations();
      todo.append(parts.rbegin(), parts.rend());
    }
  }
}

std::string sourceLine(Location location) {
  SmallVector<std::string> lines;
  std::string name;
  collect(location, lines, name);
  if (lines.empty()) {
    addLine(lines, name);
  }
  return llvm::join(lines, ", ");
}

void addSourceLines(Location location, std::vector<std::string> &lines) {
  constexpr size_t most = 200; // a viewer shows no more
  std::string name;
  collect(location, lines, name, most);
}

std::string locationName(Location location) {
  SmallVector<std::string> lines;
  std::string name;
  collect(location, lines, name);
  return name;
}

} // namespace xla::report
