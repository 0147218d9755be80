#include "jaxlib/pjrt/Reports.h"

#include "jaxlib/pjrt/Executable.h"

using namespace jaxlib;

namespace {

// Our CPU plugin's own extension, which has a mark in place of a type.
constexpr uint64_t reportsMark = 0x7374726f70657278; // "xreports"

struct ReportArguments {
  size_t structSize;
  PJRT_Extension_Base *extensions;
  PJRT_Executable *executable;
  const char *report;
  size_t reportSize;
};

using Visitor = void (*)(void *context, const char *name, size_t nameSize,
                         int64_t meetings, int64_t bytes);

struct ReportsExtension {
  PJRT_Extension_Base base;
  uint64_t mark;
  PJRT_Error *(*ofExecutable)(ReportArguments *);
  void (*countTraffic)(bool isOn);
  void (*visitTraffic)(Visitor visitor, void *context);
};

static_assert(sizeof(ReportArguments) == 40 && sizeof(ReportsExtension) == 56);

/// Null where the plugin is not ours. Others have extensions without a type
/// too: the mark stands behind what all have.
const ReportsExtension *find(const Plugin &plugin) {
  for (auto *at = plugin.table().extension_start; at != nullptr;
       at = at->next) {
    const auto *extension = reinterpret_cast<const ReportsExtension *>(at);
    if (at->type == PJRT_Extension_Type_Unknown &&
        at->struct_size >= sizeof(ReportsExtension) &&
        extension->mark == reportsMark) {
      return extension;
    }
  }
  return nullptr;
}

Status missing(const Plugin &plugin) {
  return xla::unimplemented("the plugin " + plugin.origin() +
                            " does not count what collectives send");
}

} // namespace

Status jaxlib::countTraffic(const Plugin &plugin, bool isOn) {
  const ReportsExtension *extension = find(plugin);
  if (extension == nullptr) {
    return missing(plugin);
  }
  extension->countTraffic(isOn);
  return Status();
}

StatusOr<std::map<std::string, std::pair<int64_t, int64_t>>>
jaxlib::countedTraffic(const Plugin &plugin) {
  const ReportsExtension *extension = find(plugin);
  if (extension == nullptr) {
    return missing(plugin);
  }
  std::map<std::string, std::pair<int64_t, int64_t>> found;
  auto visit = [](void *context, const char *name, size_t nameSize,
                  int64_t meetings, int64_t bytes) {
    auto &all = *static_cast<decltype(&found)>(context);
    all[std::string(name, nameSize)] = {meetings, bytes};
  };
  extension->visitTraffic(visit, &found);
  return found;
}

StatusOr<std::string> Executable::report() const {
  const ReportsExtension *extension = find(plugin());
  if (extension == nullptr) {
    return std::string();
  }
  ReportArguments arguments{sizeof(ReportArguments), nullptr, theProgram,
                            nullptr, 0};
  if (PJRT_Error *error = extension->ofExecutable(&arguments);
      error != nullptr) {
    return plugin().consume(error);
  }
  return std::string(arguments.report ? arguments.report : "",
                     arguments.reportSize);
}

StatusOr<std::shared_ptr<Executable>>
Executable::compileOnly(Client &client, std::string_view program,
                        std::string_view format,
                        const CompileOptions &options) {
  std::string optionBytes = serialize(options);
  PJRT_Program source = programOf(program, format);

  StatusOr<PJRT_TopologyDescription *> machine = client.topology();
  if (!machine.ok()) {
    return machine.status();
  }
  std::shared_ptr<Executable> executable(
      new Executable(client.shared_from_this()));
  JAXLIB_PJRT_ARGUMENTS(PJRT_Compile_Args, arguments);
  arguments.topology = *machine;
  arguments.program = &source;
  arguments.compile_options = optionBytes.data();
  arguments.compile_options_size = optionBytes.size();
  arguments.client = client.handle();
  XLA_RETURN_IF_ERROR(
      JAXLIB_PJRT_CALL(client.plugin(), PJRT_Compile, arguments));
  executable->theProgram = arguments.executable;
  XLA_RETURN_IF_ERROR(executable->describe());
  return executable;
}
