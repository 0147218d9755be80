//===- LinkObject.h - AMD's objects, ready to be loaded ---------*- C++ -*-===//

#ifndef XLA_CODEGEN_GPU_LINKOBJECT_H
#define XLA_CODEGEN_GPU_LINKOBJECT_H

#include "xla/support/Status.h"

#include <string>

namespace xla::gpu {

/// Links an object file of kernels by `ld.lld`, which is looked for on PATH and
/// in the ROCm that ROCM_PATH names. NotFound where it is not there.
StatusOr<std::string> linkObject(const std::string &object);

} // namespace xla::gpu

#endif // XLA_CODEGEN_GPU_LINKOBJECT_H
