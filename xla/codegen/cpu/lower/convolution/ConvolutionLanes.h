//===- ConvolutionLanes.h - Convolutions of a feature a group ---*- C++ -*-===//

#ifndef XLA_CODEGEN_CPU_LOWER_CONVOLUTION_CONVOLUTIONLANES_H
#define XLA_CODEGEN_CPU_LOWER_CONVOLUTION_CONVOLUTIONLANES_H

#include "xla/codegen/cpu/Emitter.h"
#include "xla/dialect/stablehlo/StablehloOps.h"

namespace xla::cpu {

/// Whether groups can be in the lanes of vectors, for they are side by side in
/// all arrays, and it is worth it.
/// The loop over groups side by side; nothing where there are none, or they
/// are not worth it.
std::optional<LoopPlan> planConvolutionLanes(stablehlo::ConvolutionOp op);
void emitConvolutionLanes(Emitter &e, stablehlo::ConvolutionOp op,
                          const LoopPlan &loops);

} // namespace xla::cpu

#endif // XLA_CODEGEN_CPU_LOWER_CONVOLUTION_CONVOLUTIONLANES_H
