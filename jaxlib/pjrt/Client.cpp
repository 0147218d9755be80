#include "jaxlib/pjrt/Client.h"

using namespace jaxlib;

/// Runs a call that a plugin may lack: its absence is no failure, other errors
/// are.
static Status tolerateAbsence(Status status) {
  if (status.code() == xla::StatusCode::Unimplemented) {
    return Status();
  }
  return status;
}

StatusOr<std::shared_ptr<Client>>
Client::create(std::shared_ptr<const Plugin> plugin, const NamedValues &options,
               std::shared_ptr<AbstractKeyValueStore> store) {
  std::shared_ptr<Client> client(new Client(std::move(plugin)));
  client->theStore = std::move(store);
  std::vector<PJRT_NamedValue> borrowed = borrowNamedValues(options);
  JAXLIB_PJRT_ARGUMENTS(PJRT_Client_Create_Args, arguments);
  arguments.create_options = borrowed.data();
  arguments.num_options = borrowed.size();
  if (client->theStore) {
    offer(*client->theStore, arguments);
  }
  XLA_RETURN_IF_ERROR(
      JAXLIB_PJRT_CALL(client->plugin(), PJRT_Client_Create, arguments));
  client->theHandle = arguments.client;
  XLA_RETURN_IF_ERROR(client->describe());
  return client;
}

Client::~Client() {
  if (theMachine != nullptr) {
    JAXLIB_PJRT_ARGUMENTS(PJRT_TopologyDescription_Destroy_Args, arguments);
    arguments.topology = theMachine;
    (void)JAXLIB_PJRT_CALL(plugin(), PJRT_TopologyDescription_Destroy,
                           arguments);
  }
  if (theHandle == nullptr) {
    return;
  }
  JAXLIB_PJRT_ARGUMENTS(PJRT_Client_Destroy_Args, arguments);
  arguments.client = theHandle;
  // Nobody is left to hear of a failure.
  (void)JAXLIB_PJRT_CALL(plugin(), PJRT_Client_Destroy, arguments);
}

StatusOr<std::shared_ptr<Client>>
Client::describeMachine(std::shared_ptr<const Plugin> plugin,
                        std::string_view name, const NamedValues &options) {
  std::shared_ptr<Client> client(new Client(std::move(plugin)));
  std::vector<PJRT_NamedValue> borrowed = borrowNamedValues(options);
  JAXLIB_PJRT_ARGUMENTS(PJRT_TopologyDescription_Create_Args, arguments);
  arguments.topology_name = name.data();
  arguments.topology_name_size = name.size();
  arguments.create_options = borrowed.data();
  arguments.num_options = borrowed.size();
  XLA_RETURN_IF_ERROR(JAXLIB_PJRT_CALL(
      client->plugin(), PJRT_TopologyDescription_Create, arguments));
  client->theMachine = arguments.topology;
  XLA_RETURN_IF_ERROR(client->describeMachine());
  return client;
}

StatusOr<std::shared_ptr<Client>>
Client::restoreMachine(std::shared_ptr<const Plugin> plugin,
                       std::string_view serialized) {
  std::shared_ptr<Client> client(new Client(std::move(plugin)));
  JAXLIB_PJRT_ARGUMENTS(PJRT_TopologyDescription_Deserialize_Args, arguments);
  arguments.serialized_topology = serialized.data();
  arguments.serialized_topology_size = serialized.size();
  XLA_RETURN_IF_ERROR(JAXLIB_PJRT_CALL(
      client->plugin(), PJRT_TopologyDescription_Deserialize, arguments));
  client->theMachine = arguments.topology;
  XLA_RETURN_IF_ERROR(client->describeMachine());
  return client;
}

StatusOr<std::string> Client::serializedMachine() const {
  StatusOr<PJRT_TopologyDescription *> machine = topology();
  if (!machine.ok()) {
    return machine.status();
  }
  JAXLIB_PJRT_ARGUMENTS(PJRT_TopologyDescription_Serialize_Args, arguments);
  arguments.topology = *machine;
  XLA_RETURN_IF_ERROR(JAXLIB_PJRT_CALL(
      plugin(), PJRT_TopologyDescription_Serialize, arguments));
  std::string bytes(arguments.serialized_bytes,
                    arguments.serialized_bytes_size);
  if (arguments.serialized_topology_deleter) {
    arguments.serialized_topology_deleter(arguments.serialized_topology);
  }
  return bytes;
}

