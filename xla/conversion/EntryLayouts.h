//===- EntryLayouts.h - Layouts of main's arguments and results -*- C++ -*-===//

#ifndef XLA_CONVERSION_ENTRYLAYOUTS_H
#define XLA_CONVERSION_ENTRYLAYOUTS_H

#include "mlir/IR/BuiltinOps.h"
#include "xla/support/Shape.h"
#include "xla/support/Status.h"

#include <vector>

namespace xla {

/// The shapes of the arguments and results of `main`.
struct EntryShapes {
  std::vector<Shape> &arguments;
  std::vector<Shape> &results;
};

/// Reads `mhlo.layout_mode` of the arguments and results of `main`: "default"
/// and "auto" (row-major), or dimensions from minor to major, as "{0,1}". The
/// shapes get these layouts; `main` takes and returns the row-major arrays that
/// have the same memory, and transposes them.
Status applyEntryLayouts(mlir::ModuleOp module, EntryShapes shapes);

/// For those who read the module: a `main` with these shapes around the one
/// that `applyEntryLayouts` left, and the layouts of its arguments as an
/// attribute of the module, by XLA's name.
void restoreEntryLayouts(mlir::ModuleOp module,
                         const std::vector<Shape> &arguments,
                         const std::vector<Shape> &results);

} // namespace xla

#endif // XLA_CONVERSION_ENTRYLAYOUTS_H
