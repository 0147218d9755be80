//===- Layouts.h - The Layouts and MemoryDescriptions extensions -*- C++
//-*-===//

#ifndef XLA_PJRT_COMMON_LAYOUTS_H
#define XLA_PJRT_COMMON_LAYOUTS_H

#include "pjrt_c_api.h"

namespace xla::pjrt {

/// Each extension, to be put in front of `next`.
PJRT_Extension_Base *layoutsExtension(PJRT_Extension_Base *next);
PJRT_Extension_Base *memoryDescriptionsExtension(PJRT_Extension_Base *next);

} // namespace xla::pjrt

#endif // XLA_PJRT_COMMON_LAYOUTS_H
