//===- Pipeline.h - The stages of a compilation -----------------*- C++ -*-===//
//
// Pipeline.cpp lists every stage with its passes. The compiler, xla-opt and the
// fuzzer run the same lists. A pass is a function over a module; MLIR's pass
// manager, which would verify the module after each, is used by xla-opt alone.
//
//===----------------------------------------------------------------------===//

#ifndef XLA_PIPELINE_PIPELINE_H
#define XLA_PIPELINE_PIPELINE_H

#include "xla/partition/Partition.h"
#include "xla/pipeline/Compile.h"
#include "xla/support/StatusMacros.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"

#include <functional>

namespace xla {

/// A module on its way through the pipeline, and what passes read and report
/// besides. The context has one thread only.
struct Compilation {
  CompileOptions options = {};
  std::shared_ptr<mlir::MLIRContext> context = {};
  mlir::OwningOpRef<mlir::ModuleOp> owner = {};
  mlir::ModuleOp module = {}; ///< of `owner`, or of xla-opt
  ProgramSignature signature = {};
  partition::PartitionReport partitioned = {};
  std::string dumped = {}; ///< the text that was printed last

  /// Whether one program becomes that of each of several devices.
  bool isPartitioned() const {
    return options.partitions > 1 && options.isToBeDivided;
  }
};

/// In which compilations a pass runs.
enum class When : uint8_t { Always, Partitioned, OneDevice, NativeOneDevice };

/// A transformation of a module. `xla-opt --NAME` runs it alone.
struct Pass {
  template <typename Result>
  Pass(const char *name, Result (*function)(mlir::ModuleOp),
       When when = When::Always, const char *rule = nullptr)
      : name(name), when(when), rule(rule),
        run([function](Compilation &compilation) {
          if constexpr (std::is_void_v<Result>) {
            function(compilation.module);
            return okStatus();
          } else {
            return statusOf(function(compilation.module));
          }
        }) {}
  Pass(const char *name, Status (*function)(Compilation &),
       When when = When::Always, const char *rule = nullptr)
      : name(name), when(when), rule(rule), run(function) {}

  const char *name;
  When when;
  /// Where the module has to be verified afterwards: the rule that an invalid
  /// one breaks.
  const char *rule;
  /// An error without a message has left a diagnostic.
  std::function<Status(Compilation &)> run;

private:
  static Status statusOf(Status status) { return status; }
  static Status statusOf(mlir::LogicalResult result) {
    return mlir::succeeded(result) ? okStatus() : unimplemented("");
  }
};

struct Stage {
  const char *name;
  std::vector<Pass> passes;
};
extern const Stage legalize, toOneDevice, optimize;

/// Runs the passes of a stage that a compilation needs.
Status runStage(const Stage &stage, Compilation &compilation);

/// Whether XLA_DUMP_PASSES is set: then each stage prints the module to
/// standard error after each pass that changed it.
bool dumpsModules();
void dumpModule(Compilation &compilation, const char *pass);

/// Text, bytecode or a portable artifact as a module, not verified yet.
StatusOr<Compilation> parseModule(std::string_view bytes,
                                  const CompileOptions &options);

/// What `main` takes and returns, once arrays are those of one device.
Status readSignature(Compilation &compilation);

/// All before optimisation: StableHLO for one device, with its signature.
StatusOr<Compilation> lowerToOneDevice(std::string_view bytes,
                                       const CompileOptions &options);

// Passes that read the compile options, or are functions of other forms.
mlir::LogicalResult importVhlo(mlir::ModuleOp module);
mlir::LogicalResult dropShardings(mlir::ModuleOp module);
Status checkPartitions(Compilation &compilation);
Status importTiles(Compilation &compilation);
Status bindBoundary(Compilation &compilation);
Status localize(Compilation &compilation);

/// Each pass and each stage as a pass of xla-opt.
void registerPasses();

} // namespace xla

#endif // XLA_PIPELINE_PIPELINE_H
