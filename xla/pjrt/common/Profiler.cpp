//===- Profiler.cpp - The profiler extension ------------------------------===//
//
// Through it a client takes profiles of the plugin: our own front end, and
// those of others that know the interface's extension of type 1.
//
//===----------------------------------------------------------------------===//

#include "xla/pjrt/common/Error.h"
#include "xla/pjrt/common/Functions.h"
#include "xla/pjrt/common/Recorder.h"
#include "xla/support/Protobuf.h"

#include <cstring>
#include <string>

// The structures of the extension, laid out as the interface fixes them. Its
// errors are a type of their own.
struct PLUGIN_Profiler_Error {
  xla::Status status;
};

struct PLUGIN_Profiler {
  bool isRecording = false;
  bool records = true; ///< whether options leave it anything to do
  bool isSerialized = false;
  xla::pjrt::Recording recording;
  std::string space;
};

struct PLUGIN_Profiler_Error_Destroy_Args {
  size_t struct_size;
  void *priv;
  PLUGIN_Profiler_Error *error;
};
struct PLUGIN_Profiler_Error_Message_Args {
  size_t struct_size;
  void *priv;
  const PLUGIN_Profiler_Error *error;
  const char *message; // out
  size_t message_size; // out
};
struct PLUGIN_Profiler_Error_GetCode_Args {
  size_t struct_size;
  void *priv;
  const PLUGIN_Profiler_Error *error;
  int code; // out
};
struct PLUGIN_Profiler_Create_Args {
  size_t struct_size;
  const char *options; // a ProfileOptions message
  size_t options_size;
  PLUGIN_Profiler *profiler; // out
};
/// Of Destroy, Start and Stop.
struct PLUGIN_Profiler_Handle_Args {
  size_t struct_size;
  PLUGIN_Profiler *profiler;
};
struct PLUGIN_Profiler_CollectData_Args {
  size_t struct_size;
  PLUGIN_Profiler *profiler;
  uint8_t *buffer; // in: null, or as large as a call before said; out
  size_t buffer_size_in_bytes;
};

struct PLUGIN_Profiler_Api {
  size_t struct_size;
  void *priv;
  void (*errorDestroy)(PLUGIN_Profiler_Error_Destroy_Args *);
  void (*errorMessage)(PLUGIN_Profiler_Error_Message_Args *);
  PLUGIN_Profiler_Error *(*errorCode)(PLUGIN_Profiler_Error_GetCode_Args *);
  PLUGIN_Profiler_Error *(*create)(PLUGIN_Profiler_Create_Args *);
  PLUGIN_Profiler_Error *(*destroy)(PLUGIN_Profiler_Handle_Args *);
  PLUGIN_Profiler_Error *(*start)(PLUGIN_Profiler_Handle_Args *);
  PLUGIN_Profiler_Error *(*stop)(PLUGIN_Profiler_Handle_Args *);
  PLUGIN_Profiler_Error *(*collect)(PLUGIN_Profiler_CollectData_Args *);
};

struct ProfilerExtension {
  PJRT_Extension_Base base;
  PLUGIN_Profiler_Api *api;
  int64_t traceme_context_id;
};

static_assert(sizeof(PLUGIN_Profiler_Api) == 80);
static_assert(sizeof(ProfilerExtension) == 40);

