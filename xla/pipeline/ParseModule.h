//===- ParseModule.h - From bytes to a verified module ----------*- C++ -*-===//

#ifndef XLA_PIPELINE_PARSEMODULE_H
#define XLA_PIPELINE_PARSEMODULE_H

#include "xla/pipeline/Compile.h"
#include "xla/report/PartitionFacts.h"
#include "xla/runtime/Program.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"

#include <memory>
#include <string_view>

namespace xla {

/// A module and the context it lives in, which has one thread only.
struct ParsedModule {
  std::unique_ptr<mlir::MLIRContext> context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  ProgramSignature signature;
  report::PartitionFacts facts = {};
};

/// Reads text, bytecode or a portable artifact, verifies it, writes CHLO and
/// composites out in StableHLO, divides it among the partitions, and reads the
/// signature of `main`.
StatusOr<ParsedModule> parseModule(std::string_view bytes,
                                   const CompileOptions &options = {});

} // namespace xla

#endif // XLA_PIPELINE_PARSEMODULE_H
