// Any bytes are a module, or an error that says why not.

#include "xla/pipeline/ParseModule.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  auto module = xla::parseModule({reinterpret_cast<const char *>(data), size});
  if (!module.ok() && module.status().message().empty()) {
    __builtin_trap();
  }
  return 0;
}
