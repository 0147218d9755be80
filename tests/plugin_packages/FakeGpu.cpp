//===- FakeGpu.cpp - A plugin of a GPU that is none, for tests ------------===//
//
// The table of a CPU plugin (FAKE_GPU_ENGINE) under the name of another
// platform. What differs is what GPUs do otherwise: options are compared
// strictly, memory is not the host's, transfers take their time. The
// environment says what fails:
//
//   FAKE_GPU_PLATFORM=cuda       the platform's name
//   FAKE_GPU_DEVICES=8           how many devices there are
//   FAKE_GPU_SLOW_US=200         how long each transfer takes longer
//   FAKE_GPU_FAIL=F:CODE:TEXT    function F (PJRT_...) answers with an error
//   FAKE_GPU_FAIL_AFTER=3        ... after so many calls that succeed
//   FAKE_GPU_API=1.3             the version that the table says
//   FAKE_GPU_TABLE=bytes         the table's size
//   FAKE_GPU_LOADING=crash|null  what happens when the table is requested
//   FAKE_GPU_CREATING=crash      what happens when a client is made
//   FAKE_GPU_FAR=1               handlers get addresses at which nothing is
//
//===----------------------------------------------------------------------===//

#include "pjrt_c_api.h"
#include "xla/ffi/api/c_api.h"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace {

PJRT_Api table;
const PJRT_Api *engine;

std::string variable(const char *name, const char *otherwise) {
  const char *found = getenv(name);
  return found != nullptr && *found != 0 ? found : otherwise;
}

const std::string &platform() {
  static const std::string name = variable("FAKE_GPU_PLATFORM", "cuda");
  return name;
}

//===----------------------------------------------------------------------===//
// Errors of our own, among those of the engine
//===----------------------------------------------------------------------===//

struct OwnError {
  int code;
  std::string text;
};

std::mutex errorsMutex;
std::set<const void *> ownErrors;

bool isOwn(const PJRT_Error *error) {
  std::lock_guard<std::mutex> lock(errorsMutex);
  return ownErrors.count(error) != 0;
}

PJRT_Error *fail(int code, std::string text) {
  auto *error = new OwnError{code, std::move(text)};
  std::lock_guard<std::mutex> lock(errorsMutex);
  ownErrors.insert(error);
  return reinterpret_cast<PJRT_Error *>(error);
}

void destroyError(PJRT_Error_Destroy_Args *args) {
  if (args->error == nullptr || !isOwn(args->error)) {
    return engine->PJRT_Error_Destroy(args);
  }
  std::lock_guard<std::mutex> lock(errorsMutex);
  ownErrors.erase(args->error);
  delete reinterpret_cast<OwnError *>(args->error);
}

void errorMessage(PJRT_Error_Message_Args *args) {
  if (!isOwn(args->error)) {
    return engine->PJRT_Error_Message(args);
  }
  const auto *own = reinterpret_cast<const OwnError *>(args->error);
  args->message = own->text.data();
  args->message_size = own->text.size();
}

PJRT_Error *errorCode(PJRT_Error_GetCode_Args *args) {
  if (!isOwn(args->error)) {
    return engine->PJRT_Error_GetCode(args);
  }
  const auto *own = reinterpret_cast<const OwnError *>(args->error);
  args->code = static_cast<PJRT_Error_Code>(own->code);
  return nullptr;
}

/// The error that was ordered for a function, if this call is to get it.
PJRT_Error *ordered(const char *function) {
  static std::atomic<int> calls{0};
  std::string order = variable("FAKE_GPU_FAIL", "");
  std::string prefix = std::string(function) + ":";
  if (order.compare(0, prefix.size(), prefix) != 0) {
    return nullptr;
  }
  int after = atoi(variable("FAKE_GPU_FAIL_AFTER", "0").c_str());
  if (calls++ < after) {
    return nullptr;
  }
  order = order.substr(prefix.size());
  return fail(atoi(order.c_str()), order.substr(order.find(':') + 1));
}

