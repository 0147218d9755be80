//===- Functions.h - Our implementation of each PJRT function ---*- C++ -*-===//

#ifndef XLA_PJRT_COMMON_FUNCTIONS_H
#define XLA_PJRT_COMMON_FUNCTIONS_H

#include "pjrt_c_api.h"

namespace xla::pjrt {

// Each is declared with its type from the header: PJRT_Buffer_Delete is that
// of Buffer_Delete.
#define XLA_PJRT_FUNCTION(name) PJRT_##name name;
#include "xla/pjrt/common/Functions.def"

/// The chain of extensions, which starts at the table.
PJRT_Extension_Base *firstExtension();

} // namespace xla::pjrt

#endif // XLA_PJRT_COMMON_FUNCTIONS_H
