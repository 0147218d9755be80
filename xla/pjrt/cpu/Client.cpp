#include "xla/pjrt/cpu/Client.h"

#include "xla/pipeline/Compile.h"
#include "xla/pjrt/cpu/Error.h"
#include "xla/pjrt/cpu/Functions.h"
#include "xla/runtime/Gang.h"

using namespace xla;
using namespace xla::pjrt;

PJRT_Client::PJRT_Client(const ClientOptions &options)
    : options(options), topology(options.deviceCount, options.processIndex) {
  if (options.patienceSeconds >= 0) {
    Gang::setPatience(options.patienceSeconds);
  }
  for (int i = 0; i < options.deviceCount; ++i) {
    auto device = std::make_unique<PJRT_Device>();
    device->client = this;
    device->description = topology.descriptionPointers[i];
    device->localId = i;
    device->account = std::make_shared<MemoryAccount>();
    for (const PJRT_MemoryDescription *description : memoryDescriptions()) {
      auto memory = std::make_unique<PJRT_Memory>();
      memory->id = static_cast<int>(memories.size());
      memory->description = description;
      memory->device = device.get();
      memory->toString =
          description->kind + " memory of " + device->description->toString;
      memory->debugString = description->kind + " memory " +
                            std::to_string(memory->id) + " of " +
                            device->description->debugString;
      device->memories.push_back(memory.get());
      memoryPointers.push_back(memory.get());
      memories.push_back(std::move(memory));
    }
    devicePointers.push_back(device.get());
    devices.push_back(std::move(device));
  }
}

PJRT_Device *PJRT_Client::findDevice(int64_t id) const {
  for (PJRT_Device *device : devicePointers) {
    if (device->description->id == id) {
      return device;
    }
  }
  return nullptr;
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
      text("code_identity", codeIdentity()),
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
  args->client = new PJRT_Client(*options);
  return nullptr;
}

PJRT_Error *Client_Destroy(PJRT_Client_Destroy_Args *args) {
  XLA_PJRT_REQUIRE_STRUCT(args, PJRT_Client_Destroy_Args);
  delete args->client;
  return nullptr;
}

PJRT_Error *Client_PlatformName(PJRT_Client_PlatformName_Args *args) {
  XLA_PJRT_REQUIRE(args, PJRT_Client_PlatformName_Args, client);
  args->platform_name = platformName.data();
  args->platform_name_size = platformName.size();
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
  args->addressable_devices = args->client->devicePointers.data();
  args->num_addressable_devices = args->client->devicePointers.size();
  return nullptr;
}

static PJRT_Error *noSuchDevice(const PJRT_Client &client, const char *what,
                                int id) {
  return makeError(
      invalidArgument(std::string("no device has the ") + what + " " +
                      std::to_string(id) + "; this client has 0 to " +
                      std::to_string(client.devicePointers.size() - 1)));
}

PJRT_Error *Client_LookupDevice(PJRT_Client_LookupDevice_Args *args) {
  XLA_PJRT_REQUIRE(args, PJRT_Client_LookupDevice_Args, client);
  args->device = args->client->findDevice(args->id);
  return args->device ? nullptr : noSuchDevice(*args->client, "id", args->id);
}

PJRT_Error *
Client_LookupAddressableDevice(PJRT_Client_LookupAddressableDevice_Args *args) {
  XLA_PJRT_REQUIRE(args, PJRT_Client_LookupAddressableDevice_Args, client);
  args->addressable_device = args->client->findDevice(args->local_hardware_id);
  return args->addressable_device
             ? nullptr
             : noSuchDevice(*args->client, "local hardware id",
                            args->local_hardware_id);
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
        " partitions was asked for; this client has " +
        std::to_string(available) + " devices"));
  }
  if (!args->default_assignment ||
      static_cast<int64_t>(args->default_assignment_size) < count) {
    return makeError(invalidArgument(
        "PJRT_Client_DefaultDeviceAssignment_Args.default_assignment needs "
        "room for " +
        std::to_string(count) + " ids"));
  }
  for (int64_t i = 0; i < count; ++i) {
    args->default_assignment[i] =
        args->client->devicePointers[i]->description->id;
  }
  return nullptr;
}

} // namespace xla::pjrt
