//===- Registry.cpp - Handlers and types by name --------------------------===//

#include "xla/ffi/Registry.h"

#include "xla/ffi/Additions.h"
#include "xla/ffi/Interface.h"

#include <algorithm>

namespace xla::custom_call {

namespace {

struct Type {
  int64_t id;
  void (*deleter)(void *);
};

/// Everything registered in this process. Entries are never taken away.
struct Registry {
  std::mutex mutex;
  std::map<std::string, HandlerBundle, std::less<>> handlers;
  std::map<std::string, Type, std::less<>> types;
  int64_t nextTypeId = 1;
};

} // namespace

static Registry &registry() {
  static auto *instance = new Registry;
  return *instance;
}

static bool operator==(const HandlerBundle &a, const HandlerBundle &b) {
  return a.instantiate == b.instantiate && a.prepare == b.prepare &&
         a.initialize == b.initialize && a.execute == b.execute;
}

/// Asks a handler which version of the interface it was built with.
static Status checkVersion(std::string_view target, void *handler) {
  XLA_FFI_Metadata metadata = {};
  metadata.struct_size = XLA_FFI_Metadata_STRUCT_SIZE;
  metadata.api_version.struct_size = XLA_FFI_Api_Version_STRUCT_SIZE;
  XLA_FFI_Metadata_Extension extension = {};
  extension.extension_base.struct_size = XLA_FFI_Metadata_Extension_STRUCT_SIZE;
  extension.extension_base.type = XLA_FFI_Extension_Metadata;
  extension.metadata = &metadata;
  XLA_FFI_CallFrame frame = {};
  frame.struct_size = XLA_FFI_CallFrame_STRUCT_SIZE;
  frame.extension_start = &extension.extension_base;
  frame.api = interfaceTable();
  XLA_RETURN_IF_ERROR(
      takeError(reinterpret_cast<XLA_FFI_Handler *>(handler)(&frame)));
  const int major = metadata.api_version.major_version;
  const int minor = metadata.api_version.minor_version;
  if (major != XLA_FFI_API_MAJOR || minor > minorVersion) {
    return invalidArgument(
        "the handler of '" + std::string(target) + "' was built for FFI " +
        std::to_string(major) + "." + std::to_string(minor) +
        ", this runtime offers " + std::to_string(XLA_FFI_API_MAJOR) + "." +
        std::to_string(minorVersion) +
        "; build it with older headers, or update jaxlib");
  }
  return okStatus();
}

Status registerHandler(std::string_view target, std::string_view platform,
                       const HandlerBundle &bundle, uint32_t traits) {
  if (target.empty() || !bundle.execute) {
    return invalidArgument("a handler needs a name and an execute function");
  }
  if (platform != "Host" && platform != "cpu") {
    return invalidArgument("the handler of '" + std::string(target) +
                           "' is for the platform '" + std::string(platform) +
                           "'; this one is Host");
  }
  XLA_RETURN_IF_ERROR(checkVersion(target, bundle.execute));
  Registry &all = registry();
  std::lock_guard<std::mutex> lock(all.mutex);
  auto [entry, isNew] = all.handlers.emplace(target, bundle);
  if (!isNew && !(entry->second == bundle)) {
    return Status(StatusCode::AlreadyExists,
                  "another handler is registered for '" + std::string(target) +
                      "'");
  }
  return okStatus();
}

StatusOr<HandlerBundle> findHandler(std::string_view target) {
  Registry &all = registry();
  std::lock_guard<std::mutex> lock(all.mutex);
  auto entry = all.handlers.find(target);
  if (entry == all.handlers.end()) {
    return notFound("No FFI handler registered for " + std::string(target) +
                    " on a platform Host");
  }
  return entry->second;
}

StatusOr<int64_t> registerType(std::string_view name, int64_t id,
                               void (*deleter)(void *)) {
  Registry &all = registry();
  std::lock_guard<std::mutex> lock(all.mutex);
  auto entry = all.types.find(name);
  if (entry != all.types.end()) {
    if (id != 0 && id != entry->second.id) {
      return Status(StatusCode::AlreadyExists,
                    "the type '" + std::string(name) + "' has the number " +
                        std::to_string(entry->second.id) + ", not " +
                        std::to_string(id));
    }
    return entry->second.id;
  }
  auto isTaken = [&](int64_t number) {
    return std::any_of(
        all.types.begin(), all.types.end(),
        [&](const auto &known) { return known.second.id == number; });
  };
  if (id != 0 && isTaken(id)) {
    return Status(StatusCode::AlreadyExists,
                  "the number " + std::to_string(id) + " of the type '" +
                      std::string(name) +
                      "' is another type's; pass 0 for a free one");
  }
  while (id == 0) {
    int64_t next = all.nextTypeId++;
    id = isTaken(next) ? 0 : next;
  }
  all.types.emplace(name, Type{id, deleter});
  return id;
}

void (*deleterOf(int64_t typeId))(void *) {
  Registry &all = registry();
  std::lock_guard<std::mutex> lock(all.mutex);
  for (const auto &[name, type] : all.types) {
    if (type.id == typeId) {
      return type.deleter;
    }
  }
  return nullptr;
}

Status UserData::add(int64_t typeId, void *data) {
  if (!entries.emplace(typeId, data).second) {
    return Status(StatusCode::AlreadyExists,
                  "this run already carries user data of type " +
                      std::to_string(typeId));
  }
  return okStatus();
}

void *UserData::find(int64_t typeId) const {
  auto entry = entries.find(typeId);
  return entry == entries.end() ? nullptr : entry->second;
}

} // namespace xla::custom_call
