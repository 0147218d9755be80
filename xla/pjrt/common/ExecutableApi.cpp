#include "xla/pjrt/common/Error.h"
#include "xla/pjrt/common/Executable.h"
#include "xla/pjrt/common/Functions.h"

#include <algorithm>
#include <cstring>

using namespace xla;
using namespace xla::pjrt;

/// Back the bytes that a serialization hands out.
struct PJRT_SerializedExecutable {
  std::string bytes;
};
struct PJRT_DeviceAssignmentSerialized {
  std::string bytes;
};

namespace xla::pjrt {

//===----------------------------------------------------------------------===//
// Compiling
//===----------------------------------------------------------------------===//

static StatusOr<std::shared_ptr<CompiledProgram>>
compile(const PJRT_Program *program, const char *options, size_t optionsSize,
        Backend backend) {
  if (!program || program->struct_size < PJRT_Program_STRUCT_SIZE ||
      !program->code) {
    return invalidArgument(
        "the program to compile is NULL, or its struct_size too small");
  }
  if (optionsSize > 0 && !options) {
    return invalidArgument("the compile options are NULL, and their size is " +
                           std::to_string(optionsSize));
  }
  std::string_view format;
  if (program->format) {
    format = {program->format, program->format_size};
  }
  if (format != "mlir") {
    return unimplemented("a program in the format \"" + std::string(format) +
                         "\" was given; " + platform().plugin() +
                         " compiles \"mlir\": StableHLO as text or bytecode");
  }
  return CompiledProgram::compile({program->code, program->code_size},
                                  {options, optionsSize}, backend);
}

/// FNV-1a, 64 bits.
static uint64_t hashOf(const std::vector<int64_t> &numbers) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (int64_t number : numbers) {
    for (int shift = 0; shift < 64; shift += 8) {
      hash = (hash ^ (static_cast<uint64_t>(number) >> shift & 0xff)) *
             0x100000001b3u;
    }
  }
  return hash;
}

/// Finds the devices that the program was compiled for.
static StatusOr<PJRT_LoadedExecutable *>
load(PJRT_Client *client, std::shared_ptr<CompiledProgram> compiled) {
  const ExecutableOptions &options = compiled->options();
  auto loaded = std::make_unique<PJRT_LoadedExecutable>();
  loaded->client = client;
  loaded->compiled = compiled;
  std::vector<int64_t> ids = options.deviceAssignment;
  if (ids.empty()) {
    int64_t count = options.replicaCount * options.partitionCount;
    for (PJRT_Device *device : client->defaultDevices(count)) {
      ids.push_back(device->description->id);
    }
    for (auto i = static_cast<int64_t>(ids.size()); i < count; ++i) {
      ids.push_back(i); // which is not there, as is found below
    }
    if (count == 1 && options.deviceOrdinal > 0) {
      ids.front() += options.deviceOrdinal;
    }
  }
  for (int64_t id : ids) {
    PJRT_Device *device = client->findDevice(id);
    if (!device) {
      return invalidArgument("the program was compiled for device " +
                             std::to_string(id) + ", and this client has " +
                             std::to_string(client->devicePointers.size()) +
                             "; set the create option " +
                             std::string(platform().deviceCountOption) +
                             " for more");
    }
    const std::vector<PJRT_Device *> &others = loaded->allDevices;
    if (std::find(others.begin(), others.end(), device) != others.end()) {
      return invalidArgument("the program was compiled for device " +
                             std::to_string(id) +
                             " twice; each replica and partition needs a "
                             "device of its own");
    }
    if (device->isAddressable()) {
      loaded->localIndices.push_back(static_cast<int>(others.size()));
      loaded->devices.push_back(device);
    }
    loaded->allDevices.push_back(device);
    loaded->clique.processes.push_back(device->description->processIndex);
  }
  loaded->clique.id = hashOf(ids);
  return loaded.release();
}

