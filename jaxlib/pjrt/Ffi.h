//===- Ffi.h - Functions of ours that programs may call ---------*- C++ -*-===//

#ifndef JAXLIB_PJRT_FFI_H
#define JAXLIB_PJRT_FFI_H

#include "jaxlib/pjrt/Plugin.h"

namespace jaxlib {

/// Makes `handler`, an XLA FFI handler, the target `name` of custom calls in
/// programs for `platform` ("Host" for the CPU). Unimplemented where the plugin
/// has no FFI extension.
Status registerFfiHandler(const Plugin &plugin, const std::string &name,
                          const std::string &platform, void *handler,
                          uint32_t traits);

} // namespace jaxlib

#endif // JAXLIB_PJRT_FFI_H
