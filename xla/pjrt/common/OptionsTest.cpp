#include "xla/pjrt/common/TestClient.h"
#include "xla/support/Testing.h"

#include <cmath>
#include <cstring>
#include <random>

using namespace xla::pjrt::testing;

/// Every function but the two that cannot return an error.
#define XLA_PJRT_FUNCTION(name) {#name, offsetof(PJRT_Api, PJRT_##name)},
static const struct {
  const char *name;
  size_t offset;
} slots[] = {
#include "xla/pjrt/common/Functions.def"
};

/// NULL, too small and empty argument structures are answered, not died of.
static void testEverySlotChecksItsArguments() {
  XLA_CHECK(api().struct_size == sizeof(PJRT_Api));
  XLA_CHECK(std::size(slots) == 118);
  using Function = PJRT_Error *(*)(void *);
  for (const auto &slot : slots) {
    Function function;
    std::memcpy(&function, reinterpret_cast<const char *>(&api()) + slot.offset,
                sizeof function);
    if (!XLA_CHECK(function != nullptr)) {
      continue;
    }
    std::string name = slot.name;
    if (name == "Error_Destroy" || name == "Error_Message") {
      function(nullptr);
      continue;
    }
    alignas(16) char arguments[256] = {};
    auto isRefused = [&](void *args) {
      PJRT_Error_Code code = codeOf(function(args));
      return code == PJRT_Error_Code_INVALID_ARGUMENT ||
             code == PJRT_Error_Code_UNIMPLEMENTED;
    };
    if (!XLA_CHECK(isRefused(nullptr)) ||
        (name != "Plugin_Initialize" && !XLA_CHECK(isRefused(arguments)))) {
      std::fprintf(stderr, "  %s\n", slot.name);
    }
    // Large enough, all NULL: destroying nothing, and asking nobody, is fine.
    size_t size = sizeof arguments;
    std::memcpy(arguments, &size, sizeof size);
    if (name != "Client_Create" && name != "TopologyDescription_Create" &&
        name != "ExecuteContext_Create") {
      codeOf(function(arguments));
    }
  }
}

static PJRT_Error_Code createWith(PJRT_NamedValue option,
                                  PJRT_Client **client) {
  option.struct_size = PJRT_NamedValue_STRUCT_SIZE;
  option.name_size = std::strlen(option.name);
  XLA_PJRT_ARGS(PJRT_Client_Create_Args, args);
  args.create_options = &option;
  args.num_options = 1;
  PJRT_Error_Code code = codeOf(api().PJRT_Client_Create(&args));
  *client = args.client;
  return code;
}

static PJRT_NamedValue text(const char *name, const char *value) {
  PJRT_NamedValue option = {};
  option.name = name;
  option.type = PJRT_NamedValue_kString;
  option.string_value = value;
  option.value_size = std::strlen(value);
  return option;
}

static PJRT_NamedValue number(const char *name, int64_t value) {
  PJRT_NamedValue option = {};
  option.name = name;
  option.type = PJRT_NamedValue_kInt64;
  option.int64_value = value;
  option.value_size = 1;
  return option;
}

