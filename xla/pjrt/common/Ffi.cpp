#include "xla/pjrt/common/Ffi.h"

#include "xla/pjrt/common/Error.h"
#include "xla/pjrt/common/Functions.h"

#include <string_view>

// The structures of the FFI extension, laid out as the interface fixes them.
struct PJRT_FFI_UserData {
  int64_t type_id;
  void *data;
};
struct PJRT_FFI_UserData_Add_Args {
  size_t struct_size;
  PJRT_Extension_Base *extension_start;
  PJRT_ExecuteContext *context;
  PJRT_FFI_UserData user_data;
};
struct PJRT_FFI_Type_Info {
  void (*deleter)(void *object);
  void *serialize;
  void *deserialize;
};
struct PJRT_FFI_Type_Register_Args {
  size_t struct_size;
  PJRT_Extension_Base *extension_start;
  const char *type_name;
  size_t type_name_size;
  int64_t type_id; // in and out
  PJRT_FFI_Type_Info *type_info;
};
struct PJRT_FFI_Register_Handler_Args {
  size_t struct_size;
  const char *target_name;
  size_t target_name_size;
  void *handler;
  const char *platform_name;
  size_t platform_name_size;
  uint32_t traits;
};
struct PJRT_FFI_Extension {
  PJRT_Extension_Base base;
  PJRT_Error *(*type_register)(PJRT_FFI_Type_Register_Args *args);
  PJRT_Error *(*user_data_add)(PJRT_FFI_UserData_Add_Args *args);
  PJRT_Error *(*register_handler)(PJRT_FFI_Register_Handler_Args *args);
};

// An extension of our own: handlers of all stages. The interface's own has no
// room for stages other than execute.
static constexpr uint64_t stagesMark = 0x7365676174736678; // "xfstages"

struct StagesArguments {
  PJRT_FFI_Register_Handler_Args target; // with the handler of execute
  void *instantiate;
  void *prepare;
  void *initialize;
};

struct StagesExtension {
  PJRT_Extension_Base base;
  uint64_t mark;
  PJRT_Error *(*registerStages)(StagesArguments *args);
};

enum {
  PJRT_FFI_UserData_Add_Args_STRUCT_SIZE = 40,
  PJRT_FFI_Type_Register_Args_STRUCT_SIZE = 48,
  PJRT_FFI_Register_Handler_Args_STRUCT_SIZE = 52,
};
static_assert(sizeof(PJRT_FFI_UserData_Add_Args) == 40);
static_assert(sizeof(PJRT_FFI_Type_Register_Args) == 48);
static_assert(sizeof(PJRT_FFI_Register_Handler_Args) == 56);
static_assert(sizeof(PJRT_FFI_Extension) == 48);
static_assert(sizeof(StagesArguments) == 80);

namespace xla::pjrt {

static PJRT_Error *registerType(PJRT_FFI_Type_Register_Args *args) {
  XLA_PJRT_REQUIRE(args, PJRT_FFI_Type_Register_Args, type_name);
  StatusOr<int64_t> id = custom_call::registerType(
      {args->type_name, args->type_name_size}, args->type_id,
      args->type_info ? args->type_info->deleter : nullptr);
  if (!id.ok()) {
    return makeError(id.status());
  }
  args->type_id = *id;
  return nullptr;
}

static PJRT_Error *addUserData(PJRT_FFI_UserData_Add_Args *args) {
  XLA_PJRT_REQUIRE(args, PJRT_FFI_UserData_Add_Args, context);
  return makeError(args->context->userData->add(args->user_data.type_id,
                                                args->user_data.data));
}

static PJRT_Error *registerBundle(const PJRT_FFI_Register_Handler_Args &args,
                                  const custom_call::HandlerBundle &bundle) {
  std::string_view platform;
  if (args.platform_name) {
    platform = {args.platform_name, args.platform_name_size};
  }
  return makeError(
      custom_call::registerHandler({args.target_name, args.target_name_size},
                                   platform, bundle, args.traits));
}

static PJRT_Error *registerHandler(PJRT_FFI_Register_Handler_Args *args) {
  XLA_PJRT_REQUIRE(args, PJRT_FFI_Register_Handler_Args, target_name);
  if (!args->handler) {
    return missingField("PJRT_FFI_Register_Handler_Args", "handler");
  }
  custom_call::HandlerBundle bundle;
  bundle.execute = args->handler;
  return registerBundle(*args, bundle);
}

static PJRT_Error *registerStages(StagesArguments *args) {
  custom_call::HandlerBundle bundle;
  bundle.instantiate = args->instantiate;
  bundle.prepare = args->prepare;
  bundle.initialize = args->initialize;
  bundle.execute = args->target.handler;
  return registerBundle(args->target, bundle);
}

PJRT_Extension_Base *ffiStagesExtension(PJRT_Extension_Base *next) {
  static StagesExtension extension = {
      {sizeof(StagesExtension), PJRT_Extension_Type_Unknown, nullptr},
      stagesMark,
      registerStages,
  };
  extension.base.next = next;
  return &extension.base;
}

PJRT_Extension_Base *ffiExtension(PJRT_Extension_Base *next) {
  static PJRT_FFI_Extension extension = {
      {sizeof(PJRT_FFI_Extension), PJRT_Extension_Type_FFI, nullptr},
      registerType,
      addUserData,
      registerHandler,
  };
  extension.base.next = next;
  return &extension.base;
}

PJRT_Error *ExecuteContext_Create(PJRT_ExecuteContext_Create_Args *args) {
  XLA_PJRT_REQUIRE_STRUCT(args, PJRT_ExecuteContext_Create_Args);
  args->context = new PJRT_ExecuteContext;
  return nullptr;
}

PJRT_Error *ExecuteContext_Destroy(PJRT_ExecuteContext_Destroy_Args *args) {
  XLA_PJRT_REQUIRE_STRUCT(args, PJRT_ExecuteContext_Destroy_Args);
  delete args->context;
  return nullptr;
}

} // namespace xla::pjrt
