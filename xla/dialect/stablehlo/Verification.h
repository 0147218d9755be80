//===- Verification.h - Checks that operations share ------------*- C++ -*-===//

#ifndef XLA_DIALECT_STABLEHLO_VERIFICATION_H
#define XLA_DIALECT_STABLEHLO_VERIFICATION_H

#include "xla/dialect/stablehlo/StablehloOps.h"

#include "mlir/IR/Diagnostics.h"

namespace xla::stablehlo {

/// Reports what is wrong with an operation of class `OpType`, in the form that
/// emitOpError has, where there is no operation yet.
template <typename OpType, typename... Args>
mlir::LogicalResult inferError(std::optional<mlir::Location> location,
                               Args &&...args) {
  return mlir::emitOptionalError(location, "'", OpType::getOperationName(),
                                 "' op ", std::forward<Args>(args)...);
}

inline mlir::RankedTensorType tensorType(mlir::Value value) {
  return llvm::cast<mlir::RankedTensorType>(value.getType());
}

/// Whether no number occurs twice.
bool areUnique(llvm::ArrayRef<int64_t> values);
/// Whether each number is at least 0 and below `limit`.
bool areBelow(llvm::ArrayRef<int64_t> values, int64_t limit);

/// One dimension of a sliding window, all defaults filled in.
struct WindowDimension {
  int64_t size = 1;
  int64_t stride = 1;
  int64_t paddingLow = 0;
  int64_t paddingHigh = 0;
  int64_t windowDilation = 1;
  int64_t baseDilation = 1;

  /// The number of windows over `extent` elements; dynamic if `extent` is.
  int64_t outputSize(int64_t extent) const;
};

/// The attributes of a window, as operations hold them; absent ones are the
/// defaults.
struct WindowAttributes {
  std::optional<llvm::ArrayRef<int64_t>> strides;
  std::optional<llvm::ArrayRef<int64_t>> baseDilations;
  std::optional<llvm::ArrayRef<int64_t>> windowDilations;
  std::optional<mlir::DenseIntElementsAttr> padding;
};

/// Combines them over `sizes`; says on `op` what does not fit.
mlir::FailureOr<llvm::SmallVector<WindowDimension>>
combineWindow(mlir::Operation *op, llvm::ArrayRef<int64_t> sizes,
              const WindowAttributes &attributes);

/// Checks that a region's block takes `arguments` and returns `results`;
/// `label` is the constraint in the specification.
mlir::LogicalResult verifyRegion(mlir::Operation *op, mlir::Region &region,
                                 llvm::StringRef name,
                                 mlir::TypeRange arguments,
                                 mlir::TypeRange results,
                                 llvm::StringRef label);

/// Checks a region that folds N values into N others: 2N scalars to N scalars,
/// of the element types of `accumulators`.
mlir::LogicalResult verifyReducer(mlir::Operation *op, mlir::Region &region,
                                  llvm::StringRef name,
                                  mlir::TypeRange accumulators,
                                  llvm::StringRef label);

} // namespace xla::stablehlo

#endif // XLA_DIALECT_STABLEHLO_VERIFICATION_H
