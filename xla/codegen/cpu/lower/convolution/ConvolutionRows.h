//===- ConvolutionRows.h - Convolutions by rows -----------------*- C++ -*-===//

#ifndef XLA_CODEGEN_CPU_LOWER_CONVOLUTION_CONVOLUTIONROWS_H
#define XLA_CODEGEN_CPU_LOWER_CONVOLUTION_CONVOLUTIONROWS_H

#include "xla/codegen/cpu/Emitter.h"

namespace xla::cpu {

/// Whether a convolution can be sums of input rows: positions are side by side
/// in the result, and are not few.
/// The loop over pieces of rows; nothing where sums are not of rows.
std::optional<LoopPlan> planConvolutionRows(stablehlo::ConvolutionOp op);
void emitConvolutionRows(Emitter &e, stablehlo::ConvolutionOp op,
                         const LoopPlan &loops);

} // namespace xla::cpu

#endif // XLA_CODEGEN_CPU_LOWER_CONVOLUTION_CONVOLUTIONROWS_H
