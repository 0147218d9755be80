//===- LinearAlgebra.cpp - Matrices whose work is the runtime's -----------===//

#include "xla/analysis/SparseProduct.h"
#include "xla/codegen/cpu/lower/Steps.h"
#include "xla/dialect/stablehlo/StablehloOps.h"
#include "xla/runtime/abi/Runtime.h"

namespace xla::cpu {

using namespace stablehlo;
using mlir::Operation;
using mlir::Value;

/// The runtime's number of an element type, or -1.
static int64_t typeNumber(ElementType type) {
  switch (type) {
  case ElementType::F32:
    return 0;
  case ElementType::F64:
    return 1;
  case ElementType::C64:
    return 2;
  case ElementType::C128:
    return 3;
  default:
    return -1;
  }
}

static int64_t batchOf(Value value) {
  int64_t batch = 1;
  for (int64_t size : shapeOf(value).drop_back(2)) {
    batch *= size;
  }
  return batch;
}

static constexpr const char *otherTypes =
    "it factors and solves f32, f64, complex<f32> and complex<f64>; convert "
    "narrower types to f32 first";

void emitCholesky(Emitter &e, Operation *operation) {
  auto op = llvm::cast<CholeskyOp>(operation);
  Value result = op.getResult();
  int64_t type = typeNumber(elementTypeOf(result.getType()));
  if (type < 0) {
    e.fail(op, otherTypes);
    return;
  }
  e.emitInto(op.getA(), e.buffers.sliceOf(result));
  e.returnOnError(
      e.callRuntime("xla_cholesky", e.builder().getInt32Ty(),
                    e.words({e.constant(type), e.constant(batchOf(result)),
                             e.constant(shapeOf(result).back()),
                             e.constant(op.getLower()), e.pointerTo(result)})));
}

void emitTriangularSolve(Emitter &e, Operation *operation) {
  auto op = llvm::cast<TriangularSolveOp>(operation);
  Value result = op.getResult();
  int64_t type = typeNumber(elementTypeOf(result.getType()));
  if (type < 0) {
    e.fail(op, otherTypes);
    return;
  }
  e.emitInto(op.getB(), e.buffers.sliceOf(result));
  llvm::ArrayRef<int64_t> shape = shapeOf(result);
  Transpose transpose = op.getTransposeA();
  int64_t form = transpose == Transpose::ADJOINT     ? 2
                 : transpose == Transpose::TRANSPOSE ? 1
                                                     : 0;
  e.returnOnError(e.callRuntime(
      "xla_triangular_solve", e.builder().getInt32Ty(),
      e.words({e.constant(type), e.constant(batchOf(result)),
               e.constant(shape[shape.size() - 2]), e.constant(shape.back()),
               e.constant(op.getLeftSide()), e.constant(op.getLower()),
               e.constant(op.getUnitDiagonal()), e.constant(form),
               e.pointerTo(op.getA()), e.pointerTo(result)})));
}

static int64_t formNumber(SparseProduct::Form form) {
  switch (form) {
  case SparseProduct::Form::Coordinates:
    return XLA_SPARSE_COORDINATES;
  case SparseProduct::Form::Sorted:
    return XLA_SPARSE_SORTED;
  case SparseProduct::Form::Rows:
    return XLA_SPARSE_ROWS;
  case SparseProduct::Form::Columns:
    return XLA_SPARSE_COLUMNS;
  }
}

void emitSparseProduct(Emitter &e, Operation *op,
                       const SparseProduct &product) {
  llvm::IRBuilder<> &b = e.builder();
  llvm::Value *operands[4];
  for (unsigned i = 0; i < 4; ++i) {
    operands[i] = e.operandPointer(op->getOperand(i));
  }
  llvm::Type *word = product.isWide ? b.getInt64Ty() : b.getInt32Ty();
  operands[1] = b.CreateConstInBoundsGEP1_64(
      word, operands[1], static_cast<uint64_t>(product.firstColumn));
  operands[2] = b.CreateConstInBoundsGEP1_64(
      word, operands[2], static_cast<uint64_t>(product.secondColumn));
  Value result = op->getResult(0);
  e.returnOnError(e.callRuntime(
      "xla_sparse_product", b.getInt32Ty(),
      e.words({e.constant(typeNumber(elementTypeOf(result.getType()))),
               e.constant(product.isWide ? 8 : 4),
               e.constant(formNumber(product.form)), e.constant(product.stored),
               e.constant(product.rows), e.constant(product.columns),
               e.constant(product.width), operands[0], operands[1], operands[2],
               operands[3], e.constant(product.firstStep),
               e.constant(product.secondStep), e.pointerTo(result)})));
}

} // namespace xla::cpu
