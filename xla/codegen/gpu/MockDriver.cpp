//===- MockDriver.cpp - A driver library that records what is called ------===//
//
// For tests where no GPU is: CUDA's driver and HIP at once. Its memory is the
// host's, and a launch calls what the test has set.
//
//===----------------------------------------------------------------------===//

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>

#define XLA_MOCK extern "C" __attribute__((visibility("default")))

namespace {
using Launched = void (*)(const char *kernel, unsigned blocks, unsigned threads,
                          void **parameters);

struct Mock {
  std::string calls;
  std::map<std::string, int> failures;
  std::map<int, int> attributes = {{75, 9}, {76, 0}, {89, 1}};
  int version = 12080, count = 1;
  std::string image;
  Launched launched = nullptr;
};
} // namespace

static Mock mock;

static int answer(const char *name, const std::string &arguments = "") {
  mock.calls += name + (arguments.empty() ? "" : " " + arguments) + "\n";
  auto found = mock.failures.find(name);
  return found == mock.failures.end() ? 0 : found->second;
}

/// Handles are numbers that are easily known again.
static void *handle(uintptr_t number) {
  return reinterpret_cast<void *>(number);
}

static std::string text(const void *handle) {
  return std::to_string(reinterpret_cast<uintptr_t>(handle));
}

//===----------------------------------------------------------------------===//
// For tests
//===----------------------------------------------------------------------===//

XLA_MOCK void mockReset() { mock = Mock(); }
XLA_MOCK const char *mockCalls() { return mock.calls.c_str(); }
XLA_MOCK const char *mockImage() { return mock.image.c_str(); }
XLA_MOCK void mockFail(const char *name, int code) {
  mock.failures[name] = code;
}
XLA_MOCK void mockDevice(int version, int count, int attribute, int value) {
  mock.version = version;
  mock.count = count;
  mock.attributes[attribute] = value;
}
XLA_MOCK void mockLaunched(Launched launched) { mock.launched = launched; }

//===----------------------------------------------------------------------===//
// Both interfaces
//===----------------------------------------------------------------------===//

static int initialize(const char *name, unsigned flags) {
  return answer(name, std::to_string(flags));
}
static int giveVersion(const char *name, int *version) {
  *version = mock.version;
  return answer(name);
}
static int giveCount(const char *name, int *count) {
  *count = mock.count;
  return answer(name);
}
static int giveDevice(const char *name, int *device, int ordinal) {
  *device = ordinal;
  return answer(name, std::to_string(ordinal));
}
static int giveName(const char *name, char *to, int length) {
  std::snprintf(to, static_cast<size_t>(length), "Mock GPU");
  return answer(name);
}
static int makeStream(const char *name, void **stream, unsigned flags) {
  static uintptr_t next = 100;
  *stream = handle(next++);
  return answer(name, std::to_string(flags));
}
static int allocate(const char *name, void **memory, size_t bytes,
                    unsigned flags) {
  int code = answer(name, std::to_string(bytes) + " " + std::to_string(flags));
  *memory = code ? nullptr : std::aligned_alloc(256, (bytes + 255) / 256 * 256);
  return code;
}
static int release(const char *name, void *memory) {
  std::free(memory);
  return answer(name);
}
static int copy(const char *name, void *to, const void *from, size_t bytes,
                void *stream) {
  std::memmove(to, from, bytes);
  return answer(name, std::to_string(bytes) + " on " + text(stream));
}

/// The log that a caller wants is written where an error is to be.
static int load(const char *name, void **module, const void *image,
                unsigned count, const int *options, void **values) {
  *module = handle(7);
  mock.image = static_cast<const char *>(image);
  int code = answer(name);
  for (unsigned i = 0; code && i < count; ++i) {
    if (options[i] == 5) {
      std::strcpy(static_cast<char *>(values[i]), "line 3: no such thing");
    }
  }
  return code;
}

static std::map<uintptr_t, std::string> kernels;

static int giveFunction(const char *name, void **function, void *module,
                        const char *kernel) {
  uintptr_t number = 1000 + kernels.size();
  kernels[number] = kernel;
  *function = handle(number);
  return answer(name, std::string(kernel) + " of " + text(module));
}

struct Extent {
  unsigned x, y, z;
};

