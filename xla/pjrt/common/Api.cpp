#include "xla/pjrt/common/Api.h"

#include "xla/pjrt/common/Functions.h"

static PJRT_Api makeApi() {
  PJRT_Api api = {};
  api.struct_size = PJRT_Api_STRUCT_SIZE;
  api.extension_start = xla::pjrt::firstExtension();
  api.pjrt_api_version.struct_size = PJRT_Api_Version_STRUCT_SIZE;
  api.pjrt_api_version.major_version = PJRT_API_MAJOR;
  api.pjrt_api_version.minor_version = PJRT_API_MINOR;
#define XLA_PJRT_FUNCTION(name) api.PJRT_##name = xla::pjrt::name;
#include "xla/pjrt/common/Functions.def"
  return api;
}

extern "C" const PJRT_Api *GetPjrtApi() {
  static const PJRT_Api api = makeApi();
  return &api;
}
