//===- PluginTest.cpp - Plugins that are old, odd or broken ---------------===//

#include "jaxlib/pjrt/Client.h"
#include "jaxlib/pjrt/CompileOptions.h"

#include "xla/support/Testing.h"

#include <cstring>

using namespace jaxlib;

//===----------------------------------------------------------------------===//
// A plugin that can do nothing but fail
//===----------------------------------------------------------------------===//

struct PJRT_Error {
  std::string message;
  int code;
};

static int errorsAlive = 0;

static PJRT_Error *fail(int code, std::string message) {
  ++errorsAlive;
  return new PJRT_Error{std::move(message), code};
}

static void destroyError(PJRT_Error_Destroy_Args *args) {
  errorsAlive -= args->error != nullptr;
  delete args->error;
}

static void getMessage(PJRT_Error_Message_Args *args) {
  args->message = args->error->message.data();
  args->message_size = args->error->message.size();
}

static PJRT_Error *getCode(PJRT_Error_GetCode_Args *args) {
  args->code = static_cast<PJRT_Error_Code>(args->error->code);
  return nullptr;
}

static PJRT_Error *initialize(PJRT_Plugin_Initialize_Args *) { return nullptr; }

static PJRT_Error *createClient(PJRT_Client_Create_Args *args) {
  return fail(8, "no room for " + std::to_string(args->num_options));
}

/// A table all of whose slots refuse, but for those that a test fills.
static PJRT_Api makeTable() {
  PJRT_Api table;
  std::memset(&table, 0, sizeof(table));
  table.struct_size = sizeof(table);
  table.pjrt_api_version.struct_size = sizeof(PJRT_Api_Version);
  table.pjrt_api_version.major_version = PJRT_API_MAJOR;
  table.pjrt_api_version.minor_version = PJRT_API_MINOR;
  auto refuse = +[](void *) { return fail(12, "not here"); };
  for (size_t offset = offsetof(PJRT_Api, PJRT_Error_Destroy);
       offset < sizeof(table); offset += sizeof(void *)) {
    std::memcpy(reinterpret_cast<char *>(&table) + offset, &refuse,
                sizeof(refuse));
  }
  table.PJRT_Error_Destroy = destroyError;
  table.PJRT_Error_Message = getMessage;
  table.PJRT_Error_GetCode = getCode;
  table.PJRT_Plugin_Initialize = initialize;
  table.PJRT_Client_Create = createClient;
  return table;
}

static bool contains(const Status &status, const char *text) {
  return status.message().find(text) != std::string::npos;
}

//===----------------------------------------------------------------------===//
// Cases
//===----------------------------------------------------------------------===//

static void acceptsAWholeTable() {
  PJRT_Api table = makeTable();
  auto plugin = Plugin::fromTable(&table, "whole");
  XLA_CHECK(plugin.ok());
  XLA_CHECK((*plugin)->minorVersion() == PJRT_API_MINOR);
}

static void refusesWhatIsNoTable() {
  XLA_CHECK(contains(Plugin::fromTable(nullptr, "nothing").status(),
                     "returned no function table"));
  PJRT_Api table = makeTable();
  table.struct_size = 16;
  XLA_CHECK(contains(Plugin::fromTable(&table, "tiny").status(), "16 bytes"));
}

static void refusesAnotherMajorVersion() {
  PJRT_Api table = makeTable();
  table.pjrt_api_version.major_version = 7;
  Status status = Plugin::fromTable(&table, "future").status();
  XLA_CHECK(status.code() == xla::StatusCode::FailedPrecondition);
  XLA_CHECK(contains(status, "7.") && contains(status, "future"));
}

static void refusesATableWithoutWhatEveryClientNeeds() {
  PJRT_Api table = makeTable();
  table.PJRT_LoadedExecutable_Execute = nullptr;
  XLA_CHECK(contains(Plugin::fromTable(&table, "holed").status(),
                     "PJRT_LoadedExecutable_Execute"));
  table = makeTable();
  table.struct_size = offsetof(PJRT_Api, PJRT_Buffer_Destroy);
  XLA_CHECK(contains(Plugin::fromTable(&table, "short").status(),
                     "PJRT_Buffer_Destroy"));
}

