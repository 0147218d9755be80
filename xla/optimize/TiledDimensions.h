//===- TiledDimensions.h - Which dimensions go together ---------*- C++ -*-===//
//
// A tile of a result is computed from tiles of the operands: of a product, the
// same rows of its lhs and all of its rhs. These functions follow one dimension
// through an operation, in both directions.
//
//===----------------------------------------------------------------------===//

#ifndef XLA_OPTIMIZE_TILEDDIMENSIONS_H
#define XLA_OPTIMIZE_TILEDDIMENSIONS_H

#include "mlir/IR/Operation.h"

#include <cstdint>
#include <optional>

namespace xla {

/// Whether the dimensions of the operation's operands and result can be
/// followed: elementwise operations, movements of dimensions, reductions of one
/// array, products.
bool hasTiledDimensions(mlir::Operation *op);

constexpr int64_t wholeOperand = -1; ///< every tile reads all of it

/// The dimension of operand `i` that goes with dimension `d` of the result, or
/// `wholeOperand`. None where there is no such.
std::optional<int64_t> operandDimension(mlir::Operation *op, unsigned i,
                                        int64_t d);

/// What becomes of a dimension of an operand.
struct TiledResult {
  bool isSum; ///< results of tiles are added up, over all of the result
  int64_t dimension = wholeOperand;
};
std::optional<TiledResult> resultDimension(mlir::Operation *op, unsigned i,
                                           int64_t d);

/// Of an operation whose results of tiles are added up over dimension `d` of
/// operand `i`: the dimension of operand `j`.
std::optional<int64_t> summedDimension(mlir::Operation *op, unsigned i,
                                       int64_t d, unsigned j);

} // namespace xla

#endif // XLA_OPTIMIZE_TILEDDIMENSIONS_H
