// Any bytes are a module, or an error that says why not. What is a module can
// be optimised, or there is an error that says why not.

#include "xla/optimize/Passes.h"
#include "xla/pipeline/ParseModule.h"

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

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  auto parsed = xla::parseModule({reinterpret_cast<const char *>(data), size});
  xla::Status status = parsed.status();
  if (parsed.ok() && !isLong(*parsed->module)) {
    status = xla::optimizeProgram(*parsed->module);
  }
  if (!status.ok() && status.message().empty()) {
    __builtin_trap();
  }
  return 0;
}
