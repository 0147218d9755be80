//===- Rows.h - Whether elements stay in their row --------------*- C++ -*-===//
//
// Of an array with a given number of rows, row r is the r-th of so many equal
// parts in row-major order.
//
//===----------------------------------------------------------------------===//

#ifndef XLA_CODEGEN_CPU_ROWS_H
#define XLA_CODEGEN_CPU_ROWS_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/ArrayRef.h"

#include <cstdint>

namespace xla::cpu {

/// How many of the first dimensions count `rows` indices together; -1 if none.
int64_t splitOf(llvm::ArrayRef<int64_t> shape, int64_t rows);

/// Whether row r of the result of `op`, which moves elements, depends on row r
/// of its operand alone.
bool keepsRows(mlir::Operation *op, mlir::Value operand, int64_t rows);

} // namespace xla::cpu

#endif // XLA_CODEGEN_CPU_ROWS_H
