//===- ConvolutionRows.h - Convolutions by rows -----------------*- C++ -*-===//

#ifndef XLA_CODEGEN_CPU_LOWER_CONVOLUTION_CONVOLUTIONROWS_H
#define XLA_CODEGEN_CPU_LOWER_CONVOLUTION_CONVOLUTIONROWS_H

#include "xla/codegen/cpu/Emitter.h"

namespace xla::cpu {

/// Whether a convolution can be sums of input rows: positions are side by side
/// in the result, and are not few.
bool isSumOfRows(stablehlo::ConvolutionOp op);
void emitConvolutionRows(Emitter &e, stablehlo::ConvolutionOp op);

} // namespace xla::cpu

#endif // XLA_CODEGEN_CPU_LOWER_CONVOLUTION_CONVOLUTIONROWS_H
