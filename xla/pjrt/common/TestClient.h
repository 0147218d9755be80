//===- TestClient.h - A small client of the C API, for tests ----*- C++ -*-===//
//
// Calls the plugin only through its table, as a client from outside would.
//
//===----------------------------------------------------------------------===//

#ifndef XLA_PJRT_COMMON_TESTCLIENT_H
#define XLA_PJRT_COMMON_TESTCLIENT_H

#include "xla/pjrt/common/Api.h"

#include <string>
#include <vector>

namespace xla::pjrt::testing {

/// A zeroed argument structure with its size set.
#define XLA_PJRT_ARGS(Type, name)                                              \
  Type name = {};                                                              \
  name.struct_size = Type##_STRUCT_SIZE

inline const PJRT_Api &api() { return *GetPjrtApi(); }

/// The error's code, and frees it; PJRT_Error_Code_OK for none.
inline PJRT_Error_Code codeOf(PJRT_Error *error,
                              std::string *message = nullptr) {
  if (!error) {
    return PJRT_Error_Code_OK;
  }
  XLA_PJRT_ARGS(PJRT_Error_GetCode_Args, get);
  get.error = error;
  api().PJRT_Error_GetCode(&get);
  XLA_PJRT_ARGS(PJRT_Error_Message_Args, text);
  text.error = error;
  api().PJRT_Error_Message(&text);
  if (message) {
    message->assign(text.message, text.message_size);
  }
  XLA_PJRT_ARGS(PJRT_Error_Destroy_Args, destroy);
  destroy.error = error;
  api().PJRT_Error_Destroy(&destroy);
  return get.code;
}

inline PJRT_Client *createClient(int64_t deviceCount = 1) {
  PJRT_NamedValue option = {};
  option.struct_size = PJRT_NamedValue_STRUCT_SIZE;
  option.name = "cpu_device_count";
  option.name_size = 16;
  option.type = PJRT_NamedValue_kInt64;
  option.int64_value = deviceCount;
  option.value_size = 1;
  XLA_PJRT_ARGS(PJRT_Client_Create_Args, args);
  args.create_options = &option;
  args.num_options = 1;
  return codeOf(api().PJRT_Client_Create(&args)) ? nullptr : args.client;
}

inline void destroy(PJRT_Client *client) {
  XLA_PJRT_ARGS(PJRT_Client_Destroy_Args, args);
  args.client = client;
  codeOf(api().PJRT_Client_Destroy(&args));
}

inline PJRT_Device *deviceOf(PJRT_Client *client, size_t index = 0) {
  XLA_PJRT_ARGS(PJRT_Client_Devices_Args, args);
  args.client = client;
  codeOf(api().PJRT_Client_Devices(&args));
  return args.devices[index];
}

inline void destroy(PJRT_Event *event) {
  XLA_PJRT_ARGS(PJRT_Event_Destroy_Args, args);
  args.event = event;
  codeOf(api().PJRT_Event_Destroy(&args));
}

/// Waits for the event, destroys it, and returns how it went.
inline PJRT_Error_Code await(PJRT_Event *event) {
  XLA_PJRT_ARGS(PJRT_Event_Await_Args, args);
  args.event = event;
  PJRT_Error_Code code = codeOf(api().PJRT_Event_Await(&args));
  destroy(event);
  return code;
}

inline bool isReady(PJRT_Event *event) {
  XLA_PJRT_ARGS(PJRT_Event_IsReady_Args, args);
  args.event = event;
  codeOf(api().PJRT_Event_IsReady(&args));
  return args.is_ready;
}

inline PJRT_Buffer *
putFloats(PJRT_Client *client, const std::vector<float> &values,
          PJRT_Device *device = nullptr,
          PJRT_HostBufferSemantics semantics =
              PJRT_HostBufferSemantics_kImmutableOnlyDuringCall) {
  int64_t size = static_cast<int64_t>(values.size());
  XLA_PJRT_ARGS(PJRT_Client_BufferFromHostBuffer_Args, args);
  args.client = client;
  args.data = values.data();
  args.type = PJRT_Buffer_Type_F32;
  args.dims = &size;
  args.num_dims = 1;
  args.host_buffer_semantics = semantics;
  args.device = device ? device : deviceOf(client);
  if (codeOf(api().PJRT_Client_BufferFromHostBuffer(&args))) {
    return nullptr;
  }
  destroy(args.done_with_host_buffer);
  return args.buffer;
}

/// An array of one dimension that has no elements.
inline PJRT_Buffer *putNothing(PJRT_Client *client, PJRT_Buffer_Type type) {
  static constexpr int64_t size = 0;
  XLA_PJRT_ARGS(PJRT_Client_BufferFromHostBuffer_Args, args);
  args.client = client;
  args.data = &size;
  args.type = type;
  args.dims = &size;
  args.num_dims = 1;
  args.host_buffer_semantics =
      PJRT_HostBufferSemantics_kImmutableOnlyDuringCall;
  args.device = deviceOf(client);
  if (codeOf(api().PJRT_Client_BufferFromHostBuffer(&args))) {
    return nullptr;
  }
  destroy(args.done_with_host_buffer);
  return args.buffer;
}

inline void destroy(PJRT_Buffer *buffer) {
  XLA_PJRT_ARGS(PJRT_Buffer_Destroy_Args, args);
  args.buffer = buffer;
  codeOf(api().PJRT_Buffer_Destroy(&args));
}

inline bool isDeleted(PJRT_Buffer *buffer) {
  XLA_PJRT_ARGS(PJRT_Buffer_IsDeleted_Args, args);
  args.buffer = buffer;
  codeOf(api().PJRT_Buffer_IsDeleted(&args));
  return args.is_deleted;
}

inline PJRT_Event *readyEvent(PJRT_Buffer *buffer) {
  XLA_PJRT_ARGS(PJRT_Buffer_ReadyEvent_Args, args);
  args.buffer = buffer;
  codeOf(api().PJRT_Buffer_ReadyEvent(&args));
  return args.event;
}

/// The buffer's content; empty where that is an error.
inline std::vector<float> getFloats(PJRT_Buffer *buffer) {
  XLA_PJRT_ARGS(PJRT_Buffer_ToHostBuffer_Args, args);
  args.src = buffer;
  if (codeOf(api().PJRT_Buffer_ToHostBuffer(&args))) {
    return {};
  }
  std::vector<float> values(args.dst_size / sizeof(float));
  args.dst = values.data();
  if (codeOf(api().PJRT_Buffer_ToHostBuffer(&args)) || await(args.event)) {
    return {};
  }
  return values;
}

/// CompileOptionsProto with 1 replica and 1 partition.
inline constexpr char oneDeviceOptions[] = "\x1a\x04\x20\x01\x28\x01";

inline PJRT_Error_Code compileWith(PJRT_Client *client, const std::string &code,
                                   const std::string &options,
                                   PJRT_LoadedExecutable **executable,
                                   std::string *message = nullptr) {
  XLA_PJRT_ARGS(PJRT_Program, program);
  program.code = const_cast<char *>(code.data());
  program.code_size = code.size();
  program.format = "mlir";
  program.format_size = 4;
  XLA_PJRT_ARGS(PJRT_Client_Compile_Args, args);
  args.client = client;
  args.program = &program;
  args.compile_options = options.data();
  args.compile_options_size = options.size();
  PJRT_Error_Code result = codeOf(api().PJRT_Client_Compile(&args), message);
  *executable = args.executable;
  return result;
}

inline PJRT_LoadedExecutable *compile(PJRT_Client *client,
                                      const std::string &code) {
  PJRT_LoadedExecutable *executable = nullptr;
  compileWith(client, code, oneDeviceOptions, &executable);
  return executable;
}

inline void destroy(PJRT_LoadedExecutable *executable) {
  XLA_PJRT_ARGS(PJRT_LoadedExecutable_Destroy_Args, args);
  args.executable = executable;
  codeOf(api().PJRT_LoadedExecutable_Destroy(&args));
}

/// Executes on one device with room for `outputs->size()` results.
inline PJRT_Error_Code execute(PJRT_LoadedExecutable *executable,
                               const std::vector<PJRT_Buffer *> &arguments,
                               std::vector<PJRT_Buffer *> *outputs,
                               PJRT_Event **event = nullptr,
                               const std::vector<int64_t> &kept = {}) {
  XLA_PJRT_ARGS(PJRT_ExecuteOptions, options);
  options.non_donatable_input_indices = kept.data();
  options.num_non_donatable_input_indices = kept.size();
  PJRT_Buffer *const *argumentList = arguments.data();
  PJRT_Buffer **outputList = outputs->data();
  XLA_PJRT_ARGS(PJRT_LoadedExecutable_Execute_Args, args);
  args.executable = executable;
  args.options = &options;
  args.argument_lists = &argumentList;
  args.num_devices = 1;
  args.num_args = arguments.size();
  args.output_lists = &outputList;
  args.device_complete_events = event;
  return codeOf(api().PJRT_LoadedExecutable_Execute(&args));
}

} // namespace xla::pjrt::testing

#endif // XLA_PJRT_COMMON_TESTCLIENT_H