PJRT_Error *Client_Compile(PJRT_Client_Compile_Args *args) {
  XLA_PJRT_REQUIRE(args, PJRT_Client_Compile_Args, client);
  StatusOr<std::shared_ptr<CompiledProgram>> compiled =
      compile(args->program, args->compile_options, args->compile_options_size,
              args->client->options.backend);
  if (!compiled.ok()) {
    return makeError(compiled.status());
  }
  StatusOr<PJRT_LoadedExecutable *> loaded = load(args->client, *compiled);
  if (!loaded.ok()) {
    return makeError(loaded.status());
  }
  args->executable = *loaded;
  return nullptr;
}

PJRT_Error *Compile(PJRT_Compile_Args *args) {
  XLA_PJRT_REQUIRE(args, PJRT_Compile_Args, topology);
  Backend backend =
      args->client ? args->client->options.backend : Backend::Native;
  StatusOr<std::shared_ptr<CompiledProgram>> compiled =
      compile(args->program, args->compile_options, args->compile_options_size,
              backend);
  if (!compiled.ok()) {
    return makeError(compiled.status());
  }
  args->executable = new PJRT_Executable{*compiled};
  return nullptr;
}

PJRT_Error *Executable_Serialize(PJRT_Executable_Serialize_Args *args) {
  XLA_PJRT_REQUIRE(args, PJRT_Executable_Serialize_Args, executable);
  auto *serialized =
      new PJRT_SerializedExecutable{args->executable->compiled->serialize()};
  args->serialized_bytes = serialized->bytes.data();
  args->serialized_bytes_size = serialized->bytes.size();
  args->serialized_executable = serialized;
  args->serialized_executable_deleter = [](PJRT_SerializedExecutable *holder) {
    delete holder;
  };
  return nullptr;
}

