//===- SparseProduct.h - Sparse times dense, as one operation ---*- C++ -*-===//
//
// A composite `jax.sparse_product` is a matrix of stored elements times a dense
// array. Where the runtime has a kernel for its types, it becomes a custom call
// of `xla.sparse_product`; other compilers compute its decomposition.
//
//   operands    data [n]; first and second, which say where elements stand;
//               dense [columns, ...]
//   result      [rows, ...]
//   form        "coordinates": rows and columns of the elements, each [n], or
//   column
//               `first_column` or `second_column` of [n, k]; "sorted":
//               likewise, of rows that never decrease; "rows": first [rows + 1]
//               says where each row begins and ends, second [n] has columns;
//               "columns": likewise, exchanged
//
//===----------------------------------------------------------------------===//

#ifndef XLA_ANALYSIS_SPARSEPRODUCT_H
#define XLA_ANALYSIS_SPARSEPRODUCT_H

#include "mlir/IR/BuiltinOps.h"

#include <cstdint>
#include <optional>

namespace xla {

struct SparseProduct {
  enum class Form { Coordinates, Sorted, Rows, Columns };
  Form form;
  int64_t stored, rows, columns, width;
  bool isWide; ///< whether indices have 64 bits
  /// For Coordinates: which column of how many, of matrices of indices.
  int64_t firstColumn = 0, firstStep = 1;
  int64_t secondColumn = 0, secondStep = 1;
};

/// What a composite or a call computes, if it is such a product of f32, f64,
/// c64 or c128 and its shapes fit each other.
std::optional<SparseProduct> sparseProductOf(mlir::Operation *op);

/// The call that such a composite becomes, and what has the composite's
/// attributes there.
inline constexpr const char *sparseProductCall = "xla.sparse_product";
inline constexpr const char *sparseProductAttributes =
    "xla.composite_attributes";

} // namespace xla

#endif // XLA_ANALYSIS_SPARSEPRODUCT_H
