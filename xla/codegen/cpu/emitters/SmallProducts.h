//===- SmallProducts.h - Many small matrix products, in line ----*- C++ -*-===//

#ifndef XLA_CODEGEN_CPU_EMITTERS_SMALLPRODUCTS_H
#define XLA_CODEGEN_CPU_EMITTERS_SMALLPRODUCTS_H

#include "xla/codegen/cpu/emitters/Dot.h"

namespace xla::cpu {

/// Emits a batch of small products of real matrices by vectors, if they have a
/// form that is fast so, else nothing, and says which.
bool emitSmallProducts(Emitter &e, const Product &p, const Place &target);

/// The same for one product with a vector, which may be larger.
bool emitWithVector(Emitter &e, const Product &p, const Place &target);

} // namespace xla::cpu

#endif // XLA_CODEGEN_CPU_EMITTERS_SMALLPRODUCTS_H
