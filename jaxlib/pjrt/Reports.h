//===- Reports.h - What collectives really sent -----------------*- C++ -*-===//

#ifndef JAXLIB_PJRT_REPORTS_H
#define JAXLIB_PJRT_REPORTS_H

#include "jaxlib/pjrt/Plugin.h"

#include <map>
#include <string>
#include <utility>

namespace jaxlib {

/// Counts from now on what collectives of the process send, beginning with
/// nothing; or no longer. Unimplemented where the plugin cannot.
Status countTraffic(const Plugin &plugin, bool isOn);

/// By the names of collectives: how often a group met, and the bytes that its
/// members got of each other.
StatusOr<std::map<std::string, std::pair<int64_t, int64_t>>>
countedTraffic(const Plugin &plugin);

} // namespace jaxlib

#endif // JAXLIB_PJRT_REPORTS_H
