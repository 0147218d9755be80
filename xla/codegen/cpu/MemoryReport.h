//===- MemoryReport.h - What a program holds when, for people ---*- C++ -*-===//

#ifndef XLA_CODEGEN_CPU_MEMORYREPORT_H
#define XLA_CODEGEN_CPU_MEMORYREPORT_H

#include "xla/codegen/cpu/BufferPlan.h"

#include "llvm/Support/JSON.h"

namespace xla::cpu {

/// Writes the key "memory" of a report: docs/internals/reports.md has its form.
void reportMemory(const PlannedMemory &memory, llvm::json::OStream &out);

} // namespace xla::cpu

#endif // XLA_CODEGEN_CPU_MEMORYREPORT_H
