//===- NativeProgram.h - A program as machine code --------------*- C++ -*-===//

#ifndef XLA_CODEGEN_CPU_NATIVEPROGRAM_H
#define XLA_CODEGEN_CPU_NATIVEPROGRAM_H

#include "xla/analysis/Costs.h"
#include "xla/codegen/cpu/EmitProgram.h"
#include "xla/codegen/cpu/MachineCode.h"
#include "xla/runtime/OptimizableProgram.h"

#include <memory>
#include <string_view>

namespace xla::cpu {

/// What one run computes and moves.
struct ProgramCosts {
  Costs costs;
  bool mayTakeLong; ///< see ProgramStatistics
};

ProgramCosts countCosts(mlir::ModuleOp module, const Schedule &schedule);

/// A program of one operation or none that is to make records: its facts,
/// which cannot be run.
std::unique_ptr<AbstractProgram> describeOperations(ProgramSignature signature,
                                                    OperationTable &operations);

/// A program without code, of which memory and costs are to be known.
std::unique_ptr<AbstractProgram> describePlan(ProgramSignature signature,
                                              int64_t temporaryBytes,
                                              const ProgramCosts &costs);

/// Compiles the emitted code and links it into the process.
StatusOr<std::unique_ptr<AbstractProgram>>
linkProgram(EmittedProgram emitted, Tier tier, const ProgramCosts &costs,
            ProgramSignature signature);

/// See `loadProgram`.
StatusOr<std::unique_ptr<AbstractProgram>> loadNatively(std::string_view image);

} // namespace xla::cpu

#endif // XLA_CODEGEN_CPU_NATIVEPROGRAM_H
