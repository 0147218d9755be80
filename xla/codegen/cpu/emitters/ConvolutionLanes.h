//===- ConvolutionLanes.h - Convolutions of a feature a group ---*- C++ -*-===//

#ifndef XLA_CODEGEN_CPU_EMITTERS_CONVOLUTIONLANES_H
#define XLA_CODEGEN_CPU_EMITTERS_CONVOLUTIONLANES_H

#include "xla/codegen/cpu/Emitter.h"
#include "xla/dialect/stablehlo/StablehloOps.h"

namespace xla::cpu {

/// Emits the convolution with groups in the lanes of vectors if they lie side
/// by side everywhere, else nothing, and says which.
bool emitConvolutionLanes(Emitter &e, stablehlo::ConvolutionOp op);

} // namespace xla::cpu

#endif // XLA_CODEGEN_CPU_EMITTERS_CONVOLUTIONLANES_H
