//===- Pieces.h - Concatenations of pieces of one array ---------*- C++ -*-===//
//
// An array that is padded with its edge or its mirror image, rolled, or
// repeated is a concatenation whose pieces all come from it. Its elements are
// then read at a chosen index, where else one of several elements would be
// chosen.
//
//===----------------------------------------------------------------------===//

#ifndef XLA_CODEGEN_CPU_PIECES_H
#define XLA_CODEGEN_CPU_PIECES_H

#include "xla/dialect/stablehlo/StablehloOps.h"

namespace xla::cpu {

/// Whether `op` takes, turns round or repeats parts of its operand.
bool isPiece(mlir::Operation *op);

/// The array that all pieces of `op` are, or come from by such operations; null
/// where there is none.
mlir::Value sourceOfPieces(stablehlo::ConcatenateOp op);

/// The concatenation of pieces of the array used here that this use is for;
/// null where it is for anything else.
stablehlo::ConcatenateOp joinedFrom(mlir::OpOperand &use);

} // namespace xla::cpu

#endif // XLA_CODEGEN_CPU_PIECES_H
