//===- ShapeOperands.h - Operations whose sizes are operands ----*- C++ -*-===//
//
// Operations such as dynamic_pad are those with sizes for attributes, pad,
// where the sizes are known. Their rules are the verifiers of the latter.
//
//===----------------------------------------------------------------------===//

#ifndef XLA_ANALYSIS_SHAPEOPERANDS_H
#define XLA_ANALYSIS_SHAPEOPERANDS_H

#include "xla/support/Status.h"

#include "mlir/IR/Builders.h"

#include <optional>

namespace xla {

/// The elements of a vector of integers, where they are known.
using Numbers = llvm::SmallVector<int64_t>;
using NumbersOf = llvm::function_ref<std::optional<Numbers>(mlir::Value)>;

/// What constants and sizes of dimensions say of a vector of integers: programs
/// put shapes together from them.
std::optional<Numbers> constantNumbers(mlir::Value value);

/// Whether `op` takes sizes for operands.
bool hasShapeOperands(mlir::Operation *op);

/// Builds what such an operation is with the sizes that `numbersOf` gives, and
/// verifies it: InvalidArgument, with the rule, where sizes and types do not
/// fit together; null where a size is needed that is not known, or the result's
/// shape is dynamic.
StatusOr<mlir::Operation *> withoutShapeOperands(mlir::OpBuilder &builder,
                                                 mlir::Operation *op,
                                                 NumbersOf numbersOf);

/// Whether the operation's known sizes fit its types.
Status checkShapeOperands(mlir::Operation *op);

} // namespace xla

#endif // XLA_ANALYSIS_SHAPEOPERANDS_H
