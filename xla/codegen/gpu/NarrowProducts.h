//===- NarrowProducts.h - Products of what was converted --------*- C++ -*-===//

#ifndef XLA_CODEGEN_GPU_NARROWPRODUCTS_H
#define XLA_CODEGEN_GPU_NARROWPRODUCTS_H

#include "mlir/IR/BuiltinOps.h"

namespace xla::gpu {

/// dot(convert(x), convert(y)) -> dot(x, y), where x and y are of a narrow
/// float type that matrix units multiply, and are converted to f32: they sum
/// such products in f32, and the product of two of these has at most its 24
/// bits.
void narrowProducts(mlir::ModuleOp module);

} // namespace xla::gpu

#endif // XLA_CODEGEN_GPU_NARROWPRODUCTS_H
