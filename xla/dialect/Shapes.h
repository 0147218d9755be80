//===- Shapes.h - The runtime's shapes of MLIR's types ----------*- C++ -*-===//

#ifndef XLA_DIALECT_SHAPES_H
#define XLA_DIALECT_SHAPES_H

#include "xla/support/Shape.h"
#include "xla/support/Status.h"

namespace mlir {
class Type;
} // namespace mlir

namespace xla {

/// The shape of an array or token; Unimplemented for types that the runtime
/// lacks and for dynamic dimensions, InvalidArgument for arrays too large.
StatusOr<Shape> shapeOf(mlir::Type type);

} // namespace xla

#endif // XLA_DIALECT_SHAPES_H
