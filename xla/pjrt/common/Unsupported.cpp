// Functions that devices in the host's memory have no use for, and say so.

#include "xla/pjrt/common/Error.h"
#include "xla/pjrt/common/Functions.h"
#include "xla/pjrt/common/Platform.h"

#include <string>

namespace xla::pjrt {

static PJRT_Error *unsupported(const char *function, const char *wayOut) {
  return makeError(unimplemented(std::string(function) +
                                 " is not supported by " + platform().plugin() +
                                 "; " + wayOut));
}

static constexpr const char *noStreams =
    "it has no send and receive callbacks, host callbacks go through the FFI";

PJRT_Error *CopyToDeviceStream_Destroy(PJRT_CopyToDeviceStream_Destroy_Args *) {
  return unsupported("PJRT_CopyToDeviceStream_Destroy", noStreams);
}

PJRT_Error *
CopyToDeviceStream_AddChunk(PJRT_CopyToDeviceStream_AddChunk_Args *) {
  return unsupported("PJRT_CopyToDeviceStream_AddChunk", noStreams);
}

PJRT_Error *
CopyToDeviceStream_TotalBytes(PJRT_CopyToDeviceStream_TotalBytes_Args *) {
  return unsupported("PJRT_CopyToDeviceStream_TotalBytes", noStreams);
}

PJRT_Error *
CopyToDeviceStream_GranuleSize(PJRT_CopyToDeviceStream_GranuleSize_Args *) {
  return unsupported("PJRT_CopyToDeviceStream_GranuleSize", noStreams);
}

PJRT_Error *
CopyToDeviceStream_CurrentBytes(PJRT_CopyToDeviceStream_CurrentBytes_Args *) {
  return unsupported("PJRT_CopyToDeviceStream_CurrentBytes", noStreams);
}

PJRT_Error *Client_DmaMap(PJRT_Client_DmaMap_Args *) {
  return unsupported("PJRT_Client_DmaMap", "all memory is the host's already");
}

PJRT_Error *Client_DmaUnmap(PJRT_Client_DmaUnmap_Args *) {
  return unsupported("PJRT_Client_DmaUnmap",
                     "all memory is the host's already");
}

PJRT_Error *
Client_UpdateGlobalProcessInfo(PJRT_Client_UpdateGlobalProcessInfo_Args *) {
  return unsupported("PJRT_Client_UpdateGlobalProcessInfo",
                     "a client has one process");
}

PJRT_Error *Client_CreateAliasBuffer(PJRT_Client_CreateAliasBuffer_Args *) {
  return unsupported("PJRT_Client_CreateAliasBuffer",
                     "create buffers for an asynchronous transfer instead");
}

PJRT_Error *Client_FulfillAliasBuffer(PJRT_Client_FulfillAliasBuffer_Args *) {
  return unsupported("PJRT_Client_FulfillAliasBuffer",
                     "create buffers for an asynchronous transfer instead");
}

} // namespace xla::pjrt
