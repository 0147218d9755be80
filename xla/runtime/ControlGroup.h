//===- ControlGroup.h - Limits set on this process --------------*- C++ -*-===//

#ifndef XLA_RUNTIME_CONTROLGROUP_H
#define XLA_RUNTIME_CONTROLGROUP_H

#include <string>
#include <vector>

namespace xla {

/// A file's first line without spaces at its end, empty where there is none.
std::string readFirstLine(const std::string &path);

/// The first lines of `file` (say "memory.max") in the version-2 control group
/// that `membership` names, a line of /proc/self/cgroup, and in the groups
/// around it, each of which limits too. `root` is where groups are mounted.
std::vector<std::string> controlGroupLines(const std::string &root,
                                           const std::string &membership,
                                           const std::string &file);

/// The same for this process.
std::vector<std::string> controlGroupLines(const std::string &file);

} // namespace xla

#endif // XLA_RUNTIME_CONTROLGROUP_H
