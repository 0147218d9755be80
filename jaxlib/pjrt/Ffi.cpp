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

struct TypeInfo {
  void (*deleter)(void *object);
  void *serialize;
  void *deserialize;
};

struct TypeArguments {
  size_t structSize;
  PJRT_Extension_Base *extensions;
  const char *name;
  size_t nameSize;
  int64_t id; // in and out
  TypeInfo *info;
};

struct FfiExtension {
  PJRT_Extension_Base base;
  PJRT_Error *(*registerType)(TypeArguments *);
  void *addUserData;
  PJRT_Error *(*registerHandler)(RegisterArguments *);
};

// Our CPU plugin's own extension, which has a mark in place of a type.
constexpr uint64_t stagesMark = 0x7365676174736678; // "xfstages"

struct StagesArguments {
  RegisterArguments target; // with the handler of `execute`
  void *instantiate;
  void *prepare;
  void *initialize;
};

struct StagesExtension {
  PJRT_Extension_Base base;
  uint64_t mark;
  PJRT_Error *(*registerStages)(StagesArguments *);
};

static_assert(sizeof(RegisterArguments) == 56 && sizeof(FfiExtension) == 48);
static_assert(sizeof(TypeArguments) == 48 && sizeof(StagesArguments) == 80);

/// Null where the plugin has none.
const FfiExtension *find(const Plugin &plugin) {
  return reinterpret_cast<const FfiExtension *>(
      plugin.extension(PJRT_Extension_Type_FFI, sizeof(FfiExtension)));
}

/// Null where the plugin is not ours. Others have extensions without a type
/// too: the mark stands behind what all have.
const StagesExtension *findStages(const Plugin &plugin) {
  for (auto *at = plugin.table().extension_start; at != nullptr;
       at = at->next) {
    const auto *extension = reinterpret_cast<const StagesExtension *>(at);
    if (at->type == PJRT_Extension_Type_Unknown &&
        at->struct_size >= sizeof(StagesExtension) &&
        extension->mark == stagesMark) {
      return extension;
    }
  }
  return nullptr;
}

Status consume(const Plugin &plugin, PJRT_Error *error) {
  return error == nullptr ? Status() : plugin.consume(error);
}

} // namespace

Status jaxlib::registerFfiHandler(const Plugin &plugin, const std::string &name,
                                  const std::string &platform,
                                  const FfiStages &stages, uint32_t traits) {
  RegisterArguments arguments{
      sizeof(RegisterArguments), name.data(),     name.size(), stages.execute,
      platform.data(),           platform.size(), traits};
  if (stages.instantiate || stages.prepare || stages.initialize) {
    const StagesExtension *extension = findStages(plugin);
    if (extension == nullptr) {
      return xla::unimplemented("the plugin " + plugin.origin() +
                                " takes FFI handlers of one stage, execute: '" +
                                name + "' cannot be registered");
    }
    StagesArguments all{arguments, stages.instantiate, stages.prepare,
                        stages.initialize};
    return consume(plugin, extension->registerStages(&all));
  }
  const FfiExtension *extension = find(plugin);
  if (extension == nullptr || extension->registerHandler == nullptr) {
    return xla::unimplemented("the plugin " + plugin.origin() +
                              " takes no FFI handlers: '" + name +
                              "' cannot be registered");
  }
  return consume(plugin, extension->registerHandler(&arguments));
}

StatusOr<int64_t> jaxlib::registerFfiType(const Plugin &plugin,
                                          const std::string &name, int64_t id,
                                          void (*deleter)(void *)) {
  const FfiExtension *extension = find(plugin);
  if (extension == nullptr || extension->registerType == nullptr) {
    return xla::unimplemented("the plugin " + plugin.origin() +
                              " takes no FFI types: '" + name +
                              "' cannot be registered");
  }
  TypeInfo info{deleter, nullptr, nullptr};
  TypeArguments arguments{sizeof(TypeArguments), nullptr, name.data(),
                          name.size(),           id,      &info};
  XLA_RETURN_IF_ERROR(consume(plugin, extension->registerType(&arguments)));
  return arguments.id;
}
