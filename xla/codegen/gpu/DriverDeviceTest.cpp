// GPUs behind a library that records what is called of it, whose path is the
// first argument.

#include "xla/codegen/gpu/DriverDevice.h"

#include "xla/codegen/gpu/DeviceProgram.h"
#include "xla/dialect/stablehlo/StablehloOps.h"
#include "xla/support/Testing.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"

#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>
#include <fstream>
#include <string>
#include <unistd.h>

using namespace xla;
using namespace xla::gpu;

namespace {
/// The library's own interface for tests.
struct Mock {
  void (*mockReset)();
  const char *(*mockCalls)();
  const char *(*mockImage)();
  void (*mockFail)(const char *name, int code);
  void (*mockDevice)(int version, int count, int attribute, int value);
  void (*mockLaunched)(void (*)(const char *, unsigned, unsigned, void **));
};
} // namespace

static Mock mock;
static DriverPaths paths;

static void findMock(const char *path) {
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  auto find = [&](auto &function, const char *name) {
    using Function = std::remove_reference_t<decltype(function)>;
    function = reinterpret_cast<Function>(dlsym(library, name));
  };
  find(mock.mockReset, "mockReset");
  find(mock.mockCalls, "mockCalls");
  find(mock.mockImage, "mockImage");
  find(mock.mockFail, "mockFail");
  find(mock.mockDevice, "mockDevice");
  find(mock.mockLaunched, "mockLaunched");
  paths.library = path;
}

static bool calls(const std::string &text) {
  return std::string(mock.mockCalls()).find(text) != std::string::npos;
}

static bool says(const Status &status, StatusCode code, const char *text) {
  bool isSo =
      status.code() == code && status.message().find(text) != std::string::npos;
  if (!isSo) {
    std::fprintf(stderr, "%s\n", status.message().c_str());
  }
  return isSo;
}

/// The kernel that adds an array of 1000 to itself.
static kernel::Kernel twice(mlir::MLIRContext &context) {
  kernel::Kernel made;
  std::string why;
  XLA_CHECK(kernel::parseKernel(R"(kernel @twice {
  buffer x f32[1000] argument 0
  buffer y f32[1000] result 0 written
  parallel %first to %last of 1000 grain 1 {
    loop %i from %first to %last vector {
      %a = load x[%i]
      %b = stablehlo.add %a, %a : f32
      store y[%i], %b
    }
  }
}
)",
                                context, made, why));
  return made;
}

static void runTwice(const char *, unsigned blocks, unsigned threads,
                     void **parameters) {
  auto *x = *static_cast<float **>(parameters[0]);
  auto *y = *static_cast<float **>(parameters[1]);
  for (unsigned i = 0; i < std::min(blocks * threads, 1000U); ++i) {
    y[i] = x[i] + x[i];
  }
}

//===----------------------------------------------------------------------===//
// Which device
//===----------------------------------------------------------------------===//

static void testTheFirstDeviceIsOpened() {
  mock.mockReset();
  auto device = DriverDevice::open(Vendor::Nvidia, paths);
  XLA_CHECK(device.ok() && (*device)->name() == "Mock GPU");
  XLA_CHECK(device.ok() && (*device)->target().chip == "sm_90a");
  XLA_CHECK(calls("cuInit 0\ncuDriverGetVersion\ncuDeviceGetCount\n"));
  XLA_CHECK(calls("cuDevicePrimaryCtxRetain 0\ncuCtxSetCurrent 42\n"));
}

static std::string chipOf(int version, int major, int minor) {
  mock.mockReset();
  mock.mockDevice(version, 1, 75, major);
  mock.mockDevice(version, 1, 76, minor);
  auto device = DriverDevice::open(Vendor::Nvidia, paths);
  return device.ok() ? (*device)->target().chip : device.status().message();
}

static void testTheChipIsTheNewestThatRuns() {
  XLA_CHECK(chipOf(12080, 8, 0) == "sm_80");
  XLA_CHECK(chipOf(12080, 8, 7) == "sm_86");
  XLA_CHECK(chipOf(12080, 8, 9) == "sm_89");
  XLA_CHECK(chipOf(11080, 9, 0) == "sm_90");
  XLA_CHECK(chipOf(12080, 10, 0) == "sm_100a");
  XLA_CHECK(chipOf(13000, 10, 3) == "sm_100");
  XLA_CHECK(chipOf(13000, 12, 1) == "sm_120");
  XLA_CHECK(chipOf(12080, 6, 1).find("7.0 and newer") != std::string::npos);
}