static int launch(const char *name, void *function, Extent grid, Extent block,
                  unsigned bytes, void *stream, void **parameters) {
  const std::string &kernel = kernels[reinterpret_cast<uintptr_t>(function)];
  std::string shape;
  for (unsigned size : {grid.x, grid.y, grid.z, block.x, block.y, block.z}) {
    shape += std::to_string(size) + " ";
  }
  int code = answer(name, kernel + " " + shape + std::to_string(bytes) +
                              " on " + text(stream));
  if (!code && mock.launched) {
    mock.launched(kernel.c_str(), grid.x, block.x, parameters);
  }
  return code;
}

#define XLA_BOTH(cuda, hip, parameters, call)                                  \
  XLA_MOCK int cuda parameters {                                               \
    const char *name = #cuda;                                                  \
    return call;                                                               \
  }                                                                            \
  XLA_MOCK int hip parameters {                                                \
    const char *name = #hip;                                                   \
    return call;                                                               \
  }

XLA_BOTH(cuInit, hipInit, (unsigned flags), initialize(name, flags))
XLA_BOTH(cuDriverGetVersion, hipDriverGetVersion, (int *version),
         giveVersion(name, version))
XLA_BOTH(cuDeviceGetCount, hipGetDeviceCount, (int *count),
         giveCount(name, count))
XLA_BOTH(cuDeviceGet, hipDeviceGet, (int *device, int ordinal),
         giveDevice(name, device, ordinal))
XLA_BOTH(cuDeviceGetName, hipDeviceGetName, (char *to, int length, int),
         giveName(name, to, length))
XLA_BOTH(cuStreamCreate, hipStreamCreateWithFlags,
         (void **stream, unsigned flags), makeStream(name, stream, flags))
XLA_BOTH(cuStreamDestroy_v2, hipStreamDestroy, (void *stream),
         answer(name, text(stream)))
XLA_BOTH(cuStreamSynchronize, hipStreamSynchronize, (void *stream),
         answer(name, text(stream)))
XLA_BOTH(cuMemAllocManaged, hipMallocManaged,
         (void **memory, size_t bytes, unsigned flags),
         allocate(name, memory, bytes, flags))
XLA_BOTH(cuMemFree_v2, hipFree, (void *memory), release(name, memory))
XLA_BOTH(cuModuleLoadDataEx, hipModuleLoadDataEx,
         (void **module, const void *image, unsigned count, int *options,
          void **values),
         load(name, module, image, count, options, values))
XLA_BOTH(cuModuleUnload, hipModuleUnload, (void *module),
         answer(name, text(module)))
XLA_BOTH(cuModuleGetFunction, hipModuleGetFunction,
         (void **function, void *module, const char *kernel),
         giveFunction(name, function, module, kernel))
XLA_BOTH(cuLaunchKernel, hipModuleLaunchKernel,
         (void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
          unsigned by, unsigned bz, unsigned bytes, void *stream,
          void **parameters, void **),
         launch(name, function, {gx, gy, gz}, {bx, by, bz}, bytes, stream,
                parameters))

XLA_MOCK int cuDeviceGetAttribute(int *value, int attribute, int) {
  *value = mock.attributes[attribute];
  return answer("cuDeviceGetAttribute", std::to_string(attribute));
}
XLA_MOCK int cuDevicePrimaryCtxRetain(void **context, int device) {
  *context = handle(42);
  return answer("cuDevicePrimaryCtxRetain", std::to_string(device));
}
XLA_MOCK int cuCtxSetCurrent(void *context) {
  return answer("cuCtxSetCurrent", text(context));
}
XLA_MOCK int cuMemcpyAsync(void *to, const void *from, size_t bytes,
                           void *stream) {
  return copy("cuMemcpyAsync", to, from, bytes, stream);
}
XLA_MOCK int cuGetErrorName(int, const char **name) {
  *name = "MOCK_ERROR";
  return 0;
}
XLA_MOCK int hipSetDevice(int device) {
  return answer("hipSetDevice", std::to_string(device));
}
XLA_MOCK int hipMemcpyAsync(void *to, const void *from, size_t bytes, int kind,
                            void *stream) {
  return kind == 4 ? copy("hipMemcpyAsync", to, from, bytes, stream) : 1;
}
XLA_MOCK const char *hipGetErrorName(int) { return "mockError"; }
