//===- CutOut.h - A part of a program as a module of its own ----*- C++ -*-===//

#ifndef XLA_CODEGEN_GPU_CUTOUT_H
#define XLA_CODEGEN_GPU_CUTOUT_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"

namespace xla::gpu {

struct CutOut {
  mlir::OwningOpRef<mlir::ModuleOp> module; ///< of a function `main`
  llvm::SmallVector<mlir::Value> inputs;    ///< what `main` takes
};

/// Copies `roots`, and what they read that is not in memory, into a module that
/// computes `outputs`, results of `roots`, from values that are in memory.
/// Constants are copied too; tokens are made anew, for the order of calls is
/// that of the program's steps.
CutOut cutOut(llvm::ArrayRef<mlir::Operation *> roots,
              llvm::ArrayRef<mlir::Value> outputs,
              llvm::function_ref<bool(mlir::Value)> isInMemory);

} // namespace xla::gpu

#endif // XLA_CODEGEN_GPU_CUTOUT_H