static void testWhatIsNotThereIsSaid() {
  auto open = [] { return DriverDevice::open(Vendor::Nvidia, paths).status(); };
  mock.mockReset();
  mock.mockDevice(12080, 0, 75, 9);
  XLA_CHECK(says(open(), StatusCode::NotFound, "knows no device"));
  mock.mockReset();
  mock.mockDevice(12080, 1, 89, 0);
  XLA_CHECK(says(open(), StatusCode::Unimplemented, "does not see"));
  mock.mockReset();
  mock.mockFail("cuInit", 100);
  XLA_CHECK(says(open(), StatusCode::Internal, "MOCK_ERROR (100)"));
  DriverPaths nowhere;
  nowhere.library = "/nowhere/libcuda.so.1";
  XLA_CHECK(says(DriverDevice::open(Vendor::Nvidia, nowhere).status(),
                 StatusCode::NotFound, "there is no driver library"));
}

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

/// Loads the kernel and runs it on memory of the device; says what went wrong.
static Status runOn(DriverDevice &device, float *last) {
  mlir::MLIRContext context;
  context.loadDialect<stablehlo::StablehloDialect>();
  kernel::Kernel one = twice(context);
  auto code = device.compile(one);
  if (!code.ok()) {
    return code.status();
  }
  auto kernels = device.load(one, *code);
  if (!kernels.ok()) {
    return kernels.status();
  }
  const MemorySource &memory = *device.memory();
  auto *x = static_cast<float *>(memory.obtain(memory.context, 4000));
  auto *y = static_cast<float *>(memory.obtain(memory.context, 4000));
  std::fill(x, x + 1000, 1.5F);
  Status status = (*kernels)->launch(3, 0, {x, y});
  if (status.ok()) {
    status = (*kernels)->copy(3, x, y, 4000);
  }
  if (status.ok()) {
    status = (*kernels)->finish(3);
  }
  *last = x[999];
  memory.giveBack(memory.context, x);
  memory.giveBack(memory.context, y);
  return status;
}

static void testKnownCodeIsNotCompiledAgain() {
  mock.mockReset();
  auto device = DriverDevice::open(Vendor::Nvidia, paths);
  mlir::MLIRContext context;
  context.loadDialect<mlir::func::FuncDialect, stablehlo::StablehloDialect>();
  auto module = mlir::parseSourceString<mlir::ModuleOp>(
      "func.func @main(%x: tensor<9xf32>) -> tensor<9xf32> {\n"
      "  %y = stablehlo.negate %x : tensor<9xf32>\n"
      "  return %y : tensor<9xf32>\n}\n",
      &context);
  XLA_CHECK(device.ok() && module);
  auto first = planForDevice(*module, **device);
  XLA_CHECK(first.ok() && first->isRepeatable);
  KnownCode known = {first->kernelsHash, first->code + "// known"};
  auto second = planForDevice(*module, **device, &known);
  XLA_CHECK(second.ok());
  XLA_CHECK(std::string(mock.mockImage()).ends_with("// known"));
  ++known.kernelsHash;
  XLA_CHECK(says(planForDevice(*module, **device, &known).status(),
                 StatusCode::FailedPrecondition, "of other kernels"));
}

static void testKernelsRunOnNvidiasDevices() {
  mock.mockReset();
  mock.mockLaunched(runTwice);
  auto device = DriverDevice::open(Vendor::Nvidia, paths);
  float last = 0;
  XLA_CHECK(device.ok() && runOn(**device, &last).ok() && last == 3);
  std::string image = mock.mockImage();
  XLA_CHECK(image.find(".target sm_90a") != std::string::npos);
  XLA_CHECK(image.find(".entry twice(") != std::string::npos);
  XLA_CHECK(calls("cuModuleLoadDataEx\ncuModuleGetFunction twice of 7\n"));
  XLA_CHECK(calls("cuMemAllocManaged 4000 1\n"));
  XLA_CHECK(calls("cuStreamCreate 1\ncuLaunchKernel twice 4 1 1 256 1 1 0 on"));
  XLA_CHECK(calls("cuMemcpyAsync 4000 on"));
  XLA_CHECK(calls("cuStreamSynchronize"));
  XLA_CHECK(calls("cuMemFree_v2\n"));
  XLA_CHECK(calls("cuModuleUnload 7\n"));
  device = DriverDevice::open(Vendor::Nvidia, paths); // closes the first
  XLA_CHECK(calls("cuStreamDestroy_v2"));
}