Status Client::describeMachine() {
  JAXLIB_PJRT_ARGUMENTS(PJRT_TopologyDescription_PlatformName_Args, name);
  name.topology = theMachine;
  XLA_RETURN_IF_ERROR(
      JAXLIB_PJRT_CALL(plugin(), PJRT_TopologyDescription_PlatformName, name));
  thePlatformName.assign(name.platform_name, name.platform_name_size);

  JAXLIB_PJRT_ARGUMENTS(PJRT_TopologyDescription_PlatformVersion_Args, version);
  version.topology = theMachine;
  XLA_RETURN_IF_ERROR(tolerateAbsence(JAXLIB_PJRT_CALL(
      plugin(), PJRT_TopologyDescription_PlatformVersion, version)));
  if (version.platform_version != nullptr) {
    thePlatformVersion.assign(version.platform_version,
                              version.platform_version_size);
  }

  JAXLIB_PJRT_ARGUMENTS(PJRT_TopologyDescription_GetDeviceDescriptions_Args,
                        all);
  all.topology = theMachine;
  XLA_RETURN_IF_ERROR(JAXLIB_PJRT_CALL(
      plugin(), PJRT_TopologyDescription_GetDeviceDescriptions, all));
  for (size_t i = 0; i < all.num_descriptions; ++i) {
    Device &device = theDevices.emplace_back();
    device.client = this;
    XLA_RETURN_IF_ERROR(describe(device, all.descriptions[i]));
  }
  return Status();
}

Status Client::checkPresent(const char *action) const {
  if (!isAbsent()) {
    return Status();
  }
  return xla::failedPrecondition(
      std::string(action) + ": the devices of platform " + thePlatformName +
      " are those of a machine that was only described "
      "(get_topology_desc); programs can be compiled for them, not run");
}

StatusOr<PJRT_TopologyDescription *> Client::topology() const {
  if (isAbsent()) {
    return theMachine;
  }
  JAXLIB_PJRT_ARGUMENTS(PJRT_Client_TopologyDescription_Args, machine);
  machine.client = theHandle;
  XLA_RETURN_IF_ERROR(
      JAXLIB_PJRT_CALL(plugin(), PJRT_Client_TopologyDescription, machine));
  return machine.topology;
}

Status Client::describe() {
  JAXLIB_PJRT_ARGUMENTS(PJRT_Client_PlatformName_Args, name);
  name.client = theHandle;
  XLA_RETURN_IF_ERROR(
      JAXLIB_PJRT_CALL(plugin(), PJRT_Client_PlatformName, name));
  thePlatformName.assign(name.platform_name, name.platform_name_size);

  JAXLIB_PJRT_ARGUMENTS(PJRT_Client_PlatformVersion_Args, version);
  version.client = theHandle;
  XLA_RETURN_IF_ERROR(tolerateAbsence(
      JAXLIB_PJRT_CALL(plugin(), PJRT_Client_PlatformVersion, version)));
  if (version.platform_version != nullptr) {
    thePlatformVersion.assign(version.platform_version,
                              version.platform_version_size);
  }

  JAXLIB_PJRT_ARGUMENTS(PJRT_Client_ProcessIndex_Args, process);
  process.client = theHandle;
  XLA_RETURN_IF_ERROR(tolerateAbsence(
      JAXLIB_PJRT_CALL(plugin(), PJRT_Client_ProcessIndex, process)));
  theProcessIndex = process.process_index;

  XLA_RETURN_IF_ERROR(describeDevices());
  return describeMemories();
}

