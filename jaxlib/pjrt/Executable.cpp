#include "jaxlib/pjrt/Executable.h"

#include <atomic>
#include <memory>

using namespace jaxlib;

PJRT_Program jaxlib::programOf(std::string_view program,
                               std::string_view format) {
  PJRT_Program source;
  __builtin_memset(&source, 0, sizeof(source));
  source.struct_size = PJRT_Program_STRUCT_SIZE;
  source.code = const_cast<char *>(program.data());
  source.code_size = program.size();
  source.format = format.data();
  source.format_size = format.size();
  return source;
}

StatusOr<std::shared_ptr<Executable>>
Executable::compile(Client &client, std::string_view program,
                    std::string_view format, const CompileOptions &options) {
  XLA_RETURN_IF_ERROR(client.checkPresent("loading a program"));
  std::string optionBytes = serialize(options);
  PJRT_Program source = programOf(program, format);

  std::shared_ptr<Executable> executable(
      new Executable(client.shared_from_this()));
  JAXLIB_PJRT_ARGUMENTS(PJRT_Client_Compile_Args, arguments);
  arguments.client = client.handle();
  arguments.program = &source;
  arguments.compile_options = optionBytes.data();
  arguments.compile_options_size = optionBytes.size();
  XLA_RETURN_IF_ERROR(
      JAXLIB_PJRT_CALL(client.plugin(), PJRT_Client_Compile, arguments));
  executable->theHandle = arguments.executable;
  XLA_RETURN_IF_ERROR(executable->describe());
  return executable;
}

StatusOr<std::shared_ptr<Executable>>
Executable::deserialize(Client &client, std::string_view bytes,
                        const CompileOptions *options) {
  XLA_RETURN_IF_ERROR(client.checkPresent("loading a program"));
  std::shared_ptr<Executable> executable(
      new Executable(client.shared_from_this()));
  const std::string optionBytes = options ? serialize(*options) : "";
  JAXLIB_PJRT_ARGUMENTS(PJRT_Executable_DeserializeAndLoad_Args, arguments);
  arguments.client = client.handle();
  arguments.serialized_executable = bytes.data();
  arguments.serialized_executable_size = bytes.size();
  if (options) {
    arguments.overridden_serialized_compile_options = optionBytes.data();
    arguments.overridden_serialized_compile_options_size = optionBytes.size();
  }
  XLA_RETURN_IF_ERROR(JAXLIB_PJRT_CALL(
      client.plugin(), PJRT_Executable_DeserializeAndLoad, arguments));
  executable->theHandle = arguments.loaded_executable;
  XLA_RETURN_IF_ERROR(executable->describe());
  return executable;
}

Executable::~Executable() {
  if (theProgram != nullptr) {
    JAXLIB_PJRT_ARGUMENTS(PJRT_Executable_Destroy_Args, arguments);
    arguments.executable = theProgram;
    (void)JAXLIB_PJRT_CALL(plugin(), PJRT_Executable_Destroy, arguments);
  }
  if (theHandle != nullptr) {
    JAXLIB_PJRT_ARGUMENTS(PJRT_LoadedExecutable_Destroy_Args, arguments);
    arguments.executable = theHandle;
    (void)JAXLIB_PJRT_CALL(plugin(), PJRT_LoadedExecutable_Destroy, arguments);
  }
}

Status Executable::describe() {
  if (theHandle != nullptr) {
    JAXLIB_PJRT_ARGUMENTS(PJRT_LoadedExecutable_GetExecutable_Args, get);
    get.loaded_executable = theHandle;
    XLA_RETURN_IF_ERROR(
        JAXLIB_PJRT_CALL(plugin(), PJRT_LoadedExecutable_GetExecutable, get));
    theProgram = get.executable;
  }

  JAXLIB_PJRT_ARGUMENTS(PJRT_Executable_NumOutputs_Args, count);
  count.executable = theProgram;
  XLA_RETURN_IF_ERROR(
      JAXLIB_PJRT_CALL(plugin(), PJRT_Executable_NumOutputs, count));
  theResultCount = count.num_outputs;

  JAXLIB_PJRT_ARGUMENTS(PJRT_Executable_Name_Args, name);
  name.executable = theProgram;
  Status status = JAXLIB_PJRT_CALL(plugin(), PJRT_Executable_Name, name);
  if (status.ok() && name.executable_name != nullptr) {
    theName.assign(name.executable_name, name.executable_name_size);
  }
  return theHandle != nullptr ? describeDevices() : Status();
}

Status Executable::describeDevices() {
  JAXLIB_PJRT_ARGUMENTS(PJRT_LoadedExecutable_AddressableDevices_Args, devices);
  devices.executable = theHandle;
  XLA_RETURN_IF_ERROR(JAXLIB_PJRT_CALL(
      plugin(), PJRT_LoadedExecutable_AddressableDevices, devices));
  for (size_t i = 0; i < devices.num_addressable_devices; ++i) {
    Device *device = theClient->findDevice(devices.addressable_devices[i]);
    if (device == nullptr) {
      return xla::internalError(
          "the plugin " + plugin().origin() +
          " names an executable's device that it never listed");
    }
    theDevices.push_back(device);
  }
  return Status();
}

