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

static void addLine(SmallVectorImpl<std::string> &lines, std::string line) {
  if (!line.empty() && lines.size() < kMaxLines &&
      !llvm::is_contained(lines, line)) {
    lines.push_back(std::move(line));
  }
}

/// A location may be of any depth, but only along
/// call sites and names, which are followed without recursion.
static void collect(Location location, SmallVectorImpl<std::string> &lines) {
  SmallVector<Location> todo{location};
  std::string name;
  size_t before = lines.size();
  while (!todo.empty() && lines.size() < kMaxLines) {
    Location next = todo.pop_back_val();
    if (auto file = dyn_cast<FileLineColLoc>(next)) {
      addLine(lines,
              file.getFilename().str() + ":" + std::to_string(file.getLine()));
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
  if (lines.size() == before) {
    addLine(lines, name);
  }
}

std::string sourceLine(Location location) {
  SmallVector<std::string> lines;
  collect(location, lines);
  return llvm::join(lines, ", ");
}

} // namespace xla::report
