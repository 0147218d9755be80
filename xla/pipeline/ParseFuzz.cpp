// Any bytes are a module, or an error that says why not. What is a module can
// be optimised, or there is an error that says why not: for one device, and
// divided for eight.

#include "xla/pipeline/Pipeline.h"

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

static void compile(std::string_view input, int partitions) {
  xla::CompileOptions options;
  options.partitions = partitions;
  options.isToBeDivided = partitions > 1;
  auto lowered = xla::lowerToOneDevice(input, options);
  xla::Status status = lowered.status();
  if (lowered.ok() && !isLong(lowered->module)) {
    status = xla::runStage(xla::optimize, *lowered);
  }
  if (!status.ok() && status.message().empty()) {
    __builtin_trap();
  }
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string_view input(reinterpret_cast<const char *>(data), size);
  compile(input, 1);
  compile(input, 8);
  return 0;
}
