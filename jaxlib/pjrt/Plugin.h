//===- Plugin.h - A PJRT plugin, loaded and checked -------------*- C++ -*-===//
//
// The function table of a plugin, behind checks: nothing is called that the
// table does not have, and every PJRT_Error becomes a Status.
//
//===----------------------------------------------------------------------===//

#ifndef JAXLIB_PJRT_PLUGIN_H
#define JAXLIB_PJRT_PLUGIN_H

#include "xla/support/Status.h"

#include "pjrt_c_api.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace jaxlib {

using xla::Status;
using xla::StatusOr;

/// A value of a plugin's option or attribute. Python tries the types in this
/// order, and would take a bool for a whole number if those came first.
using NamedValue =
    std::variant<std::string, bool, int64_t, std::vector<int64_t>, float>;
using NamedValues = std::map<std::string, NamedValue>;

/// A loaded plugin. Its table is valid until the process ends, for plugins are
/// never unloaded: their threads may outlive every handle.
class Plugin {
public:
  /// Loads the shared library at `path` and initialises it.
  static StatusOr<std::shared_ptr<const Plugin>> load(const std::string &path);

  /// Uses a table that is linked in; `origin` names it in messages.
  static StatusOr<std::shared_ptr<const Plugin>>
  fromTable(const PJRT_Api *table, std::string origin);

  const PJRT_Api &table() const { return *theTable; }
  const std::string &origin() const { return theOrigin; }
  int majorVersion() const { return table().pjrt_api_version.major_version; }
  int minorVersion() const { return table().pjrt_api_version.minor_version; }

  /// Whether the table reaches as far as the slot at `offset` and fills it.
  bool has(size_t offset) const;

  /// The extension of this type that has at least `size` bytes, or null.
  const PJRT_Extension_Base *extension(int type, size_t size) const;

  /// Calls `function`, which is null where the table lacks it.
  template <typename Arguments>
  Status invoke(PJRT_Error *(*function)(Arguments *), const char *name,
                Arguments &arguments) const {
    if (function == nullptr) {
      return missing(name);
    }
    PJRT_Error *error = function(&arguments);
    return error == nullptr ? Status() : consume(error);
  }

  /// Takes ownership of an error and says it as a Status.
  Status consume(PJRT_Error *error) const;

  StatusOr<NamedValues> attributes() const;

private:
  Plugin(const PJRT_Api *table, std::string origin)
      : theTable(table), theOrigin(std::move(origin)) {}

  Status check() const;
  Status missing(const char *name) const;

  const PJRT_Api *theTable;
  std::string theOrigin;
};

/// Copies what a plugin says in its own arrays.
NamedValues copyNamedValues(const PJRT_NamedValue *values, size_t count);

/// Arrays in the plugin's form, which point into `values`.
std::vector<PJRT_NamedValue> borrowNamedValues(const NamedValues &values);

} // namespace jaxlib

/// Declares the arguments of a call, all zero but for their size.
#define JAXLIB_PJRT_ARGUMENTS(type, name)                                      \
  type name;                                                                   \
  __builtin_memset(&name, 0, sizeof(name));                                    \
  name.struct_size = type##_STRUCT_SIZE

/// Calls `function` of the plugin's table; a Status that says so if it lacks.
#define JAXLIB_PJRT_CALL(plugin, function, arguments)                          \
  (plugin).invoke((plugin).has(offsetof(PJRT_Api, function))                   \
                      ? (plugin).table().function                              \
                      : nullptr,                                               \
                  #function, arguments)

#endif // JAXLIB_PJRT_PLUGIN_H
