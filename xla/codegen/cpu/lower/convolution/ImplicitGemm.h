//===- ImplicitGemm.h - Convolutions as matrix products ---------*- C++ -*-===//

#ifndef XLA_CODEGEN_CPU_LOWER_CONVOLUTION_IMPLICITGEMM_H
#define XLA_CODEGEN_CPU_LOWER_CONVOLUTION_IMPLICITGEMM_H

#include "xla/codegen/cpu/Emitter.h"
#include "xla/dialect/stablehlo/StablehloOps.h"

namespace xla::cpu {

/// Emits the convolution as products of matrices (`ConvolutionPlan`). Sums of
/// 16-bit floats are left in `target` as f32.
void emitImplicitGemm(Emitter &e, stablehlo::ConvolutionOp op,
                      const BufferSlice &target, const LoopPlan &loops);

} // namespace xla::cpu

#endif // XLA_CODEGEN_CPU_LOWER_CONVOLUTION_IMPLICITGEMM_H
