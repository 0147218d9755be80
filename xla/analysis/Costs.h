//===- Costs.h - What a program computes ------------------------*- C++ -*-===//

#ifndef XLA_ANALYSIS_COSTS_H
#define XLA_ANALYSIS_COSTS_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <optional>

namespace xla::stablehlo {
class WhileOp;
} // namespace xla::stablehlo

namespace xla {

struct Costs {
  double flops = 0;           ///< sums, products, choices and the like
  double transcendentals = 0; ///< evaluations of exp, sin, ...
  double bytes = 0;           ///< read and written in memory
};

/// The bytes that one run of an operation, without its regions, moves.
using BytesOf = llvm::function_ref<double(mlir::Operation *)>;

/// What one real element of the result takes to compute, in additions: the unit
/// of all decisions. 0 where elements are moved alone, 1 where nothing is
/// known.
int additionsOf(mlir::Operation *op);

/// Counts one call of `main`. An operation on elements counts once for each
/// element of its result, of whatever type it is, a product with the sum that
/// it goes into as two, a function of numbers as one transcendental, a sort of
/// n elements as n log2 n comparisons, a transform of n as 5 n log2 n, a
/// convolution without the elements of its window that fall on padding. The
/// body of a while loop counts as often as it runs, where `tripCountOf` knows,
/// and else once; of branches the dearest counts. What handlers of custom calls
/// compute is not counted.
Costs costsOf(mlir::ModuleOp module, BytesOf bytesOf);

/// With the bytes of all operands and results, as if each operation stood
/// alone; of arrays that are read or written in part, that part. As in
/// XLA, to transpose costs nothing here, and to reshape a copy.
Costs costsOf(mlir::ModuleOp module);
double bytesAlone(mlir::Operation *op);

/// Calls `each` for what one call of `main` runs, with what one run of it costs
/// and how often it runs; of loops and branches, what is in them. All together
/// is what `costsOf` says.
void forEachCost(
    mlir::ModuleOp module, BytesOf bytesOf,
    llvm::function_ref<void(mlir::Operation *, const Costs &, double)> each);

/// Whether a run may take long although others of the program did not: a loop
/// ends when the data says so, or there is much to do in some branch.
bool mayTakeLong(mlir::ModuleOp module, const Costs &costs);

/// The bytes of an array; 0 where that is not known.
double bytesOf(mlir::Value value);

/// How often the body of a loop runs, where a counter says it: a carry that
/// begins with a constant, gets a constant added, and is compared with one.
std::optional<double> tripCountOf(stablehlo::WhileOp loop);

/// The same where it is certain: the counter does not go beyond what its type
/// has, and the condition does nothing else.
std::optional<int64_t> exactTripCountOf(stablehlo::WhileOp loop);

} // namespace xla

#endif // XLA_ANALYSIS_COSTS_H
