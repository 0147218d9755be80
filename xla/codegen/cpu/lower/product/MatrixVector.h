//===- MatrixVector.h - Small products with a vector, in line ---*- C++ -*-===//

#ifndef XLA_CODEGEN_CPU_LOWER_PRODUCT_MATRIXVECTOR_H
#define XLA_CODEGEN_CPU_LOWER_PRODUCT_MATRIXVECTOR_H

#include "xla/codegen/cpu/Emitter.h"

namespace xla::cpu {

/// result[r] = sum over k of matrix[r * resultStep + k * termStep] *
/// vector[k * vectorStep]; results follow each other in memory.
struct MatrixVectorProduct {
  ElementType type;
  int64_t results, terms;
  int64_t resultStep, termStep, vectorStep;
  llvm::Value *matrix, *vector, *result;
};

/// Whether the product is a small one of a form that is fast in line. The
/// pointers do not matter.
bool isInLineMatrixVector(const MatrixVectorProduct &product);

/// Emits such a product in this function.
void emitMatrixVector(Emitter &e, const MatrixVectorProduct &product);

} // namespace xla::cpu

#endif // XLA_CODEGEN_CPU_LOWER_PRODUCT_MATRIXVECTOR_H
