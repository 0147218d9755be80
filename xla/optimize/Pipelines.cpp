//===- Pipelines.cpp - The order of the optimisations ---------------------===//

#include "xla/optimize/Passes.h"

#include "xla/conversion/Conversion.h"
#include "xla/optimize/Decompositions.h"

namespace xla {

Status optimizeProgram(mlir::ModuleOp module) {
  // One function: everything below sees through calls.
  XLA_RETURN_IF_ERROR(inlineCalls(module));
  generalizeDots(module);
  reduceProducts(module);
  // Their conversions are then shared like all others.
  widenContractions(module);
  widenSortKeys(module);
  splitComplex(module);
  splitReductions(module);
  // What the code generator never sees.
  XLA_RETURN_IF_ERROR(fixShapes(module));
  XLA_RETURN_IF_ERROR(decomposeCollectives(module));
  decomposeBatchNormalization(module);
  splitConvolutions(module);
  orderConvolutions(module);
  // Of what is then read by lines.
  padConvolutions(module);
  splitWindows(module);
  // Layouts become transposes, before equal ones are merged.
  orderDimensions(module);
  // Copies of one callee repeat constants and index arithmetic.
  mergeOperations(module);
  moveTransposes(module);
  simplifyOperations(module);
  simplifyLoops(module);
  // Simplified operations may be alike.
  mergeOperations(module);
  return okStatus();
}

} // namespace xla
