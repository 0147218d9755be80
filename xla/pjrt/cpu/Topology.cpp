#include "xla/pjrt/cpu/Client.h"
#include "xla/pjrt/cpu/Error.h"
#include "xla/pjrt/cpu/Functions.h"
#include "xla/support/Protobuf.h"

using namespace xla;
using namespace xla::pjrt;

PJRT_TopologyDescription::PJRT_TopologyDescription(int deviceCount,
                                                   int processIndex)
    : deviceCount(deviceCount), processIndex(processIndex) {
  for (int id = 0; id < deviceCount; ++id) {
    auto description = std::make_unique<PJRT_DeviceDescription>();
    description->id = id;
    description->processIndex = processIndex;
    description->toString = "CpuDevice(id=" + std::to_string(id) + ")";
    description->debugString = "CPU_" + std::to_string(id);
    descriptionPointers.push_back(description.get());
    descriptions.push_back(std::move(description));
  }
}

/// Backs the bytes of a serialized topology.
struct PJRT_SerializedTopology {
  std::string bytes;
};

namespace xla::pjrt {

/// The fields of the serialized form, a protocol buffer.
enum TopologyField : uint32_t { Platform = 1, DeviceCount = 2, Process = 3 };

static std::string serialize(const PJRT_TopologyDescription &topology) {
  ProtobufWriter writer;
  writer.bytes(TopologyField::Platform, platformName);
  writer.integer(TopologyField::DeviceCount, topology.deviceCount);
  writer.integer(TopologyField::Process, topology.processIndex);
  return writer.take();
}

static StatusOr<PJRT_TopologyDescription *>
deserialize(std::string_view bytes) {
  ProtobufReader reader(bytes);
  std::string_view platform;
  uint64_t deviceCount = 0;
  uint64_t processIndex = 0;
  while (std::optional<ProtobufField> field = reader.next()) {
    switch (field->number) {
    case TopologyField::Platform:
      platform = field->bytes;
      break;
    case TopologyField::DeviceCount:
      deviceCount = field->integer;
      break;
    case TopologyField::Process:
      processIndex = field->integer;
      break;
    default:
      break;
    }
  }
  if (reader.isMalformed() || platform != platformName || deviceCount < 1 ||
      deviceCount > 1024 || processIndex > INT32_MAX) {
    return invalidArgument("the bytes are no topology that the CPU plugin "
                           "serialized");
  }
  return new PJRT_TopologyDescription(static_cast<int>(deviceCount),
                                      static_cast<int>(processIndex));
}

PJRT_Error *
TopologyDescription_Create(PJRT_TopologyDescription_Create_Args *args) {
  XLA_PJRT_REQUIRE_STRUCT(args, PJRT_TopologyDescription_Create_Args);
  std::string_view name;
  if (args->topology_name) {
    name = {args->topology_name, args->topology_name_size};
  }
  if (!name.empty() && name != platformName) {
    return makeError(notFound("the CPU plugin has no topology named \"" +
                              std::string(name) +
                              "\"; it has \"cpu\", with the option "
                              "cpu_device_count"));
  }
  StatusOr<ClientOptions> options =
      readClientOptions(args->create_options, args->num_options);
  if (!options.ok()) {
    return makeError(options.status());
  }
  args->topology =
      new PJRT_TopologyDescription(options->deviceCount, options->processIndex);
  return nullptr;
}

PJRT_Error *
TopologyDescription_Destroy(PJRT_TopologyDescription_Destroy_Args *args) {
  XLA_PJRT_REQUIRE_STRUCT(args, PJRT_TopologyDescription_Destroy_Args);
  delete args->topology;
  return nullptr;
}

PJRT_Error *TopologyDescription_PlatformName(
    PJRT_TopologyDescription_PlatformName_Args *args) {
  XLA_PJRT_REQUIRE(args, PJRT_TopologyDescription_PlatformName_Args, topology);
  args->platform_name = platformName.data();
  args->platform_name_size = platformName.size();
  return nullptr;
}

PJRT_Error *TopologyDescription_PlatformVersion(
    PJRT_TopologyDescription_PlatformVersion_Args *args) {
  XLA_PJRT_REQUIRE(args, PJRT_TopologyDescription_PlatformVersion_Args,
                   topology);
  args->platform_version = platformVersion.data();
  args->platform_version_size = platformVersion.size();
  return nullptr;
}

PJRT_Error *TopologyDescription_GetDeviceDescriptions(
    PJRT_TopologyDescription_GetDeviceDescriptions_Args *args) {
  XLA_PJRT_REQUIRE(args, PJRT_TopologyDescription_GetDeviceDescriptions_Args,
                   topology);
  args->descriptions = args->topology->descriptionPointers.data();
  args->num_descriptions = args->topology->descriptionPointers.size();
  return nullptr;
}

PJRT_Error *
TopologyDescription_Serialize(PJRT_TopologyDescription_Serialize_Args *args) {
  XLA_PJRT_REQUIRE(args, PJRT_TopologyDescription_Serialize_Args, topology);
  auto *serialized = new PJRT_SerializedTopology{serialize(*args->topology)};
  args->serialized_bytes = serialized->bytes.data();
  args->serialized_bytes_size = serialized->bytes.size();
  args->serialized_topology = serialized;
  args->serialized_topology_deleter = [](PJRT_SerializedTopology *holder) {
    delete holder;
  };
  return nullptr;
}

PJRT_Error *TopologyDescription_Deserialize(
    PJRT_TopologyDescription_Deserialize_Args *args) {
  XLA_PJRT_REQUIRE(args, PJRT_TopologyDescription_Deserialize_Args,
                   serialized_topology);
  StatusOr<PJRT_TopologyDescription *> topology =
      deserialize({args->serialized_topology, args->serialized_topology_size});
  if (!topology.ok()) {
    return makeError(topology.status());
  }
  args->topology = *topology;
  return nullptr;
}

PJRT_Error *
TopologyDescription_Attributes(PJRT_TopologyDescription_Attributes_Args *args) {
  XLA_PJRT_REQUIRE(args, PJRT_TopologyDescription_Attributes_Args, topology);
  args->attributes = nullptr;
  args->num_attributes = 0;
  return nullptr;
}

} // namespace xla::pjrt
