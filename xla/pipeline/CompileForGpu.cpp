//===- CompileForGpu.cpp - Programs for GPUs and OpenCL -------------------===//

#include "xla/pipeline/CompileForGpu.h"

#include "xla/analysis/Costs.h"
#include "xla/codegen/cpu/EmitProgram.h"
#include "xla/codegen/cpu/MachineCode.h"
#include "xla/codegen/gpu/DeviceProgram.h"
#include "xla/codegen/gpu/DriverDevice.h"
#include "xla/codegen/gpu/Emulator.h"
#include "xla/codegen/gpu/OpenCl.h"
#include "xla/conversion/EntryLayouts.h"
#include "xla/pipeline/Pipeline.h"
#include "xla/runtime/Allocator.h"
#include "xla/support/Protobuf.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/Support/raw_ostream.h"

#include <atomic>
#include <mutex>

namespace xla::gpu {

//===----------------------------------------------------------------------===//
// Devices
//===----------------------------------------------------------------------===//

/// Never closed: programs may run while the process ends.
static std::atomic<Device *> openDevices[2];
static std::atomic<Device *> lastOpened;

static std::atomic<Device *> &slotOf(Backend backend) {
  return openDevices[backend == Backend::Reference ? 1 : 0];
}

/// What a driver's devices are called, what they must have, and how to come to
/// one.
struct Needs {
  const char *device, *rule, *wayOut;
};

static const Needs &needsOf(Driver driver) {
  static constexpr Needs all[] = {
      {"OpenCL device",
       "Programs run on the first device of the first platform, which must see "
       "the host's memory.",
       "pip install intel-opencl-rt, and set LD_LIBRARY_PATH and "
       "OCL_ICD_FILENAMES as docs/compiler/gpu.md says"},
      {"GPU of NVIDIA",
       "Programs run on the first GPU that the driver knows, of compute "
       "capability 7.0 or newer.",
       "install NVIDIA's driver; nvidia-smi shows whether it works"},
      {"GPU of AMD",
       "Programs run on the first GPU that HIP knows; it must be gfx90a, "
       "gfx942 or gfx1100.",
       "install ROCm; rocminfo shows whether it works"},
  };
  return all[static_cast<size_t>(driver)];
}

template <typename Opened>
static StatusOr<std::unique_ptr<Device>> explain(Opened opened, Driver driver) {
  if (!opened.ok()) {
    const Needs &needs = needsOf(driver);
    return Status(opened.status().code(),
                  std::string("no ") + needs.device +
                      " can be used.\n  found    " + opened.status().message() +
                      "\n" + needs.rule + "\nTo have one: " + needs.wayOut +
                      ". To run kernels by the emulator: "
                      "JAX_PJRT_CLIENT_CREATE_OPTIONS=backend:reference");
  }
  return std::unique_ptr<Device>(std::move(*opened));
}

static StatusOr<std::unique_ptr<Device>> makeDevice(Driver driver,
                                                    Backend backend) {
  if (backend == Backend::Reference) {
    return std::unique_ptr<Device>(std::make_unique<EmulatedDevice>());
  }
  switch (driver) {
  case Driver::OpenCl:
    return explain(OpenClDevice::open(nullptr), driver);
  case Driver::Cuda:
    return explain(DriverDevice::open(Vendor::Nvidia), driver);
  default:
    return explain(DriverDevice::open(Vendor::Amd), driver);
  }
}

Status openDevice(Driver driver, Backend backend) {
  static std::mutex mutex;
  std::lock_guard<std::mutex> lock(mutex);
  std::atomic<Device *> &slot = slotOf(backend);
  if (!slot) {
    XLA_ASSIGN_OR_RETURN(auto device, makeDevice(driver, backend));
    if (const MemorySource *memory = device->memory()) {
      CachingAllocator::shared().setSource(*memory);
    }
    slot = device.release();
  }
  lastOpened = slot.load();
  return okStatus();
}

std::string_view deviceName() {
  const Device *device = lastOpened;
  return device ? std::string_view(device->name()) : std::string_view();
}

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

/// `backend` says which device runs kernels, not which compiler makes them.
static CompileOptions nativeOptions(const CompileOptions &options) {
  CompileOptions native = options;
  native.backend = Backend::Native;
  return native;
}

static StatusOr<Compilation> lower(std::string_view bytes,
                                   const CompileOptions &options) {
  XLA_ASSIGN_OR_RETURN(Compilation lowered,
                       lowerToOneDevice(bytes, nativeOptions(options)));
  XLA_RETURN_IF_ERROR(runStage(optimize, lowered));
  XLA_RETURN_IF_ERROR(cpu::checkStaticShapes(lowered.module));
  return lowered;
}

/// The programs of what runs on the host.
static StatusOr<DeviceProgram::HostPrograms>
compileForHost(std::vector<HostCall> &calls, const Compilation &lowered) {
  CompileOptions options = lowered.options;
  options.isToBeDivided = false;
  DeviceProgram::HostPrograms programs;
  for (HostCall &call : calls) {
    std::string text;
    llvm::raw_string_ostream stream(text);
    call.module->print(stream, mlir::OpPrintingFlags().enableDebugInfo());
    XLA_ASSIGN_OR_RETURN(auto program, xla::compileProgram(text, options));
    programs.push_back(std::move(program));
  }
  return programs;
}

static ProgramStatistics
statisticsOf(const Compilation &lowered, const LoadedPlan &loaded,
             const DeviceProgram::HostPrograms &onHost) {
  Costs costs = costsOf(lowered.module);
  ProgramStatistics statistics;
  statistics.temporaryBytes = loaded.plan.arenaBytes;
  statistics.flops = costs.flops;
  statistics.transcendentals = costs.transcendentals;
  statistics.bytesAccessed = costs.bytes;
  statistics.mayTakeLong = mayTakeLong(lowered.module, costs);
  for (const auto &program : onHost) {
    ProgramStatistics part = program->statistics();
    statistics.generatedCodeBytes += part.generatedCodeBytes;
    statistics.mayTakeLong |= part.mayTakeLong;
    statistics.hasCollectives |= part.hasCollectives;
    statistics.hasCalls |= part.hasCalls;
    statistics.callsClient |= part.callsClient;
  }
  return statistics;
}

/// What a program is, so that its kernels' code serves another process.
namespace ImageField {
enum : uint32_t {
  Identity = 1,
  Source,
  Partitions,
  IsToBeDivided,
  KernelsHash,
  Code,
};
} // namespace ImageField

/// Empty where the build has no name.
static std::string identityFor(const Device &device) {
  const std::string &build = cpu::codeIdentity();
  return build.empty()
             ? build
             : build + "-" + device.target().chip + "-" + device.name();
}

static std::string imageOf(std::string_view source,
                           const CompileOptions &options,
                           const LoadedPlan &loaded, const Device &device) {
  std::string identity = identityFor(device);
  bool isPlain = options.choosesArguments.empty() &&
                 options.choosesResults.empty() && !options.recordsOperations;
  if (!loaded.isRepeatable || identity.empty() || !isPlain) {
    return {};
  }
  ProtobufWriter writer;
  writer.bytes(ImageField::Identity, identity);
  writer.bytes(ImageField::Source, source);
  writer.integer(ImageField::Partitions,
                 static_cast<uint64_t>(options.partitions));
  writer.integer(ImageField::IsToBeDivided, options.isToBeDivided);
  writer.integer(ImageField::KernelsHash, loaded.kernelsHash);
  writer.bytes(ImageField::Code, loaded.code);
  return writer.take();
}

/// With `known` the kernels are not compiled.
static StatusOr<std::unique_ptr<AbstractProgram>>
makeProgram(std::string_view bytes, const CompileOptions &options,
            Device &device, const KnownCode *known) {
  XLA_ASSIGN_OR_RETURN(Compilation lowered, lower(bytes, options));
  XLA_ASSIGN_OR_RETURN(LoadedPlan loaded,
                       planForDevice(lowered.module, device, known));
  std::string image = imageOf(bytes, options, loaded, device);
  XLA_ASSIGN_OR_RETURN(auto onHost,
                       compileForHost(loaded.plan.hostCalls, lowered));
  ProgramStatistics statistics = statisticsOf(lowered, loaded, onHost);
  auto program =
      std::make_unique<DeviceProgram>(std::move(loaded), std::move(onHost),
                                      std::move(lowered.signature), statistics);
  program->setImage(std::move(image));
  return std::unique_ptr<AbstractProgram>(std::move(program));
}

StatusOr<std::unique_ptr<AbstractProgram>>
compileProgram(std::string_view bytes, const CompileOptions &options) {
  Device *device = slotOf(options.backend);
  if (!device) {
    return internalError("a program is compiled before its device is opened");
  }
  return makeProgram(bytes, options, *device, nullptr);
}

int64_t hostOperations(const AbstractProgram &program) {
  const auto *made = dynamic_cast<const DeviceProgram *>(&program);
  return made ? made->hostOperations() : 0;
}

StatusOr<ProgramDescription> describeProgram(std::string_view bytes,
                                             const CompileOptions &options) {
  XLA_ASSIGN_OR_RETURN(Compilation lowered, lower(bytes, options));
  XLA_ASSIGN_OR_RETURN(ProgramPlan plan,
                       planProgram(lowered.module, emulatedTarget()));
  mlir::Attribute mark = mlir::UnitAttr::get(lowered.context.get());
  for (const HostCall &call : plan.hostCalls) {
    call.origin->setAttr("xla_gpu.on_host", mark);
  }
  restoreEntryLayouts(lowered.module, lowered.signature.arguments,
                      lowered.signature.results);
  ProgramDescription description;
  mlir::OpPrintingFlags flags;
  flags.elideLargeElementsAttrs(64);
  llvm::raw_string_ostream stream(description.text);
  lowered.module.print(stream, flags);
  return description;
}

StatusOr<std::unique_ptr<AbstractProgram>> loadProgram(std::string_view image) {
  Device *device = slotOf(Backend::Native);
  CompileOptions options;
  KnownCode known;
  std::string_view identity, source;
  ProtobufReader reader(image);
  while (std::optional<ProtobufField> field = reader.next()) {
    switch (field->number) {
    case ImageField::Identity:
      identity = field->bytes;
      break;
    case ImageField::Source:
      source = field->bytes;
      break;
    case ImageField::Partitions:
      options.partitions = static_cast<int64_t>(field->integer);
      break;
    case ImageField::IsToBeDivided:
      options.isToBeDivided = field->integer != 0;
      break;
    case ImageField::KernelsHash:
      known.kernelsHash = field->integer;
      break;
    case ImageField::Code:
      known.code = field->bytes;
      break;
    default:
      break;
    }
  }
  if (!device || reader.isMalformed() || identity.empty() ||
      identity != identityFor(*device)) {
    return Status(StatusCode::FailedPrecondition,
                  "the program was compiled by another build of the compiler "
                  "or for another device");
  }
  return makeProgram(source, options, *device, &known);
}

const std::string &codeIdentity() {
  static const std::string none;
  const Device *device = lastOpened;
  if (!device) {
    return none;
  }
  static const std::string identity = identityFor(*device);
  return identity;
}

} // namespace xla::gpu