static void testClientOptions() {
  PJRT_Client *client = nullptr;
  auto invalid = PJRT_Error_Code_INVALID_ARGUMENT;
  for (const char *backend : {"native", "reference"}) {
    XLA_CHECK(createWith(text("backend", backend), &client) ==
              PJRT_Error_Code_OK);
    destroy(client);
  }
  XLA_CHECK(createWith(text("nobody_knows_me", "x"), &client) ==
            PJRT_Error_Code_OK);
  destroy(client);
  XLA_CHECK(createWith(text("backend", "quantum"), &client) == invalid);
  XLA_CHECK(createWith(number("backend", 1), &client) == invalid);
  XLA_CHECK(createWith(text("cpu_device_count", "4"), &client) == invalid);
  XLA_CHECK(createWith(number("cpu_device_count", 0), &client) == invalid);
  XLA_CHECK(createWith(number("cpu_device_count", 1 << 20), &client) ==
            invalid);
  // Without a key-value store there is no way to the others.
  XLA_CHECK(createWith(number("num_nodes", 2), &client) == invalid);
  XLA_CHECK(createWith(number("num_nodes", 0), &client) == invalid);
  XLA_CHECK(createWith(number("peer_address", 1), &client) == invalid);
  XLA_CHECK(createWith(number("peer_encryption", 1), &client) == invalid);
  XLA_CHECK(createWith(number("peer_silence_seconds", 0), &client) == invalid);
  XLA_CHECK(createWith(number("cpu_device_count", 5), &client) ==
            PJRT_Error_Code_OK);
  XLA_PJRT_ARGS(PJRT_Client_Devices_Args, devices);
  devices.client = client;
  XLA_CHECK(!api().PJRT_Client_Devices(&devices));
  XLA_CHECK(devices.num_devices == 5);
  XLA_PJRT_ARGS(PJRT_Client_LookupDevice_Args, lookup);
  lookup.client = client;
  lookup.id = 4;
  XLA_CHECK(!api().PJRT_Client_LookupDevice(&lookup));
  XLA_CHECK(lookup.device == devices.devices[4]);
  lookup.id = 5;
  XLA_CHECK(codeOf(api().PJRT_Client_LookupDevice(&lookup)) == invalid);
  destroy(client);
}

static const std::string program = "args f32[4]\nresults f32[4]\n";

static size_t deviceCount(PJRT_LoadedExecutable *executable, int *first) {
  XLA_PJRT_ARGS(PJRT_LoadedExecutable_AddressableDevices_Args, args);
  args.executable = executable;
  codeOf(api().PJRT_LoadedExecutable_AddressableDevices(&args));
  XLA_PJRT_ARGS(PJRT_Device_LocalHardwareId_Args, id);
  id.device = args.addressable_devices[0];
  codeOf(api().PJRT_Device_LocalHardwareId(&id));
  *first = id.local_hardware_id;
  return args.num_addressable_devices;
}

static void testCompileOptions() {
  PJRT_Client *client = createClient(3);
  PJRT_LoadedExecutable *executable = nullptr;
  int first = -1;
  // {3: {4: 2, 5: 1, 9: {1: 2, 2: 1, 3: {1: [2, 0]}}}}: replicas on 2 and 0.
  const std::string twoReplicas(
      "\x1a\x10\x20\x02\x28\x01\x4a\x0a\x08\x02\x10\x01\x1a\x04\x0a\x02\x02"
      "\x00",
      18);
  XLA_CHECK(compileWith(client, program, twoReplicas, &executable) ==
            PJRT_Error_Code_OK);
  XLA_CHECK(deviceCount(executable, &first) == 2);
  XLA_CHECK(first == 2);
  XLA_PJRT_ARGS(PJRT_LoadedExecutable_GetDeviceAssignment_Args, assignment);
  assignment.executable = executable;
  XLA_CHECK(!api().PJRT_LoadedExecutable_GetDeviceAssignment(&assignment));
  XLA_CHECK(std::string(assignment.serialized_bytes,
                        assignment.serialized_bytes_size) ==
            std::string("\x08\x02\x10\x01\x1a\x04\x0a\x02\x02\x00", 10));
  assignment.serialized_device_assignment_deleter(
      assignment.serialized_device_assignment);
  destroy(executable);

  XLA_CHECK(compileWith(client, program, "", &executable) ==
            PJRT_Error_Code_OK);
  XLA_CHECK(deviceCount(executable, &first) == 1);
  destroy(executable);
  // Cut off inside the message.
  XLA_CHECK(compileWith(client, program, twoReplicas.substr(0, 17),
                        &executable) == PJRT_Error_Code_INVALID_ARGUMENT);
  // {3: {4: 9}}: more replicas than devices.
  XLA_CHECK(compileWith(client, program, "\x1a\x02\x20\x09", &executable) ==
            PJRT_Error_Code_INVALID_ARGUMENT);
  // {3: {5: 2, 9: {1: 1, 2: 2, 3: {1: 2}, 3: {1: 0}}}}: partitions on 2 and 0.
  const std::string twoPartitions(
      "\x1a\x12\x28\x02\x4a\x0e\x08\x01\x10\x02\x1a\x03\x0a\x01\x02\x1a\x03\x0a"
      "\x01\x00",
      20);
  XLA_CHECK(compileWith(client, program, twoPartitions, &executable) ==
            PJRT_Error_Code_OK);
  XLA_CHECK(deviceCount(executable, &first) == 2);
  XLA_CHECK(first == 2);
  destroy(executable);
  // {3: {4: 2, 5: 2}}: both.
  XLA_CHECK(compileWith(client, program,
                        std::string("\x1a\x04\x20\x02\x28\x02", 6),
                        &executable) == PJRT_Error_Code_UNIMPLEMENTED);
  XLA_CHECK(compileWith(client, "no such word", oneDeviceOptions,
                        &executable) == PJRT_Error_Code_INVALID_ARGUMENT);
  destroy(client);
}

