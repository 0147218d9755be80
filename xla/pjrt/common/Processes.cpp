#include "xla/pjrt/common/Processes.h"

#include "xla/pjrt/common/Client.h"
#include "xla/pjrt/common/Error.h"
#include "xla/runtime/peers/Authentication.h"
#include "xla/support/Protobuf.h"

#include <fstream>
#include <optional>

namespace xla::pjrt {

/// How long process 0 waits for the description of each process, and they for
/// the whole.
static constexpr int localTimeoutSeconds = 120;
static constexpr int globalTimeoutSeconds = 300;

//===----------------------------------------------------------------------===//
// The caller's store
//===----------------------------------------------------------------------===//

static PJRT_Error *makeCallersError(PJRT_Error_Code code, const char *message,
                                    size_t size) {
  std::string text(message ? message : "", message ? size : 0);
  return makeError(Status(static_cast<StatusCode>(code), std::move(text)));
}

static PJRT_CallbackError errorMaker = makeCallersError;

static Status noCallbacks() {
  return invalidArgument(
      "a client of several processes (num_nodes) was requested without the "
      "callbacks of a key-value store, by which they find each other");
}

Status CallerKeyValueStore::put(std::string_view key, std::string_view value) {
  if (!args.kv_put_callback) {
    return noCallbacks();
  }
  PJRT_KeyValuePutCallback_Args put = {};
  put.struct_size = PJRT_KeyValuePutCallback_Args_STRUCT_SIZE;
  put.key = key.data();
  put.key_size = key.size();
  put.value = value.data();
  put.value_size = value.size();
  put.callback_error = &errorMaker;
  put.user_arg = args.kv_put_user_arg;
  return takeError(args.kv_put_callback(&put));
}

StatusOr<std::string> CallerKeyValueStore::get(std::string_view key,
                                               int timeoutSeconds) {
  if (!args.kv_get_callback) {
    return noCallbacks();
  }
  PJRT_KeyValueGetCallback_Args get = {};
  get.struct_size = PJRT_KeyValueGetCallback_Args_STRUCT_SIZE;
  get.key = key.data();
  get.key_size = key.size();
  get.timeout_in_ms = timeoutSeconds * 1000;
  get.callback_error = &errorMaker;
  get.user_arg = args.kv_get_user_arg;
  XLA_RETURN_IF_ERROR(takeError(args.kv_get_callback(&get)));
  std::string value(get.value ? get.value : "", get.value ? get.value_size : 0);
  if (get.value_deleter_callback) {
    get.value_deleter_callback(get.value);
  }
  return value;
}

//===----------------------------------------------------------------------===//
// What is written
//===----------------------------------------------------------------------===//

/// Fields of the messages, protocol buffers: LocalTopology and its Device have
/// the numbers that other plugins use.
enum LocalField : uint32_t {
  Node = 1,
  Machine = 2,
  LocalDevice = 3,
  Address = 100,
};
enum DeviceField : uint32_t {
  Ordinal = 1,
  Name = 2,
  GlobalId = 4,
  Kind = 8,
};
enum GlobalField : uint32_t { Nodes = 1 };

static std::string write(int process, const ProcessDescription &description) {
  ProtobufWriter local;
  local.integer(LocalField::Node, process);
  local.bytes(LocalField::Machine, description.machine);
  for (int i = 0; i < description.deviceCount; ++i) {
    ProtobufWriter device;
    device.integer(DeviceField::Ordinal, i);
    device.bytes(DeviceField::Name, platform().name);
    device.integer(DeviceField::GlobalId,
                   int64_t(process) * deviceIdsPerProcess + i);
    device.bytes(DeviceField::Kind, platform().deviceKind());
    local.bytes(LocalField::LocalDevice, device.take());
  }
  local.bytes(LocalField::Address, description.address);
  return local.take();
}

static StatusOr<ProcessDescription> read(int process, std::string_view bytes) {
  ProcessDescription description;
  description.deviceCount = 0;
  uint64_t node = 0;
  ProtobufReader reader(bytes);
  while (std::optional<ProtobufField> field = reader.next()) {
    switch (field->number) {
    case LocalField::Node:
      node = field->integer;
      break;
    case LocalField::Machine:
      description.machine = field->bytes;
      break;
    case LocalField::LocalDevice:
      ++description.deviceCount;
      break;
    case LocalField::Address:
      description.address = field->bytes;
      break;
    default:
      break;
    }
  }
  if (reader.isMalformed() || node != static_cast<uint64_t>(process) ||
      description.deviceCount < 1 ||
      description.deviceCount > deviceIdsPerProcess) {
    return Status(StatusCode::DataLoss,
                  "what the key-value store has about process " +
                      std::to_string(process) +
                      " is no description of its devices; start the job anew, "
                      "with one version of the plugin in all processes");
  }
  return description;
}

//===----------------------------------------------------------------------===//
// The exchange
//===----------------------------------------------------------------------===//

static constexpr std::string_view globalKey = "global_topology/cpu";

static std::string localKey(int process) {
  return "local_topology/cpu/" + std::to_string(process);
}

static Status explain(const Status &status, const std::string &what) {
  return Status(status.code(), what + ": " + status.message());
}

static Status putOwn(AbstractKeyValueStore &store, int process,
                     const ProcessDescription &own) {
  std::string text = write(process, own);
  Status status = store.put(localKey(process), text);
  if (status.code() == StatusCode::AlreadyExists) {
    return Status(StatusCode::AlreadyExists,
                  "process " + std::to_string(process) +
                      " of this job has started before; each needs a number "
                      "of its own (node_id), and the devices of one that ended "
                      "do not come back. Start the job anew from what it has "
                      "saved, or go on with the devices that are left");
  }
  return status.ok()
             ? status
             : explain(status, "process " + std::to_string(process) +
                                   " cannot send its devices to the others");
}

/// Process 0 puts together what all have.
static StatusOr<std::string> collect(AbstractKeyValueStore &store, int count) {
  ProtobufWriter global;
  for (int process = 0; process < count; ++process) {
    StatusOr<std::string> local =
        store.get(localKey(process), localTimeoutSeconds);
    if (!local.ok()) {
      return explain(local.status(), "process " + std::to_string(process) +
                                         " of " + std::to_string(count) +
                                         " has not told of its devices");
    }
    StatusOr<ProcessDescription> isRead = read(process, *local);
    if (!isRead.ok()) {
      return isRead.status();
    }
    global.bytes(GlobalField::Nodes, *local);
  }
  std::string text = global.take();
  Status status = store.put(globalKey, text);
  if (!status.ok()) {
    return explain(status, "process 0 cannot send all devices to the others");
  }
  return text;
}

StatusOr<std::vector<ProcessDescription>>
exchangeDescriptions(AbstractKeyValueStore &store, int process, int count,
                     const ProcessDescription &own) {
  XLA_RETURN_IF_ERROR(putOwn(store, process, own));
  StatusOr<std::string> global =
      process == 0 ? collect(store, count)
                   : store.get(globalKey, globalTimeoutSeconds);
  if (!global.ok()) {
    return process == 0 ? global.status()
                        : explain(global.status(),
                                  "process 0 has not told of all devices");
  }
  std::vector<ProcessDescription> all;
  ProtobufReader reader(*global);
  while (std::optional<ProtobufField> field = reader.next()) {
    if (field->number != GlobalField::Nodes) {
      continue;
    }
    StatusOr<ProcessDescription> next =
        read(static_cast<int>(all.size()), field->bytes);
    if (!next.ok()) {
      return next.status();
    }
    all.push_back(std::move(*next));
  }
  if (reader.isMalformed() || all.size() != static_cast<size_t>(count) ||
      all[process].deviceCount != own.deviceCount) {
    return invalidArgument(
        "process 0 knows of " + std::to_string(all.size()) +
        " processes, and process " + std::to_string(process) + " of " +
        std::to_string(count) +
        "; num_nodes must be the same for all of a job, and each needs a "
        "node_id of its own");
  }
  return all;
}

//===----------------------------------------------------------------------===//
// Meeting
//===----------------------------------------------------------------------===//

/// What identifies the machine that this runs on, until it starts anew.
static std::string machineIdentity() {
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  std::string identity;
  std::getline(file, identity);
  return identity;
}

/// What only processes of the job know: process 0 makes it.
static StatusOr<std::string> shareSecret(AbstractKeyValueStore &store,
                                         int process) {
  constexpr std::string_view key = "peers/secret";
  if (process != 0) {
    return store.get(key, globalTimeoutSeconds);
  }
  peers::Nonce secret = peers::makeNonce();
  std::string text(secret.data(), secret.size());
  XLA_RETURN_IF_ERROR(store.put(key, text));
  return text;
}

StatusOr<std::unique_ptr<Peers>>
meetProcesses(AbstractKeyValueStore &store, const ClientOptions &options,
              std::vector<ProcessDescription> &processes) {
  Peers::Options wanted;
  wanted.process = options.processIndex;
  wanted.host = options.peerAddress;
  wanted.encrypts = options.encryptsPeers;
  wanted.silenceSeconds = options.peerSilenceSeconds;
  wanted.timeoutSeconds = options.collectiveTimeoutSeconds;
  if (options.patienceSeconds >= 0) {
    wanted.patienceSeconds = options.patienceSeconds;
  }
  StatusOr<std::unique_ptr<Peers>> peers = Peers::create(wanted);
  if (!peers.ok()) {
    return peers.status();
  }
  ProcessDescription own{options.deviceCount, machineIdentity(),
                         (*peers)->address()};
  StatusOr<std::vector<ProcessDescription>> all = exchangeDescriptions(
      store, options.processIndex, options.processCount, own);
  if (!all.ok()) {
    return all.status();
  }
  StatusOr<std::string> secret = shareSecret(store, options.processIndex);
  if (!secret.ok()) {
    return explain(secret.status(), "the job's secret is not there");
  }
  std::vector<Peers::Other> others;
  for (const ProcessDescription &process : *all) {
    bool isHere = !own.machine.empty() && process.machine == own.machine;
    others.push_back({process.address, isHere});
  }
  XLA_RETURN_IF_ERROR((*peers)->introduce(others, std::move(*secret)));
  processes = std::move(*all);
  return std::move(*peers);
}

} // namespace xla::pjrt
