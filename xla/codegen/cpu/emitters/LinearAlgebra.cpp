//===- LinearAlgebra.cpp - Factors and triangular systems, by the runtime -===//

#include "xla/codegen/cpu/Emitter.h"
#include "xla/dialect/stablehlo/StablehloOps.h"

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

void Emitter::emitCholesky(Operation *operation) {
  auto op = llvm::cast<CholeskyOp>(operation);
  Value result = op.getResult();
  int64_t type = typeNumber(elementTypeOf(result.getType()));
  if (type < 0) {
    fail(op, otherTypes);
    return;
  }
  emitInto(op.getA(), buffers.placeOf(result));
  returnOnError(
      callRuntime("xla_cholesky", builder().getInt32Ty(),
                  words({constant(type), constant(batchOf(result)),
                         constant(shapeOf(result).back()),
                         constant(op.getLower()), pointerTo(result)})));
}

void Emitter::emitTriangularSolve(Operation *operation) {
  auto op = llvm::cast<TriangularSolveOp>(operation);
  Value result = op.getResult();
  int64_t type = typeNumber(elementTypeOf(result.getType()));
  if (type < 0) {
    fail(op, otherTypes);
    return;
  }
  emitInto(op.getB(), buffers.placeOf(result));
  llvm::ArrayRef<int64_t> shape = shapeOf(result);
  Transpose transpose = op.getTransposeA();
  int64_t form = transpose == Transpose::ADJOINT     ? 2
                 : transpose == Transpose::TRANSPOSE ? 1
                                                     : 0;
  returnOnError(callRuntime(
      "xla_triangular_solve", builder().getInt32Ty(),
      words({constant(type), constant(batchOf(result)),
             constant(shape[shape.size() - 2]), constant(shape.back()),
             constant(op.getLeftSide()), constant(op.getLower()),
             constant(op.getUnitDiagonal()), constant(form),
             pointerTo(op.getA()), pointerTo(result)})));
}

} // namespace xla::cpu
