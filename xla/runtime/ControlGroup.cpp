#include "xla/runtime/ControlGroup.h"

#include <cstdio>

namespace xla {

std::string readFirstLine(const std::string &path) {
  std::string line;
  if (FILE *file = std::fopen(path.c_str(), "re")) {
    char buffer[512];
    if (std::fgets(buffer, sizeof buffer, file)) {
      line = buffer;
    }
    std::fclose(file);
  }
  while (!line.empty() && (line.back() == '\n' || line.back() == ' ')) {
    line.pop_back();
  }
  return line;
}

std::vector<std::string> controlGroupLines(const std::string &root,
                                           const std::string &membership,
                                           const std::string &file) {
  // A container may show its own group as the root, whatever its name.
  std::vector<std::string> lines = {readFirstLine(root + "/" + file)};
  if (!membership.starts_with("0::/")) {
    return lines;
  }
  std::string folder = membership.substr(3);
  while (folder.size() > 1) {
    lines.push_back(readFirstLine(root + folder + "/" + file));
    folder.resize(folder.rfind('/'));
  }
  return lines;
}

std::vector<std::string> controlGroupLines(const std::string &file) {
  return controlGroupLines("/sys/fs/cgroup", readFirstLine("/proc/self/cgroup"),
                           file);
}

} // namespace xla