static void saysWhichOptionalFunctionIsMissing() {
  PJRT_Api table = makeTable();
  table.PJRT_Plugin_Attributes = nullptr;
  auto plugin = Plugin::fromTable(&table, "old");
  Status status = (*plugin)->attributes().status();
  XLA_CHECK(status.code() == xla::StatusCode::Unimplemented);
  XLA_CHECK(contains(status, "PJRT_Plugin_Attributes"));
  XLA_CHECK(contains(status, "old"));
}

static void neverReadsBeyondTheTable() {
  PJRT_Api table = makeTable();
  table.struct_size = offsetof(PJRT_Api, PJRT_Executable_Fingerprint);
  auto plugin = Plugin::fromTable(&table, "short");
  XLA_CHECK(plugin.ok());
  XLA_CHECK(!(*plugin)->has(offsetof(PJRT_Api, PJRT_Executable_Fingerprint)));
  XLA_CHECK((*plugin)->has(offsetof(PJRT_Api, PJRT_Buffer_Delete)));
}

static void carriesErrorsOverAndFreesThem() {
  PJRT_Api table = makeTable();
  auto plugin = Plugin::fromTable(&table, "failing");
  auto client = Client::create(*plugin, {{"a", int64_t(1)}, {"b", true}});
  XLA_CHECK(client.status().code() == xla::StatusCode::ResourceExhausted);
  XLA_CHECK(client.status().message() == "no room for 2");
  XLA_CHECK(errorsAlive == 0);
}

static void mapsStrangeCodesToUnknown() {
  PJRT_Api table = makeTable();
  table.PJRT_Client_Create = [](PJRT_Client_Create_Args *) {
    return fail(4711, "odd");
  };
  auto plugin = Plugin::fromTable(&table, "odd");
  auto client = Client::create(*plugin, {});
  XLA_CHECK(client.status().code() == xla::StatusCode::Unknown);
  XLA_CHECK(errorsAlive == 0);
}

static void walksBrokenExtensionChains() {
  PJRT_Api table = makeTable();
  PJRT_Extension_Base ring{sizeof(ring), PJRT_Extension_Type_Example, nullptr};
  ring.next = &ring;
  table.extension_start = &ring;
  auto plugin = Plugin::fromTable(&table, "ring");
  XLA_CHECK((*plugin)->extension(PJRT_Extension_Type_Layouts, 8) == nullptr);
  XLA_CHECK((*plugin)->extension(PJRT_Extension_Type_Example, 8) == &ring);
  XLA_CHECK((*plugin)->extension(PJRT_Extension_Type_Example, 4096) == nullptr);
}

static void copiesNamedValues() {
  NamedValues values{{"flag", true},
                     {"list", std::vector<int64_t>{1, 2, 3}},
                     {"number", int64_t(-5)},
                     {"real", 1.5f},
                     {"text", std::string("a\0b", 3)}};
  std::vector<PJRT_NamedValue> borrowed = borrowNamedValues(values);
  XLA_CHECK(copyNamedValues(borrowed.data(), borrowed.size()) == values);
}

static void ordersDevicesByPartition() {
  CompileOptions options;
  options.replicaCount = 2;
  options.partitionCount = 2;
  options.deviceIds = {0, 1, 2, 3};
  // Partition 0 runs on the first device of each replica: 0 and 2.
  const char expected[] = "\x08\x02\x10\x02\x1a\x04\x0a\x02\x00\x02"
                          "\x1a\x04\x0a\x02\x01\x03";
  std::string bytes = serialize(options);
  XLA_CHECK(bytes.find(std::string(expected, sizeof(expected) - 1)) !=
            std::string::npos);
}

int main() {
  acceptsAWholeTable();
  refusesWhatIsNoTable();
  refusesAnotherMajorVersion();
  refusesATableWithoutWhatEveryClientNeeds();
  saysWhichOptionalFunctionIsMissing();
  neverReadsBeyondTheTable();
  carriesErrorsOverAndFreesThem();
  mapsStrangeCodesToUnknown();
  walksBrokenExtensionChains();
  copiesNamedValues();
  ordersDevicesByPartition();
  return xla::testing::failedChecks();
}