void takeTime() {
  static const int wait = atoi(variable("FAKE_GPU_SLOW_US", "0").c_str());
  if (wait > 0) {
    std::this_thread::sleep_for(std::chrono::microseconds(wait));
  }
}

//===----------------------------------------------------------------------===//
// Clients and their options, as strict as those of real GPUs
//===----------------------------------------------------------------------===//

const std::map<std::string, PJRT_NamedValue_Type> &optionTypes() {
  static const std::map<std::string, PJRT_NamedValue_Type> types = {
      {"abort_collectives_on_failure", PJRT_NamedValue_kBool},
      {"allocator", PJRT_NamedValue_kString},
      {"collective_memory_size", PJRT_NamedValue_kInt64},
      {"enable_mock_nccl", PJRT_NamedValue_kBool},
      {"memory_fraction", PJRT_NamedValue_kFloat},
      {"mock_gpu_topology", PJRT_NamedValue_kString},
      {"node_id", PJRT_NamedValue_kInt64},
      {"num_nodes", PJRT_NamedValue_kInt64},
      {"platform_name", PJRT_NamedValue_kString},
      {"preallocate", PJRT_NamedValue_kBool},
      {"use_tfrt_gpu_client", PJRT_NamedValue_kBool},
      {"visible_devices", PJRT_NamedValue_kInt64List},
  };
  return types;
}

PJRT_Error *checkOptions(const PJRT_NamedValue *options, size_t count,
                         int64_t &devices) {
  for (size_t i = 0; i < count; ++i) {
    std::string name(options[i].name, options[i].name_size);
    auto known = optionTypes().find(name);
    if (known == optionTypes().end()) {
      return fail(3, "Unexpected option name passed to PJRT_Client_Create: " +
                         name);
    }
    if (known->second != options[i].type) {
      return fail(3, "Option " + name + " has type index " +
                         std::to_string(options[i].type) +
                         " but expected type index is " +
                         std::to_string(known->second));
    }
    if (name == "visible_devices") {
      devices = std::min<int64_t>(devices,
                                  static_cast<int64_t>(options[i].value_size));
    }
  }
  return nullptr;
}

PJRT_NamedValue deviceCount(int64_t count) {
  PJRT_NamedValue value;
  std::memset(&value, 0, sizeof(value));
  value.struct_size = PJRT_NamedValue_STRUCT_SIZE;
  value.name = "cpu_device_count";
  value.name_size = std::strlen(value.name);
  value.type = PJRT_NamedValue_kInt64;
  value.int64_value = count;
  value.value_size = 1;
  return value;
}

PJRT_Error *createClient(PJRT_Client_Create_Args *args) {
  if (PJRT_Error *error = ordered("PJRT_Client_Create")) {
    return error;
  }
  if (variable("FAKE_GPU_CREATING", "") == "crash") {
    std::abort();
  }
  int64_t devices = atoll(variable("FAKE_GPU_DEVICES", "1").c_str());
  if (PJRT_Error *error =
          checkOptions(args->create_options, args->num_options, devices)) {
    return error;
  }
  PJRT_NamedValue count = deviceCount(devices);
  args->create_options = &count;
  args->num_options = 1;
  return engine->PJRT_Client_Create(args);
}

PJRT_Error *clientName(PJRT_Client_PlatformName_Args *args) {
  args->platform_name = platform().data();
  args->platform_name_size = platform().size();
  return nullptr;
}

PJRT_Error *machineName(PJRT_TopologyDescription_PlatformName_Args *args) {
  args->platform_name = platform().data();
  args->platform_name_size = platform().size();
  return nullptr;
}

PJRT_Error *deviceKind(PJRT_DeviceDescription_Kind_Args *args) {
  static const std::string kind = "Fake GPU";
  args->device_kind = kind.data();
  args->device_kind_size = kind.size();
  return nullptr;
}

