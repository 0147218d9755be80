// The PJRT library of the Acme company: the table of an engine that is beside
// it, with the functions that say whose devices they are replaced. A vendor
// fills all of the table.

#include "pjrt_c_api.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstring>
#include <string>

namespace {

constexpr char platform[] = "acme";
constexpr char kind[] = "Acme One";

PJRT_Api table;
const PJRT_Api *engine;

PJRT_Error *clientName(PJRT_Client_PlatformName_Args *args) {
  args->platform_name = platform;
  args->platform_name_size = sizeof(platform) - 1;
  return nullptr;
}

PJRT_Error *machineName(PJRT_TopologyDescription_PlatformName_Args *args) {
  args->platform_name = platform;
  args->platform_name_size = sizeof(platform) - 1;
  return nullptr;
}

PJRT_Error *deviceKind(PJRT_DeviceDescription_Kind_Args *args) {
  args->device_kind = kind;
  args->device_kind_size = sizeof(kind) - 1;
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Handlers: the engine knows those of the platform "Host"
//===----------------------------------------------------------------------===//

struct HandlerArgs {
  size_t size;
  const char *target;
  size_t targetSize;
  void *handler;
  const char *platform;
  size_t platformSize;
  uint32_t traits;
};

struct FfiExtension {
  PJRT_Extension_Base base;
  void *registerType;
  void *addUserData;
  PJRT_Error *(*registerHandler)(HandlerArgs *);
};

FfiExtension handlers;
PJRT_Error *(*engineRegisterHandler)(HandlerArgs *);

PJRT_Error *registerHandler(HandlerArgs *args) {
  HandlerArgs ours = *args;
  ours.platform = "Host";
  ours.platformSize = 4;
  return engineRegisterHandler(&ours);
}

constexpr int ffiType = 5;

/// Puts our FFI extension ahead of the engine's: clients take the first.
void putHandlersAhead() {
  for (auto *at = engine->extension_start; at != nullptr; at = at->next) {
    if (static_cast<int>(at->type) == ffiType &&
        at->struct_size >= sizeof(FfiExtension)) {
      handlers = *reinterpret_cast<FfiExtension *>(at);
      engineRegisterHandler = handlers.registerHandler;
      handlers.registerHandler = registerHandler;
      handlers.base.next = engine->extension_start;
      table.extension_start = &handlers.base;
      return;
    }
  }
}

const PJRT_Api *loadEngine() {
  Dl_info here;
  dladdr(reinterpret_cast<void *>(&loadEngine), &here);
  std::string path = here.dli_fname;
  path = path.substr(0, path.find_last_of('/') + 1) + "engine.so";
  void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    return nullptr;
  }
  auto *get =
      reinterpret_cast<const PJRT_Api *(*)()>(dlsym(library, "GetPjrtApi"));
  return get == nullptr ? nullptr : get();
}

} // namespace

extern "C" __attribute__((visibility("default"))) const PJRT_Api *GetPjrtApi() {
  if (engine == nullptr) {
    engine = loadEngine();
    if (engine == nullptr) {
      return nullptr;
    }
    std::memcpy(&table, engine, std::min(sizeof(table), engine->struct_size));
    table.PJRT_Client_PlatformName = clientName;
    table.PJRT_TopologyDescription_PlatformName = machineName;
    table.PJRT_DeviceDescription_Kind = deviceKind;
    putHandlersAhead();
  }
  return &table;
}