namespace xla::pjrt {

static PLUGIN_Profiler_Error *errorOf(const Status &status) {
  return status.ok() ? nullptr : new PLUGIN_Profiler_Error{status};
}

/// Sizes are not compared: upstream's client states some that end before the
/// last fields, which it reads nevertheless.
template <typename Args>
static Status check(const Args *args) {
  return args
             ? okStatus()
             : invalidArgument("a structure of the profiler extension is NULL");
}

static Status checkHandle(const PLUGIN_Profiler *profiler) {
  return profiler ? okStatus()
                  : invalidArgument("the profiler that was given is NULL");
}

static void destroyError(PLUGIN_Profiler_Error_Destroy_Args *args) {
  delete args->error;
}

static void messageOf(PLUGIN_Profiler_Error_Message_Args *args) {
  const std::string &message = args->error->status.message();
  args->message = message.data();
  args->message_size = message.size();
}

static PLUGIN_Profiler_Error *codeOf(PLUGIN_Profiler_Error_GetCode_Args *args) {
  args->code = static_cast<int>(args->error->status.code());
  return nullptr;
}

/// Options that a client states have a version; without a level for devices
/// they want none of their operations.
static StatusOr<bool> wantsOperations(std::string_view options) {
  enum Field : uint32_t { DeviceLevel = 3, Version = 5 };
  uint64_t level = 0, version = 0;
  ProtobufReader reader(options);
  while (std::optional<ProtobufField> field = reader.next()) {
    if (field->number == DeviceLevel) {
      level = field->integer;
    } else if (field->number == Version) {
      version = field->integer;
    }
  }
  if (reader.isMalformed()) {
    return invalidArgument("the options of the profiler are no message "
                           "ProfileOptions");
  }
  return level > 0 || version == 0;
}

static PLUGIN_Profiler_Error *create(PLUGIN_Profiler_Create_Args *args) {
  if (Status status = check(args); !status.ok()) {
    return errorOf(status);
  }
  StatusOr<bool> wants = wantsOperations(
      args->options ? std::string_view(args->options, args->options_size)
                    : std::string_view());
  if (!wants.ok()) {
    return errorOf(wants.status());
  }
  args->profiler = new PLUGIN_Profiler;
  args->profiler->records = *wants;
  return nullptr;
}

static Status stop(PLUGIN_Profiler &profiler) {
  if (!profiler.isRecording) {
    return profiler.records ? failedPrecondition("the profiler was not started")
                            : okStatus();
  }
  profiler.isRecording = false;
  StatusOr<Recording> recording = stopRecording();
  if (!recording.ok()) {
    return recording.status();
  }
  profiler.recording = std::move(*recording);
  profiler.isSerialized = false;
  return okStatus();
}

static PLUGIN_Profiler_Error *destroy(PLUGIN_Profiler_Handle_Args *args) {
  Status status = check(args);
  if (status.ok() && args->profiler) {
    if (args->profiler->isRecording) {
      status = stop(*args->profiler);
    }
    delete args->profiler;
  }
  return errorOf(status);
}

static PLUGIN_Profiler_Error *startOf(PLUGIN_Profiler_Handle_Args *args) {
  Status status = check(args);
  if (status.ok()) {
    status = checkHandle(args->profiler);
  }
  if (status.ok() && args->profiler->records) {
    status = startRecording();
    args->profiler->isRecording = status.ok();
  }
  return errorOf(status);
}

static PLUGIN_Profiler_Error *stopOf(PLUGIN_Profiler_Handle_Args *args) {
  Status status = check(args);
  if (status.ok()) {
    status = checkHandle(args->profiler);
  }
  return errorOf(status.ok() ? stop(*args->profiler) : status);
}

static PLUGIN_Profiler_Error *collect(PLUGIN_Profiler_CollectData_Args *args) {
  Status status = check(args);
  if (status.ok()) {
    status = checkHandle(args->profiler);
  }
  if (!status.ok()) {
    return errorOf(status);
  }
  PLUGIN_Profiler &profiler = *args->profiler;
  if (!profiler.isSerialized) {
    profiler.space = spaceOf(profiler.recording);
    profiler.recording = Recording();
    profiler.isSerialized = true;
  }
  if (args->buffer) {
    std::memcpy(args->buffer, profiler.space.data(), profiler.space.size());
  } else { // upstream's client reads it there, without a second call
    args->buffer = reinterpret_cast<uint8_t *>(profiler.space.data());
  }
  args->buffer_size_in_bytes = profiler.space.size();
  return nullptr;
}

PJRT_Extension_Base *profilerExtension(PJRT_Extension_Base *next) {
  static PLUGIN_Profiler_Api api = {
      sizeof(PLUGIN_Profiler_Api),
      nullptr,
      destroyError,
      messageOf,
      codeOf,
      create,
      destroy,
      startOf,
      stopOf,
      collect,
  };
  static ProfilerExtension extension = {
      {sizeof(ProfilerExtension), PJRT_Extension_Type_Profiler, nullptr},
      &api,
      0,
  };
  extension.base.next = next;
  return &extension.base;
}

} // namespace xla::pjrt
