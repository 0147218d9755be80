#include "xla/pjrt/cpu/Ffi.h"

#include "xla/pjrt/cpu/Error.h"
#include "xla/pjrt/cpu/Functions.h"

#include <map>
#include <string>

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
struct PJRT_FFI_Type_Register_Args {
  size_t struct_size;
  PJRT_Extension_Base *extension_start;
  const char *type_name;
  size_t type_name_size;
  int64_t type_id; // in and out
  void *type_info;
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

enum {
  PJRT_FFI_UserData_Add_Args_STRUCT_SIZE = 40,
  PJRT_FFI_Type_Register_Args_STRUCT_SIZE = 48,
  PJRT_FFI_Register_Handler_Args_STRUCT_SIZE = 52,
};
static_assert(sizeof(PJRT_FFI_UserData_Add_Args) == 40);
static_assert(sizeof(PJRT_FFI_Type_Register_Args) == 48);
static_assert(sizeof(PJRT_FFI_Register_Handler_Args) == 56);
static_assert(sizeof(PJRT_FFI_Extension) == 48);

namespace xla::pjrt {

namespace {
/// The type ids of the process, by name.
struct TypeTable {
  std::mutex mutex;
  std::map<std::string, int64_t> ids;
  int64_t next = 1;
};
} // namespace

static TypeTable &typeTable() {
  static auto *table = new TypeTable;
  return *table;
}

static PJRT_Error *registerType(PJRT_FFI_Type_Register_Args *args) {
  XLA_PJRT_REQUIRE(args, PJRT_FFI_Type_Register_Args, type_name);
  std::string name(args->type_name, args->type_name_size);
  TypeTable &table = typeTable();
  std::lock_guard<std::mutex> lock(table.mutex);
  auto found = table.ids.find(name);
  if (found == table.ids.end()) {
    int64_t id = args->type_id ? args->type_id : table.next++;
    found = table.ids.emplace(name, id).first;
  }
  if (args->type_id && args->type_id != found->second) {
    return makeError(Status(StatusCode::AlreadyExists,
                            "the FFI type \"" + name + "\" has the id " +
                                std::to_string(found->second) +
                                ", and is registered anew with " +
                                std::to_string(args->type_id)));
  }
  args->type_id = found->second;
  return nullptr;
}

static PJRT_Error *addUserData(PJRT_FFI_UserData_Add_Args *args) {
  XLA_PJRT_REQUIRE(args, PJRT_FFI_UserData_Add_Args, context);
  FfiUserData &userData = *args->context->userData;
  std::lock_guard<std::mutex> lock(userData.mutex);
  userData.entries.emplace_back(args->user_data.type_id, args->user_data.data);
  return nullptr;
}

static PJRT_Error *registerHandler(PJRT_FFI_Register_Handler_Args *args) {
  XLA_PJRT_REQUIRE(args, PJRT_FFI_Register_Handler_Args, target_name);
  return makeError(unimplemented(
      "the FFI handler \"" +
      std::string(args->target_name, args->target_name_size) +
      "\" was to be registered; the CPU plugin cannot call foreign functions "
      "yet"));
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
