//===- Client.h - Clients, devices, memories, topologies --------*- C++ -*-===//
//
// All are made with the client (or the topology) and die with it; their
// addresses are their identity for the caller.
//
//===----------------------------------------------------------------------===//

#ifndef XLA_PJRT_COMMON_CLIENT_H
#define XLA_PJRT_COMMON_CLIENT_H

#include "xla/pjrt/common/DeviceQueue.h"
#include "xla/pjrt/common/Options.h"
#include "xla/pjrt/common/Platform.h"
#include "xla/pjrt/common/Processes.h"
#include "xla/pjrt/common/Storage.h"
#include "xla/runtime/peers/Peers.h"

#include "pjrt_c_api.h"

#include <memory>
#include <string>
#include <vector>

/// One kind of memory that devices have. All are the same memory here: a
/// program may name its arguments' kind, and a client may ask for one.
struct PJRT_MemoryDescription {
  int kindId;
  std::string kind;
};

struct PJRT_DeviceDescription {
  int id;
  int processIndex;
  std::string toString;
  std::string debugString;
};

struct PJRT_TopologyDescription {
  /// Of each process, from `firstProcess` on.
  std::vector<int> deviceCounts;
  int firstProcess;
  std::vector<std::unique_ptr<PJRT_DeviceDescription>> descriptions;
  std::vector<PJRT_DeviceDescription *> descriptionPointers;

  PJRT_TopologyDescription(std::vector<int> deviceCounts, int firstProcess);
};

struct PJRT_Memory {
  int id;
  const PJRT_MemoryDescription *description;
  PJRT_Device *device;
  std::string toString;
  std::string debugString;
};

struct PJRT_Device {
  PJRT_Client *client;
  PJRT_DeviceDescription *description;
  int localId; ///< -1 for a device of another process
  /// The first is the default. Another process's devices have none here.
  std::vector<PJRT_Memory *> memories;
  std::shared_ptr<xla::pjrt::MemoryAccount> account;
  xla::pjrt::DeviceQueue queue;

  bool isAddressable() const { return localId >= 0; }
};

struct PJRT_Client {
  xla::pjrt::ClientOptions options;
  /// Of a client of several processes.
  std::vector<xla::pjrt::ProcessDescription> processes;
  std::unique_ptr<xla::Peers> peers; ///< outlives what runs on the devices
  PJRT_TopologyDescription topology;
  std::vector<std::unique_ptr<PJRT_Memory>> memories;
  std::vector<PJRT_Memory *> memoryPointers;
  std::vector<std::unique_ptr<PJRT_Device>> devices;
  std::vector<PJRT_Device *> devicePointers; ///< process by process
  std::vector<PJRT_Device *> localDevices;   ///< those of this process

  /// `processes` is empty for a client of one process.
  PJRT_Client(const xla::pjrt::ClientOptions &options,
              std::vector<xla::pjrt::ProcessDescription> processes,
              std::unique_ptr<xla::Peers> peers);

  /// The device with a global id, or null.
  PJRT_Device *findDevice(int64_t id) const;

  /// The devices of a program that names none.
  std::vector<PJRT_Device *> defaultDevices(int64_t count) const;
};

namespace xla::pjrt {

inline constexpr std::string_view platformVersion = "0.11.0";

/// The kinds of memory that each device has, the default first.
const std::vector<const PJRT_MemoryDescription *> &memoryDescriptions();

/// The error for a use of another process's device that only its own has.
Status otherProcessError(const PJRT_Device &device);

} // namespace xla::pjrt

#endif // XLA_PJRT_COMMON_CLIENT_H