Status Client::describeDevices() {
  JAXLIB_PJRT_ARGUMENTS(PJRT_Client_Devices_Args, all);
  all.client = theHandle;
  XLA_RETURN_IF_ERROR(JAXLIB_PJRT_CALL(plugin(), PJRT_Client_Devices, all));
  for (size_t i = 0; i < all.num_devices; ++i) {
    Device &device = theDevices.emplace_back();
    device.handle = all.devices[i];
    device.client = this;
    XLA_RETURN_IF_ERROR(describe(device));
  }
  return Status();
}

Status Client::describe(Device &device) {
  JAXLIB_PJRT_ARGUMENTS(PJRT_Device_GetDescription_Args, get);
  get.device = device.handle;
  XLA_RETURN_IF_ERROR(
      JAXLIB_PJRT_CALL(plugin(), PJRT_Device_GetDescription, get));
  XLA_RETURN_IF_ERROR(describe(device, get.device_description));

  JAXLIB_PJRT_ARGUMENTS(PJRT_Device_IsAddressable_Args, addressable);
  addressable.device = device.handle;
  XLA_RETURN_IF_ERROR(
      JAXLIB_PJRT_CALL(plugin(), PJRT_Device_IsAddressable, addressable));
  device.isAddressable = addressable.is_addressable;
  if (!device.isAddressable) {
    return Status();
  }

  JAXLIB_PJRT_ARGUMENTS(PJRT_Device_LocalHardwareId_Args, local);
  local.device = device.handle;
  local.local_hardware_id = -1;
  XLA_RETURN_IF_ERROR(tolerateAbsence(
      JAXLIB_PJRT_CALL(plugin(), PJRT_Device_LocalHardwareId, local)));
  device.localHardwareId = local.local_hardware_id;
  return Status();
}

Status Client::describe(Device &device, PJRT_DeviceDescription *description) {
  JAXLIB_PJRT_ARGUMENTS(PJRT_DeviceDescription_Id_Args, id);
  id.device_description = description;
  XLA_RETURN_IF_ERROR(
      JAXLIB_PJRT_CALL(plugin(), PJRT_DeviceDescription_Id, id));
  device.id = id.id;

  JAXLIB_PJRT_ARGUMENTS(PJRT_DeviceDescription_ProcessIndex_Args, process);
  process.device_description = description;
  XLA_RETURN_IF_ERROR(tolerateAbsence(JAXLIB_PJRT_CALL(
      plugin(), PJRT_DeviceDescription_ProcessIndex, process)));
  device.processIndex = process.process_index;

  JAXLIB_PJRT_ARGUMENTS(PJRT_DeviceDescription_Kind_Args, kind);
  kind.device_description = description;
  XLA_RETURN_IF_ERROR(tolerateAbsence(
      JAXLIB_PJRT_CALL(plugin(), PJRT_DeviceDescription_Kind, kind)));
  if (kind.device_kind != nullptr) {
    device.kind.assign(kind.device_kind, kind.device_kind_size);
  }

  JAXLIB_PJRT_ARGUMENTS(PJRT_DeviceDescription_ToString_Args, text);
  text.device_description = description;
  XLA_RETURN_IF_ERROR(tolerateAbsence(
      JAXLIB_PJRT_CALL(plugin(), PJRT_DeviceDescription_ToString, text)));
  if (text.to_string != nullptr) {
    device.text.assign(text.to_string, text.to_string_size);
  }

  JAXLIB_PJRT_ARGUMENTS(PJRT_DeviceDescription_Attributes_Args, attributes);
  attributes.device_description = description;
  XLA_RETURN_IF_ERROR(tolerateAbsence(JAXLIB_PJRT_CALL(
      plugin(), PJRT_DeviceDescription_Attributes, attributes)));
  device.attributes =
      copyNamedValues(attributes.attributes, attributes.num_attributes);
  return Status();
}

