#include "jaxlib/pjrt/Plugin.h"

#include <dlfcn.h>

using namespace jaxlib;

namespace {

struct RequiredSlot {
  size_t offset;
  const char *name;
};

} // namespace

#define SLOT(name) {offsetof(PJRT_Api, name), #name}

/// Functions that every client needs. Others are looked up when they are used.
static constexpr RequiredSlot requiredSlots[] = {
    SLOT(PJRT_Error_Destroy),
    SLOT(PJRT_Error_Message),
    SLOT(PJRT_Error_GetCode),
    SLOT(PJRT_Plugin_Initialize),
    SLOT(PJRT_Event_Destroy),
    SLOT(PJRT_Event_Await),
    SLOT(PJRT_Client_Create),
    SLOT(PJRT_Client_Destroy),
    SLOT(PJRT_Client_PlatformName),
    SLOT(PJRT_Client_Devices),
    SLOT(PJRT_Client_Compile),
    SLOT(PJRT_Client_BufferFromHostBuffer),
    SLOT(PJRT_DeviceDescription_Id),
    SLOT(PJRT_Device_GetDescription),
    SLOT(PJRT_Device_IsAddressable),
    SLOT(PJRT_Executable_Destroy),
    SLOT(PJRT_Executable_NumOutputs),
    SLOT(PJRT_LoadedExecutable_Destroy),
    SLOT(PJRT_LoadedExecutable_GetExecutable),
    SLOT(PJRT_LoadedExecutable_AddressableDevices),
    SLOT(PJRT_LoadedExecutable_Execute),
    SLOT(PJRT_Buffer_Destroy),
    SLOT(PJRT_Buffer_ElementType),
    SLOT(PJRT_Buffer_Dimensions),
    SLOT(PJRT_Buffer_Delete),
    SLOT(PJRT_Buffer_IsDeleted),
    SLOT(PJRT_Buffer_ToHostBuffer),
    SLOT(PJRT_Buffer_ReadyEvent),
};

#undef SLOT

bool Plugin::has(size_t offset) const {
  if (offset + sizeof(void *) > theTable->struct_size) {
    return false;
  }
  void *slot;
  __builtin_memcpy(&slot, reinterpret_cast<const char *>(theTable) + offset,
                   sizeof(slot));
  return slot != nullptr;
}

Status Plugin::missing(const char *name) const {
  return xla::unimplemented(
      "the plugin " + theOrigin + " (PJRT C API " +
      std::to_string(majorVersion()) + "." + std::to_string(minorVersion()) +
      ") has no function " + name +
      "; a plugin built against a newer PJRT C API may have it");
}

Status Plugin::check() const {
  if (theTable == nullptr) {
    return xla::failedPrecondition("GetPjrtApi of " + theOrigin +
                                   " returned no function table");
  }
  if (theTable->struct_size < offsetof(PJRT_Api, PJRT_Error_Destroy)) {
    return xla::failedPrecondition(
        "the function table of " + theOrigin + " has only " +
        std::to_string(theTable->struct_size) +
        " bytes: it is no PJRT plugin, or a damaged one");
  }
  if (majorVersion() != PJRT_API_MAJOR) {
    return xla::failedPrecondition(
        "the plugin " + theOrigin + " speaks PJRT C API " +
        std::to_string(majorVersion()) + "." + std::to_string(minorVersion()) +
        ", this jaxlib speaks " + std::to_string(PJRT_API_MAJOR) + "." +
        std::to_string(PJRT_API_MINOR) +
        "; the major versions must agree: install a plugin for this jaxlib");
  }
  for (const RequiredSlot &slot : requiredSlots) {
    if (!has(slot.offset)) {
      return missing(slot.name);
    }
  }
  return Status();
}

StatusOr<std::shared_ptr<const Plugin>> Plugin::fromTable(const PJRT_Api *table,
                                                          std::string origin) {
  std::shared_ptr<Plugin> plugin(new Plugin(table, std::move(origin)));
  XLA_RETURN_IF_ERROR(plugin->check());
  JAXLIB_PJRT_ARGUMENTS(PJRT_Plugin_Initialize_Args, arguments);
  XLA_RETURN_IF_ERROR(
      JAXLIB_PJRT_CALL(*plugin, PJRT_Plugin_Initialize, arguments));
  return std::shared_ptr<const Plugin>(std::move(plugin));
}

