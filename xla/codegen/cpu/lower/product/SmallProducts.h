//===- SmallProducts.h - Many small matrix products, in line ----*- C++ -*-===//

#ifndef XLA_CODEGEN_CPU_LOWER_PRODUCT_SMALLPRODUCTS_H
#define XLA_CODEGEN_CPU_LOWER_PRODUCT_SMALLPRODUCTS_H

#include "xla/codegen/cpu/lower/product/Product.h"

namespace xla::cpu {

/// How a batch of small products of real matrices is computed by vectors: as
/// MatrixVector or SmallMatrices; InLine where it has no form that is fast so.
Strategy smallProductOf(const Product &p);

/// Whether this is one product with a vector, small enough for one thread.
bool isMatrixVector(const Product &p);

void emitSmallMatrices(Emitter &e, const Product &p, const BufferSlice &target,
                       const LoopPlan &loops);
void emitMatrixVectors(Emitter &e, const Product &p, const BufferSlice &target,
                       const LoopPlan &loops);

} // namespace xla::cpu

#endif // XLA_CODEGEN_CPU_LOWER_PRODUCT_SMALLPRODUCTS_H
