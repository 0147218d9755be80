//===- SplitReductions.h - Long reductions by many blocks -------*- C++ -*-===//

#ifndef XLA_CODEGEN_GPU_SPLITREDUCTIONS_H
#define XLA_CODEGEN_GPU_SPLITREDUCTIONS_H

#include "mlir/IR/BuiltinOps.h"

namespace xla::gpu {

/// Makes two reductions of those that fold many elements into few: of parts,
/// and of what becomes of these. Else few blocks would do all of it.
void splitReductions(mlir::ModuleOp module);

} // namespace xla::gpu

#endif // XLA_CODEGEN_GPU_SPLITREDUCTIONS_H
