//===- Ffi.h - Foreign functions and what one run gives them ----*- C++ -*-===//

#ifndef XLA_PJRT_CPU_FFI_H
#define XLA_PJRT_CPU_FFI_H

#include "pjrt_c_api.h"

#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace xla::pjrt {

/// What the client hands to the foreign functions of one run, by type.
struct FfiUserData {
  std::mutex mutex;
  std::vector<std::pair<int64_t, void *>> entries;
};

/// The extension, to be put in front of `next`.
PJRT_Extension_Base *ffiExtension(PJRT_Extension_Base *next);

} // namespace xla::pjrt

/// Carries a run's user data; a run that outlives it keeps the data.
struct PJRT_ExecuteContext {
  std::shared_ptr<xla::pjrt::FfiUserData> userData =
      std::make_shared<xla::pjrt::FfiUserData>();
};

#endif // XLA_PJRT_CPU_FFI_H