void Executable::keepAlive(std::shared_ptr<const void> object) {
  std::lock_guard<std::mutex> lock(mutex);
  if (!theKept) {
    theKept = std::make_shared<Kept>();
  } else if (theKept.use_count() > 1) { // a run holds what was there before
    theKept = std::make_shared<Kept>(*theKept);
  }
  theKept->push_back(std::move(object));
  keepsAny = true;
}

std::shared_ptr<const Executable::Kept> Executable::kept() const {
  if (!keepsAny) {
    return nullptr;
  }
  std::lock_guard<std::mutex> lock(mutex);
  return theKept;
}

/// Holds `object` until `event`, which it takes over, has happened.
static void holdUntil(const Plugin &plugin, PJRT_Event *event,
                      std::shared_ptr<const void> object) {
  struct Hold {
    const Plugin &plugin;
    PJRT_Event *event;
    std::shared_ptr<const void> object;
  };
  auto finish = [](PJRT_Error *error, void *argument) {
    std::unique_ptr<Hold> hold(static_cast<Hold *>(argument));
    if (error != nullptr) {
      (void)hold->plugin.consume(error); // results carry it, too
    }
    JAXLIB_PJRT_ARGUMENTS(PJRT_Event_Destroy_Args, destroy);
    destroy.event = hold->event;
    (void)JAXLIB_PJRT_CALL(hold->plugin, PJRT_Event_Destroy, destroy);
  };
  auto *hold = new Hold{plugin, event, std::move(object)};
  JAXLIB_PJRT_ARGUMENTS(PJRT_Event_OnReady_Args, ready);
  ready.event = event;
  ready.callback = finish;
  ready.user_arg = hold;
  if (!JAXLIB_PJRT_CALL(plugin, PJRT_Event_OnReady, ready).ok()) {
    finish(nullptr, hold);
  }
}

Status Executable::execute(PJRT_Buffer *const *arguments, size_t argumentCount,
                           std::vector<PJRT_Buffer *> &results) const {
  if (theHandle == nullptr) {
    return Status(xla::StatusCode::FailedPrecondition,
                  "'" + theName +
                      "' was compiled without devices: it reports "
                      "what it would need, and cannot be run");
  }
  static std::atomic<int> launches{0};
  size_t deviceCount = theDevices.size();
  results.assign(deviceCount * theResultCount, nullptr);

  // One device is the common case: no allocation for it.
  PJRT_Buffer *const *oneArgumentList = arguments;
  PJRT_Buffer **oneResultList = results.data();
  std::vector<PJRT_Buffer *const *> argumentLists;
  std::vector<PJRT_Buffer **> resultLists;
  JAXLIB_PJRT_ARGUMENTS(PJRT_LoadedExecutable_Execute_Args, call);
  if (deviceCount == 1) {
    call.argument_lists = &oneArgumentList;
    call.output_lists = &oneResultList;
  } else {
    for (size_t i = 0; i < deviceCount; ++i) {
      argumentLists.push_back(arguments + i * argumentCount);
      resultLists.push_back(results.data() + i * theResultCount);
    }
    call.argument_lists = argumentLists.data();
    call.output_lists = resultLists.data();
  }

  PJRT_ExecuteOptions options;
  __builtin_memset(&options, 0, sizeof(options));
  options.struct_size = PJRT_ExecuteOptions_STRUCT_SIZE;
  options.launch_id = ++launches & 0x7fffffff;

  call.executable = theHandle;
  call.options = &options;
  call.num_devices = deviceCount;
  call.num_args = argumentCount;
  std::shared_ptr<const Kept> held = kept();
  std::vector<PJRT_Event *> completions(held ? deviceCount : 0);
  call.device_complete_events = held ? completions.data() : nullptr;
  Status status =
      JAXLIB_PJRT_CALL(plugin(), PJRT_LoadedExecutable_Execute, call);
  for (PJRT_Event *completion : completions) {
    if (status.ok() && completion != nullptr) {
      holdUntil(plugin(), completion, held);
    }
  }
  return status;
}

StatusOr<std::vector<xla::Shape>> Executable::resultShapes() const {
  JAXLIB_PJRT_ARGUMENTS(PJRT_Executable_OutputElementTypes_Args, types);
  types.executable = theProgram;
  XLA_RETURN_IF_ERROR(
      JAXLIB_PJRT_CALL(plugin(), PJRT_Executable_OutputElementTypes, types));
  JAXLIB_PJRT_ARGUMENTS(PJRT_Executable_OutputDimensions_Args, dimensions);
  dimensions.executable = theProgram;
  dimensions.num_outputs = types.num_output_types;
  XLA_RETURN_IF_ERROR(
      JAXLIB_PJRT_CALL(plugin(), PJRT_Executable_OutputDimensions, dimensions));
  std::vector<xla::Shape> shapes;
  const int64_t *next = dimensions.dims;
  for (size_t i = 0; i < types.num_output_types; ++i) {
    size_t rank = dimensions.dim_sizes[i];
    shapes.push_back({static_cast<xla::ElementType>(types.output_types[i]),
                      {next, next + rank}});
    next += rank;
  }
  return shapes;
}