static void testKernelsRunOnAmdsDevices() {
  namespace fs = std::filesystem;
  fs::path folder = fs::path(std::getenv("TEST_TMPDIR")
                                 ? std::getenv("TEST_TMPDIR")
                                 : fs::temp_directory_path().string()) /
                    ("amd" + std::to_string(getpid()));
  fs::create_directories(folder / "0");
  fs::create_directories(folder / "1");
  std::ofstream(folder / "0/properties") << "cpu_cores_count 8\n"
                                            "gfx_target_version 0\n";
  std::ofstream(folder / "1/properties") << "simd_count 304\n"
                                            "gfx_target_version 90402\n";
  // Instead of the linker: what is linked is the object itself.
  std::ofstream(folder / "ld.lld") << "#!/bin/sh\n/bin/cp \"$2\" \"$4\"\n";
  fs::permissions(folder / "ld.lld", fs::perms::owner_all);
  setenv("PATH", folder.c_str(), 1);
  DriverPaths amd = paths;
  amd.topology = folder;
  mock.mockReset();
  mock.mockLaunched(runTwice);
  auto device = DriverDevice::open(Vendor::Amd, amd);
  XLA_CHECK(device.ok() && (*device)->target().chip == "gfx942");
  float last = 0;
  Status status = device.ok() ? runOn(**device, &last) : device.status();
  XLA_CHECK(status.ok() && last == 3);
  std::fprintf(stderr, "%s", status.message().c_str());
  XLA_CHECK(std::string(mock.mockImage()).substr(0, 4) == "\x7f"
                                                          "ELF");
  XLA_CHECK(calls("hipInit 0\n") && !calls("cu"));
  XLA_CHECK(calls("hipSetDevice 0\n"));
  XLA_CHECK(calls("hipModuleLaunchKernel twice 4 1 1 256 1 1 0 on"));
  fs::remove(folder / "ld.lld");
  unsetenv("ROCM_PATH");
  if (device.ok()) {
    XLA_CHECK(says(runOn(**device, &last), StatusCode::NotFound, "ld.lld"));
  }
  fs::remove_all(folder / "1");
  XLA_CHECK(says(DriverDevice::open(Vendor::Amd, amd).status(),
                 StatusCode::Unimplemented, "no kernels for the chip"));
  fs::remove_all(folder);
}

static void testErrorsSayWhatToDo() {
  float last = 0;
  auto failsAt = [&](const char *name, int code) {
    mock.mockReset();
    auto device = DriverDevice::open(Vendor::Nvidia, paths);
    mock.mockFail(name, code);
    return device.ok() ? runOn(**device, &last) : device.status();
  };
  XLA_CHECK(says(failsAt("cuModuleLoadDataEx", 218), StatusCode::Internal,
                 "line 3: no such thing"));
  XLA_CHECK(says(failsAt("cuModuleLoadDataEx", 222), StatusCode::Internal,
                 "of version 12.8, is older"));
  XLA_CHECK(says(failsAt("cuModuleGetFunction", 500), StatusCode::Internal,
                 "the kernel twice"));
  XLA_CHECK(says(failsAt("cuLaunchKernel", 701), StatusCode::Internal,
                 "to launch twice"));
  XLA_CHECK(says(failsAt("cuStreamSynchronize", 700), StatusCode::Internal,
                 "Start the process anew"));
  XLA_CHECK(says(failsAt("cuMemcpyAsync", 2), StatusCode::ResourceExhausted,
                 "a copy"));
}

static void testNoMemoryIsNoBlock() {
  mock.mockReset();
  auto device = DriverDevice::open(Vendor::Nvidia, paths);
  mock.mockFail("cuMemAllocManaged", 2);
  CachingAllocator allocator(1 << 20);
  allocator.setSource(*(*device)->memory());
  XLA_CHECK(allocator.allocate(1000) == nullptr);
  XLA_CHECK(allocator.statistics().bytesInUse == 0);
  mock.mockFail("cuMemAllocManaged", 0);
  void *block = allocator.allocate(1000);
  XLA_CHECK(block != nullptr && calls("cuMemAllocManaged 1024 1\n"));
  allocator.deallocate(block, 1000);
  XLA_CHECK(!calls("cuMemFree_v2"));
  allocator.trim();
  XLA_CHECK(calls("cuMemFree_v2"));
}

int main(int argc, char **argv) {
  if (argc < 2) {
    std::fprintf(stderr, "the path of the mock driver is wanted\n");
    return 1;
  }
  findMock(argv[1]);
  testTheFirstDeviceIsOpened();
  testTheChipIsTheNewestThatRuns();
  testWhatIsNotThereIsSaid();
  testKnownCodeIsNotCompiledAgain();
  testKernelsRunOnNvidiasDevices();
  testErrorsSayWhatToDo();
  testNoMemoryIsNoBlock();
  testKernelsRunOnAmdsDevices(); // last: it changes PATH
  return testing::failedChecks();
}