/// Two kinds: the device's own, and what the host has pinned for it.
PJRT_Error *deviceMemories(PJRT_Device_AddressableMemories_Args *args) {
  PJRT_Error *error = engine->PJRT_Device_AddressableMemories(args);
  args->num_memories = std::min<size_t>(args->num_memories, 2);
  return error;
}

//===----------------------------------------------------------------------===//
// Buffers: not on the host, whatever the query
//===----------------------------------------------------------------------===//

PJRT_Error *isOnCpu(PJRT_Buffer_IsOnCpu_Args *args) {
  args->is_on_cpu = false;
  return nullptr;
}

PJRT_Error *putArray(PJRT_Client_BufferFromHostBuffer_Args *args) {
  if (PJRT_Error *error = ordered("PJRT_Client_BufferFromHostBuffer")) {
    return error;
  }
  takeTime();
  return engine->PJRT_Client_BufferFromHostBuffer(args);
}

PJRT_Error *fetchArray(PJRT_Buffer_ToHostBuffer_Args *args) {
  if (PJRT_Error *error = ordered("PJRT_Buffer_ToHostBuffer")) {
    return error;
  }
  takeTime();
  return engine->PJRT_Buffer_ToHostBuffer(args);
}

PJRT_Error *viewMemory(PJRT_Client_CreateViewOfDeviceBuffer_Args *) {
  return fail(12, "this memory is the host's, not the GPU's");
}

PJRT_Error *pointerOf(PJRT_Buffer_OpaqueDeviceMemoryDataPointer_Args *) {
  return fail(12, "the host cannot use addresses of the GPU");
}

PJRT_Error *compileProgram(PJRT_Client_Compile_Args *args) {
  PJRT_Error *error = ordered("PJRT_Client_Compile");
  return error != nullptr ? error : engine->PJRT_Client_Compile(args);
}

PJRT_Error *execute(PJRT_LoadedExecutable_Execute_Args *args) {
  PJRT_Error *error = ordered("PJRT_LoadedExecutable_Execute");
  return error != nullptr ? error : engine->PJRT_LoadedExecutable_Execute(args);
}

//===----------------------------------------------------------------------===//
// Calls of handlers as on a GPU: with a stream, and another's addresses
//===----------------------------------------------------------------------===//

// What is added to addresses: whoever takes them for the host's ends with a
// signal. The driver's library knows it, too.
constexpr uintptr_t farAway = uintptr_t(1) << 62;

XLA_FFI_Error *getStream(XLA_FFI_Stream_Get_Args *args) {
  args->stream = reinterpret_cast<void *>(0x57ea3);
  return nullptr;
}

struct FarBuffers {
  std::vector<XLA_FFI_Buffer> buffers;
  std::vector<void *> pointers;

  void **move(int64_t count, void **given) {
    for (int64_t i = 0; i < count; ++i) {
      buffers.push_back(*static_cast<XLA_FFI_Buffer *>(given[i]));
      if (buffers.back().data != nullptr) {
        buffers.back().data =
            static_cast<char *>(buffers.back().data) + farAway;
      }
    }
    for (XLA_FFI_Buffer &buffer : buffers) {
      pointers.push_back(&buffer);
    }
    return pointers.data();
  }
};

XLA_FFI_Error *callAsOnGpu(XLA_FFI_Handler *handler, XLA_FFI_CallFrame *frame) {
  if (frame->extension_start != nullptr) {
    return handler(frame); // asks which version it speaks
  }
  XLA_FFI_Api api = *frame->api;
  api.XLA_FFI_Stream_Get = getStream;
  XLA_FFI_CallFrame call = *frame;
  call.api = &api;
  FarBuffers operands, results;
  if (variable("FAKE_GPU_FAR", "") == "1") {
    call.args.args = operands.move(frame->args.size, frame->args.args);
    call.rets.rets = results.move(frame->rets.size, frame->rets.rets);
  }
  XLA_FFI_Error *error = handler(&call);
  frame->future = call.future;
  return error;
}