StatusOr<std::vector<std::string>> Executable::resultMemoryKinds() const {
  JAXLIB_PJRT_ARGUMENTS(PJRT_Executable_OutputMemoryKinds_Args, arguments);
  arguments.executable = theProgram;
  XLA_RETURN_IF_ERROR(
      JAXLIB_PJRT_CALL(plugin(), PJRT_Executable_OutputMemoryKinds, arguments));
  std::vector<std::string> kinds;
  for (size_t i = 0; i < arguments.num_outputs; ++i) {
    kinds.emplace_back(arguments.memory_kinds[i],
                       arguments.memory_kind_sizes[i]);
  }
  return kinds;
}

StatusOr<Executable::Program> Executable::optimizedProgram() const {
  PJRT_Program program;
  __builtin_memset(&program, 0, sizeof(program));
  program.struct_size = PJRT_Program_STRUCT_SIZE;
  JAXLIB_PJRT_ARGUMENTS(PJRT_Executable_OptimizedProgram_Args, arguments);
  arguments.executable = theProgram;
  arguments.program = &program;
  XLA_RETURN_IF_ERROR(
      JAXLIB_PJRT_CALL(plugin(), PJRT_Executable_OptimizedProgram, arguments));
  // The first call told the size, the second fills.
  std::string code(program.code_size, '\0');
  program.code = code.data();
  XLA_RETURN_IF_ERROR(
      JAXLIB_PJRT_CALL(plugin(), PJRT_Executable_OptimizedProgram, arguments));
  return Program{std::string(program.format, program.format_size),
                 std::move(code)};
}

StatusOr<NamedValues> Executable::costAnalysis() const {
  JAXLIB_PJRT_ARGUMENTS(PJRT_Executable_GetCostAnalysis_Args, arguments);
  arguments.executable = theProgram;
  XLA_RETURN_IF_ERROR(
      JAXLIB_PJRT_CALL(plugin(), PJRT_Executable_GetCostAnalysis, arguments));
  return copyNamedValues(arguments.properties, arguments.num_properties);
}

StatusOr<std::map<std::string, int64_t>> Executable::memoryAnalysis() const {
  JAXLIB_PJRT_ARGUMENTS(PJRT_Executable_GetCompiledMemoryStats_Args, stats);
  stats.executable = theProgram;
  XLA_RETURN_IF_ERROR(JAXLIB_PJRT_CALL(
      plugin(), PJRT_Executable_GetCompiledMemoryStats, stats));
  return std::map<std::string, int64_t>{
      {"generated_code_size_in_bytes", stats.generated_code_size_in_bytes},
      {"argument_size_in_bytes", stats.argument_size_in_bytes},
      {"output_size_in_bytes", stats.output_size_in_bytes},
      {"alias_size_in_bytes", stats.alias_size_in_bytes},
      {"temp_size_in_bytes", stats.temp_size_in_bytes},
      {"peak_memory_in_bytes", stats.peak_memory_in_bytes},
      {"host_generated_code_size_in_bytes",
       stats.host_generated_code_size_in_bytes},
      {"host_argument_size_in_bytes", stats.host_argument_size_in_bytes},
      {"host_output_size_in_bytes", stats.host_output_size_in_bytes},
      {"host_alias_size_in_bytes", stats.host_alias_size_in_bytes},
      {"host_temp_size_in_bytes", stats.host_temp_size_in_bytes},
  };
}

StatusOr<std::string> Executable::serialized() const {
  JAXLIB_PJRT_ARGUMENTS(PJRT_Executable_Serialize_Args, arguments);
  arguments.executable = theProgram;
  XLA_RETURN_IF_ERROR(
      JAXLIB_PJRT_CALL(plugin(), PJRT_Executable_Serialize, arguments));
  std::string bytes(arguments.serialized_bytes,
                    arguments.serialized_bytes_size);
  if (arguments.serialized_executable_deleter != nullptr) {
    arguments.serialized_executable_deleter(arguments.serialized_executable);
  }
  return bytes;
}

StatusOr<std::string> Executable::fingerprint() const {
  JAXLIB_PJRT_ARGUMENTS(PJRT_Executable_Fingerprint_Args, arguments);
  arguments.executable = theProgram;
  XLA_RETURN_IF_ERROR(
      JAXLIB_PJRT_CALL(plugin(), PJRT_Executable_Fingerprint, arguments));
  return std::string(arguments.executable_fingerprint,
                     arguments.executable_fingerprint_size);
}
