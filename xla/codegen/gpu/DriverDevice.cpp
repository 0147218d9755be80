//===- DriverDevice.cpp - Kernels on a GPU of NVIDIA or AMD ---------------===//

#include "xla/codegen/gpu/DriverDevice.h"

#include "xla/codegen/gpu/Assemble.h"
#include "xla/codegen/gpu/LinkObject.h"
#include "xla/codegen/gpu/LowerKernel.h"
#include "xla/support/StatusMacros.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"

#include <charconv>

namespace xla::gpu {

// Numbers of the interfaces.
static constexpr int capabilityMajor = 75, capabilityMinor = 76;
static constexpr int sharesManagedMemory = 89;        ///< while kernels run
static constexpr unsigned forAllStreams = 1;          ///< managed memory
static constexpr unsigned apartFromOthers = 1;        ///< a stream
static constexpr int errorLog = 5, errorLogBytes = 6; ///< options of modules
static constexpr int anyDirection = 4;                ///< of a copy, in HIP
static constexpr int ofMemory = 2, ofPtxVersion = 222;

/// After such an error nothing works on a device until the process ends.
static bool isOfLostDevice(int code) { return code >= 700 && code <= 719; }

Status DriverDevice::check(int code, const std::string &what) const {
  if (code == 0) {
    return okStatus();
  }
  const char *text = nullptr;
  if (driver.errorName) {
    driver.errorName(code, &text);
  } else if (driver.nameOfError) {
    text = driver.nameOfError(code);
  }
  std::string message = "the driver of " +
                        (theName.empty() ? "the GPU" : theName) + " refuses " +
                        what + ": " + (text ? text : "an unknown error") +
                        " (" + std::to_string(code) + ")";
  if (code == ofPtxVersion) {
    message += ". The driver, of version " + std::to_string(version / 1000) +
               "." + std::to_string(version % 1000 / 10) +
               ", is older than the code made for " + chip.chip +
               ": install a newer one";
  } else if (isOfLostDevice(code)) {
    message += ". The device is lost to this process: nothing that is on it "
               "can be used any more. Start the process anew; arrays of the "
               "host are unharmed";
  }
  return Status(code == ofMemory ? StatusCode::ResourceExhausted
                                 : StatusCode::Internal,
                std::move(message));
}

Status DriverDevice::enter() const {
  return driver.setContext ? check(driver.setContext(context), "its context")
                           : check(driver.setDevice(ordinal), "to be used");
}

//===----------------------------------------------------------------------===//
// Which device
//===----------------------------------------------------------------------===//

static int numberIn(llvm::StringRef text, llvm::StringRef name) {
  size_t at = text.find((name + " ").str());
  int number = 0;
  if (at != llvm::StringRef::npos) {
    llvm::StringRef digits = text.drop_front(at + name.size() + 1);
    std::from_chars(digits.begin(), digits.end(), number);
  }
  return number;
}

/// The first chip in the list of Linux, as LLVM names it; empty where none is.
static std::string amdChip(const std::string &topology) {
  for (int node = 0;; ++node) {
    auto file = llvm::MemoryBuffer::getFileAsStream(
        topology + "/" + std::to_string(node) + "/properties");
    if (!file) {
      return "";
    }
    int version = numberIn((*file)->getBuffer(), "gfx_target_version");
    if (version > 0) { // 90402: 9.4.2; a processor has 0
      static constexpr char digits[] = "0123456789abcdef";
      return "gfx" + std::to_string(version / 10000) +
             std::to_string(version / 100 % 100) + digits[version % 100 % 16];
    }
  }
}

/// The newest one that a device of this capability runs; empty below 7.0.
static std::string nvidiaChip(int capability, int driverVersion) {
  constexpr int firstWithFeatures = 12000;
  if (capability == 90 && driverVersion >= firstWithFeatures) {
    return "sm_90a";
  }
  if (capability == 100) {
    return "sm_100a";
  }
  std::string chip;
  for (int known : {70, 75, 80, 86, 89, 90, 100, 120}) {
    if (known <= capability) {
      chip = "sm_" + std::to_string(known);
    }
  }
  return chip;
}

Status DriverDevice::chooseChip(const DriverPaths &paths) {
  std::string found;
  if (driver.attributeOf) {
    int major = 0, minor = 0, shares = 0;
    XLA_RETURN_IF_ERROR(check(
        driver.attributeOf(&major, capabilityMajor, ordinal), "its version"));
    XLA_RETURN_IF_ERROR(check(
        driver.attributeOf(&minor, capabilityMinor, ordinal), "its version"));
    XLA_RETURN_IF_ERROR(
        check(driver.attributeOf(&shares, sharesManagedMemory, ordinal),
              "what its memory is"));
    if (!shares) {
      return unimplemented("the host does not see the memory of " + theName +
                           " while kernels run");
    }
    found = nvidiaChip(10 * major + minor, version);
    if (found.empty()) {
      return unimplemented(theName + " has the compute capability " +
                           std::to_string(major) + "." + std::to_string(minor) +
                           ", and kernels are made for 7.0 and newer");
    }
  } else {
    found = amdChip(paths.topology);
  }
  StatusOr<Target> target = parseTarget(found);
  if (!target.ok()) {
    return unimplemented("there are no kernels for the chip '" + found +
                         "' of " + theName + ": " + target.status().message());
  }
  chip = *target;
  return okStatus();
}

Status DriverDevice::find(Vendor vendor, const DriverPaths &paths) {
  XLA_RETURN_IF_ERROR(driver.open(vendor, paths.library));
  XLA_RETURN_IF_ERROR(check(driver.initialize(0), "to begin"));
  int count = 0;
  XLA_RETURN_IF_ERROR(check(driver.driverVersion(&version), "its version"));
  XLA_RETURN_IF_ERROR(check(driver.deviceCount(&count), "to count devices"));
  if (count == 0) {
    return Status(StatusCode::NotFound, "the driver knows no device");
  }
  char text[256] = {};
  XLA_RETURN_IF_ERROR(check(driver.deviceAt(&ordinal, 0), "its first device"));
  XLA_RETURN_IF_ERROR(
      check(driver.deviceName(text, sizeof(text) - 1, ordinal), "its name"));
  theName = text;
  return chooseChip(paths);
}

StatusOr<std::unique_ptr<DriverDevice>>
DriverDevice::open(Vendor vendor, const DriverPaths &paths) {
  auto opened = std::unique_ptr<DriverDevice>(new DriverDevice);
  XLA_RETURN_IF_ERROR(opened->find(vendor, paths));
  if (opened->driver.retainContext) {
    XLA_RETURN_IF_ERROR(opened->check(
        opened->driver.retainContext(&opened->context, opened->ordinal),
        "a context"));
  }
  XLA_RETURN_IF_ERROR(opened->enter());
  opened->source.obtain = [](void *of, size_t bytes) -> void * {
    const auto *device = static_cast<const DriverDevice *>(of);
    void *memory = nullptr;
    bool isThere = device->enter().ok() &&
                   device->driver.allocate(&memory, bytes, forAllStreams) == 0;
    return isThere ? memory : nullptr;
  };
  opened->source.giveBack = [](void *of, void *memory) {
    const auto *device = static_cast<const DriverDevice *>(of);
    if (device->enter().ok()) {
      device->driver.release(memory);
    }
  };
  opened->source.context = opened.get();
  return opened;
}

DriverDevice::~DriverDevice() {
  for (auto [queue, stream] : streams) {
    driver.destroyStream(stream);
  }
}

StatusOr<void *> DriverDevice::streamOf(int32_t queue) {
  std::lock_guard<std::mutex> lock(streamsMutex);
  void *&stream = streams[queue];
  if (!stream) {
    XLA_RETURN_IF_ERROR(
        check(driver.createStream(&stream, apartFromOthers), "a stream"));
  }
  return stream;
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

class DriverKernels : public LoadedKernels {
public:
  explicit DriverKernels(DriverDevice &device) : device(device) {}
  ~DriverKernels() override;

  Status build(const std::string &image,
               llvm::ArrayRef<kernel::Kernel> kernels);
  Status launch(int32_t queue, size_t kernel,
                llvm::ArrayRef<void *> buffers) override;
  Status copy(int32_t queue, void *to, const void *from,
              int64_t bytes) override;
  Status finish(int32_t queue) override;

private:
  DriverDevice &device;
  void *module = nullptr;
  struct Function {
    std::string name;
    void *handle = nullptr;
    Grid grid;
  };
  std::vector<Function> functions;
};

DriverKernels::~DriverKernels() {
  if (module && device.enter().ok()) {
    device.driver.unloadModule(module);
  }
}

Status DriverKernels::build(const std::string &image,
                            llvm::ArrayRef<kernel::Kernel> kernels) {
  XLA_RETURN_IF_ERROR(device.enter());
  std::string log(4096, '\0');
  int options[] = {errorLog, errorLogBytes};
  void *values[] = {log.data(), reinterpret_cast<void *>(log.size())};
  int code =
      device.driver.loadModule(&module, image.c_str(), 2, options, values);
  if (code != 0) {
    module = nullptr;
    const char *said = log.c_str();
    return device.check(code,
                        std::string("kernels") + (*said ? ": " : "") + said);
  }
  for (const kernel::Kernel &kernel : kernels) {
    Function function = {kernel.name, nullptr, gridOf(kernel, device.chip)};
    XLA_RETURN_IF_ERROR(device.check(
        device.driver.functionOf(&function.handle, module, kernel.name.c_str()),
        "the kernel " + kernel.name));
    functions.push_back(std::move(function));
  }
  return okStatus();
}

Status DriverKernels::launch(int32_t queue, size_t kernel,
                             llvm::ArrayRef<void *> buffers) {
  XLA_RETURN_IF_ERROR(device.enter());
  XLA_ASSIGN_OR_RETURN(void *stream, device.streamOf(queue));
  // Parameters are given by their addresses.
  llvm::SmallVector<void *> pointers(buffers), parameters;
  for (void *&pointer : pointers) {
    parameters.push_back(&pointer);
  }
  const Function &function = functions[kernel];
  return device.check(
      device.driver.launch(function.handle,
                           static_cast<unsigned>(function.grid.blocks), 1, 1,
                           static_cast<unsigned>(function.grid.threads), 1, 1,
                           0, stream, parameters.data(), nullptr),
      "to launch " + function.name);
}

Status DriverKernels::copy(int32_t queue, void *to, const void *from,
                           int64_t bytes) {
  XLA_RETURN_IF_ERROR(device.enter());
  XLA_ASSIGN_OR_RETURN(void *stream, device.streamOf(queue));
  auto size = static_cast<size_t>(bytes);
  return device.check(
      device.driver.copy
          ? device.driver.copy(to, from, size, stream)
          : device.driver.copyOfKind(to, from, size, anyDirection, stream),
      "a copy");
}

Status DriverKernels::finish(int32_t queue) {
  XLA_RETURN_IF_ERROR(device.enter());
  XLA_ASSIGN_OR_RETURN(void *stream, device.streamOf(queue));
  return device.check(device.driver.waitForStream(stream), "to finish");
}

StatusOr<std::string>
DriverDevice::compile(llvm::ArrayRef<kernel::Kernel> kernels) {
  llvm::LLVMContext code;
  XLA_ASSIGN_OR_RETURN(auto module, emitNeutral(kernels, chip, code));
  XLA_ASSIGN_OR_RETURN(std::string image,
                       assemble(*module, chip, CodeFormat::Binary));
  return chip.vendor == Vendor::Amd ? linkObject(image) : image;
}

StatusOr<std::unique_ptr<LoadedKernels>>
DriverDevice::load(llvm::ArrayRef<kernel::Kernel> kernels,
                   const std::string &code) {
  auto loaded = std::make_unique<DriverKernels>(*this);
  if (!kernels.empty()) {
    XLA_RETURN_IF_ERROR(loaded->build(code, kernels));
  }
  return std::unique_ptr<LoadedKernels>(std::move(loaded));
}

} // namespace xla::gpu
