//===- DriverFunctions.cpp - Calls of CUDA's driver and HIP ---------------===//

#include "xla/codegen/gpu/DriverFunctions.h"

#include <dlfcn.h>

namespace xla::gpu {

static Status notFound(std::string message) {
  return Status(StatusCode::NotFound, std::move(message));
}

Status DriverFunctions::open(Vendor vendor, const char *path) {
  bool isCuda = vendor == Vendor::Nvidia;
  const char *file = path ? path : isCuda ? "libcuda.so.1" : "libamdhip64.so";
  void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    return notFound(std::string("there is no driver library: ") + dlerror());
  }
  std::string lacking;
  auto find = [&](auto &function, const char *cuda, const char *hip) {
    const char *name = isCuda ? cuda : hip;
    if (!name) {
      return;
    }
    using Function = std::remove_reference_t<decltype(function)>;
    function = reinterpret_cast<Function>(dlsym(library, name));
    if (!function && lacking.empty()) {
      lacking = name;
    }
  };
  // Names that end in _v2 are those whose types are these.
  find(initialize, "cuInit", "hipInit");
  find(driverVersion, "cuDriverGetVersion", "hipDriverGetVersion");
  find(deviceCount, "cuDeviceGetCount", "hipGetDeviceCount");
  find(deviceAt, "cuDeviceGet", "hipDeviceGet");
  find(deviceName, "cuDeviceGetName", "hipDeviceGetName");
  find(createStream, "cuStreamCreate", "hipStreamCreateWithFlags");
  find(destroyStream, "cuStreamDestroy_v2", "hipStreamDestroy");
  find(waitForStream, "cuStreamSynchronize", "hipStreamSynchronize");
  find(allocate, "cuMemAllocManaged", "hipMallocManaged");
  find(release, "cuMemFree_v2", "hipFree");
  find(loadModule, "cuModuleLoadDataEx", "hipModuleLoadDataEx");
  find(unloadModule, "cuModuleUnload", "hipModuleUnload");
  find(functionOf, "cuModuleGetFunction", "hipModuleGetFunction");
  find(launch, "cuLaunchKernel", "hipModuleLaunchKernel");
  find(attributeOf, "cuDeviceGetAttribute", nullptr);
  find(retainContext, "cuDevicePrimaryCtxRetain", nullptr);
  find(setContext, "cuCtxSetCurrent", nullptr);
  find(copy, "cuMemcpyAsync", nullptr);
  find(errorName, "cuGetErrorName", nullptr);
  find(setDevice, nullptr, "hipSetDevice");
  find(copyOfKind, nullptr, "hipMemcpyAsync");
  find(nameOfError, nullptr, "hipGetErrorName");
  if (!lacking.empty()) {
    return notFound("the driver library " + std::string(file) +
                    " is too old: it lacks " + lacking);
  }
  return okStatus();
}

} // namespace xla::gpu
