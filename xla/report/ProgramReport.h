//===- ProgramReport.h - What a program reports of itself -------*- C++ -*-===//

#ifndef XLA_REPORT_PROGRAMREPORT_H
#define XLA_REPORT_PROGRAMREPORT_H

#include "xla/analysis/Costs.h"
#include "xla/report/PartitionFacts.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/JSON.h"

#include <string>

namespace xla::report {

/// Of the optimised program of one device: its arithmetic by source line, and
/// how many devices do the same; its collectives, with mesh axes and bytes;
/// what was gathered. JSON, described in docs/internals/reports.md.
/// `writeMemory` adds what only code generation knows.
std::string
describeProgram(mlir::ModuleOp module, const PartitionFacts &facts,
                BytesOf bytesOf,
                llvm::function_ref<void(llvm::json::OStream &)> writeMemory);

} // namespace xla::report

#endif // XLA_REPORT_PROGRAMREPORT_H
