//===- OpenCl.cpp - Kernels on an OpenCL device ---------------------------===//

#include "xla/codegen/gpu/OpenCl.h"

#include "xla/support/StatusMacros.h"

#include <cstdint>
#include <dlfcn.h>

namespace xla::gpu {

/// The interface, by the names of the standard.
struct OpenClFunctions {
  void *library = nullptr;
  int (*clGetPlatformIDs)(uint32_t, void **, uint32_t *);
  int (*clGetDeviceIDs)(void *, uint64_t, uint32_t, void **, uint32_t *);
  int (*clGetDeviceInfo)(void *, uint32_t, size_t, void *, size_t *);
  void *(*clCreateContext)(const intptr_t *, uint32_t, void *const *, void *,
                           void *, int *);
  void *(*clCreateCommandQueueWithProperties)(void *, void *, const uint64_t *,
                                              int *);
  void *(*clCreateProgramWithIL)(void *, const void *, size_t, int *);
  int (*clBuildProgram)(void *, uint32_t, void *const *, const char *, void *,
                        void *);
  int (*clGetProgramBuildInfo)(void *, void *, uint32_t, size_t, void *,
                               size_t *);
  void *(*clCreateKernel)(void *, const char *, int *);
  int (*clSetKernelArgSVMPointer)(void *, uint32_t, const void *);
  int (*clEnqueueNDRangeKernel)(void *, void *, uint32_t, const size_t *,
                                const size_t *, const size_t *, uint32_t,
                                void *const *, void **);
  int (*clFinish)(void *);
  int (*clReleaseKernel)(void *);
  int (*clReleaseProgram)(void *);
  int (*clReleaseCommandQueue)(void *);
  int (*clReleaseContext)(void *);

  /// The name of a function that the library lacks, if any.
  const char *find() {
#define XLA_FIND(name)                                                         \
  name = reinterpret_cast<decltype(name)>(dlsym(library, #name));              \
  if (!name) {                                                                 \
    return #name;                                                              \
  }
    XLA_FIND(clGetPlatformIDs)
    XLA_FIND(clGetDeviceIDs)
    XLA_FIND(clGetDeviceInfo)
    XLA_FIND(clCreateContext)
    XLA_FIND(clCreateCommandQueueWithProperties)
    XLA_FIND(clCreateProgramWithIL)
    XLA_FIND(clBuildProgram)
    XLA_FIND(clGetProgramBuildInfo)
    XLA_FIND(clCreateKernel)
    XLA_FIND(clSetKernelArgSVMPointer)
    XLA_FIND(clEnqueueNDRangeKernel)
    XLA_FIND(clFinish)
    XLA_FIND(clReleaseKernel)
    XLA_FIND(clReleaseProgram)
    XLA_FIND(clReleaseCommandQueue)
    XLA_FIND(clReleaseContext)
#undef XLA_FIND
    return nullptr;
  }
};

// Numbers of the standard.
static constexpr uint64_t allDevices = 0xFFFFFFFF;
static constexpr uint32_t deviceNameInfo = 0x102B, svmInfo = 0x1053;
static constexpr uint32_t buildLogInfo = 0x1183;
static constexpr uint64_t sharesHostMemory = 1 << 2;

static Status notFound(std::string message) {
  return Status(StatusCode::NotFound, std::move(message));
}

Status OpenClDevice::check(int code, const char *what) const {
  return code == 0
             ? okStatus()
             : internalError("the OpenCL device " + deviceName + " refuses " +
                             what + ": error " + std::to_string(code));
}

StatusOr<std::unique_ptr<OpenClDevice>> OpenClDevice::open(const char *path) {
  auto opened = std::unique_ptr<OpenClDevice>(new OpenClDevice);
  opened->functions = std::make_unique<OpenClFunctions>();
  OpenClFunctions &cl = *opened->functions;
  cl.library = dlopen(path ? path : "libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!cl.library) {
    return notFound(std::string("there is no OpenCL library: ") + dlerror());
  }
  if (const char *lacking = cl.find()) {
    return notFound(std::string("the OpenCL library is too old: it lacks ") +
                    lacking);
  }
  void *platform = nullptr;
  uint32_t count = 0;
  if (cl.clGetPlatformIDs(1, &platform, &count) != 0 || count == 0 ||
      cl.clGetDeviceIDs(platform, allDevices, 1, &opened->device, &count) !=
          0 ||
      count == 0) {
    return notFound("the OpenCL library knows no device: its drivers are named "
                    "by OCL_ICD_FILENAMES or in /etc/OpenCL/vendors");
  }
  char name[256] = {};
  uint64_t svm = 0;
  cl.clGetDeviceInfo(opened->device, deviceNameInfo, sizeof(name) - 1, name,
                     nullptr);
  opened->deviceName = name;
  cl.clGetDeviceInfo(opened->device, svmInfo, sizeof(svm), &svm, nullptr);
  if (!(svm & sharesHostMemory)) {
    return unimplemented("the OpenCL device " + opened->deviceName +
                         " does not read the host's memory");
  }
  int code = 0;
  opened->context =
      cl.clCreateContext(nullptr, 1, &opened->device, nullptr, nullptr, &code);
  XLA_RETURN_IF_ERROR(opened->check(code, "a context"));
  opened->queue = cl.clCreateCommandQueueWithProperties(
      opened->context, opened->device, nullptr, &code);
  XLA_RETURN_IF_ERROR(opened->check(code, "a queue"));
  return opened;
}

OpenClDevice::~OpenClDevice() {
  for (void *kernel : kernels) {
    functions->clReleaseKernel(kernel);
  }
  if (program) {
    functions->clReleaseProgram(program);
  }
  if (queue) {
    functions->clReleaseCommandQueue(queue);
  }
  if (context) {
    functions->clReleaseContext(context);
  }
}

Status OpenClDevice::load(const std::string &spirv,
                          llvm::ArrayRef<std::string> names) {
  int code = 0;
  program = functions->clCreateProgramWithIL(context, spirv.data(),
                                             spirv.size(), &code);
  XLA_RETURN_IF_ERROR(check(code, "SPIR-V"));
  if (functions->clBuildProgram(program, 1, &device, "", nullptr, nullptr)) {
    std::string log(4096, '\0');
    functions->clGetProgramBuildInfo(program, device, buildLogInfo, log.size(),
                                     log.data(), nullptr);
    return internalError("the OpenCL device " + deviceName +
                         " refuses kernels: " + log.c_str());
  }
  for (const std::string &name : names) {
    kernels.push_back(functions->clCreateKernel(program, name.c_str(), &code));
    XLA_RETURN_IF_ERROR(check(code, name.c_str()));
  }
  return okStatus();
}

Status OpenClDevice::run(size_t kernel, const Grid &grid,
                         llvm::ArrayRef<void *> buffers) {
  for (size_t i = 0; i < buffers.size(); ++i) {
    XLA_RETURN_IF_ERROR(
        check(functions->clSetKernelArgSVMPointer(
                  kernels[kernel], static_cast<uint32_t>(i), buffers[i]),
              "an argument"));
  }
  auto threads = static_cast<size_t>(grid.threads);
  size_t all = threads * static_cast<size_t>(grid.blocks);
  XLA_RETURN_IF_ERROR(check(
      functions->clEnqueueNDRangeKernel(queue, kernels[kernel], 1, nullptr,
                                        &all, &threads, 0, nullptr, nullptr),
      "a launch"));
  return check(functions->clFinish(queue), "to finish");
}

} // namespace xla::gpu
