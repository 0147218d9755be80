//===- Devices.cpp - Plugins, clients, devices, executables in Python -----===//

#include "jaxlib/py/Array.h"
#include "jaxlib/py/Callbacks.h"
#include "jaxlib/py/Errors.h"
#include "jaxlib/py/Gil.h"
#include "jaxlib/py/KeyValueStore.h"

#include "jaxlib/pjrt/Executable.h"
#include "jaxlib/pjrt/Ffi.h"
#include "jaxlib/pjrt/Peers.h"
#include "jaxlib/pjrt/Profiler.h"
#include "jaxlib/pjrt/Reports.h"
#include "jaxlib/pjrt/Threads.h"
#include "xla/ffi/api/c_api.h"

#include <pybind11/stl.h>

/// Of the CPU plugin that is linked in.
extern "C" const PJRT_Api *GetPjrtApi();

using namespace jaxlib;
namespace py = pybind11;

/// Devices and memories are parts of their client, and keep it.
template <typename Part>
static std::shared_ptr<Part> share(Part *part) {
  if (part == nullptr) {
    return nullptr;
  }
  return std::shared_ptr<Part>(part->client->shared_from_this(), part);
}

template <typename Part>
static std::vector<std::shared_ptr<Part>>
shareAll(const std::vector<Part *> &parts) {
  std::vector<std::shared_ptr<Part>> shared;
  for (Part *part : parts) {
    shared.push_back(share(part));
  }
  return shared;
}

static std::vector<std::shared_ptr<Device>> devices(Client &client,
                                                    bool onlyLocal) {
  std::vector<std::shared_ptr<Device>> result;
  for (Device &device : client.devices()) {
    if (!onlyLocal || device.isAddressable) {
      result.push_back(share(&device));
    }
  }
  return result;
}

static std::shared_ptr<Client> makeClient(std::shared_ptr<Plugin> plugin,
                                          const NamedValues &options,
                                          const py::object &keyValue) {
  std::shared_ptr<AbstractKeyValueStore> store;
  if (!keyValue.is_none()) {
    store = keyValueStoreOf(keyValue);
  }
  StatusOr<std::shared_ptr<Client>> client = [&] {
    GilRelease release;
    return Client::create(plugin, options, std::move(store));
  }();
  setWaitCheck(*plugin, noSignalArrived);
  return valueOrThrow(std::move(client));
}

static std::shared_ptr<Client> describeMachine(std::shared_ptr<Plugin> plugin,
                                               const std::string &name,
                                               const NamedValues &options) {
  StatusOr<std::shared_ptr<Client>> machine = [&] {
    GilRelease release;
    return Client::describeMachine(plugin, name, options);
  }();
  return valueOrThrow(std::move(machine));
}

static std::shared_ptr<Client> restoreMachine(std::shared_ptr<Plugin> plugin,
                                              const py::bytes &serialized) {
  return valueOrThrow(
      Client::restoreMachine(plugin, std::string_view(serialized)));
}

/// What users call the platform: all GPUs are one.
static std::string family(const std::string &platform) {
  return platform == "cuda" || platform == "rocm" || platform == "oneapi"
             ? "gpu"
             : platform;
}

using Compiler = StatusOr<std::shared_ptr<Executable>> (*)(
    Client &, std::string_view, std::string_view, const CompileOptions &);

template <Compiler compiler>
static std::shared_ptr<Executable> compile(Client &client, py::handle program,
                                           const std::string &format,
                                           const CompileOptions &options) {
  // Bytes or str, read in place: both stay as they are while we hold them.
  const char *data;
  Py_ssize_t size;
  if (PyUnicode_Check(program.ptr())) {
    data = PyUnicode_AsUTF8AndSize(program.ptr(), &size);
  } else {
    char *bytes;
    data = PyBytes_AsStringAndSize(program.ptr(), &bytes, &size) == 0 ? bytes
                                                                      : nullptr;
  }
  if (data == nullptr) {
    throw py::error_already_set();
  }
  size_t deviceCount =
      static_cast<size_t>(options.replicaCount * options.partitionCount);
  if (options.replicaCount < 1 || options.partitionCount < 1 ||
      (!options.deviceIds.empty() && options.deviceIds.size() != deviceCount)) {
    throw py::value_error(
        "compile: " + std::to_string(options.deviceIds.size()) +
        " devices were given for " + std::to_string(options.replicaCount) +
        " replicas of " + std::to_string(options.partitionCount) +
        " partitions");
  }
  std::string_view view(data, static_cast<size_t>(size));
  StatusOr<std::shared_ptr<Executable>> executable = [&] {
    GilRelease release;
    return compiler(client, view, format, options);
  }();
  return valueOrThrow(std::move(executable));
}