/// Field 7 of the options: {1: name, 2: value}.
static std::string compilerOption(const std::string &name,
                                  const std::string &value) {
  auto framed = [](char tag, const std::string &bytes) {
    return std::string(1, tag) + static_cast<char>(bytes.size()) + bytes;
  };
  return framed('\x3a', framed('\x0a', name) + framed('\x12', value));
}

static std::string textOption(const std::string &value) {
  return '\x0a' + std::string(1, static_cast<char>(value.size())) + value;
}

static std::string realOption(double value) {
  std::string bytes(1, '\x21');
  bytes.append(reinterpret_cast<const char *>(&value), sizeof value);
  return bytes;
}

static void testCompilerOptions() {
  PJRT_Client *client = createClient();
  auto answer = [&](const std::string &name, const std::string &value) {
    PJRT_LoadedExecutable *executable = nullptr;
    PJRT_Error_Code code =
        compileWith(client, program, compilerOption(name, value), &executable);
    if (code == PJRT_Error_Code_OK) {
      destroy(executable);
    }
    return code;
  };
  auto ok = PJRT_Error_Code_OK;
  auto invalid = PJRT_Error_Code_INVALID_ARGUMENT;
  const std::string yes("\x10\x01", 2);
  const std::string two("\x18\x02", 2);
  const std::string minusOne("\x18\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01",
                             11);
  const std::string flag = "xla_cpu_enable_fast_min_max";
  const std::string level = "xla_backend_optimization_level";
  const std::string amount = "exec_time_optimization_effort";
  XLA_CHECK(answer("nonsense", yes) == invalid);
  XLA_CHECK(answer("", yes) == invalid);
  for (const std::string &value :
       {yes, textOption("False"), textOption("true")}) {
    XLA_CHECK(answer(flag, value) == ok);
  }
  for (const std::string &value :
       {two, realOption(1), textOption("maybe"), std::string()}) {
    XLA_CHECK(answer(flag, value) == invalid);
  }
  XLA_CHECK(answer(level, two) == ok);
  XLA_CHECK(answer(level, textOption("3")) == ok);
  for (const std::string &value :
       {yes, minusOne, realOption(2), textOption("4"), textOption("2x"),
        textOption("")}) {
    XLA_CHECK(answer(level, value) == invalid);
  }
  XLA_CHECK(answer(amount, realOption(-0.5)) == ok);
  XLA_CHECK(answer(amount, minusOne) == ok);
  XLA_CHECK(answer(amount, realOption(std::nan(""))) == invalid);
  XLA_CHECK(answer(amount, two) == invalid);
  XLA_CHECK(answer("xla_gpu_enable_command_buffer", textOption("")) == ok);
  XLA_CHECK(answer("xla_dump_to", textOption("folder")) ==
            PJRT_Error_Code_UNIMPLEMENTED);
  destroy(client);
}

