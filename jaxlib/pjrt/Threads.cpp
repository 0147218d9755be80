#include "jaxlib/pjrt/Threads.h"

using namespace jaxlib;

namespace {

// Our CPU plugin's own extension, which has a mark in place of a type.
constexpr uint64_t threadsMark = 0x7364616572687478; // "xthreads"

struct ThreadsExtension {
  PJRT_Extension_Base base;
  uint64_t mark;
  int64_t (*threads)();
  PJRT_Error *(*setThreads)(int64_t threads);
  void (*setWaitCheck)(bool (*goesOn)());
};

StatusOr<const ThreadsExtension *> find(const Plugin &plugin) {
  const auto *extension = reinterpret_cast<const ThreadsExtension *>(
      plugin.extension(PJRT_Extension_Type_Unknown, sizeof(ThreadsExtension)));
  if (extension == nullptr || extension->mark != threadsMark) {
    return xla::unimplemented("the plugin " + plugin.origin() +
                              " has no setting for its number of threads");
  }
  return extension;
}

} // namespace

StatusOr<int64_t> jaxlib::threads(const Plugin &plugin) {
  StatusOr<const ThreadsExtension *> extension = find(plugin);
  if (!extension.ok()) {
    return extension.status();
  }
  return (*extension)->threads();
}

Status jaxlib::setThreads(const Plugin &plugin, int64_t threads) {
  StatusOr<const ThreadsExtension *> extension = find(plugin);
  if (!extension.ok()) {
    return extension.status();
  }
  PJRT_Error *error = (*extension)->setThreads(threads);
  return error == nullptr ? Status() : plugin.consume(error);
}

void jaxlib::setWaitCheck(const Plugin &plugin, bool (*goesOn)()) {
  StatusOr<const ThreadsExtension *> extension = find(plugin);
  if (extension.ok()) {
    (*extension)->setWaitCheck(goesOn);
  }
}
