//===- Fourier.cpp - Fourier transforms, by the runtime -------------------===//

#include "xla/codegen/cpu/Choose.h"
#include "xla/codegen/cpu/lower/Steps.h"
#include "xla/dialect/stablehlo/StablehloOps.h"
#include "xla/runtime/abi/Runtime.h"

namespace xla::cpu {

using namespace stablehlo;
using mlir::Operation;
using mlir::Value;

constexpr size_t mostDimensions = std::size(XlaFft().lengths);

/// All but the addresses.
static XlaFft shapeOfTransform(FftOp op) {
  XlaFft fft = {};
  // In the order of the runtime's kinds: FFT, IFFT, RFFT, IRFFT.
  fft.kind = static_cast<int64_t>(op.getFftType());
  fft.is_double =
      partOf(elementTypeOf(op.getOperand().getType())) == ElementType::F64;
  llvm::ArrayRef<int64_t> lengths = op.getFftLength();
  fft.rank = static_cast<int64_t>(lengths.size());
  fft.batch = 1;
  for (int64_t size : shapeOf(op.getResult()).drop_back(lengths.size())) {
    fft.batch *= size;
  }
  for (size_t i = 0; i < mostDimensions; ++i) {
    fft.lengths[i] = i < lengths.size() ? lengths[i] : 1;
  }
  return fft;
}

Kernel chooseTransform(FftOp op) {
  if (op.getFftLength().size() > mostDimensions ||
      elementCountOf(op.getResult()) == 0) {
    return {};
  }
  const XlaFft fft = shapeOfTransform(op);
  return {Strategy::Transform, xla_fft_scratch_bytes(&fft), "xla_fft"};
}

void emitFft(Emitter &e, Operation *operation) {
  auto op = llvm::cast<FftOp>(operation);
  if (op.getFftLength().size() > mostDimensions) {
    e.fail(op, "it transforms at most 3 dimensions at once");
    return;
  }
  Kernel kernel = kernelOf(op);
  if (kernel.strategy == Strategy::Nothing) {
    return;
  }
  const XlaFft fft = shapeOfTransform(op);
  llvm::SmallVector<llvm::Value *> fields = {
      e.constant(fft.kind), e.constant(fft.is_double), e.constant(fft.rank),
      e.constant(fft.batch)};
  for (int64_t length : fft.lengths) {
    fields.push_back(e.constant(length));
  }
  fields.push_back(e.pointerTo(op.getOperand()));
  fields.push_back(e.pointerTo(op.getResult()));
  fields.push_back(kernel.scratch > 0 ? e.pointerTo(e.buffers.scratchOf(op))
                                      : llvm::ConstantPointerNull::get(
                                            e.builder().getPtrTy()));
  e.returnOnError(
      e.callRuntime(kernel.entry, e.builder().getInt32Ty(), e.words(fields)));
}

} // namespace xla::cpu
