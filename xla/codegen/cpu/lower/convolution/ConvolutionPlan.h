//===- ConvolutionPlan.h - A convolution as a product -----------*- C++ -*-===//
//
// Where the elements of a convolution are when it is seen as a product of two
// matrices, positions by terms and terms by features. Positions are those of
// the output, terms those of the kernel without its output features.
//
//===----------------------------------------------------------------------===//

#ifndef XLA_CODEGEN_CPU_LOWER_CONVOLUTION_CONVOLUTIONPLAN_H
#define XLA_CODEGEN_CPU_LOWER_CONVOLUTION_CONVOLUTIONPLAN_H

#include "xla/codegen/cpu/lower/convolution/ConvolutionArrays.h"

namespace xla::cpu {

/// A dimension of the convolution: where a step along it leads in an array.
/// `spatial` is its number among the spatial ones, or -1.
struct ConvolutionAxis {
  int64_t size, stride, spatial;
};

struct ConvolutionPlan : ConvolutionArrays {
  using Axes = llvm::ArrayRef<ConvolutionAxis>;
  enum Kind { Positions, Terms };

  explicit ConvolutionPlan(stablehlo::ConvolutionOp op);

  bool isWorthwhile() const;
  /// What a narrow result, and the kernel, take besides.
  int64_t sumsBytes() const;
  int64_t scratchBytes() const;

  Axes axes(Kind kind) const {
    return kind == Terms ? Axes(terms) : Axes(positions);
  }
  /// How far one step along an axis leads in the input, holes included where
  /// it is a spatial one.
  int64_t stepOf(const ConvolutionAxis &axis, Kind kind) const;
  /// Per spatial dimension, how much further than the first the last of all
  /// positions or terms reaches, holes included.
  llvm::SmallVector<int64_t> reachOf(Kind kind) const;
  /// Where the first element of each run is, as seen from the first one.
  llvm::SmallVector<int64_t> runOffsets(Kind kind) const;
  bool staysInside() const;

  llvm::SmallVector<int64_t> lhsSpatial;        // strides of the input
  llvm::SmallVector<ConvolutionAxis> positions; // inside a tile, by output
  llvm::SmallVector<ConvolutionAxis> outerAxes; // around tiles, likewise
  llvm::SmallVector<ConvolutionAxis> terms;     // by kernel memory
  int64_t lhsBatch = 0, lhsFeature = 0, lhsGroup = 0;
  int64_t outFeature = 0, outPosition = 0, outGroup = 0;
  int64_t rhsFeature = 0, rhsTerm = 0, rhsGroup = 0;
  int64_t positionCount = 1, outerCount = 1, termCount = 1;
  int64_t tile = 0, termBlock = 0;
  /// What is together in the input, so that it is copied in runs: terms if
  /// `isByTerms`, else positions, one at least. `windowRun` is as long or
  /// longer and is together where whole windows exist, `runStep` apart.
  int64_t run = 1, windowRun = 1, runStep = 1;
  int64_t positionStep = 0, termStep = 0; // of an input that is a matrix
  bool merges = true, featuresLast = false, isByTerms = false;
  bool isMatrix = false;

private:
  std::optional<int64_t> commonStep(Kind kind) const;
  void planRuns(int64_t wanted);
  void planTiles();
};

} // namespace xla::cpu

#endif // XLA_CODEGEN_CPU_LOWER_CONVOLUTION_CONVOLUTIONPLAN_H
