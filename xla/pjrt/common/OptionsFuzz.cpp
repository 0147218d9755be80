// Any bytes are compile options, or an error.

#include "xla/pjrt/common/Options.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  auto options = xla::pjrt::readExecutableOptions(
      {reinterpret_cast<const char *>(data), size});
  if (!options.ok() && options.status().message().empty()) {
    __builtin_trap();
  }
  return 0;
}
