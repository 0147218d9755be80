#include "jaxlib/pjrt/CompileOptions.h"

#include <cstring>

using namespace jaxlib;

namespace {

/// Writes the wire format of protocol buffers: as much of it as is needed here.
class ProtoWriter {
public:
  void varint(uint64_t value) {
    while (value >= 0x80) {
      bytes.push_back(static_cast<char>(value | 0x80));
      value >>= 7;
    }
    bytes.push_back(static_cast<char>(value));
  }

  void integer(int field, int64_t value) {
    varint(static_cast<uint64_t>(field) << 3);
    varint(static_cast<uint64_t>(value));
  }

  void real(int field, double value) {
    varint(static_cast<uint64_t>(field) << 3 | 1);
    char raw[sizeof(value)];
    std::memcpy(raw, &value, sizeof(value));
    bytes.append(raw, sizeof(raw));
  }

  void text(int field, const std::string &value) {
    varint(static_cast<uint64_t>(field) << 3 | 2);
    varint(value.size());
    bytes += value;
  }

  void flags(int field, const std::vector<bool> &values) {
    if (!values.empty()) {
      text(field, std::string(values.begin(), values.end()));
    }
  }

  std::string bytes;
};

} // namespace

static std::string serializeAssignment(const CompileOptions &options) {
  ProtoWriter assignment;
  assignment.integer(1, options.replicaCount);
  assignment.integer(2, options.partitionCount);
  for (int64_t partition = 0; partition < options.partitionCount; ++partition) {
    ProtoWriter ids;
    for (int64_t replica = 0; replica < options.replicaCount; ++replica) {
      size_t index =
          static_cast<size_t>(replica * options.partitionCount + partition);
      ids.varint(static_cast<uint64_t>(options.deviceIds[index]));
    }
    ProtoWriter computation;
    computation.text(1, ids.bytes);
    assignment.text(3, computation.bytes);
  }
  return assignment.bytes;
}

static std::string serializeOverride(const std::string &name,
                                     const OverrideValue &value) {
  ProtoWriter option;
  if (const auto *text = std::get_if<std::string>(&value)) {
    option.text(1, *text);
  } else if (const auto *flag = std::get_if<bool>(&value)) {
    option.integer(2, *flag);
  } else if (const auto *number = std::get_if<int64_t>(&value)) {
    option.integer(3, *number);
  } else {
    option.real(4, std::get<double>(value));
  }
  ProtoWriter entry; // of a map: key, value
  entry.text(1, name);
  entry.text(2, option.bytes);
  return entry.bytes;
}

std::string jaxlib::serialize(const CompileOptions &options) {
  ProtoWriter build;
  build.integer(1, -1); // device ordinal: unset
  build.integer(4, options.replicaCount);
  build.integer(5, options.partitionCount);
  if (options.useSpmdPartitioning) {
    build.integer(6, 1);
  }
  size_t deviceCount =
      static_cast<size_t>(options.replicaCount * options.partitionCount);
  if (options.deviceIds.size() == deviceCount) {
    build.text(9, serializeAssignment(options));
  }
  build.flags(12, options.propagateToResults);
  build.flags(18, options.propagateToArguments);
  if (options.useShardyPartitioner) {
    build.integer(19, 1);
  }

  ProtoWriter all;
  all.text(3, build.bytes);
  all.integer(5, -1); // profile version: unset
  for (const auto &[name, value] : options.overrides) {
    all.text(7, serializeOverride(name, value));
  }
  return all.bytes;
}
