//===- ConvolutionArrays.h - What a convolution says of its arrays -*- C++ -*-//
//
// What every way to compute a convolution asks first: sizes, types and groups,
// and where a window sees the input and the kernel.
//
//===----------------------------------------------------------------------===//

#ifndef XLA_CODEGEN_CPU_LOWER_CONVOLUTION_CONVOLUTIONARRAYS_H
#define XLA_CODEGEN_CPU_LOWER_CONVOLUTION_CONVOLUTIONARRAYS_H

#include "xla/codegen/cpu/Emitter.h"
#include "xla/dialect/stablehlo/StablehloOps.h"

namespace xla::cpu {

/// How windows are spaced along one spatial dimension of an input of `size`.
struct ConvolutionWindow {
  int64_t stride = 1, low = 0, lhsDilation = 1, rhsDilation = 1, size = 0;
  bool reversed = false;
};

struct ConvolutionArrays {
  explicit ConvolutionArrays(stablehlo::ConvolutionOp op);

  bool hasHoles() const;
  bool sumsRealNumbers() const;

  /// Where a tap of the window at `position` falls in the input, along a
  /// spatial dimension. `inside` becomes false where no element is there.
  llvm::Value *sourceAlong(Emitter &e, size_t spatial, llvm::Value *position,
                           llvm::Value *tap, llvm::Value *&inside) const;
  /// Where the element of the kernel for a tap is, likewise.
  llvm::Value *kernelAlong(Emitter &e, size_t spatial, llvm::Value *tap) const;
  /// How many elements of the input are before a position, holes included.
  llvm::Value *elementsBefore(Emitter &e, size_t spatial,
                              llvm::Value *position) const;
  /// sum + x * y, of real numbers.
  llvm::Value *addProduct(Emitter &e, llvm::Value *sum, llvm::Value *x,
                          llvm::Value *y) const;

  stablehlo::ConvolutionOp op;
  stablehlo::ConvDimensionNumbersAttr numbers;
  llvm::ArrayRef<int64_t> lhs, rhs, out;
  llvm::SmallVector<ConvolutionWindow> windows; ///< by spatial dimension
  ElementType lhsType, rhsType, resultType;
  ElementType type; ///< of sums
  bool groupsBatch; ///< or else features
  int64_t groups;
  int64_t features, inputs, batches; ///< of one group
};

/// Calls `body` for what can be in registers at a time of [0, count), with the
/// first one and their number.
template <typename Body>
void inBlocks(Emitter &e, int64_t count, Body body) {
  constexpr int64_t together = 8;
  int64_t blocks = count / together;
  e.loop(e.constant(0), e.constant(blocks), [&](llvm::Value *block) {
    body(e.builder().CreateNSWMul(block, e.constant(together)), together);
  });
  if (int64_t left = count % together) {
    body(e.constant(blocks * together), left);
  }
}

} // namespace xla::cpu

#endif // XLA_CODEGEN_CPU_LOWER_CONVOLUTION_CONVOLUTIONARRAYS_H