static void registerPlugin(py::module_ &module) {
  py::class_<Plugin, std::shared_ptr<Plugin>>(
      module, "Plugin", "A PJRT plugin, loaded and checked.")
      .def_property_readonly("origin", &Plugin::origin)
      .def_property_readonly("api_version",
                             [](const Plugin &plugin) {
                               return py::make_tuple(plugin.majorVersion(),
                                                     plugin.minorVersion());
                             })
      .def("attributes", [](const Plugin &plugin) {
        return valueOrThrow(plugin.attributes());
      });
  module.def(
      "load_plugin",
      [](const std::string &path) {
        StatusOr<std::shared_ptr<const Plugin>> plugin = [&] {
          GilRelease release;
          return Plugin::load(path);
        }();
        return std::const_pointer_cast<Plugin>(valueOrThrow(std::move(plugin)));
      },
      py::arg("path"), "Loads the shared library of a PJRT plugin.");
  module.def(
      "linked_plugin",
      [] {
        return std::const_pointer_cast<Plugin>(valueOrThrow(
            Plugin::fromTable(GetPjrtApi(), "linked into jaxlib")));
      },
      "The CPU plugin that is linked in.");
}

static void registerMemoryAndDevice(py::module_ &module) {
  py::class_<Memory, std::shared_ptr<Memory>>(module, "Memory",
                                              "A memory of a device.")
      .def_readonly("kind", &Memory::kind)
      .def_readonly("id", &Memory::id)
      .def_property_readonly("platform",
                             [](const Memory &memory) {
                               return family(memory.client->platformName());
                             })
      .def("addressable_by_devices",
           [](const Memory &memory) { return shareAll(memory.devices); })
      .def("__repr__", [](const Memory &memory) {
        return memory.text.empty() ? "Memory(kind='" + memory.kind + "')"
                                   : memory.text;
      });
  py::class_<Device, std::shared_ptr<Device>>(
      module, "Device", "A device of a client; the same object each time.",
      py::dynamic_attr())
      .def_readonly("id", &Device::id)
      .def_readonly("process_index", &Device::processIndex)
      .def_readonly("local_hardware_id", &Device::localHardwareId)
      .def_readonly("device_kind", &Device::kind)
      .def_property_readonly("platform",
                             [](const Device &device) {
                               return family(device.client->platformName());
                             })
      .def_property_readonly("client",
                             [](const Device &device) {
                               return device.client->shared_from_this();
                             })
      .def_property_readonly(
          "is_addressable",
          [](const Device &device) { return device.isAddressable; })
      .def_property_readonly(
          "host_id", [](const Device &device) { return device.processIndex; })
      .def("addressable_memories",
           [](const Device &device) { return shareAll(device.memories); })
      .def("default_memory",
           [](const Device &device) { return share(device.defaultMemory); })
      .def("memory",
           [](const Device &device, const std::string &kind) {
             for (Memory *memory : device.memories) {
               if (memory->kind == kind) {
                 return share(memory);
               }
             }
             throw py::value_error("device " + device.text +
                                   " has no memory of kind '" + kind + "'");
           })
      .def("memory_stats",
           [](const Device &device) -> py::object {
             auto stats = valueOrThrow(memoryStatistics(device));
             return stats.empty() ? py::none() : py::cast(stats);
           })
      .def("__repr__", [](const Device &device) { return device.text; })
      .def("__str__",
           [](const Device &device) {
             return device.client->platformName() + ":" +
                    std::to_string(device.id);
           })
      .def("__getattr__", [](const Device &device, const std::string &name) {
        auto found = device.attributes.find(name);
        if (found == device.attributes.end()) {
          throw py::attribute_error("device " + device.text +
                                    " has no attribute '" + name + "'");
        }
        return py::cast(found->second);
      });
}

using ClientClass = py::class_<Client, std::shared_ptr<Client>>;

/// The handlers of a target by the names of their stages, of which the caller
/// knows that they are such names.
static FfiStages stages(const std::map<std::string, py::capsule> &handlers) {
  auto at = [&](const char *stage) -> void * {
    auto found = handlers.find(stage);
    return found == handlers.end() ? nullptr : found->second.get_pointer();
  };
  return {at("instantiate"), at("prepare"), at("initialize"), at("execute")};
}

