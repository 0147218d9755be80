//===- Reports.h - What programs report of themselves -----------*- C++ -*-===//

#ifndef XLA_PJRT_COMMON_REPORTS_H
#define XLA_PJRT_COMMON_REPORTS_H

#include "pjrt_c_api.h"

namespace xla::pjrt {

/// An extension of our own, in front of `next`: reports of executables, and
/// what collectives of the process really sent.
PJRT_Extension_Base *reportsExtension(PJRT_Extension_Base *next);

} // namespace xla::pjrt

#endif // XLA_PJRT_COMMON_REPORTS_H
