#include "xla/pjrt/common/Options.h"

#include "xla/pjrt/common/CompilerOptions.h"
#include "xla/pjrt/common/Platform.h"
#include "xla/support/Protobuf.h"

#include <bit>
#include <optional>

namespace xla::pjrt {

/// Of a client.
static constexpr int64_t maximumDevices = 1024;
/// Of a program, which may be compiled for devices that are not here.
static constexpr int64_t maximumPartitions = 65536;

//===----------------------------------------------------------------------===//
// Client options
//===----------------------------------------------------------------------===//

static Status wrongType(std::string_view name, const char *wanted) {
  return invalidArgument("the client's create option `" + std::string(name) +
                         "` is " + wanted +
                         ", and a value of another type was given");
}

static Status readBackend(const PJRT_NamedValue &option, Backend &backend) {
  if (option.type != PJRT_NamedValue_kString || !option.string_value) {
    return wrongType("backend", "a string");
  }
  std::string_view value(option.string_value, option.value_size);
  if (value != "native" && value != "reference") {
    return invalidArgument(
        "the client's create option `backend` is \"" + std::string(value) +
        "\", and must be \"native\" (machine code) or \"reference\" (the "
        "interpreter)");
  }
  backend = value == "native" ? Backend::Native : Backend::Reference;
  return okStatus();
}

static Status readCount(std::string_view name, const PJRT_NamedValue &option,
                        int64_t minimum, int64_t maximum, int &value) {
  if (option.type != PJRT_NamedValue_kInt64) {
    return wrongType(name, "an integer");
  }
  if (option.int64_value < minimum || option.int64_value > maximum) {
    return invalidArgument("the client's create option `" + std::string(name) +
                           "` is " + std::to_string(option.int64_value) +
                           ", and must be from " + std::to_string(minimum) +
                           " to " + std::to_string(maximum));
  }
  value = static_cast<int>(option.int64_value);
  return okStatus();
}

static Status readFlag(std::string_view name, const PJRT_NamedValue &option,
                       bool &value) {
  if (option.type != PJRT_NamedValue_kBool) {
    return wrongType(name, "a boolean");
  }
  value = option.bool_value;
  return okStatus();
}

static Status readText(std::string_view name, const PJRT_NamedValue &option,
                       std::string &value) {
  if (option.type != PJRT_NamedValue_kString || !option.string_value) {
    return wrongType(name, "a string");
  }
  value.assign(option.string_value, option.value_size);
  return okStatus();
}

static Status readClientOption(std::string_view name,
                               const PJRT_NamedValue &option,
                               ClientOptions &result) {
  if (name == "backend") {
    return readBackend(option, result.backend);
  }
  if (name == platform().deviceCountOption) {
    return readCount(name, option, 1, maximumDevices, result.deviceCount);
  }
  if (name == "collective_patience_seconds") {
    return readCount(name, option, 0, INT32_MAX, result.patienceSeconds);
  }
  if (name == "collective_timeout_seconds") {
    return readCount(name, option, 0, INT32_MAX,
                     result.collectiveTimeoutSeconds);
  }
  if (name == "peer_silence_seconds") {
    return readCount(name, option, 1, 1 << 20, result.peerSilenceSeconds);
  }
  if (name == "peer_address") {
    return readText(name, option, result.peerAddress);
  }
  if (name == "peer_encryption") {
    return readFlag(name, option, result.encryptsPeers);
  }
  if (name == "node_id") {
    return readCount(name, option, 0, INT32_MAX, result.processIndex);
  }
  if (name == "num_nodes") {
    return readCount(name, option, 1, ClientOptions::maximumProcesses,
                     result.processCount);
  }
  return okStatus();
}

StatusOr<ClientOptions> readClientOptions(const PJRT_NamedValue *options,
                                          size_t count) {
  ClientOptions result;
  if (count > 0 && !options) {
    return invalidArgument(
        "PJRT_Client_Create_Args.create_options is NULL, and num_options is " +
        std::to_string(count));
  }
  for (size_t i = 0; i < count; ++i) {
    const PJRT_NamedValue &option = options[i];
    if (!option.name) {
      return invalidArgument("the client's create option " + std::to_string(i) +
                             " has no name");
    }
    std::string_view name(option.name, option.name_size);
    XLA_RETURN_IF_ERROR(readClientOption(name, option, result));
  }
  if (result.processCount > 1 && result.processIndex >= result.processCount) {
    return invalidArgument("the client's create option `node_id` is " +
                           std::to_string(result.processIndex) +
                           ", and there are " +
                           std::to_string(result.processCount) +
                           " processes (num_nodes), numbered from 0");
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Compile options
//===----------------------------------------------------------------------===//

static Status malformed(const char *message) {
  return invalidArgument(
      std::string("the compile options are no well-formed ") + message +
      ": a length or a number runs past the end");
}

/// DeviceAssignmentProto {1 replica_count, 2 computation_count, 3 repeated
/// ComputationDevice {1 repeated replica_device_ids}}; a ComputationDevice per
/// partition.
static Status readDeviceAssignment(std::string_view bytes,
                                   ExecutableOptions &options) {
  ProtobufReader reader(bytes);
  std::vector<std::vector<int64_t>> partitions;
  while (std::optional<ProtobufField> field = reader.next()) {
    if (field->number != 3) {
      continue;
    }
    std::vector<int64_t> &replicas = partitions.emplace_back();
    ProtobufReader devices(field->bytes);
    while (std::optional<ProtobufField> ids = devices.next()) {
      if (ids->number == 1 && !ids->appendIntegers(replicas)) {
        return malformed("DeviceAssignmentProto");
      }
    }
    if (devices.isMalformed()) {
      return malformed("DeviceAssignmentProto");
    }
  }
  if (reader.isMalformed()) {
    return malformed("DeviceAssignmentProto");
  }
  size_t replicaCount = partitions.empty() ? 0 : partitions[0].size();
  for (size_t replica = 0; replica < replicaCount; ++replica) {
    for (const std::vector<int64_t> &partition : partitions) {
      if (partition.size() != replicaCount) {
        return invalidArgument(
            "the compile options' device assignment has partitions with "
            "different numbers of replicas");
      }
      options.deviceAssignment.push_back(partition[replica]);
    }
  }
  return okStatus();
}

static Status readFlags(const ProtobufField &field, std::vector<bool> &flags) {
  std::vector<int64_t> numbers;
  if (!field.appendIntegers(numbers)) {
    return malformed("ExecutableBuildOptionsProto");
  }
  flags.insert(flags.end(), numbers.begin(), numbers.end());
  return okStatus();
}

static Status readBuildOptions(std::string_view bytes,
                               ExecutableOptions &options) {
  ProtobufReader reader(bytes);
  while (std::optional<ProtobufField> field = reader.next()) {
    switch (field->number) {
    case 1:
      options.deviceOrdinal = static_cast<int64_t>(field->integer);
      break;
    case 4:
      options.replicaCount = static_cast<int64_t>(field->integer);
      break;
    case 5:
      options.partitionCount = static_cast<int64_t>(field->integer);
      break;
    case 6:
      options.usesPartitioner = field->integer != 0;
      break;
    case 12:
      XLA_RETURN_IF_ERROR(readFlags(*field, options.choosesResults));
      break;
    case 18:
      XLA_RETURN_IF_ERROR(readFlags(*field, options.choosesArguments));
      break;
    case 9:
      XLA_RETURN_IF_ERROR(readDeviceAssignment(field->bytes, options));
      break;
    default:
      break;
    }
  }
  return reader.isMalformed() ? malformed("ExecutableBuildOptionsProto")
                              : okStatus();
}

/// An entry {1 name, 2 OptionOverrideProto {1 text | 2 flag | 3 integer |
/// 4 real}} of the options for the compiler alone.
static Status readCompilerOption(std::string_view bytes,
                                 ExecutableOptions &options) {
  std::string_view name;
  CompilerOptionValue value;
  ProtobufReader entry(bytes);
  while (std::optional<ProtobufField> part = entry.next()) {
    if (part->number == 1) {
      name = part->bytes;
    } else if (part->number == 2) {
      ProtobufReader option(part->bytes);
      while (std::optional<ProtobufField> field = option.next()) {
        switch (field->number) {
        case 1:
          value = std::string(field->bytes);
          break;
        case 2:
          value = field->integer != 0;
          break;
        case 3:
          value = static_cast<int64_t>(field->integer);
          break;
        case 4:
          value = std::bit_cast<double>(field->integer);
          break;
        default:
          break;
        }
      }
      if (option.isMalformed()) {
        return malformed("OptionOverrideProto");
      }
    }
  }
  if (entry.isMalformed()) {
    return malformed("OptionOverrideProto");
  }
  Status status = checkCompilerOption(name, value);
  if (status.ok() && name == compileTierOption) {
    options.tier = *asTier(value);
  }
  return status;
}

/// Zero means that the field was not set.
static Status checkCount(const char *what, int64_t &count, int64_t most) {
  if (count == 0) {
    count = 1;
  }
  if (count < 1 || count > most) {
    return invalidArgument(std::string("the compile options ask for ") +
                           std::to_string(count) + " " + what +
                           ", and at least 1 and at most " +
                           std::to_string(most) + " are possible");
  }
  return okStatus();
}

StatusOr<ExecutableOptions> readExecutableOptions(std::string_view proto) {
  ExecutableOptions options;
  ProtobufReader reader(proto);
  while (std::optional<ProtobufField> field = reader.next()) {
    if (field->number == 3) {
      XLA_RETURN_IF_ERROR(readBuildOptions(field->bytes, options));
    } else if (field->number == 7) {
      XLA_RETURN_IF_ERROR(readCompilerOption(field->bytes, options));
    }
  }
  if (reader.isMalformed()) {
    return malformed("CompileOptionsProto");
  }
  XLA_RETURN_IF_ERROR(
      checkCount("replicas", options.replicaCount, maximumDevices));
  XLA_RETURN_IF_ERROR(
      checkCount("partitions", options.partitionCount, maximumPartitions));
  auto total =
      static_cast<size_t>(options.replicaCount * options.partitionCount);
  if (!options.deviceAssignment.empty() &&
      options.deviceAssignment.size() != total) {
    return invalidArgument(
        "the compile options assign " +
        std::to_string(options.deviceAssignment.size()) + " devices to " +
        std::to_string(options.replicaCount) + " replicas of " +
        std::to_string(options.partitionCount) +
        " partitions: the numbers must agree");
  }
  return options;
}

std::string writeDeviceAssignment(int64_t replicaCount, int64_t partitionCount,
                                  const std::vector<int64_t> &deviceIds) {
  ProtobufWriter assignment;
  assignment.integer(1, replicaCount);
  assignment.integer(2, partitionCount);
  for (int64_t partition = 0; partition < partitionCount; ++partition) {
    ProtobufWriter ids;
    for (int64_t replica = 0; replica < replicaCount; ++replica) {
      ids.varint(deviceIds[replica * partitionCount + partition]);
    }
    ProtobufWriter device;
    device.bytes(1, ids.take());
    assignment.bytes(3, device.take());
  }
  return assignment.take();
}

} // namespace xla::pjrt
