//===- SourceLine.h - Where an operation comes from -------------*- C++ -*-===//

#ifndef XLA_REPORT_SOURCELINE_H
#define XLA_REPORT_SOURCELINE_H

#include "mlir/IR/Location.h"

#include <string>

namespace xla::report {

/// The innermost "file:line" of a location, or a name that it has, or "". Of
/// joined locations the first few, separated by ", ".
std::string sourceLine(mlir::Location location);

} // namespace xla::report

#endif // XLA_REPORT_SOURCELINE_H
