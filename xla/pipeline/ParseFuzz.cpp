// Any bytes are a module, or an error that says why not. What is a module can
// be optimised, or there is an error that says why not.

#include "xla/optimize/Passes.h"
#include "xla/pipeline/ParseModule.h"

#include "mlir/IR/Verifier.h"

/// Whether the passes take too long for a fuzzer.
static bool isLong(mlir::ModuleOp module) {
  int left = 2000;
  return module
      .walk([&](mlir::Operation *) {
        return --left < 0 ? mlir::WalkResult::interrupt()
                          : mlir::WalkResult::advance();
      })
      .wasInterrupted();
}

static void need(bool holds) {
  if (!holds) {
    __builtin_trap();
  }
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  auto parsed = xla::parseModule({reinterpret_cast<const char *>(data), size});
  if (!parsed.ok()) {
    need(!parsed.status().message().empty());
    return 0;
  }
  mlir::ModuleOp module = *parsed->module;
  if (isLong(module)) {
    return 0;
  }
  xla::Status status = xla::optimizeProgram(module);
  need(status.ok() ? mlir::succeeded(mlir::verify(module))
                   : !status.message().empty());
  return 0;
}
