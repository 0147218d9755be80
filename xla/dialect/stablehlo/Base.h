//===- Base.h - What StableHLO's generated code relies on -------*- C++ -*-===//

#ifndef XLA_DIALECT_STABLEHLO_BASE_H
#define XLA_DIALECT_STABLEHLO_BASE_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/TypeRange.h"
#include "llvm/ADT/SmallVector.h"

namespace xla::stablehlo {

/// Whether `type` is one of the quantized types, which no dialect here holds.
bool isQuantizedType(mlir::Type type);

/// Equal sizes, or one of them known at run time only.
inline bool areCompatibleDimensions(int64_t a, int64_t b) {
  return a == b || mlir::ShapedType::isDynamic(a) ||
         mlir::ShapedType::isDynamic(b);
}

/// Types that may describe the same value: equal but for dynamic dimensions.
bool areCompatibleTypes(mlir::Type a, mlir::Type b);
bool areCompatibleTypes(mlir::TypeRange a, mlir::TypeRange b);

/// The number of elements, unless a dimension is dynamic or it overflows.
std::optional<int64_t> staticElementCount(mlir::RankedTensorType type);

/// `operand`'s type in `shape`; the encoding is dropped.
mlir::RankedTensorType withShape(mlir::Type operand,
                                 llvm::ArrayRef<int64_t> shape);

/// Parsers and printers of attribute parameters: `[0, 1]`, `true`, `1.0`.
mlir::FailureOr<llvm::SmallVector<int64_t>>
parseDimensionList(mlir::AsmParser &parser);
void printDimensionList(mlir::AsmPrinter &printer,
                        llvm::ArrayRef<int64_t> values);
mlir::FailureOr<bool> parseFlag(mlir::AsmParser &parser);
mlir::FailureOr<llvm::APFloat> parseDouble(mlir::AsmParser &parser);

} // namespace xla::stablehlo

#endif // XLA_DIALECT_STABLEHLO_BASE_H
