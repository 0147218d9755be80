//===- Client.h - The devices of a plugin -----------------------*- C++ -*-===//
//
// A client with its devices and memories. What never changes about a device is
// read once, when the client starts.
//
//===----------------------------------------------------------------------===//

#ifndef JAXLIB_PJRT_CLIENT_H
#define JAXLIB_PJRT_CLIENT_H

#include "jaxlib/pjrt/KeyValueStore.h"
#include "jaxlib/pjrt/Plugin.h"

#include <deque>

namespace jaxlib {

class Client;
struct Device;

struct Memory {
  PJRT_Memory *handle = nullptr;
  Client *client = nullptr;
  int id = -1;
  std::string kind;
  std::string text;
  std::vector<Device *> devices; ///< those that can address it
};

struct Device {
  PJRT_Device *handle = nullptr;
  Client *client = nullptr;
  int id = -1;
  int processIndex = 0;
  int localHardwareId = -1;
  bool isAddressable = false;
  std::string kind;
  std::string text;
  NamedValues attributes;
  std::vector<Memory *> memories;
  Memory *defaultMemory = nullptr; ///< null where the plugin has no memories
};

/// A client, or the devices of a machine that need not be there. Handles made
/// from it share it, so that it goes last.
class Client : public std::enable_shared_from_this<Client> {
public:
  /// `store`, where there is one, lives as long as the client.
  static StatusOr<std::shared_ptr<Client>>
  create(std::shared_ptr<const Plugin> plugin, const NamedValues &options,
         std::shared_ptr<AbstractKeyValueStore> store = nullptr);

  /// The machine that the plugin knows by `name`: programs can be compiled for
  /// its devices, nothing can be put on them.
  static StatusOr<std::shared_ptr<Client>>
  describeMachine(std::shared_ptr<const Plugin> plugin, std::string_view name,
                  const NamedValues &options);

  /// The machine of which `serializedMachine` told, of the same plugin.
  static StatusOr<std::shared_ptr<Client>>
  restoreMachine(std::shared_ptr<const Plugin> plugin,
                 std::string_view serialized);

  ~Client();
  Client(const Client &) = delete;
  Client &operator=(const Client &) = delete;

  const Plugin &plugin() const { return *thePlugin; }
  std::shared_ptr<const Plugin> sharedPlugin() const { return thePlugin; }
  /// Null where `isAbsent`.
  PJRT_Client *handle() const { return theHandle; }

  /// Whether it only describes a machine.
  bool isAbsent() const { return theHandle == nullptr; }

  /// Fails where `isAbsent`; `action` says what was to be done.
  Status checkPresent(const char *action) const;

  /// What the compiler is told about the machine.
  StatusOr<PJRT_TopologyDescription *> topology() const;

  /// The same as bytes.
  StatusOr<std::string> serializedMachine() const;

  const std::string &platformName() const { return thePlatformName; }
  const std::string &platformVersion() const { return thePlatformVersion; }
  int processIndex() const { return theProcessIndex; }

  /// In the plugin's order.
  std::deque<Device> &devices() { return theDevices; }
  std::deque<Memory> &memories() { return theMemories; }

  Device *findDevice(PJRT_Device *handle);
  Memory *findMemory(PJRT_Memory *handle);
  /// The device with this id, or null.
  Device *findDevice(int id);

private:
  explicit Client(std::shared_ptr<const Plugin> plugin)
      : thePlugin(std::move(plugin)) {}

  Status describe();
  Status describeDevices();
  Status describeMemories();
  Status describeMachine();
  Status describe(Device &device);
  Status describe(Device &device, PJRT_DeviceDescription *description);
  Status describe(Memory &memory);

  std::shared_ptr<const Plugin> thePlugin;
  std::shared_ptr<AbstractKeyValueStore> theStore;
  PJRT_Client *theHandle = nullptr;
  PJRT_TopologyDescription *theMachine = nullptr; ///< owned; null for clients
  std::string thePlatformName;
  std::string thePlatformVersion;
  int theProcessIndex = 0;
  std::deque<Device> theDevices; // deques: elements never move
  std::deque<Memory> theMemories;
};

/// Memory in use on a device, by upstream's names; empty where it is unknown.
StatusOr<std::map<std::string, int64_t>> memoryStatistics(const Device &device);

} // namespace jaxlib

#endif // JAXLIB_PJRT_CLIENT_H
