#include "jaxlib/pjrt/Ffi.h"

using namespace jaxlib;

namespace {

// The extension's interface, which pjrt_c_api.h does not declare.
struct RegisterArguments {
  size_t structSize;
  const char *targetName;
  size_t targetNameSize;
  void *handler;
  const char *platformName;
  size_t platformNameSize;
  uint32_t traits;
};

struct FfiExtension {
  PJRT_Extension_Base base;
  void *registerType;
  void *addUserData;
  PJRT_Error *(*registerHandler)(RegisterArguments *);
};

static_assert(sizeof(RegisterArguments) == 56 && sizeof(FfiExtension) == 48);

} // namespace

Status jaxlib::registerFfiHandler(const Plugin &plugin, const std::string &name,
                                  const std::string &platform, void *handler,
                                  uint32_t traits) {
  const auto *extension = reinterpret_cast<const FfiExtension *>(
      plugin.extension(PJRT_Extension_Type_FFI, sizeof(FfiExtension)));
  if (extension == nullptr || extension->registerHandler == nullptr) {
    return xla::unimplemented("the plugin " + plugin.origin() +
                              " takes no FFI handlers: '" + name +
                              "' cannot be registered");
  }
  RegisterArguments arguments{
      sizeof(RegisterArguments), name.data(),     name.size(), handler,
      platform.data(),           platform.size(), traits};
  PJRT_Error *error = extension->registerHandler(&arguments);
  return error == nullptr ? Status() : plugin.consume(error);
}
