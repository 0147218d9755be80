#include "xla/runtime/ControlGroup.h"

#include "xla/support/Testing.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>

using namespace xla;
using Lines = std::vector<std::string>;

namespace {
/// A folder of control groups: `job/step` within `job`.
struct Mount {
  std::filesystem::path root =
      std::filesystem::path(std::getenv("TEST_TMPDIR")) / "groups";

  Mount() {
    std::filesystem::create_directories(root / "job" / "step");
    std::ofstream(root / "memory.max") << "8192";
    std::ofstream(root / "job" / "memory.max") << "4096 \n";
    std::ofstream(root / "job" / "step" / "memory.max") << "max\nmore\n";
  }
  Lines lines(const std::string &membership) const {
    return controlGroupLines(root, membership, "memory.max");
  }
};
} // namespace

static void testEveryGroupAroundTheProcessIsRead() {
  Mount mount;
  XLA_CHECK(mount.lines("0::/job/step") == Lines({"8192", "max", "4096"}));
  XLA_CHECK(mount.lines("0::/job") == Lines({"8192", "4096"}));
  XLA_CHECK(mount.lines("0::/gone/step") == Lines({"8192", "", ""}));
}

static void testWithoutAGroupOnlyTheRootIsRead() {
  Mount mount;
  for (const char *membership : {"0::/", "0::", "0::job", "1:name=x:/job"}) {
    XLA_CHECK(mount.lines(membership) == Lines({"8192"}));
  }
}

int main() {
  testEveryGroupAroundTheProcessIsRead();
  testWithoutAGroupOnlyTheRootIsRead();
  return testing::failedChecks();
}
