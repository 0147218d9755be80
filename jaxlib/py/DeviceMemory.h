//===- DeviceMemory.h - Arrays in the memory of GPUs ------------*- C++ -*-===//
//
// A handler of a program for GPUs gets addresses of the device, and the stream
// in whose order its memory is read and written. The driver copies; its library
// is looked for when a program needs it, for jaxlib is not linked with it.
//
//===----------------------------------------------------------------------===//

#ifndef JAXLIB_PY_DEVICEMEMORY_H
#define JAXLIB_PY_DEVICEMEMORY_H

#include "xla/ffi/api/ffi.h"

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace jaxlib {

/// What the driver of a kind of GPUs copies with.
class DeviceMemory {
public:
  static const DeviceMemory &cuda();
  static const DeviceMemory &rocm();

  /// An error that names the library, if it or one of its functions is missing.
  xla::ffi::Error check() const;
  /// Begins to copy from the device.
  xla::ffi::Error fetch(void *to, const void *from, size_t bytes,
                        void *stream) const;
  /// Begins to copy to the device.
  xla::ffi::Error store(void *to, const void *from, size_t bytes,
                        void *stream) const;
  /// Waits until all that was begun on a stream is done.
  xla::ffi::Error wait(void *stream) const;

private:
  struct Names {
    const char *library, *fetch, *store, *wait;
  };

  explicit DeviceMemory(const Names &names);

  std::string missing;
  int (*theFetch)(void *, const void *, size_t, void *) = nullptr;
  int (*theStore)(void *, const void *, size_t, void *) = nullptr;
  int (*theWait)(void *) = nullptr;
};

/// Memory of the host with the types and shapes of arrays of a device.
class HostCopies {
public:
  explicit HostCopies(const std::vector<xla::ffi::AnyBuffer> &arrays);

  /// The copies, as long as this lives.
  const std::vector<xla::ffi::AnyBuffer> &copies() const { return theCopies; }

  /// Fills the copies from the device; they are there when this returns.
  xla::ffi::Error fetch(const DeviceMemory &memory, void *stream);
  /// Fills the device's arrays from the copies; they are there likewise.
  xla::ffi::Error store(const DeviceMemory &memory, void *stream);

private:
  const std::vector<xla::ffi::AnyBuffer> arrays;
  std::vector<std::unique_ptr<char[]>> bytes;
  std::vector<XLA_FFI_Buffer> buffers;
  std::vector<xla::ffi::AnyBuffer> theCopies;
};

} // namespace jaxlib

#endif // JAXLIB_PY_DEVICEMEMORY_H