PJRT_Error *
Executable_DeserializeAndLoad(PJRT_Executable_DeserializeAndLoad_Args *args) {
  XLA_PJRT_REQUIRE(args, PJRT_Executable_DeserializeAndLoad_Args, client);
  if (!args->serialized_executable) {
    return missingField("PJRT_Executable_DeserializeAndLoad_Args",
                        "serialized_executable");
  }
  std::string_view overridden;
  if (args->overridden_serialized_compile_options) {
    overridden = {args->overridden_serialized_compile_options,
                  args->overridden_serialized_compile_options_size};
  }
  StatusOr<std::shared_ptr<CompiledProgram>> compiled =
      CompiledProgram::deserialize(
          {args->serialized_executable, args->serialized_executable_size},
          overridden);
  if (!compiled.ok()) {
    return makeError(compiled.status());
  }
  StatusOr<PJRT_LoadedExecutable *> loaded = load(args->client, *compiled);
  if (!loaded.ok()) {
    return makeError(loaded.status());
  }
  args->loaded_executable = *loaded;
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Loaded executables
//===----------------------------------------------------------------------===//

PJRT_Error *LoadedExecutable_Destroy(PJRT_LoadedExecutable_Destroy_Args *args) {
  XLA_PJRT_REQUIRE_STRUCT(args, PJRT_LoadedExecutable_Destroy_Args);
  delete args->executable;
  return nullptr;
}

PJRT_Error *
LoadedExecutable_GetExecutable(PJRT_LoadedExecutable_GetExecutable_Args *args) {
  XLA_PJRT_REQUIRE(args, PJRT_LoadedExecutable_GetExecutable_Args,
                   loaded_executable);
  args->executable = new PJRT_Executable{args->loaded_executable->compiled};
  return nullptr;
}

PJRT_Error *LoadedExecutable_AddressableDevices(
    PJRT_LoadedExecutable_AddressableDevices_Args *args) {
  XLA_PJRT_REQUIRE(args, PJRT_LoadedExecutable_AddressableDevices_Args,
                   executable);
  args->addressable_devices = args->executable->devices.data();
  args->num_addressable_devices = args->executable->devices.size();
  return nullptr;
}

PJRT_Error *LoadedExecutable_GetDeviceAssignment(
    PJRT_LoadedExecutable_GetDeviceAssignment_Args *args) {
  XLA_PJRT_REQUIRE(args, PJRT_LoadedExecutable_GetDeviceAssignment_Args,
                   executable);
  const ExecutableOptions &options = args->executable->compiled->options();
  std::vector<int64_t> ids;
  for (PJRT_Device *device : args->executable->allDevices) {
    ids.push_back(device->description->id);
  }
  auto *serialized = new PJRT_DeviceAssignmentSerialized{
      writeDeviceAssignment(options.replicaCount, options.partitionCount, ids)};
  args->serialized_bytes = serialized->bytes.data();
  args->serialized_bytes_size = serialized->bytes.size();
  args->serialized_device_assignment = serialized;
  args->serialized_device_assignment_deleter =
      [](PJRT_DeviceAssignmentSerialized *holder) { delete holder; };
  return nullptr;
}

PJRT_Error *LoadedExecutable_Delete(PJRT_LoadedExecutable_Delete_Args *args) {
  XLA_PJRT_REQUIRE(args, PJRT_LoadedExecutable_Delete_Args, executable);
  args->executable->isDeleted = true;
  return nullptr;
}

PJRT_Error *
LoadedExecutable_IsDeleted(PJRT_LoadedExecutable_IsDeleted_Args *args) {
  XLA_PJRT_REQUIRE(args, PJRT_LoadedExecutable_IsDeleted_Args, executable);
  args->is_deleted = args->executable->isDeleted;
  return nullptr;
}

PJRT_Error *
LoadedExecutable_Fingerprint(PJRT_LoadedExecutable_Fingerprint_Args *args) {
  XLA_PJRT_REQUIRE(args, PJRT_LoadedExecutable_Fingerprint_Args, executable);
  const std::string &fingerprint = args->executable->compiled->fingerprint;
  args->executable_fingerprint = fingerprint.data();
  args->executable_fingerprint_size = fingerprint.size();
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Executables
//===----------------------------------------------------------------------===//

PJRT_Error *Executable_Destroy(PJRT_Executable_Destroy_Args *args) {
  XLA_PJRT_REQUIRE_STRUCT(args, PJRT_Executable_Destroy_Args);
  delete args->executable;
  return nullptr;
}

PJRT_Error *Executable_Name(PJRT_Executable_Name_Args *args) {
  XLA_PJRT_REQUIRE(args, PJRT_Executable_Name_Args, executable);
  const std::string &name = args->executable->compiled->signature().name;
  args->executable_name = name.data();
  args->executable_name_size = name.size();
  return nullptr;
}

PJRT_Error *Executable_NumReplicas(PJRT_Executable_NumReplicas_Args *args) {
  XLA_PJRT_REQUIRE(args, PJRT_Executable_NumReplicas_Args, executable);
  args->num_replicas = args->executable->compiled->options().replicaCount;
  return nullptr;
}

PJRT_Error *Executable_NumPartitions(PJRT_Executable_NumPartitions_Args *args) {
  XLA_PJRT_REQUIRE(args, PJRT_Executable_NumPartitions_Args, executable);
  args->num_partitions = args->executable->compiled->options().partitionCount;
  return nullptr;
}

PJRT_Error *Executable_NumOutputs(PJRT_Executable_NumOutputs_Args *args) {
  XLA_PJRT_REQUIRE(args, PJRT_Executable_NumOutputs_Args, executable);
  args->num_outputs = args->executable->compiled->resultTypes.size();
  return nullptr;
}

PJRT_Error *Executable_SizeOfGeneratedCodeInBytes(
    PJRT_Executable_SizeOfGeneratedCodeInBytes_Args *args) {
  XLA_PJRT_REQUIRE(args, PJRT_Executable_SizeOfGeneratedCodeInBytes_Args,
                   executable);
  args->size_in_bytes =
      args->executable->compiled->program().statistics().generatedCodeBytes;
  return nullptr;
}

PJRT_Error *
Executable_GetCostAnalysis(PJRT_Executable_GetCostAnalysis_Args *args) {
  XLA_PJRT_REQUIRE(args, PJRT_Executable_GetCostAnalysis_Args, executable);
  args->properties = args->executable->compiled->costs.data();
  args->num_properties = args->executable->compiled->costs.size();
  return nullptr;
}

PJRT_Error *
Executable_OutputMemoryKinds(PJRT_Executable_OutputMemoryKinds_Args *args) {
  XLA_PJRT_REQUIRE(args, PJRT_Executable_OutputMemoryKinds_Args, executable);
  const CompiledProgram &compiled = *args->executable->compiled;
  args->num_outputs = compiled.resultMemoryKinds.size();
  args->memory_kinds = compiled.resultMemoryKinds.data();
  args->memory_kind_sizes = compiled.resultMemoryKindSizes.data();
  return nullptr;
}

PJRT_Error *
Executable_OptimizedProgram(PJRT_Executable_OptimizedProgram_Args *args) {
  XLA_PJRT_REQUIRE(args, PJRT_Executable_OptimizedProgram_Args, executable);
  XLA_PJRT_REQUIRE_STRUCT(args->program, PJRT_Program);
  const std::string &text = args->executable->compiled->description().text;
  static constexpr std::string_view format = "mlir";
  PJRT_Program &program = *args->program;
  program.format = format.data();
  program.format_size = format.size();
  if (!program.code) {
    program.code_size = text.size();
    return nullptr;
  }
  if (program.code_size < text.size()) {
    return makeError(invalidArgument(
        "PJRT_Executable_OptimizedProgram: the program has " +
        std::to_string(text.size()) + " bytes, and there is room for " +
        std::to_string(program.code_size)));
  }
  std::memcpy(program.code, text.data(), text.size());
  program.code_size = text.size();
  return nullptr;
}

PJRT_Error *
Executable_OutputElementTypes(PJRT_Executable_OutputElementTypes_Args *args) {
  XLA_PJRT_REQUIRE(args, PJRT_Executable_OutputElementTypes_Args, executable);
  args->output_types = args->executable->compiled->resultTypes.data();
  args->num_output_types = args->executable->compiled->resultTypes.size();
  return nullptr;
}

PJRT_Error *
Executable_OutputDimensions(PJRT_Executable_OutputDimensions_Args *args) {
  XLA_PJRT_REQUIRE(args, PJRT_Executable_OutputDimensions_Args, executable);
  const CompiledProgram &compiled = *args->executable->compiled;
  args->num_outputs = compiled.resultRanks.size();
  args->dims = compiled.resultDimensions.data();
  args->dim_sizes = compiled.resultRanks.data();
  return nullptr;
}

PJRT_Error *Executable_Fingerprint(PJRT_Executable_Fingerprint_Args *args) {
  XLA_PJRT_REQUIRE(args, PJRT_Executable_Fingerprint_Args, executable);
  const std::string &fingerprint = args->executable->compiled->fingerprint;
  args->executable_fingerprint = fingerprint.data();
  args->executable_fingerprint_size = fingerprint.size();
  return nullptr;
}

PJRT_Error *Executable_GetCompiledMemoryStats(
    PJRT_Executable_GetCompiledMemoryStats_Args *args) {
  XLA_PJRT_REQUIRE(args, PJRT_Executable_GetCompiledMemoryStats_Args,
                   executable);
  const CompiledProgram &compiled = *args->executable->compiled;
  ProgramStatistics statistics = compiled.program().statistics();
  int64_t argumentBytes = 0;
  int64_t resultBytes = 0;
  int64_t aliasedBytes = 0;
  for (int64_t bytes : compiled.argumentBytes) {
    argumentBytes += bytes;
  }
  for (int64_t bytes : compiled.resultBytes) {
    resultBytes += bytes;
  }
  for (const Donation &donation : compiled.signature().donations) {
    aliasedBytes += compiled.resultBytes[donation.result];
  }
  args->generated_code_size_in_bytes = statistics.generatedCodeBytes;
  args->argument_size_in_bytes = argumentBytes;
  args->output_size_in_bytes = resultBytes;
  args->alias_size_in_bytes = aliasedBytes;
  args->temp_size_in_bytes = compiled.temporaryBytes;
  args->host_generated_code_size_in_bytes = 0;
  args->host_argument_size_in_bytes = 0;
  args->host_output_size_in_bytes = 0;
  args->host_alias_size_in_bytes = 0;
  args->host_temp_size_in_bytes = 0;
  args->peak_memory_in_bytes =
      argumentBytes + resultBytes - aliasedBytes + compiled.temporaryBytes;
  return nullptr;
}

} // namespace xla::pjrt
