// Clients of several processes, here several clients of one: what each knows of
// the devices of all, and what it refuses to do with those of others.

#include "xla/pjrt/common/Client.h"
#include "xla/pjrt/common/Executable.h"
#include "xla/pjrt/common/TestClient.h"
#include "xla/support/Testing.h"

#include <chrono>
#include <condition_variable>
#include <cstring>
#include <map>
#include <mutex>
#include <thread>

using namespace xla::pjrt::testing;

namespace {
/// A key-value store as a client's creator offers it.
struct Store {
  std::mutex mutex;
  std::condition_variable changed;
  std::map<std::string, std::string> values;
  int alive = 0; ///< values handed out

  static PJRT_Error *get(PJRT_KeyValueGetCallback_Args *args) {
    auto *store = static_cast<Store *>(args->user_arg);
    std::string key(args->key, args->key_size);
    std::unique_lock<std::mutex> lock(store->mutex);
    bool isThere = store->changed.wait_for(
        lock, std::chrono::milliseconds(args->timeout_in_ms),
        [&] { return store->values.contains(key); });
    if (!isThere) {
      return (*args->callback_error)(PJRT_Error_Code_DEADLINE_EXCEEDED, "late",
                                     4);
    }
    const std::string &value = store->values[key];
    args->value = static_cast<char *>(std::malloc(value.size() + 1));
    std::memcpy(args->value, value.data(), value.size());
    args->value_size = value.size();
    args->value_deleter_callback = [](char *bytes) { std::free(bytes); };
    return nullptr;
  }

  static PJRT_Error *put(PJRT_KeyValuePutCallback_Args *args) {
    auto *store = static_cast<Store *>(args->user_arg);
    std::lock_guard<std::mutex> lock(store->mutex);
    auto [at, isNew] =
        store->values.try_emplace({args->key, args->key_size},
                                  std::string(args->value, args->value_size));
    store->changed.notify_all();
    return isNew ? nullptr
                 : (*args->callback_error)(PJRT_Error_Code_ALREADY_EXISTS,
                                           "exists", 6);
  }
};
} // namespace

static PJRT_NamedValue number(const char *name, int64_t value) {
  PJRT_NamedValue option = {};
  option.struct_size = PJRT_NamedValue_STRUCT_SIZE;
  option.name = name;
  option.name_size = std::strlen(name);
  option.type = PJRT_NamedValue_kInt64;
  option.int64_value = value;
  option.value_size = 1;
  return option;
}

static PJRT_Error_Code create(Store &store, int process, int count, int devices,
                              PJRT_Client *&client,
                              std::string *message = nullptr) {
  PJRT_NamedValue options[] = {number("num_nodes", count),
                               number("node_id", process),
                               number("cpu_device_count", devices)};
  XLA_PJRT_ARGS(PJRT_Client_Create_Args, args);
  args.create_options = options;
  args.num_options = std::size(options);
  args.kv_get_callback = Store::get;
  args.kv_get_user_arg = &store;
  args.kv_put_callback = Store::put;
  args.kv_put_user_arg = &store;
  PJRT_Error_Code code = codeOf(api().PJRT_Client_Create(&args), message);
  client = args.client;
  return code;
}

static void testAllKnowAllDevices() {
  Store store;
  PJRT_Client *clients[2] = {};
  std::thread other([&] { create(store, 1, 2, 3, clients[1]); });
  XLA_CHECK(create(store, 0, 2, 2, clients[0]) == PJRT_Error_Code_OK);
  other.join();
  for (int process : {0, 1}) {
    PJRT_Client *client = clients[process];
    XLA_CHECK(client != nullptr);
    XLA_PJRT_ARGS(PJRT_Client_Devices_Args, all);
    all.client = client;
    XLA_CHECK(!api().PJRT_Client_Devices(&all));
    XLA_CHECK(all.num_devices == 5);
    const int ids[] = {0, 1, 2048, 2049, 2050};
    for (int i = 0; i < 5; ++i) {
      PJRT_Device *device = all.devices[i];
      XLA_CHECK(device->description->id == ids[i]);
      XLA_CHECK(device->description->processIndex == (i < 2 ? 0 : 1));
      XLA_CHECK(device->isAddressable() == ((i < 2) == (process == 0)));
      XLA_CHECK(client->findDevice(ids[i]) == device);
    }
    XLA_CHECK(!client->findDevice(2) && !client->findDevice(2051));
    XLA_PJRT_ARGS(PJRT_Client_AddressableDevices_Args, own);
    own.client = client;
    XLA_CHECK(!api().PJRT_Client_AddressableDevices(&own));
    XLA_CHECK(own.num_addressable_devices == (process == 0 ? 2 : 3));
    XLA_CHECK(own.addressable_devices[1] == all.devices[process == 0 ? 1 : 3]);
    XLA_PJRT_ARGS(PJRT_Device_DefaultMemory_Args, memory);
    memory.device = all.devices[process == 0 ? 2 : 0];
    std::string message;
    XLA_CHECK(codeOf(api().PJRT_Device_DefaultMemory(&memory), &message) ==
              PJRT_Error_Code_INVALID_ARGUMENT);
    XLA_CHECK(message.find("belongs to process") != std::string::npos);
    XLA_CHECK(!putFloats(client, {1}, memory.device));
    // A program that names no device is for one of this process.
    PJRT_LoadedExecutable *executable =
        compile(client, "args f32[1]\nresults f32[1]\n");
    XLA_CHECK(executable->devices.size() == 1 &&
              executable->devices[0] == own.addressable_devices[0]);
    destroy(executable);
    destroy(client);
  }
}

static void testNumbersThatDoNotFit() {
  PJRT_Client *client = nullptr;
  std::string message;
  Store store;
  XLA_CHECK(create(store, 2, 2, 1, client, &message) ==
            PJRT_Error_Code_INVALID_ARGUMENT);
  XLA_CHECK(message.find("numbered from 0") != std::string::npos);
  store.values["local_topology/cpu/1"] = "";
  XLA_CHECK(create(store, 1, 2, 1, client, &message) ==
            PJRT_Error_Code_ALREADY_EXISTS);
  XLA_CHECK(message.find("process 1") != std::string::npos);
  for (const char *damaged : {"", "\x08\x01", "\x08\x01\x1a\x7f", "\xff"}) {
    Store other;
    other.values["local_topology/cpu/1"] = damaged;
    XLA_CHECK(create(other, 0, 2, 1, client, &message) ==
              PJRT_Error_Code_DATA_LOSS);
  }
  Store late;
  late.values["global_topology/cpu"] = "";
  XLA_CHECK(create(late, 1, 2, 1, client, &message) ==
            PJRT_Error_Code_INVALID_ARGUMENT);
  XLA_CHECK(message.find("num_nodes") != std::string::npos);
}

int main() {
  testAllKnowAllDevices();
  testNumbersThatDoNotFit();
  return xla::testing::failedChecks();
}
