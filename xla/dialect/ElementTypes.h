//===- ElementTypes.h - What the runtime's element types are ----*- C++ -*-===//
//
// The one table of kinds, widths and formats. Names and sizes in memory, which
// need no LLVM, are in xla/support/Shape.h.
//
//===----------------------------------------------------------------------===//

#ifndef XLA_DIALECT_ELEMENTTYPES_H
#define XLA_DIALECT_ELEMENTTYPES_H

#include "xla/support/Shape.h"

namespace llvm {
struct fltSemantics;
} // namespace llvm
namespace mlir {
class DenseElementsAttr;
class RankedTensorType;
class Type;
} // namespace mlir

namespace xla {

/// The element type of a tensor, or of a scalar type; Invalid for what has no
/// elements that we know.
ElementType elementTypeOf(mlir::Type type);

bool isFloat(ElementType type);
bool isComplex(ElementType type);
bool isSignedInteger(ElementType type);
bool isUnsignedInteger(ElementType type); ///< Pred is none
inline bool isInteger(ElementType type) {
  return isSignedInteger(type) || isUnsignedInteger(type);
}

/// c64 -> f32, c128 -> f64.
ElementType partOf(ElementType type);

/// Zeros, which complex types have too.
mlir::DenseElementsAttr zerosOf(mlir::RankedTensorType type);

/// The bits that mean something: 1 for Pred, 4 for S4, else those in memory.
int bitWidth(ElementType type);

/// The format of a floating-point type, or of a complex one's parts; else null.
const llvm::fltSemantics *semanticsOf(ElementType type);

} // namespace xla

#endif // XLA_DIALECT_ELEMENTTYPES_H
