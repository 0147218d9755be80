//===- Ffi.h - Foreign functions and what one run gives them ----*- C++ -*-===//

#ifndef XLA_PJRT_COMMON_FFI_H
#define XLA_PJRT_COMMON_FFI_H

#include "xla/ffi/CustomCall.h"

#include "pjrt_c_api.h"

#include <memory>

namespace xla::pjrt {

/// The extension, to be put in front of `next`.
PJRT_Extension_Base *ffiExtension(PJRT_Extension_Base *next);

/// Our own extension beside it, for handlers with several stages.
PJRT_Extension_Base *ffiStagesExtension(PJRT_Extension_Base *next);

} // namespace xla::pjrt

/// Carries a run's user data; a run that outlives it keeps the data.
struct PJRT_ExecuteContext {
  std::shared_ptr<xla::custom_call::UserData> userData =
      std::make_shared<xla::custom_call::UserData>();
};

#endif // XLA_PJRT_COMMON_FFI_H
