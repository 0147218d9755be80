//===- DeviceMemory.cpp - Arrays in the memory of GPUs --------------------===//

#include "jaxlib/py/DeviceMemory.h"

#include <dlfcn.h>

using namespace jaxlib;
namespace ffi = ::xla::ffi;

DeviceMemory::DeviceMemory(const Names &names) {
  void *library = dlopen(names.library, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const char *why = dlerror();
    missing = why != nullptr ? why : names.library;
    return;
  }
  auto find = [&](const char *name, auto &function) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(
        dlsym(library, name));
    if (function == nullptr && missing.empty()) {
      missing = std::string(names.library) + " has no " + name;
    }
  };
  find(names.fetch, theFetch);
  find(names.store, theStore);
  find(names.wait, theWait);
}

const DeviceMemory &DeviceMemory::cuda() {
  static const auto *memory =
      new DeviceMemory({"libcuda.so.1", "cuMemcpyDtoHAsync_v2",
                        "cuMemcpyHtoDAsync_v2", "cuStreamSynchronize"});
  return *memory;
}

const DeviceMemory &DeviceMemory::rocm() {
  static const auto *memory =
      new DeviceMemory({"libamdhip64.so.7", "hipMemcpyDtoHAsync",
                        "hipMemcpyHtoDAsync", "hipStreamSynchronize"});
  return *memory;
}

ffi::Error DeviceMemory::check() const {
  if (missing.empty()) {
    return ffi::Error::Success();
  }
  return ffi::Error(ffi::ErrorCode::kFailedPrecondition,
                    "a Python function in a program for a GPU needs the "
                    "driver's library to copy its arguments: " +
                        missing);
}

static ffi::Error checked(int status, const char *what) {
  if (status == 0) {
    return ffi::Error::Success();
  }
  return ffi::Error(ffi::ErrorCode::kInternal,
                    "the driver could not copy the " + std::string(what) +
                        " of a Python function: error " +
                        std::to_string(status));
}

ffi::Error DeviceMemory::fetch(void *to, const void *from, size_t bytes,
                               void *stream) const {
  return checked(theFetch(to, from, bytes, stream), "arguments");
}

ffi::Error DeviceMemory::store(void *to, const void *from, size_t bytes,
                               void *stream) const {
  return checked(theStore(to, from, bytes, stream), "results");
}

ffi::Error DeviceMemory::wait(void *stream) const {
  return checked(theWait(stream), "arrays");
}

HostCopies::HostCopies(const std::vector<ffi::AnyBuffer> &arrays)
    : arrays(arrays), buffers(arrays.size()) {
  for (size_t i = 0; i < arrays.size(); ++i) {
    // Not filled with zeros: all of it is written before it is read.
    bytes.emplace_back(new char[arrays[i].size_bytes() + 1]);
    auto sizes = arrays[i].dimensions();
    XLA_FFI_Buffer &buffer = buffers[i];
    buffer.struct_size = XLA_FFI_Buffer_STRUCT_SIZE;
    buffer.extension_start = nullptr;
    buffer.dtype = static_cast<XLA_FFI_DataType>(arrays[i].element_type());
    buffer.data = bytes.back().get();
    buffer.rank = static_cast<int64_t>(sizes.size());
    buffer.dims = const_cast<int64_t *>(sizes.begin());
    theCopies.emplace_back(&buffer);
  }
}

ffi::Error HostCopies::fetch(const DeviceMemory &memory, void *stream) {
  for (size_t i = 0; i < arrays.size(); ++i) {
    size_t size = arrays[i].size_bytes();
    if (size == 0) {
      continue;
    }
    ffi::Error error =
        memory.fetch(bytes[i].get(), arrays[i].untyped_data(), size, stream);
    if (error.failure()) {
      return error;
    }
  }
  return memory.wait(stream);
}

ffi::Error HostCopies::store(const DeviceMemory &memory, void *stream) {
  for (size_t i = 0; i < arrays.size(); ++i) {
    size_t size = arrays[i].size_bytes();
    if (size == 0) {
      continue;
    }
    ffi::Error error =
        memory.store(arrays[i].untyped_data(), bytes[i].get(), size, stream);
    if (error.failure()) {
      return error;
    }
  }
  // The copies go when this returns.
  return memory.wait(stream);
}
