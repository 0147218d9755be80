//===- EmitProgram.h - A program as LLVM IR ---------------------*- C++ -*-===//

#ifndef XLA_CODEGEN_CPU_EMITPROGRAM_H
#define XLA_CODEGEN_CPU_EMITPROGRAM_H

#include "xla/calls/ForeignCall.h"
#include "xla/codegen/cpu/BufferPlan.h"
#include "xla/codegen/cpu/Choose.h"
#include "xla/codegen/cpu/OperationTable.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/IR/Module.h"

#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

namespace xla::cpu {

struct FreeMemory {
  void operator()(void *memory) const { std::free(memory); }
};

/// The bytes of a constant, as the code reads them.
struct ConstantBlock {
  std::unique_ptr<void, FreeMemory> memory; ///< null: there is none left
  int64_t bytes;

  static ConstantBlock allocate(int64_t bytes);
};

/// A program's code, and what it refers to by symbols.
struct EmittedProgram {
  std::unique_ptr<llvm::LLVMContext> context;
  std::unique_ptr<llvm::Module> module;
  std::vector<ConstantBlock> constants;            ///< by number
  std::vector<std::unique_ptr<ForeignCall>> calls; ///< by number
  std::vector<std::string> collectives;            ///< by number, for messages
  std::vector<OperationFacts> operations; ///< of one that makes records
  int64_t arenaBytes = 0;
};

/// The function that a run calls.
inline constexpr const char *entrySymbol = "xla_main";

/// Unimplemented where an array of `main` has no static shape.
Status checkStaticShapes(mlir::ModuleOp module);

/// Emits `main` by what was chosen and where its arrays are; with records of
/// `operations`, where they are given.
StatusOr<EmittedProgram> emitProgram(mlir::ModuleOp module,
                                     const Schedule &schedule,
                                     const BufferPlan &buffers,
                                     const ProgramSignature &signature,
                                     OperationTable *operations);

} // namespace xla::cpu

#endif // XLA_CODEGEN_CPU_EMITPROGRAM_H
