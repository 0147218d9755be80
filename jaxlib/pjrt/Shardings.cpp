#include "jaxlib/pjrt/Executable.h"

using namespace jaxlib;

namespace {

// The extension's interface, which pjrt_c_api.h does not declare.
constexpr int shardingsExtensionType = 19;

struct ShardingsArguments {
  size_t structSize;
  PJRT_Extension_Base *extensions;
  PJRT_Executable *executable;
  size_t count;
  const char *const *shardings;
  const size_t *sizes;
};

using Query = PJRT_Error *(*)(ShardingsArguments *);

struct ShardingsExtension {
  PJRT_Extension_Base base;
  Query ofParameters;
  Query ofResults;
};

static_assert(sizeof(ShardingsArguments) == 48 &&
              sizeof(ShardingsExtension) == 40);

} // namespace

static StatusOr<Executable::Shardings>
ask(const Plugin &plugin, PJRT_Executable *executable, bool ofParameters) {
  const auto *extension = reinterpret_cast<const ShardingsExtension *>(
      plugin.extension(shardingsExtensionType, sizeof(ShardingsExtension)));
  if (extension == nullptr) {
    return Executable::Shardings();
  }
  Query query = ofParameters ? extension->ofParameters : extension->ofResults;
  if (query == nullptr) {
    return Executable::Shardings();
  }
  ShardingsArguments arguments{
      sizeof(ShardingsArguments), nullptr, executable, 0, nullptr, nullptr};
  if (PJRT_Error *error = query(&arguments); error != nullptr) {
    Status status = plugin.consume(error);
    if (status.code() == xla::StatusCode::Unimplemented) {
      return Executable::Shardings();
    }
    return status;
  }
  if (arguments.shardings == nullptr) {
    return Executable::Shardings();
  }
  std::vector<std::string> found;
  for (size_t i = 0; i < arguments.count; ++i) {
    found.emplace_back(arguments.shardings[i], arguments.sizes[i]);
  }
  return Executable::Shardings(std::move(found));
}

StatusOr<Executable::Shardings> Executable::parameterShardings() const {
  return ask(plugin(), theProgram, /*ofParameters=*/true);
}

StatusOr<Executable::Shardings> Executable::resultShardings() const {
  return ask(plugin(), theProgram, /*ofParameters=*/false);
}
