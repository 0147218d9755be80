//===- CompileOptions.h - What a compiler is told of a program --*- C++ -*-===//
//
// Writes the CompileOptionsProto that the PJRT C API wants beside a program.
//
//===----------------------------------------------------------------------===//

#ifndef JAXLIB_PJRT_COMPILEOPTIONS_H
#define JAXLIB_PJRT_COMPILEOPTIONS_H

#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

namespace jaxlib {

/// A value of an option that only the compiler knows.
using OverrideValue = std::variant<std::string, bool, int64_t, double>;

struct CompileOptions {
  int64_t replicaCount = 1;
  int64_t partitionCount = 1;

  /// Ids of the devices: replicas times partitions of them, a replica's
  /// partitions side by side. Empty: the plugin chooses.
  std::vector<int64_t> deviceIds;

  /// One program for all partitions, split by the compiler.
  bool useSpmdPartitioning = false;
  bool useShardyPartitioner = false;

  /// Whether the compiler may choose the sharding of each result, or argument;
  /// one value stands for all.
  std::vector<bool> propagateToResults;
  std::vector<bool> propagateToArguments;

  std::map<std::string, OverrideValue> overrides;
};

/// The options as a protocol buffer's bytes.
std::string serialize(const CompileOptions &options);

} // namespace jaxlib

#endif // JAXLIB_PJRT_COMPILEOPTIONS_H