static void registerFfi(ClientClass &client) {
  client
      .def(
          "register_ffi_handler",
          [](Client &client, const std::string &name,
             const std::map<std::string, py::capsule> &handlers,
             const std::string &platform, uint32_t traits) {
            throwIfError(registerFfiHandler(client.plugin(), name, platform,
                                            stages(handlers), traits));
          },
          py::arg("name"), py::arg("handlers"), py::arg("platform"),
          py::arg("traits") = 0,
          "Makes XLA FFI handlers, capsules by stage, the target of custom "
          "calls.")
      .def(
          "register_ffi_type",
          [](Client &client, const std::string &name, int64_t id,
             const std::optional<py::capsule> &info) {
            const auto *known =
                info ? info->get_pointer<XLA_FFI_TypeInfo>() : nullptr;
            return valueOrThrow(registerFfiType(
                client.plugin(), name, id, known ? known->deleter : nullptr));
          },
          py::arg("name"), py::arg("id"), py::arg("info"),
          "Makes a type of FFI handlers known; returns its number.");
}

static void registerProfiler(py::module_ &module) {
  py::class_<Profiler>(module, "Profiler", "A profile that a plugin takes.")
      .def(
          "stop",
          [](Profiler &profiler) {
            StatusOr<std::string> space = [&] {
              GilRelease release;
              return profiler.stop();
            }();
            return py::bytes(valueOrThrow(std::move(space)));
          },
          "Ends the profile: the bytes of an XSpace.");
}

static void registerClientClass(py::module_ &module) {
  registerProfiler(module);
  ClientClass client(module, "Client",
                     "The devices of a plugin, and its compiler.",
                     py::dynamic_attr());
  registerFfi(client);
  client.def_property_readonly("platform", &Client::platformName)
      .def_property_readonly("platform_version", &Client::platformVersion)
      .def_property_readonly("is_absent", &Client::isAbsent,
                             "Whether it only describes a machine.")
      .def("process_index", &Client::processIndex)
      .def("devices", [](Client &client) { return devices(client, false); })
      .def(
          "serialized_machine",
          [](const Client &client) {
            return py::bytes(valueOrThrow(client.serializedMachine()));
          },
          "What its compiler knows of the machine, for `restore_machine`.")
      .def_static("restore_machine", &restoreMachine, py::arg("plugin"),
                  py::arg("serialized"),
                  "The devices that a `serialized_machine` told of.")
      .def("local_devices",
           [](Client &client) { return devices(client, true); })
      .def("device_count",
           [](Client &client) { return client.devices().size(); })
      .def_property_readonly(
          "plugin", [](Client &client) { return client.plugin().origin(); })
      .def("plugin_attributes",
           [](Client &client) {
             return valueOrThrow(client.plugin().attributes());
           })
      .def("compile", &compile<&Executable::compile>, py::arg("program"),
           py::arg("format") = "mlir", py::arg("options") = CompileOptions(),
           "Compiles StableHLO, text (str) or bytecode (bytes).")
      .def("compile_only", &compile<&Executable::compileOnly>,
           py::arg("program"), py::arg("format") = "mlir",
           py::arg("options") = CompileOptions(),
           "Compiles for devices that need not exist; nothing can be run.")
      .def(
          "count_traffic",
          [](Client &client, bool isOn) {
            throwIfError(countTraffic(client.plugin(), isOn));
          },
          py::arg("is_on"),
          "Counts from now on what collectives send, or no longer.")
      .def(
          "counted_traffic",
          [](Client &client) {
            return valueOrThrow(countedTraffic(client.plugin()));
          },
          "By collective: how often a group met, and the bytes that its "
          "members "
          "got of each other.")
      .def(
          "start_profiler",
          [](Client &client, const py::bytes &options) {
            return valueOrThrow(
                Profiler::start(client.sharedPlugin(), std::string(options)));
          },
          py::arg("options"),
          "A profile of the plugin, which begins; None where it takes none.")
      .def(
          "activities",
          [](Client &client) {
            py::list rows;
            for (const PeerActivity &activity : activities(client)) {
              rows.append(py::make_tuple(activity.program, activity.launch,
                                         activity.collective, activity.seconds,
                                         activity.missing));
            }
            return rows;
          },
          "Launches over several processes that have not ended here: (program, "
          "launch, collective, seconds, processes); the collective is where it "
          "waits, since so many seconds, for these processes, or \"\".")
      .def(
          "fail_process",
          [](Client &client, int process, const std::string &why,
             bool hasLeft) {
            GilRelease release;
            failProcess(client, process, why, hasLeft);
          },
          py::arg("process"), py::arg("why"), py::arg("has_left") = false,
          "Says that another process has failed: what waits for it here ends. "
          "Or that it has left: it ends when nothing comes of it any more.")
      .def(
          "fail_waits",
          [](Client &client, double seconds, const std::string &why) {
            GilRelease release;
            failWaits(client, seconds, why);
          },
          py::arg("seconds"), py::arg("why"),
          "Ends launches that have waited for other processes for so long.")
      .def_property(
          "threads",
          [](Client &client) { return valueOrThrow(threads(client.plugin())); },
          [](Client &client, int64_t number) {
            throwIfError(setThreads(client.plugin(), number));
          },
          "How many threads share out the work of a program, in this process.")
      .def(
          "deserialize_executable",
          [](Client &client, const py::bytes &bytes,
             const CompileOptions *options) {
            std::string_view view = bytes;
            StatusOr<std::shared_ptr<Executable>> executable = [&] {
              GilRelease release;
              return Executable::deserialize(client, view, options);
            }();
            return valueOrThrow(std::move(executable));
          },
          py::arg("serialized"), py::arg("options") = nullptr,
          "Loads what Executable.serialize returned; options take the place of "
          "those it was compiled with.");
  module.def("make_client", &makeClient, py::arg("plugin"),
             py::arg("options") = NamedValues(),
             py::arg("key_value") = py::none(),
             "Starts a plugin's client. Clients of several processes "
             "(`num_nodes`, `node_id`) find each other through `key_value`: an "
             "object with get(key, timeout_ms), try_get(key) and put(key, "
             "value); keys are str, values bytes.");
  module.def("describe_machine", &describeMachine, py::arg("plugin"),
             py::arg("name"), py::arg("options") = NamedValues(),
             "Devices that programs can be compiled for, present or not.");
}

