// Any bytes are a program's image, or damaged. What is read is what would be
// written, and arrays have types and sizes. Nothing is linked: the object files
// are code, which the checksums around an image vouch for.

#include "xla/codegen/cpu/ProgramImage.h"

#include <cstdlib>

using namespace xla;
using namespace xla::cpu;

static void require(bool holds) {
  if (!holds) {
    std::abort();
  }
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string_view bytes(reinterpret_cast<const char *>(data), size);
  StatusOr<ProgramImage> image = readProgramImage(bytes);
  if (!image.ok()) {
    require(image.status().code() == StatusCode::DataLoss);
    return 0;
  }
  require(write(*image) == bytes);
  const ProgramSignature &types = image->signature;
  for (const auto *shapes : {&types.arguments, &types.results}) {
    for (const Shape &shape : *shapes) {
      require(byteSize(shape).has_value() && !toString(shape).empty());
    }
  }
  for (const Donation &donation : types.donations) {
    require(static_cast<size_t>(donation.argument) < types.arguments.size());
    require(static_cast<size_t>(donation.result) < types.results.size());
  }
  return 0;
}
