//===- Product.h - Matrix products ------------------------------*- C++ -*-===//

#ifndef XLA_CODEGEN_CPU_LOWER_PRODUCT_PRODUCT_H
#define XLA_CODEGEN_CPU_LOWER_PRODUCT_PRODUCT_H

#include "xla/codegen/cpu/Emitter.h"
#include "xla/codegen/cpu/Kernel.h"

namespace xla::cpu {

/// A dimension of the product as the three arrays see it; strides count
/// elements.
struct Axis {
  int64_t size, lhs, rhs, result;
};

/// A piece of an array in memory, its dimensions permuted.
struct View {
  mlir::Value buffer;
  int64_t offset = 0;
  llvm::SmallVector<int64_t> strides;
};

/// Columns of a line that are summed side by side (`Strategy::Stretches`).
inline constexpr int64_t columnsOfStretch = 256;

struct Product {
  llvm::SmallVector<Axis> batch, rows, columns, inner;
  View lhs, rhs;
  ElementType lhsType, rhsType, resultType;
};

/// The product as a loop or a kernel sees it: looks through transposes and
/// slices that were left to it.
Product analyze(const FusionPlan &fusion, stablehlo::DotGeneralOp op);

int64_t sizeOf(llvm::ArrayRef<Axis> axes);

/// What the runtime's product of such factors writes.
ElementType sumTypeOf(const Product &p);

Kernel chooseProduct(const FusionPlan &fusion, stablehlo::DotGeneralOp op);

/// A matrix of complex numbers times few lines of such, as a product of real
/// numbers that reads the matrix where it is, once. `scratch` has
/// `complexScratchBytes`, which are 0 where the product is no such.
void emitComplexLines(Emitter &e, const Product &p, const BufferSlice &target,
                      const BufferSlice &scratch);
int64_t complexScratchBytes(const Product &p);

} // namespace xla::cpu

#endif // XLA_CODEGEN_CPU_LOWER_PRODUCT_PRODUCT_H