Status Client::describeMemories() {
  for (Device &device : theDevices) {
    if (!device.isAddressable) {
      continue;
    }
    JAXLIB_PJRT_ARGUMENTS(PJRT_Device_AddressableMemories_Args, all);
    all.device = device.handle;
    XLA_RETURN_IF_ERROR(tolerateAbsence(
        JAXLIB_PJRT_CALL(plugin(), PJRT_Device_AddressableMemories, all)));
    for (size_t i = 0; i < all.num_memories; ++i) {
      Memory *memory = findMemory(all.memories[i]);
      if (memory == nullptr) {
        memory = &theMemories.emplace_back();
        memory->handle = all.memories[i];
        memory->client = this;
        XLA_RETURN_IF_ERROR(describe(*memory));
      }
      memory->devices.push_back(&device);
      device.memories.push_back(memory);
    }
    JAXLIB_PJRT_ARGUMENTS(PJRT_Device_DefaultMemory_Args, chosen);
    chosen.device = device.handle;
    XLA_RETURN_IF_ERROR(tolerateAbsence(
        JAXLIB_PJRT_CALL(plugin(), PJRT_Device_DefaultMemory, chosen)));
    device.defaultMemory =
        chosen.memory == nullptr ? nullptr : findMemory(chosen.memory);
  }
  return Status();
}

Status Client::describe(Memory &memory) {
  JAXLIB_PJRT_ARGUMENTS(PJRT_Memory_Id_Args, id);
  id.memory = memory.handle;
  id.id = -1;
  XLA_RETURN_IF_ERROR(
      tolerateAbsence(JAXLIB_PJRT_CALL(plugin(), PJRT_Memory_Id, id)));
  memory.id = id.id;

  JAXLIB_PJRT_ARGUMENTS(PJRT_Memory_Kind_Args, kind);
  kind.memory = memory.handle;
  XLA_RETURN_IF_ERROR(JAXLIB_PJRT_CALL(plugin(), PJRT_Memory_Kind, kind));
  memory.kind.assign(kind.kind, kind.kind_size);

  JAXLIB_PJRT_ARGUMENTS(PJRT_Memory_ToString_Args, text);
  text.memory = memory.handle;
  XLA_RETURN_IF_ERROR(
      tolerateAbsence(JAXLIB_PJRT_CALL(plugin(), PJRT_Memory_ToString, text)));
  if (text.to_string != nullptr) {
    memory.text.assign(text.to_string, text.to_string_size);
  }
  return Status();
}

Device *Client::findDevice(PJRT_Device *handle) {
  for (Device &device : theDevices) {
    if (device.handle == handle) {
      return &device;
    }
  }
  return nullptr;
}

Device *Client::findDevice(int id) {
  for (Device &device : theDevices) {
    if (device.id == id) {
      return &device;
    }
  }
  return nullptr;
}

Memory *Client::findMemory(PJRT_Memory *handle) {
  for (Memory &memory : theMemories) {
    if (memory.handle == handle) {
      return &memory;
    }
  }
  return nullptr;
}

StatusOr<std::map<std::string, int64_t>>
jaxlib::memoryStatistics(const Device &device) {
  JAXLIB_PJRT_ARGUMENTS(PJRT_Device_MemoryStats_Args, stats);
  stats.device = device.handle;
  XLA_RETURN_IF_ERROR(tolerateAbsence(JAXLIB_PJRT_CALL(
      device.client->plugin(), PJRT_Device_MemoryStats, stats)));
  std::map<std::string, int64_t> result;
  if (stats.bytes_in_use == 0 && !stats.peak_bytes_in_use_is_set) {
    return result;
  }
  result["bytes_in_use"] = stats.bytes_in_use;
  auto add = [&](const char *name, bool isSet, int64_t value) {
    if (isSet) {
      result[name] = value;
    }
  };
  add("peak_bytes_in_use", stats.peak_bytes_in_use_is_set,
      stats.peak_bytes_in_use);
  add("num_allocs", stats.num_allocs_is_set, stats.num_allocs);
  add("largest_alloc_size", stats.largest_alloc_size_is_set,
      stats.largest_alloc_size);
  add("bytes_limit", stats.bytes_limit_is_set, stats.bytes_limit);
  add("bytes_reserved", stats.bytes_reserved_is_set, stats.bytes_reserved);
  add("pool_bytes", stats.pool_bytes_is_set, stats.pool_bytes);
  return result;
}