StatusOr<std::shared_ptr<const Plugin>> Plugin::load(const std::string &path) {
  void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const char *reason = dlerror();
    return xla::notFound("the plugin " + path + " cannot be loaded: " +
                         (reason == nullptr ? "no reason given" : reason));
  }
  using GetTable = const PJRT_Api *();
  auto *getTable = reinterpret_cast<GetTable *>(dlsym(library, "GetPjrtApi"));
  if (getTable == nullptr) {
    return xla::failedPrecondition(
        path + " has no symbol GetPjrtApi: it is no PJRT plugin");
  }
  return fromTable(getTable(), path);
}

Status Plugin::consume(PJRT_Error *error) const {
  JAXLIB_PJRT_ARGUMENTS(PJRT_Error_Message_Args, text);
  text.error = error;
  theTable->PJRT_Error_Message(&text);
  std::string message = text.message == nullptr
                            ? std::string()
                            : std::string(text.message, text.message_size);
  JAXLIB_PJRT_ARGUMENTS(PJRT_Error_GetCode_Args, code);
  code.error = error;
  code.code = PJRT_Error_Code_UNKNOWN;
  PJRT_Error *second = theTable->PJRT_Error_GetCode(&code);
  JAXLIB_PJRT_ARGUMENTS(PJRT_Error_Destroy_Args, destroy);
  if (second != nullptr) {
    destroy.error = second;
    theTable->PJRT_Error_Destroy(&destroy);
  }
  destroy.error = error;
  theTable->PJRT_Error_Destroy(&destroy);
  int number = static_cast<int>(code.code);
  if (number <= 0 || number > 16) {
    number = static_cast<int>(xla::StatusCode::Unknown);
  }
  return Status(static_cast<xla::StatusCode>(number), std::move(message));
}

const PJRT_Extension_Base *Plugin::extension(int type, size_t size) const {
  // A broken chain must not hang us: no plugin has a hundred extensions.
  int steps = 0;
  for (const PJRT_Extension_Base *node = theTable->extension_start;
       node != nullptr && steps < 100; node = node->next, ++steps) {
    if (static_cast<int>(node->type) == type && node->struct_size >= size) {
      return node;
    }
  }
  return nullptr;
}

StatusOr<NamedValues> Plugin::attributes() const {
  JAXLIB_PJRT_ARGUMENTS(PJRT_Plugin_Attributes_Args, arguments);
  XLA_RETURN_IF_ERROR(
      JAXLIB_PJRT_CALL(*this, PJRT_Plugin_Attributes, arguments));
  return copyNamedValues(arguments.attributes, arguments.num_attributes);
}

NamedValues jaxlib::copyNamedValues(const PJRT_NamedValue *values,
                                    size_t count) {
  NamedValues result;
  for (size_t i = 0; i < count; ++i) {
    const PJRT_NamedValue &value = values[i];
    std::string name(value.name, value.name_size);
    switch (value.type) {
    case PJRT_NamedValue_kString:
      result.emplace(name, std::string(value.string_value, value.value_size));
      break;
    case PJRT_NamedValue_kInt64:
      result.emplace(name, static_cast<int64_t>(value.int64_value));
      break;
    case PJRT_NamedValue_kInt64List:
      result.emplace(name, std::vector<int64_t>(value.int64_array_value,
                                                value.int64_array_value +
                                                    value.value_size));
      break;
    case PJRT_NamedValue_kFloat:
      result.emplace(name, value.float_value);
      break;
    case PJRT_NamedValue_kBool:
      result.emplace(name, value.bool_value);
      break;
    }
  }
  return result;
}

std::vector<PJRT_NamedValue>
jaxlib::borrowNamedValues(const NamedValues &values) {
  std::vector<PJRT_NamedValue> result;
  for (const auto &[name, value] : values) {
    PJRT_NamedValue item;
    __builtin_memset(&item, 0, sizeof(item));
    item.struct_size = PJRT_NamedValue_STRUCT_SIZE;
    item.name = name.data();
    item.name_size = name.size();
    item.value_size = 1;
    if (const auto *text = std::get_if<std::string>(&value)) {
      item.type = PJRT_NamedValue_kString;
      item.string_value = text->data();
      item.value_size = text->size();
    } else if (const auto *number = std::get_if<int64_t>(&value)) {
      item.type = PJRT_NamedValue_kInt64;
      item.int64_value = *number;
    } else if (const auto *list = std::get_if<std::vector<int64_t>>(&value)) {
      item.type = PJRT_NamedValue_kInt64List;
      item.int64_array_value = list->data();
      item.value_size = list->size();
    } else if (const auto *real = std::get_if<float>(&value)) {
      item.type = PJRT_NamedValue_kFloat;
      item.float_value = *real;
    } else {
      item.type = PJRT_NamedValue_kBool;
      item.bool_value = std::get<bool>(value);
    }
    result.push_back(item);
  }
  return result;
}
