//===- Profiler.h - Profiles that a plugin takes of itself ------*- C++ -*-===//

#ifndef JAXLIB_PJRT_PROFILER_H
#define JAXLIB_PJRT_PROFILER_H

#include "jaxlib/pjrt/Plugin.h"

#include <memory>
#include <string>
#include <string_view>

struct PLUGIN_Profiler;

namespace jaxlib {

/// One profile of what a plugin does, from its making until `stop`.
class Profiler {
public:
  /// Null where the plugin has no profiler extension.
  static StatusOr<std::unique_ptr<Profiler>>
  start(std::shared_ptr<const Plugin> plugin, std::string_view options);

  ~Profiler();
  Profiler(const Profiler &) = delete;
  Profiler &operator=(const Profiler &) = delete;

  /// Ends it and returns a serialized XSpace.
  StatusOr<std::string> stop();

private:
  Profiler(std::shared_ptr<const Plugin> plugin, PLUGIN_Profiler *profiler)
      : plugin(std::move(plugin)), profiler(profiler) {}

  std::shared_ptr<const Plugin> plugin;
  PLUGIN_Profiler *profiler;
  bool isRunning = true;
};

} // namespace jaxlib

#endif // JAXLIB_PJRT_PROFILER_H
