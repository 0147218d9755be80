//===- Pipeline.cpp - From StableHLO's text to native code ----------------===//
//
// The order of everything. `xla-opt --NAME` runs one pass or one stage, and
// XLA_DUMP_PASSES=1 prints the module after each pass that changes it.
//
//===----------------------------------------------------------------------===//

#include "xla/pipeline/Pipeline.h"
#include "xla/analysis/SparseProduct.h"
#include "xla/codegen/cpu/NativeProgram.h"
#include "xla/codegen/cpu/QuickCode.h"
#include "xla/conversion/Conversion.h"
#include "xla/optimize/Passes.h"
#include "xla/partition/Passes.h"
#include "xla/reference/Program.h"
#include "xla/support/Stopwatch.h"

namespace xla {

using namespace partition;
using enum When;

const Stage legalize{
    "xla-legalize",
    {{"xla-import-vhlo", importVhlo, Always, "the module is not valid"},
     {"xla-list-replica-groups", listReplicaGroups},
     {"xla-check-partitions", checkPartitions},
     {"xla-import-tiles", importTiles, Partitioned,
      "the module's mhlo.sharding attributes do not fit its arrays"},
     {"xla-simplify-custom-calls", simplifyCustomCalls},
     {"xla-lower-rng", lowerRng},
     // The interpreter and the partitioner compute decompositions.
     {"xla-match-sparse-products", matchSparseProducts, NativeOneDevice},
     {"xla-call-composites", callComposites},
     {"xla-lower-chlo", lowerChlo},
     {"xla-make-sums-reproducible", makeSumsReproducible}}};

const Stage toOneDevice{
    "xla-partition",
    {{"xla-drop-shardings", dropShardings, OneDevice},
     {"xla-bind-boundary", bindBoundary, Partitioned},
     {"xla-import-shardings", importShardings, Partitioned},
     {"xla-propagate-shardings", propagateShardings, Partitioned},
     {"xla-make-shardings-consistent", makeShardingsConsistent, Partitioned},
     {"xla-localize", localize, Partitioned},
     {"xla-expand-reflections", expandReflections}}}; // rules know the calls

const Stage optimize{
    "xla-optimize",
    {{"xla-inline-calls", inlineCalls}, // all below sees through calls
     {"xla-generalize-dots", generalizeDots},
     {"xla-reduce-products", reduceProducts},
     {"xla-widen-contractions", widenContractions},
     {"xla-widen-sort-keys", widenSortKeys},
     {"xla-split-complex", splitComplex},
     {"xla-split-reductions", splitReductions},
     {"xla-refine-shapes", refineShapes},
     {"xla-decompose-collectives", decomposeCollectives},
     {"xla-decompose-batch-normalization", decomposeBatchNormalization},
     {"xla-split-convolutions", splitConvolutions},
     {"xla-order-convolutions", orderConvolutions},
     {"xla-pad-convolutions", padConvolutions}, // those read by lines
     {"xla-split-windows", splitWindows},
     {"xla-normalize-layouts",
      normalizeLayouts}, // before equal transposes merge
     {"xla-merge-operations", mergeOperations},
     {"xla-move-transposes", moveTransposes},
     {"xla-turn-reductions", turnReductions}, // of what was moved
     {"xla-join-blocks", joinBlocks},
     {"xla-simplify-operations", simplifyOperations},
     {"xla-merge-dimensions", mergeDimensions},
     {"xla-tile-intermediates", tileIntermediates},
     {"xla-simplify-loops", simplifyLoops},
     {"xla-merge-operations", mergeOperations}}}; // simplified, now alike

StatusOr<Compilation> lowerToOneDevice(std::string_view bytes,
                                       const CompileOptions &options) {
  XLA_ASSIGN_OR_RETURN(Compilation compilation, parseModule(bytes, options));
  XLA_RETURN_IF_ERROR(runStage(legalize, compilation));
  XLA_RETURN_IF_ERROR(runStage(toOneDevice, compilation));
  XLA_RETURN_IF_ERROR(readSignature(compilation));
  return compilation;
}

/// What is lowered goes through `choose`, buffer assignment, emission of LLVM
/// IR, fusion of products with sums, merging of equal functions, LLVM's passes,
/// and linking.
static StatusOr<std::unique_ptr<AbstractProgram>>
generateCode(Compilation &lowered) {
  using namespace cpu;
  XLA_RETURN_IF_ERROR(checkStaticShapes(lowered.module));
  Stopwatch watch;
  const Schedule schedule(lowered.module); // --xla-cpu-choose
  if (dumpsModules()) {
    schedule.annotate();
    dumpModule(lowered, "xla-cpu-choose");
  }
  const BufferPlan buffers(schedule.body(), schedule.fusion(), schedule.rows(),
                           lowered.signature.donations);
  if (dumpsModules()) {
    printKernels(schedule, buffers, llvm::errs());
  }
  watch.phase("plans");
  std::optional<OperationTable> recorded;
  if (lowered.options.recordsOperations) {
    recorded.emplace(lowered.module, schedule.body(), schedule.fusion(),
                     schedule.rows());
    if (recorded->size() <= 1) {
      return describeOperations(std::move(lowered.signature), *recorded);
    }
  }
  XLA_ASSIGN_OR_RETURN(EmittedProgram emitted,
                       emitProgram(lowered.module, schedule, buffers,
                                   lowered.signature,
                                   recorded ? &*recorded : nullptr));
  watch.phase("emission");
  if (lowered.options.tier == Tier::Plan) {
    return describePlan(std::move(lowered.signature), emitted.arenaBytes,
                        countCosts(lowered.module, schedule));
  }
  fuseProducts(*emitted.module);
  mergeEqualFunctions(*emitted.module);
  watch.phase("merging");
  return linkProgram(std::move(emitted), lowered.options.tier,
                     countCosts(lowered.module, schedule),
                     std::move(lowered.signature));
}

StatusOr<std::unique_ptr<AbstractProgram>>
compileProgram(std::string_view bytes, const CompileOptions &options) {
  XLA_ASSIGN_OR_RETURN(Compilation lowered, lowerToOneDevice(bytes, options));
  if (options.backend == Backend::Reference) {
    return reference::makeProgram(std::move(lowered.context),
                                  std::move(lowered.owner),
                                  std::move(lowered.signature));
  }
  XLA_RETURN_IF_ERROR(runStage(optimize, lowered));
  return generateCode(lowered);
}

} // namespace xla
