//===- Ffi.h - Functions of ours that programs may call ---------*- C++ -*-===//

#ifndef JAXLIB_PJRT_FFI_H
#define JAXLIB_PJRT_FFI_H

#include "jaxlib/pjrt/Plugin.h"

namespace jaxlib {

/// The XLA FFI handlers of one target, by stage; all but `execute` may be null.
struct FfiStages {
  void *instantiate = nullptr;
  void *prepare = nullptr;
  void *initialize = nullptr;
  void *execute = nullptr;
};

/// Makes handlers the target `name` of custom calls in programs for `platform`
/// ("Host" for the CPU). Unimplemented where the plugin has no FFI extension;
/// other stages than `execute` are an extension of our own plugin.
Status registerFfiHandler(const Plugin &plugin, const std::string &name,
                          const std::string &platform, const FfiStages &stages,
                          uint32_t traits);

/// Makes a type of the user's known, whose objects handlers keep as state or
/// find in a run. `id` of 0 asks for a number; the answer is the type's number.
StatusOr<int64_t> registerFfiType(const Plugin &plugin, const std::string &name,
                                  int64_t id, void (*deleter)(void *));

} // namespace jaxlib

#endif // JAXLIB_PJRT_FFI_H
