#include "xla/pjrt/common/Client.h"

#include "xla/pjrt/common/BackgroundCompiler.h"
#include "xla/pjrt/common/Error.h"
#include "xla/pjrt/common/Functions.h"
#include "xla/runtime/LaunchGroup.h"

#include <algorithm>

using namespace xla;
using namespace xla::pjrt;

/// How many devices each process has.
static std::vector<int>
countDevices(const ClientOptions &options,
             const std::vector<ProcessDescription> &processes) {
  std::vector<int> counts;
  for (const ProcessDescription &process : processes) {
    counts.push_back(process.deviceCount);
  }
  return counts.empty() ? std::vector<int>{options.deviceCount} : counts;
}

static void addMemories(PJRT_Client &client, PJRT_Device &device) {
  for (const PJRT_MemoryDescription *description : memoryDescriptions()) {
    auto memory = std::make_unique<PJRT_Memory>();
    memory->id = static_cast<int>(client.memories.size());
    memory->description = description;
    memory->device = &device;
    memory->toString =
        description->kind + " memory of " + device.description->toString;
    memory->debugString = description->kind + " memory " +
                          std::to_string(memory->id) + " of " +
                          device.description->debugString;
    device.memories.push_back(memory.get());
    client.memoryPointers.push_back(memory.get());
    client.memories.push_back(std::move(memory));
  }
}

PJRT_Client::PJRT_Client(const ClientOptions &options,
                         std::vector<ProcessDescription> all,
                         std::unique_ptr<Peers> peers)
    : options(options), processes(std::move(all)), peers(std::move(peers)),
      topology(countDevices(options, processes),
               processes.empty() ? options.processIndex : 0) {
  expectEndOfProcess();
  if (options.patienceSeconds >= 0) {
    LaunchGroup::setPatience(options.patienceSeconds);
  }
  for (PJRT_DeviceDescription *description : topology.descriptionPointers) {
    auto device = std::make_unique<PJRT_Device>();
    bool isOurs = description->processIndex == options.processIndex;
    device->client = this;
    device->description = description;
    device->localId = isOurs ? static_cast<int>(localDevices.size()) : -1;
    device->account = std::make_shared<MemoryAccount>();
    device->account->device = device->localId;
    if (isOurs) {
      addMemories(*this, *device);
      localDevices.push_back(device.get());
    }
    devicePointers.push_back(device.get());
    devices.push_back(std::move(device));
  }
}

PJRT_Device *PJRT_Client::findDevice(int64_t id) const {
  auto found =
      std::lower_bound(devicePointers.begin(), devicePointers.end(), id,
                       [](const PJRT_Device *device, int64_t wanted) {
                         return device->description->id < wanted;
                       });
  bool isThere =
      found != devicePointers.end() && (*found)->description->id == id;
  return isThere ? *found : nullptr;
}

std::vector<PJRT_Device *> PJRT_Client::defaultDevices(int64_t count) const {
  bool areEnough = count <= static_cast<int64_t>(localDevices.size());
  const std::vector<PJRT_Device *> &from =
      areEnough ? localDevices : devicePointers;
  count = std::min(count, static_cast<int64_t>(from.size()));
  return {from.begin(), from.begin() + count};
}

