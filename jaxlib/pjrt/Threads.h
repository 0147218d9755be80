//===- Threads.h - What threads of a plugin's programs do -------*- C++ -*-===//

#ifndef JAXLIB_PJRT_THREADS_H
#define JAXLIB_PJRT_THREADS_H

#include "jaxlib/pjrt/Plugin.h"

namespace jaxlib {

/// The number of threads that share out the work of one program. Unimplemented
/// where the plugin does not say.
StatusOr<int64_t> threads(const Plugin &plugin);

/// Changes that number for all programs of the process, running ones included;
/// 0 for as many as the process may keep busy.
Status setThreads(const Plugin &plugin, int64_t threads);

/// Gives the plugin what a thread asks, now and then, that waits to submit a
/// program: whether it goes on. Nothing happens where the plugin has no such
/// question.
void setWaitCheck(const Plugin &plugin, bool (*goesOn)());

} // namespace jaxlib

#endif // JAXLIB_PJRT_THREADS_H
