//===- DriverFunctions.h - Calls of CUDA's driver and HIP -------*- C++ -*-===//
//
// Both are C interfaces of one design. The library is opened at run time and
// never linked, and these are our own declarations.
//
//===----------------------------------------------------------------------===//

#ifndef XLA_CODEGEN_GPU_DRIVERFUNCTIONS_H
#define XLA_CODEGEN_GPU_DRIVERFUNCTIONS_H

#include "xla/codegen/gpu/Target.h"

#include <cstddef>

namespace xla::gpu {

/// All but the last rows return 0 where all went well.
struct DriverFunctions {
  int (*initialize)(unsigned flags);
  int (*driverVersion)(int *version);
  int (*deviceCount)(int *count);
  int (*deviceAt)(int *device, int ordinal);
  int (*deviceName)(char *name, int length, int device);
  int (*createStream)(void **stream, unsigned flags);
  int (*destroyStream)(void *stream);
  int (*waitForStream)(void *stream);
  /// Memory that the device and the host see; it moves to who uses it.
  int (*allocate)(void **memory, size_t bytes, unsigned flags);
  int (*release)(void *memory);
  int (*loadModule)(void **module, const void *image, unsigned count,
                    int *options, void **values);
  int (*unloadModule)(void *module);
  int (*functionOf)(void **function, void *module, const char *name);
  int (*launch)(void *function, unsigned gridX, unsigned gridY, unsigned gridZ,
                unsigned blockX, unsigned blockY, unsigned blockZ,
                unsigned sharedBytes, void *stream, void **parameters,
                void **extra);

  // CUDA's alone.
  int (*attributeOf)(int *value, int attribute, int device) = nullptr;
  int (*retainContext)(void **context, int device) = nullptr;
  int (*setContext)(void *context) = nullptr;
  int (*copy)(void *to, const void *from, size_t bytes, void *stream) = nullptr;
  int (*errorName)(int error, const char **name) = nullptr;

  // HIP's alone.
  int (*setDevice)(int device) = nullptr;
  int (*copyOfKind)(void *to, const void *from, size_t bytes, int kind,
                    void *stream) = nullptr;
  const char *(*nameOfError)(int error) = nullptr;

  /// Opens the library at `path`, or the vendor's under its usual name.
  /// NotFound where it is not there or lacks a function.
  Status open(Vendor vendor, const char *path);
};

} // namespace xla::gpu

#endif // XLA_CODEGEN_GPU_DRIVERFUNCTIONS_H
