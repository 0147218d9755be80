//===- Interface.cpp - Functions that a handler may call back -------------===//

#include "xla/ffi/Interface.h"

#include "xla/ffi/Additions.h"

#include <cstdlib>

using namespace xla;
using namespace xla::custom_call;

namespace {

XLA_FFI_Error *makeError(StatusCode code, std::string message) {
  return new XLA_FFI_Error{Status(code, message), message};
}

XLA_FFI_Error *fromStatus(const Status &status) {
  return status.ok() ? nullptr : makeError(status.code(), status.message());
}

XLA_FFI_Error *createError(XLA_FFI_Error_Create_Args *args) {
  return makeError(static_cast<StatusCode>(args->errc),
                   args->message ? args->message : "");
}

void getErrorDetails(XLA_FFI_Error_GetMessage_Args *args) {
  args->message = args->error ? args->error->message.c_str() : "";
  // Callers before 0.4 have no room for the code.
  constexpr size_t withCode =
      offsetof(ErrorDetails, code) + sizeof(XLA_FFI_Error_Code);
  if (args->struct_size >= withCode) {
    reinterpret_cast<ErrorDetails *>(args)->code =
        args->error
            ? static_cast<XLA_FFI_Error_Code>(args->error->status.code())
            : XLA_FFI_Error_Code_OK;
  }
}

void destroyError(XLA_FFI_Error_Destroy_Args *args) { delete args->error; }

std::string_view text(const XLA_FFI_ByteSpan &span) {
  return span.ptr ? std::string_view(span.ptr, span.len) : std::string_view();
}

XLA_FFI_Error *registerOne(XLA_FFI_Handler_Register_Args *args) {
  const XLA_FFI_Handler_Bundle &bundle = args->bundle;
  const bool hasRecord =
      args->struct_size > sizeof(XLA_FFI_Handler_Register_Args);
  const XLA_FFI_Handler_Traits traits =
      hasRecord ? reinterpret_cast<RegisterWithRecord *>(args)->traits
                : args->traits;
  return fromStatus(custom_call::registerHandler(
      text(args->name), text(args->platform),
      {reinterpret_cast<void *>(bundle.instantiate),
       reinterpret_cast<void *>(bundle.prepare),
       reinterpret_cast<void *>(bundle.initialize),
       reinterpret_cast<void *>(bundle.execute)},
      traits));
}

XLA_FFI_Error *registerOneType(XLA_FFI_Type_Register_Args *args) {
  auto *deleter = args->type_info ? args->type_info->deleter : nullptr;
  StatusOr<int64_t> id = custom_call::registerType(
      text(args->name), args->type_id->type_id, deleter);
  if (!id.ok()) {
    return fromStatus(id.status());
  }
  args->type_id->type_id = *id;
  return nullptr;
}

XLA_FFI_Error *getUserData(XLA_FFI_ExecutionContext_Get_Args *args) {
  auto *data = args->ctx->run
                   ? static_cast<UserData *>(args->ctx->run->ffiUserData)
                   : nullptr;
  args->data = data ? data->find(args->type_id->type_id) : nullptr;
  if (!args->data) {
    return makeError(StatusCode::NotFound,
                     "this run carries no user data of type " +
                         std::to_string(args->type_id->type_id));
  }
  return nullptr;
}

XLA_FFI_Error *setState(XLA_FFI_State_Set_Args *args) {
  State *state = args->ctx->instanceState;
  if (args->stage != XLA_FFI_ExecutionStage_INSTANTIATE || !state) {
    return makeError(StatusCode::Unimplemented,
                     "a handler's state can be set while it is instantiated, "
                     "not later");
  }
  if (state->object) {
    return makeError(StatusCode::FailedPrecondition,
                     "the handler's state is already set");
  }
  *state = {args->type_id->type_id, args->state};
  return nullptr;
}

XLA_FFI_Error *getState(XLA_FFI_State_Get_Args *args) {
  const State *state = args->ctx->instanceState;
  if (!state || !state->object) {
    return makeError(StatusCode::NotFound,
                     "the handler has no state: it was registered without an "
                     "instantiate stage, or that stage set none");
  }
  if (state->typeId != args->type_id->type_id) {
    return makeError(StatusCode::InvalidArgument,
                     "the handler's state has another type");
  }
  args->state = state->object;
  return nullptr;
}

XLA_FFI_Error *getStream(XLA_FFI_Stream_Get_Args *args) {
  return makeError(StatusCode::Unimplemented, "a CPU has no streams");
}

XLA_FFI_Error *allocate(XLA_FFI_DeviceMemory_Allocate_Args *args) {
  const size_t alignment = args->alignment < 64 ? 64 : args->alignment;
  if ((alignment & (alignment - 1)) != 0 || args->size > (size_t(1) << 62)) {
    return makeError(StatusCode::InvalidArgument,
                     "the alignment is no power of two, or the size exceeds "
                     "2^62 bytes");
  }
  const size_t rounded = (args->size + alignment - 1) & ~(alignment - 1);
  args->data = std::aligned_alloc(alignment, rounded ? rounded : alignment);
  return args->data ? nullptr
                    : makeError(StatusCode::ResourceExhausted,
                                "no memory for " + std::to_string(args->size) +
                                    " bytes");
}

XLA_FFI_Error *release(XLA_FFI_DeviceMemory_Free_Args *args) {
  std::free(args->data);
  return nullptr;
}

/// Tasks run at once on the calling thread: always correct, and the handlers
/// that we know of ask for few.
XLA_FFI_Error *schedule(XLA_FFI_ThreadPool_Schedule_Args *args) {
  args->task(args->data);
  return nullptr;
}

XLA_FFI_Error *countThreads(XLA_FFI_ThreadPool_NumThreads_Args *args) {
  *args->num_threads = 1;
  return nullptr;
}

XLA_FFI_Error *createFuture(XLA_FFI_Future_Create_Args *args) {
  args->future = new XLA_FFI_Future;
  return nullptr;
}

void finish(XLA_FFI_Future *future, Status status) {
  // The waiter frees the future once it has the lock, so notify under it.
  std::lock_guard<std::mutex> lock(future->mutex);
  future->status = std::move(status);
  future->isReady = true;
  future->changed.notify_all();
}

XLA_FFI_Error *setAvailable(XLA_FFI_Future_SetAvailable_Args *args) {
  finish(args->future, okStatus());
  return nullptr;
}

XLA_FFI_Error *setError(XLA_FFI_Future_SetError_Args *args) {
  finish(args->future, takeError(args->error));
  return nullptr;
}

XLA_FFI_Error *getRunId(XLA_FFI_RunId_Get_Args *args) {
  args->run_id = args->ctx->run ? args->ctx->run->launchId : 0;
  return nullptr;
}

XLA_FFI_Error *getDeviceOrdinal(XLA_FFI_DeviceOrdinal_Get_Args *args) {
  args->device_ordinal = args->ctx->run ? args->ctx->run->deviceOrdinal : 0;
  return nullptr;
}

XLA_FFI_Error *tooShort(const char *function) {
  return makeError(StatusCode::InvalidArgument,
                   std::string("FFI: the arguments of ") + function +
                       " have no room for its result (struct_size).");
}

/// This runtime attaches none.
XLA_FFI_Error *findExtension(FindExtensionArguments *arguments) {
  if (arguments->struct_size < sizeof(FindExtensionArguments)) {
    return tooShort("FindExtension");
  }
  arguments->extension = nullptr;
  return nullptr;
}

/// A run brings no options of its own: the dictionary is empty.
XLA_FFI_Error *getCustomOptions(CustomOptionsArguments *arguments) {
  if (arguments->struct_size < sizeof(CustomOptionsArguments)) {
    return tooShort("CustomOptions_Get");
  }
  static const XLA_FFI_Attrs none = [] {
    XLA_FFI_Attrs attributes = {};
    attributes.struct_size = XLA_FFI_Attrs_STRUCT_SIZE;
    return attributes;
  }();
  arguments->attrs = &none;
  return nullptr;
}

} // namespace

