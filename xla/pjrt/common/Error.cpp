#include "xla/pjrt/common/Error.h"

#include "xla/pjrt/common/Functions.h"

#include <memory>

namespace xla::pjrt {

PJRT_Error *makeError(const Status &status) {
  return status.ok() ? nullptr : new PJRT_Error{status};
}

Status takeError(PJRT_Error *error) {
  std::unique_ptr<PJRT_Error> owned(error);
  return owned ? std::move(owned->status) : okStatus();
}

PJRT_Error *checkStructure(const void *args, size_t needed,
                           const char *structure) {
  if (!args) {
    return makeError(
        invalidArgument(std::string("the ") + structure + " is NULL"));
  }
  size_t size = *static_cast<const size_t *>(args);
  if (size < needed) {
    return makeError(invalidArgument(
        std::string(structure) + ".struct_size is " + std::to_string(size) +
        ", and the plugin's PJRT C API " + std::to_string(PJRT_API_MAJOR) +
        "." + std::to_string(PJRT_API_MINOR) + " needs " +
        std::to_string(needed) +
        "; set it to the structure's size, or use a newer client"));
  }
  return nullptr;
}

PJRT_Error *missingField(const char *structure, const char *field) {
  return makeError(invalidArgument(std::string(structure) + "." + field +
                                   " is NULL, and is needed"));
}

//===----------------------------------------------------------------------===//
// The C API
//===----------------------------------------------------------------------===//

void Error_Destroy(PJRT_Error_Destroy_Args *args) {
  if (args) {
    delete args->error;
  }
}

void Error_Message(PJRT_Error_Message_Args *args) {
  if (!args) {
    return;
  }
  static const std::string none;
  const std::string &message =
      args->error ? args->error->status.message() : none;
  args->message = message.data();
  args->message_size = message.size();
}

PJRT_Error *Error_GetCode(PJRT_Error_GetCode_Args *args) {
  XLA_PJRT_REQUIRE(args, PJRT_Error_GetCode_Args, error);
  args->code = static_cast<PJRT_Error_Code>(args->error->status.code());
  return nullptr;
}

} // namespace xla::pjrt
