//===- Passes.cpp - Running passes, in the compiler and in xla-opt --------===//

#include "xla/partition/Passes.h"
#include "xla/codegen/cpu/Choose.h"
#include "xla/dialect/sdy/Sdy.h"
#include "xla/dialect/sdy/SdyOps.h"
#include "xla/dialect/stablehlo/StablehloOps.h"
#include "xla/dialect/vhlo/Vhlo.h"
#include "xla/partition/Localize.h"
#include "xla/pipeline/Diagnostics.h"
#include "xla/pipeline/Pipeline.h"
#include "xla/support/Stopwatch.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassRegistry.h"

#include <set>

using namespace mlir;

namespace xla {

static constexpr StringRef partitionsName = "mhlo.num_partitions";

//===----------------------------------------------------------------------===//
// Passes that read the options
//===----------------------------------------------------------------------===//

LogicalResult importVhlo(ModuleOp module) {
  return success(vhlo::convertToStablehlo(module));
}

LogicalResult dropShardings(ModuleOp module) {
  return success(sdy::dropTrivialShardings(module));
}

Status checkPartitions(Compilation &compilation) {
  ModuleOp module = compilation.module;
  int64_t partitions = compilation.options.partitions;
  auto said = module->getAttrOfType<IntegerAttr>(partitionsName);
  if (said && said.getInt() != partitions) {
    return invalidArgument(
        "the module is for " + std::to_string(said.getInt()) +
        " partitions (mhlo.num_partitions), and the compile options ask for " +
        std::to_string(partitions));
  }
  if (partitions > 1) {
    module->setAttr(partitionsName, OpBuilder(module).getI32IntegerAttr(
                                        static_cast<int32_t>(partitions)));
  }
  return okStatus();
}

Status importTiles(Compilation &compilation) {
  return partition::importTiles(compilation.module,
                                compilation.options.partitions);
}

Status bindBoundary(Compilation &compilation) {
  partition::bindBoundary(compilation.module,
                          compilation.options.choosesArguments,
                          compilation.options.choosesResults);
  return okStatus();
}

Status localize(Compilation &compilation) {
  partition::PartitionOptions options;
  options.partitions = compilation.options.partitions;
  options.choosesResults = compilation.options.choosesResults;
  return partition::localize(compilation.module, options,
                             compilation.partitioned);
}

//===----------------------------------------------------------------------===//
// In the compiler
//===----------------------------------------------------------------------===//

static bool isNeeded(When when, const Compilation &compilation) {
  switch (when) {
  case When::Always:
    return true;
  case When::Partitioned:
    return compilation.isPartitioned();
  case When::OneDevice:
    return !compilation.isPartitioned();
  case When::NativeOneDevice:
    return !compilation.isPartitioned() &&
           compilation.options.backend == Backend::Native;
  }
}

/// Runs a pass, and verifies the module where the pass says so.
static Status runPass(const Pass &pass, Compilation &compilation) {
  DiagnosticCollector diagnostics(compilation.context.get());
  Status status = pass.run(compilation);
  bool isValid =
      !pass.rule || (status.ok() && succeeded(verify(compilation.module)));
  if (status.ok() && isValid) {
    return status;
  }
  if (!status.ok() && !status.message().empty()) {
    return status;
  }
  return pass.rule ? invalidArgument(pass.rule + (": " + diagnostics.text()))
                   : unimplemented("the module cannot be lowered: " +
                                   diagnostics.text());
}

bool dumpsModules() {
  static const bool isSet = std::getenv("XLA_DUMP_PASSES") != nullptr;
  return isSet;
}

void dumpModule(Compilation &compilation, const char *pass) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  compilation.module.print(stream,
                           OpPrintingFlags().elideLargeElementsAttrs(64));
  if (text != compilation.dumped) {
    llvm::errs() << "// after --" << pass << "\n" << text << "\n";
  }
  compilation.dumped = std::move(text);
}

Status runStage(const Stage &stage, Compilation &compilation) {
  Stopwatch watch;
  for (const Pass &pass : stage.passes) {
    if (!isNeeded(pass.when, compilation)) {
      continue;
    }
    XLA_RETURN_IF_ERROR(runPass(pass, compilation));
    if (dumpsModules()) {
      dumpModule(compilation, pass.name);
    }
  }
  watch.phase(stage.name);
  return okStatus();
}

//===----------------------------------------------------------------------===//
// In xla-opt
//===----------------------------------------------------------------------===//

namespace {
/// Passes of ours as one of MLIR's, whose errors become diagnostics.
struct StagePass : PassWrapper<StagePass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(StagePass)

  StagePass(const char *name, llvm::ArrayRef<xla::Pass> passes)
      : name(name), passes(passes) {}

  StringRef getArgument() const final { return name; }
  StringRef getDescription() const final {
    return passes.size() == 1 ? "One pass of the pipeline"
                              : "A stage of the pipeline";
  }
  void getDependentDialects(DialectRegistry &registry) const final {
    registry.insert<func::FuncDialect, sdy::SdyDialect,
                    stablehlo::StablehloDialect>();
  }
  void runOnOperation() final {
    Compilation compilation;
    compilation.module = getOperation();
    auto count = getOperation()->getAttrOfType<IntegerAttr>(partitionsName);
    compilation.options.partitions = count ? count.getInt() : 1;
    for (const xla::Pass &pass : passes) {
      // One that is named runs whatever the module is for.
      if (passes.size() > 1 && !isNeeded(pass.when, compilation)) {
        continue;
      }
      Status status = pass.run(compilation);
      if (!status.ok()) {
        if (!status.message().empty()) {
          getOperation().emitError() << status.message();
        }
        return signalPassFailure();
      }
    }
    for (const report::Gather &gather : compilation.partitioned.facts.gathers) {
      getOperation().emitRemark()
          << gather.operation << " needs operand " << gather.operand << ", "
          << gather.type << ", as " << gather.needed
          << ", and it is sharded as " << gather.current;
    }
  }

  const char *name;
  llvm::ArrayRef<xla::Pass> passes;
};
} // namespace

static void add(const char *name, llvm::ArrayRef<xla::Pass> passes) {
  registerPass([=] { return std::make_unique<StagePass>(name, passes); });
}

void registerPasses() {
  std::set<std::string_view> names;
  for (const Stage *stage : {&legalize, &toOneDevice, &optimize}) {
    add(stage->name, stage->passes);
    for (const xla::Pass &pass : stage->passes) {
      if (names.insert(pass.name).second) {
        add(pass.name, pass);
      }
    }
  }
  static const xla::Pass showsRules("xla-show-sharding-rules",
                                    partition::showShardingRules);
  add(showsRules.name, showsRules);
  cpu::registerChoosePasses();
}

} // namespace xla
