//===- Compile.cpp - From the text of a program to its executable ---------===//

#include "xla/pipeline/Compile.h"

#include "xla/codegen/cpu/MachineCode.h"
#include "xla/codegen/cpu/NativeProgram.h"
#include "xla/dialect/stablehlo/StablehloOps.h"
#include "xla/pipeline/ParseModule.h"
#include "xla/reference/Program.h"
#include "llvm/Support/raw_ostream.h"

namespace xla {

/// Both backends run a replica as if it were alone.
static Status checkAlone(mlir::ModuleOp module, int64_t replicas) {
  mlir::Operation *together = nullptr;
  module.walk([&](mlir::Operation *op) {
    using namespace stablehlo;
    if (llvm::isa<AllGatherOp, AllReduceOp, AllToAllOp, CollectiveBroadcastOp,
                  CollectivePermuteOp, CollectiveReduceOp, ReduceScatterOp,
                  ReplicaIdOp>(op)) {
      together = op;
    }
  });
  if (replicas == 1 || !together) {
    return okStatus();
  }
  std::string text;
  llvm::raw_string_ostream(text)
      << "'" << together->getName() << "' joins " << replicas
      << " replicas, and this compiler makes programs that run alone\n"
         "  at       "
      << together->getLoc();
  return unimplemented(std::move(text));
}

StatusOr<std::unique_ptr<AbstractProgram>>
compileProgram(std::string_view module, const CompileOptions &options) {
  StatusOr<ParsedModule> parsed = parseModule(module, options);
  if (!parsed.ok()) {
    return parsed.status();
  }
  XLA_RETURN_IF_ERROR(checkAlone(*parsed->module, options.replicas));
  switch (options.backend) {
  case Backend::Reference:
    return reference::makeProgram(std::move(parsed->context),
                                  std::move(parsed->module),
                                  std::move(parsed->signature));
  case Backend::Native:
    return cpu::compileNatively(*parsed->module, std::move(parsed->signature),
                                parsed->facts, options.recordsOperations);
  }
  return internalError("an unknown backend was asked for");
}

StatusOr<std::unique_ptr<AbstractProgram>> loadProgram(std::string_view image) {
  return cpu::loadNatively(image);
}

const std::string &codeIdentity() { return cpu::codeIdentity(); }

} // namespace xla
