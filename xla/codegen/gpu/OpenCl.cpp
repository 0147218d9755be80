//===- OpenCl.cpp - Kernels on an OpenCL device ---------------------------===//

#include "xla/codegen/gpu/OpenCl.h"

#include "xla/codegen/gpu/Assemble.h"
#include "xla/codegen/gpu/LowerKernel.h"
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
  int (*clEnqueueSVMMemcpy)(void *, uint32_t, void *, const void *, size_t,
                            uint32_t, void *const *, void **);
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
    XLA_FIND(clEnqueueSVMMemcpy)
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

/// The standard's numbers of what ran out: memory for an object, resources,
/// memory of the host.
static bool isOfMemory(int code) { return code <= -4 && code >= -6; }

Status OpenClDevice::check(int code, const char *what) const {
  if (code == 0) {
    return okStatus();
  }
  return Status(isOfMemory(code) ? StatusCode::ResourceExhausted
                                 : StatusCode::Internal,
                "the OpenCL device " + deviceName + " refuses " + what +
                    ": error " + std::to_string(code));
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
  XLA_ASSIGN_OR_RETURN(opened->spirv, parseTarget("spirv"));
  return opened;
}

OpenClDevice::~OpenClDevice() {
  for (const auto &[code, program] : programs) {
    functions->clReleaseProgram(program);
  }
  for (auto [number, queue] : queues) {
    functions->clReleaseCommandQueue(queue);
  }
  if (context) {
    functions->clReleaseContext(context);
  }
}

StatusOr<void *> OpenClDevice::queueOf(int32_t number) {
  std::lock_guard<std::mutex> lock(queuesMutex);
  void *&queue = queues[number];
  if (!queue) {
    int code = 0;
    queue = functions->clCreateCommandQueueWithProperties(context, device,
                                                          nullptr, &code);
    XLA_RETURN_IF_ERROR(check(code, "a queue"));
  }
  return queue;
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

class OpenClKernels : public LoadedKernels {
public:
  explicit OpenClKernels(OpenClDevice &device) : device(device) {}
  ~OpenClKernels() override;

  Status build(const std::string &spirv,
               llvm::ArrayRef<kernel::Kernel> kernels);
  Status launch(int32_t queue, size_t kernel,
                llvm::ArrayRef<void *> buffers) override;
  Status copy(int32_t queue, void *to, const void *from,
              int64_t bytes) override;
  Status finish(int32_t queue) override;

private:
  OpenClDevice &device;
  std::vector<void *> kernels;
  std::vector<Grid> grids;
  std::mutex argumentsMutex; ///< a kernel has one list of arguments
};

OpenClKernels::~OpenClKernels() {
  for (void *kernel : kernels) {
    device.functions->clReleaseKernel(kernel);
  }
}

StatusOr<void *> OpenClDevice::programOf(const std::string &code) {
  auto known = programs.find(code);
  if (known != programs.end()) {
    return known->second;
  }
  int error = 0;
  void *program = functions->clCreateProgramWithIL(context, code.data(),
                                                   code.size(), &error);
  XLA_RETURN_IF_ERROR(check(error, "SPIR-V"));
  if (functions->clBuildProgram(program, 1, &device, "", nullptr, nullptr)) {
    std::string log(4096, '\0');
    functions->clGetProgramBuildInfo(program, device, buildLogInfo, log.size(),
                                     log.data(), nullptr);
    return internalError("the OpenCL device " + deviceName +
                         " refuses kernels: " + log.c_str());
  }
  programs.emplace(code, program);
  return program;
}

Status OpenClKernels::build(const std::string &spirv,
                            llvm::ArrayRef<kernel::Kernel> all) {
  OpenClFunctions &cl = *device.functions;
  std::lock_guard<std::mutex> lock(device.buildsMutex);
  XLA_ASSIGN_OR_RETURN(void *program, device.programOf(spirv));
  int code = 0;
  for (const kernel::Kernel &kernel : all) {
    kernels.push_back(cl.clCreateKernel(program, kernel.name.c_str(), &code));
    XLA_RETURN_IF_ERROR(device.check(code, kernel.name.c_str()));
    grids.push_back(gridOf(kernel, device.spirv));
  }
  return okStatus();
}

Status OpenClKernels::launch(int32_t queue, size_t kernel,
                             llvm::ArrayRef<void *> buffers) {
  OpenClFunctions &cl = *device.functions;
  XLA_ASSIGN_OR_RETURN(void *order, device.queueOf(queue));
  std::lock_guard<std::mutex> lock(argumentsMutex);
  for (size_t i = 0; i < buffers.size(); ++i) {
    int code = cl.clSetKernelArgSVMPointer(
        kernels[kernel], static_cast<uint32_t>(i), buffers[i]);
    XLA_RETURN_IF_ERROR(device.check(code, "an argument"));
  }
  auto threads = static_cast<size_t>(grids[kernel].threads);
  size_t all = threads * static_cast<size_t>(grids[kernel].blocks);
  return device.check(cl.clEnqueueNDRangeKernel(order, kernels[kernel], 1,
                                                nullptr, &all, &threads, 0,
                                                nullptr, nullptr),
                      "a launch");
}

Status OpenClKernels::copy(int32_t queue, void *to, const void *from,
                           int64_t bytes) {
  XLA_ASSIGN_OR_RETURN(void *order, device.queueOf(queue));
  return device.check(
      device.functions->clEnqueueSVMMemcpy(
          order, 0, to, from, static_cast<size_t>(bytes), 0, nullptr, nullptr),
      "a copy");
}

Status OpenClKernels::finish(int32_t queue) {
  XLA_ASSIGN_OR_RETURN(void *order, device.queueOf(queue));
  return device.check(device.functions->clFinish(order), "to finish");
}

StatusOr<std::string>
OpenClDevice::compile(llvm::ArrayRef<kernel::Kernel> kernels) {
  llvm::LLVMContext code;
  XLA_ASSIGN_OR_RETURN(auto module, emitNeutral(kernels, spirv, code));
  return assemble(*module, spirv, CodeFormat::Binary);
}

StatusOr<std::unique_ptr<LoadedKernels>>
OpenClDevice::load(llvm::ArrayRef<kernel::Kernel> kernels,
                   const std::string &code) {
  auto loaded = std::make_unique<OpenClKernels>(*this);
  if (!kernels.empty()) {
    XLA_RETURN_IF_ERROR(loaded->build(code, kernels));
  }
  return std::unique_ptr<LoadedKernels>(std::move(loaded));
}

} // namespace xla::gpu
