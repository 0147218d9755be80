//===- SourceLine.h - Where an operation comes from -------------*- C++ -*-===//

#ifndef XLA_REPORT_SOURCELINE_H
#define XLA_REPORT_SOURCELINE_H

#include "mlir/IR/Location.h"

#include <string>
#include <vector>

namespace xla::report {

/// The innermost "file:line" of a location, or a name that it has, or "". Of
/// joined locations the first few, separated by ", ".
std::string sourceLine(mlir::Location location);

/// Adds every "file:line" of a location that is not in `lines` yet: of each of
/// joined locations the innermost.
void addSourceLines(mlir::Location location, std::vector<std::string> &lines);

/// The first name of a location, such as "jit(f)/scope/sin", or "".
std::string locationName(mlir::Location location);

} // namespace xla::report

#endif // XLA_REPORT_SOURCELINE_H