namespace xla::custom_call {

const XLA_FFI_Api *interfaceTable() {
  static const InterfaceTable table = [] {
    InterfaceTable whole = {};
    whole.findExtension = findExtension;
    whole.customOptions = getCustomOptions;
    XLA_FFI_Api &api = whole.older;
    api.struct_size = sizeof(InterfaceTable);
    api.api_version.struct_size = XLA_FFI_Api_Version_STRUCT_SIZE;
    api.api_version.major_version = XLA_FFI_API_MAJOR;
    api.api_version.minor_version = minorVersion;
    api.XLA_FFI_Error_Create = createError;
    api.XLA_FFI_Error_GetMessage = getErrorDetails;
    api.XLA_FFI_Error_Destroy = destroyError;
    api.XLA_FFI_Handler_Register = registerOne;
    api.XLA_FFI_Stream_Get = getStream;
    api.XLA_FFI_Type_Register = registerOneType;
    api.XLA_FFI_ExecutionContext_Get = getUserData;
    api.XLA_FFI_State_Set = setState;
    api.XLA_FFI_State_Get = getState;
    api.XLA_FFI_DeviceMemory_Allocate = allocate;
    api.XLA_FFI_DeviceMemory_Free = release;
    api.XLA_FFI_ThreadPool_Schedule = schedule;
    api.XLA_FFI_ThreadPool_NumThreads = countThreads;
    api.XLA_FFI_Future_Create = createFuture;
    api.XLA_FFI_Future_SetAvailable = setAvailable;
    api.XLA_FFI_Future_SetError = setError;
    api.XLA_FFI_RunId_Get = getRunId;
    api.XLA_FFI_DeviceOrdinal_Get = getDeviceOrdinal;
    return whole;
  }();
  return &table.older;
}

Status takeError(XLA_FFI_Error *error) {
  if (!error) {
    return okStatus();
  }
  Status status = std::move(error->status);
  delete error;
  return status;
}

} // namespace xla::custom_call
