//===- ConvolutionRows.h - Convolutions by rows -----------------*- C++ -*-===//

#ifndef XLA_CODEGEN_CPU_EMITTERS_CONVOLUTIONROWS_H
#define XLA_CODEGEN_CPU_EMITTERS_CONVOLUTIONROWS_H

#include "xla/codegen/cpu/Emitter.h"

namespace xla::cpu {

/// Emits the convolution as sums of input rows, or nothing where positions do
/// not lie side by side in the result, or are few.
bool emitConvolutionRows(Emitter &e, stablehlo::ConvolutionOp op);

} // namespace xla::cpu

#endif // XLA_CODEGEN_CPU_EMITTERS_CONVOLUTIONROWS_H
