// Any bytes are a serialized executable, or an error. Behind the reader stands
// the tests' compiler: the real one has a target of its own.

#include "xla/pjrt/common/TestClient.h"

#include <cstdio>
#include <cstdlib>

using namespace xla::pjrt::testing;

static constexpr std::string_view magic = "jax-cpu-executable-2\n";

/// With the magic before and the checksum behind, FNV-1a in hexadecimal:
/// nothing but luck would make one.
static std::string sealed(std::string_view payload) {
  std::string bytes = std::string(magic) + std::string(payload);
  uint64_t hash = 0xcbf29ce484222325u;
  for (char byte : bytes) {
    hash = (hash ^ static_cast<uint8_t>(byte)) * 0x100000001b3u;
  }
  char digits[17];
  std::snprintf(digits, sizeof digits, "%016lx", static_cast<long>(hash));
  return bytes + digits;
}

static void load(PJRT_Client *client, std::string_view bytes) {
  XLA_PJRT_ARGS(PJRT_Executable_DeserializeAndLoad_Args, args);
  args.client = client;
  args.serialized_executable = bytes.data();
  args.serialized_executable_size = bytes.size();
  std::string message;
  PJRT_Error_Code code =
      codeOf(api().PJRT_Executable_DeserializeAndLoad(&args), &message);
  if (code == PJRT_Error_Code_OK) {
    destroy(args.loaded_executable);
  } else if (message.empty()) {
    std::abort();
  }
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static PJRT_Client *client = createClient();
  std::string_view bytes(reinterpret_cast<const char *>(data), size);
  load(client, bytes);
  load(client, sealed(bytes));
  return 0;
}