static py::object asBytes(const Executable::Shardings &shardings) {
  if (!shardings) {
    return py::none();
  }
  py::list found;
  for (const std::string &message : *shardings) {
    found.append(py::bytes(message));
  }
  return std::move(found);
}

static void registerExecutable(py::module_ &module) {
  py::class_<CompileOptions>(module, "CompileOptions",
                             "What a compiler is told beside the program.")
      .def(py::init<>())
      .def_readwrite("replica_count", &CompileOptions::replicaCount)
      .def_readwrite("partition_count", &CompileOptions::partitionCount)
      .def_readwrite("device_ids", &CompileOptions::deviceIds)
      .def_readwrite("use_spmd_partitioning",
                     &CompileOptions::useSpmdPartitioning)
      .def_readwrite("use_shardy_partitioner",
                     &CompileOptions::useShardyPartitioner)
      .def_readwrite("propagate_to_results",
                     &CompileOptions::propagateToResults)
      .def_readwrite("propagate_to_arguments",
                     &CompileOptions::propagateToArguments)
      .def_readwrite("overrides", &CompileOptions::overrides)
      .def("serialize", [](const CompileOptions &self) {
        return py::bytes(serialize(self));
      });
  py::class_<Executable, std::shared_ptr<Executable>>(
      module, "Executable", "A compiled program, loaded on its devices.")
      .def_property_readonly("name", &Executable::name)
      .def_property_readonly("result_count", &Executable::resultCount)
      .def("devices",
           [](const Executable &self) { return shareAll(self.devices()); })
      .def_property_readonly("client",
                             [](const Executable &self) {
                               return self.client().shared_from_this();
                             })
      .def("result_memory_kinds",
           [](const Executable &self) {
             return valueOrThrow(self.resultMemoryKinds());
           })
      .def(
          "parameter_shardings",
          [](const Executable &self) {
            return asBytes(valueOrThrow(self.parameterShardings()));
          },
          "The shardings of parameters, as messages; None: not reported.")
      .def(
          "result_shardings",
          [](const Executable &self) {
            return asBytes(valueOrThrow(self.resultShardings()));
          },
          "The shardings of results, as messages; None: not reported.")
      .def("optimized_program",
           [](const Executable &self) {
             Executable::Program program =
                 valueOrThrow(self.optimizedProgram());
             return py::make_tuple(program.format, py::bytes(program.code));
           })
      .def("cost_analysis",
           [](const Executable &self) {
             return valueOrThrow(self.costAnalysis());
           })
      .def("memory_analysis",
           [](const Executable &self) {
             return valueOrThrow(self.memoryAnalysis());
           })
      .def(
          "report",
          [](const Executable &self) { return valueOrThrow(self.report()); },
          "What the compiler reports by source line, as JSON; \"\": nothing.")
      .def("serialize",
           [](const Executable &self) {
             return py::bytes(valueOrThrow(self.serialized()));
           })
      .def("fingerprint",
           [](const Executable &self) {
             return py::bytes(valueOrThrow(self.fingerprint()));
           })
      .def(
          "keep_alive",
          [](Executable &self, const CallbackRegistration &registration) {
            self.keepAlive(registration.callback);
          },
          py::arg("registration"),
          "Keeps a callback as long as the executable, and each run of it, "
          "lives.");
}

void jaxlib::registerDevices(py::module_ &module) {
  registerPlugin(module);
  registerMemoryAndDevice(module);
  registerExecutable(module);
  registerClientClass(module);
}
