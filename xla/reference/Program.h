//===- Program.h - A module as a program, by interpretation -----*- C++ -*-===//

#ifndef XLA_REFERENCE_PROGRAM_H
#define XLA_REFERENCE_PROGRAM_H

#include "xla/runtime/Program.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"

#include <memory>

namespace xla::reference {

/// Takes a verified module of StableHLO and func operations, and the context
/// that it lives in. `signature` is that of its entry, `main`.
StatusOr<std::unique_ptr<AbstractProgram>>
makeProgram(std::shared_ptr<mlir::MLIRContext> context,
            mlir::OwningOpRef<mlir::ModuleOp> module,
            ProgramSignature signature);

} // namespace xla::reference

#endif // XLA_REFERENCE_PROGRAM_H
