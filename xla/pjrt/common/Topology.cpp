#include "xla/pjrt/common/Client.h"
#include "xla/pjrt/common/Error.h"
#include "xla/pjrt/common/Functions.h"
#include "xla/support/Protobuf.h"

#include <optional>

using namespace xla;
using namespace xla::pjrt;

PJRT_TopologyDescription::PJRT_TopologyDescription(
    std::vector<int> deviceCounts, int firstProcess)
    : deviceCounts(std::move(deviceCounts)), firstProcess(firstProcess) {
  for (size_t process = 0; process < this->deviceCounts.size(); ++process) {
    for (int i = 0; i < this->deviceCounts[process]; ++i) {
      auto description = std::make_unique<PJRT_DeviceDescription>();
      int id = static_cast<int>(process) * deviceIdsPerProcess + i;
      description->id = id;
      description->processIndex = firstProcess + static_cast<int>(process);
      description->toString = std::string(platform().devicePrefix) +
                              "(id=" + std::to_string(id) + ")";
      description->debugString =
          std::string(platform().title) + "_" + std::to_string(id);
      descriptionPointers.push_back(description.get());
      descriptions.push_back(std::move(description));
    }
  }
}

/// Backs the bytes of a serialized topology.
struct PJRT_SerializedTopology {
  std::string bytes;
};

namespace xla::pjrt {

/// The fields of the serialized form, a protocol buffer. There is a count for
/// each process.
enum TopologyField : uint32_t { Platform = 1, DeviceCount = 2, Process = 3 };

static constexpr int64_t maximumDevices = 1 << 20;

static std::string serialize(const PJRT_TopologyDescription &topology) {
  ProtobufWriter writer;
  writer.bytes(TopologyField::Platform, platform().name);
  for (int count : topology.deviceCounts) {
    writer.integer(TopologyField::DeviceCount, count);
  }
  writer.integer(TopologyField::Process, topology.firstProcess);
  return writer.take();
}

static StatusOr<PJRT_TopologyDescription *>
deserialize(std::string_view bytes) {
  ProtobufReader reader(bytes);
  std::string_view name;
  std::vector<int> deviceCounts;
  bool isInRange = true;
  uint64_t allDevices = 0;
  uint64_t processIndex = 0;
  while (std::optional<ProtobufField> field = reader.next()) {
    switch (field->number) {
    case TopologyField::Platform:
      name = field->bytes;
      break;
    case TopologyField::DeviceCount:
      isInRange &= field->integer >= 1 && field->integer <= 1024 &&
                   (allDevices += field->integer) <= maximumDevices &&
                   deviceCounts.size() < ClientOptions::maximumProcesses;
      if (isInRange) {
        deviceCounts.push_back(static_cast<int>(field->integer));
      }
      break;
    case TopologyField::Process:
      processIndex = field->integer;
      break;
    default:
      break;
    }
  }
  if (reader.isMalformed() || name != platform().name || !isInRange ||
      deviceCounts.empty() ||
      processIndex > INT32_MAX - ClientOptions::maximumProcesses) {
    return invalidArgument("the bytes are no topology that " +
                           platform().plugin() + " serialized");
  }
  return new PJRT_TopologyDescription(std::move(deviceCounts),
                                      static_cast<int>(processIndex));
}

PJRT_Error *
TopologyDescription_Create(PJRT_TopologyDescription_Create_Args *args) {
  XLA_PJRT_REQUIRE_STRUCT(args, PJRT_TopologyDescription_Create_Args);
  std::string_view name;
  if (args->topology_name) {
    name = {args->topology_name, args->topology_name_size};
  }
  if (!name.empty() && name != platform().name) {
    return makeError(notFound(
        platform().plugin() + " has no topology named \"" + std::string(name) +
        "\"; it has \"" + std::string(platform().name) +
        "\", with the option " + std::string(platform().deviceCountOption)));
  }
  StatusOr<ClientOptions> options =
      readClientOptions(args->create_options, args->num_options);
  if (!options.ok()) {
    return makeError(options.status());
  }
  if (int64_t(options->processCount) * options->deviceCount > maximumDevices) {
    return makeError(invalidArgument(
        "a topology of " + std::to_string(options->processCount) +
        " processes with " + std::to_string(options->deviceCount) +
        " devices each was requested; it can have " +
        std::to_string(maximumDevices) + " devices"));
  }
  // For several processes: all have as many devices as this one.
  bool isOfOne = options->processCount == 1;
  args->topology = new PJRT_TopologyDescription(
      std::vector<int>(options->processCount, options->deviceCount),
      isOfOne ? options->processIndex : 0);
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
  args->platform_name = platform().name.data();
  args->platform_name_size = platform().name.size();
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
