//===- EntryLayouts.h - How arguments and results of main lie ---*- C++ -*-===//

#ifndef XLA_CONVERSION_ENTRYLAYOUTS_H
#define XLA_CONVERSION_ENTRYLAYOUTS_H

#include "xla/runtime/Program.h"

#include "mlir/IR/BuiltinOps.h"

namespace xla {

/// Reads `mhlo.layout_mode` of the arguments and results of `main`: "default"
/// and "auto" (row-major), or dimensions from minor to major, as "{0,1}". The
/// signature's shapes get these layouts; `main` takes and returns the row-major
/// arrays that have the same memory, and transposes them.
Status applyEntryLayouts(mlir::ModuleOp module, ProgramSignature &signature);

/// For those who read the module: a `main` with the signature's shapes around
/// the one that `applyEntryLayouts` left, and the layouts of its arguments as
/// an attribute of the module, by XLA's name.
void restoreEntryLayouts(mlir::ModuleOp module,
                         const ProgramSignature &signature);

} // namespace xla

#endif // XLA_CONVERSION_ENTRYLAYOUTS_H
