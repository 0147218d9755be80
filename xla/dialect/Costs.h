//===- Costs.h - What a program computes ------------------------*- C++ -*-===//

#ifndef XLA_CONVERSION_COSTS_H
#define XLA_CONVERSION_COSTS_H

#include "mlir/IR/BuiltinOps.h"

namespace xla {

struct Costs {
  double flops = 0;           ///< sums, products and the like of floats
  double transcendentals = 0; ///< evaluations of exp, sin, ...
};

/// Counts one call of `main`. A complex operation counts as its real ones, a
/// function of numbers as one transcendental. The body of a while loop counts
/// once, for how often it runs is not known; of branches the dearest counts.
/// What handlers of custom calls do is not counted.
Costs costsOf(mlir::ModuleOp module);

} // namespace xla

#endif // XLA_CONVERSION_COSTS_H