// The interface passes handlers no data: each has a function of its own.
constexpr size_t mostHandlers = 64;
std::array<XLA_FFI_Handler *, mostHandlers> wrapped;
std::atomic<size_t> wrappedCount{0};

template <size_t number>
XLA_FFI_Error *callWrapped(XLA_FFI_CallFrame *frame) {
  return callAsOnGpu(wrapped[number], frame);
}

template <size_t... numbers>
XLA_FFI_Handler *wrapperOf(size_t number, std::index_sequence<numbers...>) {
  static constexpr XLA_FFI_Handler *all[] = {callWrapped<numbers>...};
  return all[number];
}

//===----------------------------------------------------------------------===//
// Handlers of CUDA, which the engine takes for those of the host
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

constexpr int ffiType = 5;
FfiExtension handlers;
PJRT_Error *(*engineRegisterHandler)(HandlerArgs *);

PJRT_Error *registerHandler(HandlerArgs *args) {
  std::string wanted = platform() == "cuda"   ? "CUDA"
                       : platform() == "rocm" ? "ROCM"
                                              : platform();
  if (std::string(args->platform, args->platformSize) != wanted) {
    return fail(3, "a handler for another platform than " + wanted);
  }
  size_t number = wrappedCount++;
  if (number >= mostHandlers) {
    return fail(8, "too many handlers for a fake");
  }
  wrapped[number] = reinterpret_cast<XLA_FFI_Handler *>(args->handler);
  HandlerArgs ours = *args;
  ours.handler = reinterpret_cast<void *>(
      wrapperOf(number, std::make_index_sequence<mostHandlers>()));
  ours.platform = "Host";
  ours.platformSize = 4;
  return engineRegisterHandler(&ours);
}

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

void fillTable() {
  std::memcpy(&table, engine, std::min(sizeof(table), engine->struct_size));
  table.PJRT_Error_Destroy = destroyError;
  table.PJRT_Error_Message = errorMessage;
  table.PJRT_Error_GetCode = errorCode;
  table.PJRT_Client_Create = createClient;
  table.PJRT_Client_PlatformName = clientName;
  table.PJRT_TopologyDescription_PlatformName = machineName;
  table.PJRT_DeviceDescription_Kind = deviceKind;
  table.PJRT_Device_AddressableMemories = deviceMemories;
  table.PJRT_Buffer_IsOnCpu = isOnCpu;
  table.PJRT_Client_BufferFromHostBuffer = putArray;
  table.PJRT_Buffer_ToHostBuffer = fetchArray;
  table.PJRT_Client_CreateViewOfDeviceBuffer = viewMemory;
  table.PJRT_Buffer_OpaqueDeviceMemoryDataPointer = pointerOf;
  table.PJRT_Client_Compile = compileProgram;
  table.PJRT_LoadedExecutable_Execute = execute;
  putHandlersAhead();
  std::string version = variable("FAKE_GPU_API", "");
  if (!version.empty()) {
    table.pjrt_api_version.major_version = atoi(version.c_str());
    table.pjrt_api_version.minor_version =
        atoi(version.c_str() + version.find('.') + 1);
  }
  std::string size = variable("FAKE_GPU_TABLE", "");
  if (!size.empty()) {
    table.struct_size = static_cast<size_t>(atoll(size.c_str()));
  }
}

} // namespace

extern "C" __attribute__((visibility("default"))) const PJRT_Api *GetPjrtApi() {
  std::string loading = variable("FAKE_GPU_LOADING", "");
  if (loading == "crash") {
    std::abort();
  }
  if (loading == "null") {
    return nullptr;
  }
  if (engine == nullptr) {
    void *library =
        dlopen(variable("FAKE_GPU_ENGINE", "").c_str(), RTLD_NOW | RTLD_LOCAL);
    auto *get = library == nullptr ? nullptr
                                   : reinterpret_cast<const PJRT_Api *(*)()>(
                                         dlsym(library, "GetPjrtApi"));
    if (get == nullptr) {
      return nullptr;
    }
    engine = get();
    fillTable();
  }
  return &table;
}