/// Bytes at random: an error or an executable, and nothing read past the end
/// (run under the address sanitizer).
static void testGarbageOptions() {
  PJRT_Client *client = createClient(3);
  std::mt19937 generator(1);
  const std::string valid =
      std::string("\x1a\x10\x20\x02\x28\x01\x4a\x0a\x08\x02\x10\x01\x1a"
                  "\x04\x0a\x02\x02\x00",
                  18) +
      compilerOption("xla_enable_fast_math", std::string("\x10\x01", 2));
  for (int round = 0; round < 20000; ++round) {
    std::string options = valid;
    options.resize(generator() % (valid.size() + 4));
    for (unsigned i = generator() % 4; i > 0 && !options.empty(); --i) {
      options[generator() % options.size()] = static_cast<char>(generator());
    }
    PJRT_LoadedExecutable *executable = nullptr;
    if (compileWith(client, program, options, &executable) ==
        PJRT_Error_Code_OK) {
      destroy(executable);
    }
  }
  destroy(client);
}

static void testSerialization() {
  PJRT_Client *client = createClient();
  PJRT_LoadedExecutable *executable = compile(client, program);
  XLA_PJRT_ARGS(PJRT_LoadedExecutable_GetExecutable_Args, get);
  get.loaded_executable = executable;
  XLA_CHECK(!api().PJRT_LoadedExecutable_GetExecutable(&get));
  XLA_PJRT_ARGS(PJRT_Executable_Serialize_Args, serialize);
  serialize.executable = get.executable;
  XLA_CHECK(!api().PJRT_Executable_Serialize(&serialize));
  std::string bytes(serialize.serialized_bytes,
                    serialize.serialized_bytes_size);
  serialize.serialized_executable_deleter(serialize.serialized_executable);
  XLA_PJRT_ARGS(PJRT_Executable_Destroy_Args, drop);
  drop.executable = get.executable;
  XLA_CHECK(!api().PJRT_Executable_Destroy(&drop));
  destroy(executable);

  auto load = [&](const std::string &from, PJRT_LoadedExecutable **loaded) {
    XLA_PJRT_ARGS(PJRT_Executable_DeserializeAndLoad_Args, args);
    args.client = client;
    args.serialized_executable = from.data();
    args.serialized_executable_size = from.size();
    PJRT_Error_Code code =
        codeOf(api().PJRT_Executable_DeserializeAndLoad(&args));
    *loaded = args.loaded_executable;
    return code;
  };
  XLA_CHECK(load(bytes, &executable) == PJRT_Error_Code_OK);
  PJRT_Buffer *x = putFloats(client, {1, 2, 3, 4});
  std::vector<PJRT_Buffer *> out(1);
  XLA_CHECK(execute(executable, {x}, &out) == PJRT_Error_Code_OK);
  XLA_CHECK(getFloats(out[0]) == (std::vector<float>{1, 2, 3, 4}));
  destroy(out[0]);
  destroy(x);
  destroy(executable);
  int accepted = 0;
  for (size_t i = 0; i < bytes.size(); ++i) { // every byte counts
    std::string damaged = bytes;
    damaged[i] ^= 4;
    if (load(damaged, &executable) == PJRT_Error_Code_OK) {
      ++accepted;
      destroy(executable);
    }
    XLA_CHECK(load(bytes.substr(0, i), &executable) != PJRT_Error_Code_OK);
  }
  XLA_CHECK(accepted == 0);
  destroy(client);
}

int main() {
  testEverySlotChecksItsArguments();
  testClientOptions();
  testCompileOptions();
  testCompilerOptions();
  testGarbageOptions();
  testSerialization();
  return xla::testing::failedChecks();
}
