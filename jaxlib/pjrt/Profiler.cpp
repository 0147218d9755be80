#include "jaxlib/pjrt/Profiler.h"

using namespace jaxlib;

// The structures of the profiler extension, whose errors are of their own type.
struct PLUGIN_Profiler_Error;

namespace {

struct ErrorArguments {
  size_t structSize;
  void *priv;
  PLUGIN_Profiler_Error *error;
};
struct MessageArguments {
  size_t structSize;
  void *priv;
  const PLUGIN_Profiler_Error *error;
  const char *message;
  size_t messageSize;
};
struct CodeArguments {
  size_t structSize;
  void *priv;
  const PLUGIN_Profiler_Error *error;
  int code;
};
struct CreateArguments {
  size_t structSize;
  const char *options;
  size_t optionsSize;
  PLUGIN_Profiler *profiler;
};
struct HandleArguments {
  size_t structSize;
  PLUGIN_Profiler *profiler;
};
struct CollectArguments {
  size_t structSize;
  PLUGIN_Profiler *profiler;
  uint8_t *buffer;
  size_t bufferSize;
};

struct ProfilerTable {
  size_t structSize;
  void *priv;
  void (*errorDestroy)(ErrorArguments *);
  void (*errorMessage)(MessageArguments *);
  PLUGIN_Profiler_Error *(*errorCode)(CodeArguments *);
  PLUGIN_Profiler_Error *(*create)(CreateArguments *);
  PLUGIN_Profiler_Error *(*destroy)(HandleArguments *);
  PLUGIN_Profiler_Error *(*start)(HandleArguments *);
  PLUGIN_Profiler_Error *(*stop)(HandleArguments *);
  PLUGIN_Profiler_Error *(*collect)(CollectArguments *);
};

struct ProfilerExtension {
  PJRT_Extension_Base base;
  const ProfilerTable *table;
};

static_assert(sizeof(ProfilerTable) == 80 && sizeof(ProfilerExtension) == 32);

/// Null where the plugin has none, or not all of its functions.
const ProfilerTable *find(const Plugin &plugin) {
  const auto *extension =
      reinterpret_cast<const ProfilerExtension *>(plugin.extension(
          PJRT_Extension_Type_Profiler, sizeof(ProfilerExtension)));
  const ProfilerTable *table = extension ? extension->table : nullptr;
  bool isWhole = table && table->structSize >= sizeof(ProfilerTable) &&
                 table->errorDestroy && table->errorMessage &&
                 table->errorCode && table->create && table->destroy &&
                 table->start && table->stop && table->collect;
  return isWhole ? table : nullptr;
}

Status consume(const ProfilerTable &table, PLUGIN_Profiler_Error *error) {
  if (!error) {
    return Status();
  }
  MessageArguments text{sizeof(text), nullptr, error, nullptr, 0};
  table.errorMessage(&text);
  CodeArguments code{sizeof(code), nullptr, error, 0};
  if (PLUGIN_Profiler_Error *second = table.errorCode(&code)) {
    ErrorArguments destroy{sizeof(destroy), nullptr, second};
    table.errorDestroy(&destroy);
  }
  std::string message =
      text.message ? std::string(text.message, text.messageSize) : "";
  ErrorArguments destroy{sizeof(destroy), nullptr, error};
  table.errorDestroy(&destroy);
  bool isKnown = code.code > 0 && code.code <= 16;
  return Status(isKnown ? static_cast<xla::StatusCode>(code.code)
                        : xla::StatusCode::Unknown,
                std::move(message));
}

} // namespace

StatusOr<std::unique_ptr<Profiler>>
Profiler::start(std::shared_ptr<const Plugin> plugin,
                std::string_view options) {
  const ProfilerTable *table = find(*plugin);
  if (!table) {
    return std::unique_ptr<Profiler>();
  }
  CreateArguments create{sizeof(create), options.data(), options.size(),
                         nullptr};
  XLA_RETURN_IF_ERROR(consume(*table, table->create(&create)));
  std::unique_ptr<Profiler> made(
      new Profiler(std::move(plugin), create.profiler));
  HandleArguments handle{sizeof(handle), create.profiler};
  made->isRunning = false;
  XLA_RETURN_IF_ERROR(consume(*table, table->start(&handle)));
  made->isRunning = true;
  return made;
}

StatusOr<std::string> Profiler::stop() {
  const ProfilerTable *table = find(*plugin);
  HandleArguments handle{sizeof(handle), profiler};
  if (!isRunning) {
    return xla::failedPrecondition("the profiler was stopped before");
  }
  isRunning = false;
  XLA_RETURN_IF_ERROR(consume(*table, table->stop(&handle)));
  CollectArguments collect{sizeof(collect), profiler, nullptr, 0};
  XLA_RETURN_IF_ERROR(consume(*table, table->collect(&collect)));
  if (collect.buffer != nullptr) { // the plugin's own, until it is destroyed
    return std::string(reinterpret_cast<const char *>(collect.buffer),
                       collect.bufferSize);
  }
  std::string space(collect.bufferSize, '\0');
  collect.buffer = reinterpret_cast<uint8_t *>(space.data());
  if (!space.empty()) {
    XLA_RETURN_IF_ERROR(consume(*table, table->collect(&collect)));
  }
  return space;
}

Profiler::~Profiler() {
  const ProfilerTable *table = find(*plugin);
  HandleArguments handle{sizeof(handle), profiler};
  if (isRunning) {
    (void)consume(*table, table->stop(&handle));
  }
  (void)consume(*table, table->destroy(&handle));
}
