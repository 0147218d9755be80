//===- DescribeProgram.cpp - What people read of a program ----------------===//

#include "xla/codegen/cpu/Choose.h"
#include "xla/codegen/cpu/MemoryReport.h"
#include "xla/codegen/cpu/MemoryTraffic.h"
#include "xla/conversion/Conversion.h"
#include "xla/conversion/EntryLayouts.h"
#include "xla/pipeline/Pipeline.h"
#include "xla/report/ProgramReport.h"

#include "llvm/Support/raw_ostream.h"

namespace xla {

StatusOr<ProgramDescription> describeProgram(std::string_view bytes,
                                             const CompileOptions &options) {
  XLA_ASSIGN_OR_RETURN(Compilation lowered, lowerToOneDevice(bytes, options));
  ProgramDescription description;
  mlir::OpPrintingFlags flags;
  if (options.backend == Backend::Native) {
    XLA_RETURN_IF_ERROR(runStage(optimize, lowered));
    const cpu::Schedule schedule(lowered.module);
    description.report = report::describeProgram(
        lowered.module, lowered.partitioned.facts,
        [&](mlir::Operation *op) {
          return cpu::bytesMoved(op, schedule.fusion());
        },
        [&](llvm::json::OStream &out) {
          cpu::reportMemory(cpu::listMemory(schedule.body(), schedule.fusion(),
                                            schedule.rows(),
                                            lowered.signature.donations),
                            out);
        });
    cpu::dropKernels(lowered.module);
    flags.elideLargeElementsAttrs(64);
  }
  restoreEntryLayouts(lowered.module, lowered.signature.arguments,
                      lowered.signature.results);
  splitAllToAlls(lowered.module);
  llvm::raw_string_ostream stream(description.text);
  lowered.module.print(stream, flags);
  return description;
}

} // namespace xla
