//===- Fourier.cpp - Fourier transforms, by the runtime -------------------===//

#include "xla/codegen/cpu/Emitter.h"
#include "xla/dialect/stablehlo/StablehloOps.h"

namespace xla::cpu {

using namespace stablehlo;
using mlir::Operation;
using mlir::Value;

void Emitter::emitFft(Operation *operation) {
  auto op = llvm::cast<FftOp>(operation);
  Value input = op.getOperand(), output = op.getResult();
  ElementType part = partOf(elementTypeOf(input.getType()));
  llvm::ArrayRef<int64_t> lengths = op.getFftLength();
  if (lengths.size() > 3) {
    fail(op, "it transforms at most 3 dimensions at once");
    return;
  }
  if (elementCountOf(output) == 0) {
    return;
  }
  int64_t batch = 1;
  for (int64_t size : shapeOf(output).drop_back(lengths.size())) {
    batch *= size;
  }
  // In the order of the runtime's kinds: FFT, IFFT, RFFT, IRFFT.
  llvm::SmallVector<llvm::Value *> fields = {
      constant(static_cast<int64_t>(op.getFftType())),
      constant(part == ElementType::F64),
      constant(static_cast<int64_t>(lengths.size())), constant(batch)};
  for (size_t i = 0; i < 3; ++i) {
    fields.push_back(constant(i < lengths.size() ? lengths[i] : 1));
  }
  fields.push_back(pointerTo(input));
  fields.push_back(pointerTo(output));
  returnOnError(callRuntime("xla_fft", builder().getInt32Ty(), words(fields)));
}

} // namespace xla::cpu
