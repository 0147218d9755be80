//===- Options.h - What the client requested --------------------*- C++ -*-===//
//
// Options come from outside: named values, and a protocol buffer that is read
// by hand, field by field, with every length checked.
//
//===----------------------------------------------------------------------===//

#ifndef XLA_PJRT_COMMON_OPTIONS_H
#define XLA_PJRT_COMMON_OPTIONS_H

#include "xla/pipeline/Compile.h"
#include "xla/support/Status.h"

#include "pjrt_c_api.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace xla::pjrt {

struct ClientOptions {
  static constexpr int maximumProcesses = 65536;

  Backend backend = Backend::Native;
  int deviceCount = 1;
  int processIndex = 0;
  int processCount = 1;
  /// Where the other processes of a job reach this one: a host's name or
  /// number, of an interface of this machine.
  std::string peerAddress = "127.0.0.1";
  /// Whether what goes to them over a network is encrypted.
  bool encryptsPeers = true;
  /// After how long a connection through which nothing gets is broken.
  int peerSilenceSeconds = 40;
  /// How long devices of several processes wait for each other; 0: for ever.
  int collectiveTimeoutSeconds = 1800;
  /// After how long a line says that devices wait for others; 0: never. -1: as
  /// it was.
  int patienceSeconds = -1;
};

/// Reads `backend` ("native" or "reference"), `cpu_device_count`,
/// `collective_patience_seconds` and, for a client of several processes,
/// `num_nodes`, `node_id`, `peer_address`, `peer_encryption`,
/// `peer_silence_seconds` and `collective_timeout_seconds`; ignores names that
/// it does not know.
StatusOr<ClientOptions> readClientOptions(const PJRT_NamedValue *options,
                                          size_t count);

/// What we honour of a CompileOptionsProto.
struct ExecutableOptions {
  int64_t replicaCount = 1;
  int64_t partitionCount = 1;
  int64_t deviceOrdinal = -1;
  /// Whether the program is that of all partitions, to be divided.
  bool usesPartitioner = false;
  /// Per argument and result: whether the compiler chooses its sharding on the
  /// devices.
  std::vector<bool> choosesArguments, choosesResults;
  /// Global device ids, partition by partition within each replica; empty for
  /// the default, the first devices.
  std::vector<int64_t> deviceAssignment;
  Tier tier = Tier::Best;
};

/// Refuses what `checkCompilerOption` refuses.
StatusOr<ExecutableOptions> readExecutableOptions(std::string_view proto);

/// A DeviceAssignmentProto.
std::string writeDeviceAssignment(int64_t replicaCount, int64_t partitionCount,
                                  const std::vector<int64_t> &deviceIds);

} // namespace xla::pjrt

#endif // XLA_PJRT_COMMON_OPTIONS_H