namespace xla::pjrt {

static PJRT_NamedValue integers(const char *name, size_t nameSize,
                                const int64_t *values, size_t count) {
  PJRT_NamedValue value = {};
  value.struct_size = PJRT_NamedValue_STRUCT_SIZE;
  value.name = name;
  value.name_size = nameSize;
  value.type = PJRT_NamedValue_kInt64List;
  value.int64_array_value = values;
  value.value_size = count;
  return value;
}

static PJRT_NamedValue text(std::string_view name, std::string_view said) {
  PJRT_NamedValue value = {};
  value.struct_size = PJRT_NamedValue_STRUCT_SIZE;
  value.name = name.data();
  value.name_size = name.size();
  value.type = PJRT_NamedValue_kString;
  value.string_value = said.data();
  value.value_size = said.size();
  return value;
}

PJRT_Error *Plugin_Initialize(PJRT_Plugin_Initialize_Args *args) {
  XLA_PJRT_REQUIRE_STRUCT(args, PJRT_Plugin_Initialize_Args);
  return nullptr;
}

PJRT_Error *Plugin_Attributes(PJRT_Plugin_Attributes_Args *args) {
  XLA_PJRT_REQUIRE_STRUCT(args, PJRT_Plugin_Attributes_Args);
  // Programs reach us translated to at most the first of these versions of
  // StableHLO, and at least the second.
  static constexpr int64_t current[] = {1, 13, 7};
  static constexpr int64_t minimum[] = {0, 9, 0};
  static const PJRT_NamedValue attributes[] = {
      text("code_identity", platform().codeIdentity()),
      integers("stablehlo_current_version", 25, current, 3),
      integers("stablehlo_minimum_version", 25, minimum, 3),
  };
  args->attributes = attributes;
  args->num_attributes = std::size(attributes);
  return nullptr;
}

PJRT_Error *Client_Create(PJRT_Client_Create_Args *args) {
  XLA_PJRT_REQUIRE_STRUCT(args, PJRT_Client_Create_Args);
  StatusOr<ClientOptions> options =
      readClientOptions(args->create_options, args->num_options);
  if (!options.ok()) {
    return makeError(options.status());
  }
  if (Status status = platform().prepare(options->backend); !status.ok()) {
    return makeError(status);
  }
  if (options->processCount == 1) {
    args->client = new PJRT_Client(*options, {}, nullptr);
    return nullptr;
  }
  CallerKeyValueStore store(*args);
  std::vector<ProcessDescription> processes;
  StatusOr<std::unique_ptr<Peers>> peers =
      meetProcesses(store, *options, processes);
  if (!peers.ok()) {
    return makeError(peers.status());
  }
  args->client =
      new PJRT_Client(*options, std::move(processes), std::move(*peers));
  return nullptr;
}

PJRT_Error *Client_Destroy(PJRT_Client_Destroy_Args *args) {
  XLA_PJRT_REQUIRE_STRUCT(args, PJRT_Client_Destroy_Args);
  delete args->client;
  return nullptr;
}

PJRT_Error *Client_PlatformName(PJRT_Client_PlatformName_Args *args) {
  XLA_PJRT_REQUIRE(args, PJRT_Client_PlatformName_Args, client);
  args->platform_name = platform().name.data();
  args->platform_name_size = platform().name.size();
  return nullptr;
}

PJRT_Error *Client_ProcessIndex(PJRT_Client_ProcessIndex_Args *args) {
  XLA_PJRT_REQUIRE(args, PJRT_Client_ProcessIndex_Args, client);
  args->process_index = args->client->options.processIndex;
  return nullptr;
}

PJRT_Error *Client_PlatformVersion(PJRT_Client_PlatformVersion_Args *args) {
  XLA_PJRT_REQUIRE(args, PJRT_Client_PlatformVersion_Args, client);
  args->platform_version = platformVersion.data();
  args->platform_version_size = platformVersion.size();
  return nullptr;
}

PJRT_Error *
Client_TopologyDescription(PJRT_Client_TopologyDescription_Args *args) {
  XLA_PJRT_REQUIRE(args, PJRT_Client_TopologyDescription_Args, client);
  args->topology = &args->client->topology;
  return nullptr;
}

PJRT_Error *Client_Devices(PJRT_Client_Devices_Args *args) {
  XLA_PJRT_REQUIRE(args, PJRT_Client_Devices_Args, client);
  args->devices = args->client->devicePointers.data();
  args->num_devices = args->client->devicePointers.size();
  return nullptr;
}

PJRT_Error *
Client_AddressableDevices(PJRT_Client_AddressableDevices_Args *args) {
  XLA_PJRT_REQUIRE(args, PJRT_Client_AddressableDevices_Args, client);
  args->addressable_devices = args->client->localDevices.data();
  args->num_addressable_devices = args->client->localDevices.size();
  return nullptr;
}

static PJRT_Error *noSuchDevice(const char *what, int id,
                                const std::vector<int64_t> &known) {
  std::string text = std::string("no device has the ") + what + " " +
                     std::to_string(id) + "; this client has ";
  for (size_t i = 0; i < known.size(); i += 2) {
    text += (i > 0 ? ", " : "") + std::to_string(known[i]) + " to " +
            std::to_string(known[i + 1]);
  }
  return makeError(invalidArgument(text));
}

/// The first and the last id of each process.
static std::vector<int64_t> knownIds(const PJRT_Client &client) {
  std::vector<int64_t> ids;
  const std::vector<int> &counts = client.topology.deviceCounts;
  for (size_t process = 0; process < std::min<size_t>(counts.size(), 16);
       ++process) {
    auto first = static_cast<int64_t>(process) * deviceIdsPerProcess;
    ids.insert(ids.end(), {first, first + counts[process] - 1});
  }
  return ids;
}

PJRT_Error *Client_LookupDevice(PJRT_Client_LookupDevice_Args *args) {
  XLA_PJRT_REQUIRE(args, PJRT_Client_LookupDevice_Args, client);
  args->device = args->client->findDevice(args->id);
  return args->device ? nullptr
                      : noSuchDevice("id", args->id, knownIds(*args->client));
}

PJRT_Error *
Client_LookupAddressableDevice(PJRT_Client_LookupAddressableDevice_Args *args) {
  XLA_PJRT_REQUIRE(args, PJRT_Client_LookupAddressableDevice_Args, client);
  const std::vector<PJRT_Device *> &devices = args->client->localDevices;
  auto count = static_cast<int64_t>(devices.size());
  if (args->local_hardware_id < 0 || args->local_hardware_id >= count) {
    return noSuchDevice("local hardware id", args->local_hardware_id,
                        {0, count - 1});
  }
  args->addressable_device = devices[args->local_hardware_id];
  return nullptr;
}

PJRT_Error *
Client_AddressableMemories(PJRT_Client_AddressableMemories_Args *args) {
  XLA_PJRT_REQUIRE(args, PJRT_Client_AddressableMemories_Args, client);
  args->addressable_memories = args->client->memoryPointers.data();
  args->num_addressable_memories = args->client->memoryPointers.size();
  return nullptr;
}

PJRT_Error *
Client_DefaultDeviceAssignment(PJRT_Client_DefaultDeviceAssignment_Args *args) {
  XLA_PJRT_REQUIRE(args, PJRT_Client_DefaultDeviceAssignment_Args, client);
  int64_t count = int64_t(args->num_replicas) * args->num_partitions;
  auto available = static_cast<int64_t>(args->client->devicePointers.size());
  if (args->num_replicas < 1 || args->num_partitions < 1 || count > available) {
    return makeError(invalidArgument(
        "a device assignment for " + std::to_string(args->num_replicas) +
        " replicas of " + std::to_string(args->num_partitions) +
        " partitions was requested; this client has " +
        std::to_string(available) + " devices"));
  }
  if (!args->default_assignment ||
      static_cast<int64_t>(args->default_assignment_size) < count) {
    return makeError(invalidArgument(
        "PJRT_Client_DefaultDeviceAssignment_Args.default_assignment needs "
        "room for " +
        std::to_string(count) + " ids"));
  }
  std::vector<PJRT_Device *> devices = args->client->defaultDevices(count);
  for (int64_t i = 0; i < count; ++i) {
    args->default_assignment[i] = devices[i]->description->id;
  }
  return nullptr;
}

} // namespace xla::pjrt
