//===- Shardings.h - How programs' arrays are sharded -----------*- C++ -*-===//

#ifndef XLA_PJRT_COMMON_SHARDINGS_H
#define XLA_PJRT_COMMON_SHARDINGS_H

#include "pjrt_c_api.h"

namespace xla::pjrt {

/// The Shardings extension, in front of `next`.
PJRT_Extension_Base *shardingsExtension(PJRT_Extension_Base *next);

} // namespace xla::pjrt

#endif // XLA_PJRT_COMMON_SHARDINGS_H
